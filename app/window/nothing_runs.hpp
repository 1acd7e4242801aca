// Shown by the views while nothing runs because the kernel or its form has an error: what is wrong, and where.
#pragma once

#include "app/views/context.hpp"

namespace tilescope {

/// Draws it in the current window; false if there is a result, or no error.
bool draw_why_nothing_runs(PanelContext& context);

}  // namespace tilescope
