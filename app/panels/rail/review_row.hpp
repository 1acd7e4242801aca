// Below the labs: how many review cards are due, which opens the review, and the way to the skills page.
#pragma once

#include <imgui.h>

#include "app/views/context.hpp"

namespace tilescope {

/// In pixels; 0 where there is nothing to review.
float review_row_height(const PanelContext& context);
void draw_review_row(PanelContext& context, ImVec2 at, float width);

}  // namespace tilescope
