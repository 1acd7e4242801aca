// Which of a run's launches the views show: ‹ 3 of 5 ›, and a menu of all of them by their kernels' names. Nothing is
// drawn for a run of one launch.
#pragma once

#include <imgui.h>

#include "app/views/context.hpp"

namespace tilescope {

/// In a row centred on `y`, from x on, and never beyond `right`. Returns where the row continues; x where nothing was
/// drawn.
float draw_launch_choice(PanelContext& context, float x, float y, float right);

/// Before the sentence on top of a view, or above it where little room would be left. Returns where the sentence
/// begins.
ImVec2 launch_before_sentence(PanelContext& context, ImVec2 low, float right);

/// In the corner of a view that has nothing to show of this launch.
void launch_in_corner(PanelContext& context);

}  // namespace tilescope
