// The marks that the learner has earned: five segments below the title of a lab, and their number below all labs with
// the menu that saves a certificate.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "app/views/context.hpp"

namespace tilescope {

/// Unscaled height of draw_marks_total.
constexpr float kMarksTotal = 56;

/// A segment for each mark, filled by how much of it is done; its left end and middle at `left`.
void draw_lab_marks(const PanelContext& context, ImVec2 left, const std::vector<PartDone>& parts);
/// The title, and a line for each mark: "✓ read: …", "– predicted: …, 1 of 2".
std::string marks_text(const PanelContext& context, const Lab& lab, const std::vector<PartDone>& parts);
void draw_marks_total(PanelContext& context, ImVec2 at, float width);

}  // namespace tilescope
