// The help page about the meaning of badges and colours.
#pragma once

#include "app/views/context.hpp"

namespace tilescope {

/// Draws at the cursor, `width` pixels wide, and advances the cursor.
void draw_terms(PanelContext& context, float width);

}  // namespace tilescope
