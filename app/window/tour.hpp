// The first steps: four things to try in the first lab, on a card beside the control that each concerns. A step is
// ticked when it was really done; the order does not matter. The card is not modal, and never covers what it points at.
#pragma once

#include "app/views/context.hpp"

namespace tilescope {

class Screen;

/// Opens the lesson of vector-add with no step ticked.
void start_tour(Screen& screen);
/// Ticks the steps done since the last call; call once a frame.
void follow_tour(PanelContext& context);
/// Draws the card above everything else. Call after the screen's own window has ended.
void draw_tour(PanelContext& context);

}  // namespace tilescope
