// The buttons at the foot of a dialog.
#pragma once

#include "app/views/context.hpp"

namespace tilescope {

/// Draws the button at ImGui's cursor, with the text of the key `id`; returns whether it was pressed.
bool draw_dialog_button(PanelContext& context, const char* id, bool primary);

}  // namespace tilescope
