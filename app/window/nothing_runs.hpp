// What the views say while nothing has run since the kernel or its form is wrong: what is the matter, and where.
#pragma once

#include "app/views/context.hpp"

namespace tilescope {

/// Draws it in the current window; false where there is a result, or none is amiss.
bool draw_why_nothing_runs(PanelContext& context);

}  // namespace tilescope
