// The page of the help that says what badges, colours and words mean.
#pragma once

#include "app/views/context.hpp"

namespace tilescope {

/// Draws at the cursor, `width` pixels wide, and moves the cursor on.
void draw_terms(PanelContext& context, float width);

}  // namespace tilescope
