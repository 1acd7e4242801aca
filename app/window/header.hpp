// The strip at the top: name, stage › lab › rung, verdict, badge, device, language, theme, menus.
#pragma once

#include "app/views/context.hpp"

namespace tilescope {

class Screen;

/// Fills the current window; `left` is the start of the breadcrumb's area, the name is left of it.
void draw_header(PanelContext& context, Screen& screen, float left);

}  // namespace tilescope
