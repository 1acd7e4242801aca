// The strip on top: name, stage › lab › rung, device, badge, language, theme.
#pragma once

#include "app/panel_context.hpp"

namespace tilescope {

/// Fills the current window; `left` is where the breadcrumb's area starts, the name is left of it.
void draw_header(PanelContext& context, Strings& strings, float left);

}  // namespace tilescope
