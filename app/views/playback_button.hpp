// The buttons for playback: blocks in the tile view, waves in the order view.
#pragma once

#include "app/views/context.hpp"

namespace tilescope {

enum class PlaybackIcon { back, play, pause, forward };

/// 24 unscaled pixels square with its corner at `low`; marked as "playback.ID". Returns whether it was pressed.
bool playback_button(PanelContext& context, const char* id, ImVec2 low, PlaybackIcon icon, std::string_view help);

}  // namespace tilescope
