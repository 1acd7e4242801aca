// The first steps: four things to try in the first lab, on a card beside the control that each is about. They tick when
// they were really done, in whatever order. The card is never modal, and never over what it points at.
#pragma once

#include "app/panel_context.hpp"

namespace tilescope {

class Screen;

/// Opens the lesson of vector-add with nothing ticked.
void start_tour(Screen& screen);
/// Ticks what has been done since; once a frame.
void follow_tour(PanelContext& context);
/// The card, over everything else. Call after the screen's own window has ended.
void draw_tour(PanelContext& context);

}  // namespace tilescope
