// Selects which of a run's launches the views show: ‹ 3 of 5 ›, and a menu of all of them by kernel name. Nothing is
// drawn for a run with one launch.
#pragma once

#include <imgui.h>

#include "app/views/context.hpp"

namespace tilescope {

/// Draws in a row centred on `y`, from x on, and never beyond `right`. Returns the x at which the row continues; x
/// itself if nothing was drawn.
float draw_launch_choice(PanelContext& context, float x, float y, float right);

/// Draws before the sentence at the top of a view, or above it if too little room would be left. Returns the start of
/// the sentence.
ImVec2 launch_before_sentence(PanelContext& context, ImVec2 low, float right);

/// Draws in the corner of a view that has nothing to show for this launch.
void launch_in_corner(PanelContext& context);

}  // namespace tilescope
