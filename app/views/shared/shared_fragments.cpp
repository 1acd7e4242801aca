// The matrices of the mma or ldmatrix at the cursor: which lane holds which element.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/shared/shared_view.hpp"
#include "engine/traffic/access/fragments.hpp"

namespace tilescope {
namespace {

constexpr float kFragmentsHeader = 28, kCaption = 18, kFragmentsBetween = 20, kMostCell = 20,
                kLeastCell = 5;  // unscaled

/// The instruction whose fragments are shown: that of the step, else the warp's last one that has any.
struct Shown {
  const StepInstruction* instruction = nullptr;
  std::vector<FragmentMatrix> matrices;
  bool at_cursor = true;
};
std::optional<Shown> shown_instruction(const SharedFrame& frame) {
  constexpr uint64_t kFarthest = 400;  // steps back
  for (uint64_t back = 0; back <= std::min(frame.step.position, kFarthest); ++back) {
    const StepInstruction& instruction =
        frame.step.index.instruction(frame.step.index.at(frame.step.warp, frame.step.position - back));
    if (auto matrices = fragments_of(instruction.text)) return Shown{&instruction, std::move(*matrices), back == 0};
  }
  return std::nullopt;
}

/// "mma.sync m16n8k16 f16": an instruction without operands and the usual qualifiers.
std::string short_name(const std::string& ptx) {
  std::string name = ptx.substr(ptx.starts_with('@') ? ptx.find(' ') + 1 : 0);
  name = name.substr(0, name.find_first_of(" \t{"));
  for (const std::string_view part : {".aligned", ".row.col", ".shared"})
    if (const size_t at = name.find(part); at != std::string::npos) name.erase(at, part.size());
  return name;
}

ImU32 colour_of_role(const Theme& theme, FragmentMatrix::Role role) {
  return role == FragmentMatrix::Role::accumulator ? theme.write : theme.read;
}

/// The lanes in a group of four have different tints, and so do alternating groups.
ImU32 colour_of_lane(const Theme& theme, ImU32 base, uint32_t lane) {
  return mix(theme.window, base, 0.2F + 0.11F * static_cast<float>(lane % 4) + (lane / 4 % 2 == 0 ? 0.0F : 0.06F));
}

void draw_matrix(SharedFrame& frame, const FragmentMatrix& matrix, ImVec2 low, float cell, size_t number) {
  PanelContext& context = frame.context();
  const Theme& theme = context.theme;
  const float gap = cell >= frame.px(8) ? 1.0F : 0.0F;
  const ImU32 base = colour_of_role(theme, matrix.role);
  const int lit = frame.step.hovered_lane >= 0 ? frame.step.hovered_lane : frame.step.selected_lane;
  for (uint32_t row = 0; row < matrix.rows; ++row)
    for (uint32_t column = 0; column < matrix.columns; ++column) {
      const FragmentPlace place = matrix.place(row, column);
      const ImVec2 at{low.x + static_cast<float>(column) * cell, low.y + static_cast<float>(row) * cell};
      const bool chosen = static_cast<int>(place.lane) == lit;
      const ImU32 colour = chosen ? theme.accent : colour_of_lane(theme, base, place.lane);
      frame.step.list->AddRectFilled(at, {at.x + cell - gap, at.y + cell - gap}, colour);
      if (cell >= frame.px(18))
        draw_text_centred(frame.step.list, context.fonts.small, {at.x + cell / 2, at.y + cell / 2},
                          readable_on(colour, theme), std::to_string(place.lane));
    }
  const float width = static_cast<float>(matrix.columns) * cell, height = static_cast<float>(matrix.rows) * cell;
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(static_cast<int>(number));
  hit_area("fragment", {std::max(width, 1.0F), std::max(height, 1.0F)});
  ImGui::PopID();
  mark(context, "shared.fragment" + std::to_string(number), low, {low.x + width, low.y + height});
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const uint32_t row = std::min(static_cast<uint32_t>(std::max((pointer.y - low.y) / cell, 0.0F)), matrix.rows - 1);
  const uint32_t column =
      std::min(static_cast<uint32_t>(std::max((pointer.x - low.x) / cell, 0.0F)), matrix.columns - 1);
  const FragmentPlace place = matrix.place(row, column);
  const std::string text = context.strings.format(
      matrix.per_register == 1 ? "shared.explain_fragment" : "shared.explain_fragment_part",
      fmt::arg("matrix", matrix.name), fmt::arg("row", row), fmt::arg("column", column), fmt::arg("lane", place.lane),
      fmt::arg("register", place.reg), fmt::arg("part", place.part));
  point_at_step_lane(frame.step, static_cast<int>(place.lane), text);
}

/// A, B and C side by side, with cells of equal size.
void draw_product(SharedFrame& frame, const std::vector<FragmentMatrix>& matrices, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context();
  const FragmentMatrix &a = matrices[0], &b = matrices[1], &c = matrices[2];
  const float caption = frame.px(kCaption), between = frame.px(kFragmentsBetween);
  const auto columns = static_cast<float>(a.columns + b.columns + c.columns);
  const auto rows = static_cast<float>(std::max(a.rows, b.rows));
  const float cell = std::floor(
      std::min({(high.x - low.x - 2 * between) / columns, (high.y - low.y - caption) / rows, frame.px(kMostCell)}));
  if (cell < frame.px(kLeastCell)) return;
  float x = low.x;
  for (size_t i = 0; i < 3; ++i) {
    const FragmentMatrix& matrix = matrices[i];
    draw_text(frame.step.list, context.fonts.small, {x, low.y}, context.theme.muted,
              fmt::format("{}  {} × {}", matrix.name, matrix.rows, matrix.columns));
    draw_matrix(frame, matrix, {x, low.y + caption}, cell, i);
    x += static_cast<float>(matrix.columns) * cell + between;
  }
}

void draw_loaded(SharedFrame& frame, const std::vector<FragmentMatrix>& matrices, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context();
  const float caption = frame.px(kCaption), between = frame.px(kFragmentsBetween);
  const auto count = static_cast<float>(matrices.size());
  const float cell = std::floor(std::min(
      {(high.x - low.x - (count - 1) * between) / (8 * count), (high.y - low.y - caption) / 8, frame.px(kMostCell)}));
  if (cell < frame.px(kLeastCell)) return;
  for (size_t i = 0; i < matrices.size(); ++i) {
    const float x = low.x + static_cast<float>(i) * (8 * cell + between);
    draw_text(frame.step.list, context.fonts.small, {x, low.y}, context.theme.muted,
              fit_text(context.fonts.small,
                       context.strings.format("shared.loaded_matrix", fmt::arg("number", i), fmt::arg("first", 8 * i),
                                              fmt::arg("last", 8 * i + 7)),
                       8 * cell + between - frame.px(4)));
    draw_matrix(frame, matrices[i], {x, low.y + caption}, cell, i);
  }
}

}  // namespace

void draw_fragments(SharedFrame& frame, ImVec2 low, ImVec2 high) {
  if (high.y - low.y < frame.px(kFragmentsHeader + kCaption + 8 * kLeastCell)) return;
  const auto shown = shown_instruction(frame);
  if (!shown) return;
  PanelContext& context = frame.context();
  const float y = low.y + frame.px(10);
  const std::string title = context.strings("shared.fragments");
  const float width = draw_text(frame.step.list, context.fonts.small_semibold,
                                {low.x, centred_top(context.fonts.small_semibold, y)}, context.theme.text, title)
                          .x;
  const std::string what = context.strings.format(shown->at_cursor ? "shared.fragments_of" : "shared.fragments_of_last",
                                                  fmt::arg("instruction", short_name(shown->instruction->text)),
                                                  fmt::arg("line", step_line_text(context, shown->instruction->line)));
  draw_text(frame.step.list, context.fonts.small, {low.x + width + frame.px(10), centred_top(context.fonts.small, y)},
            context.theme.muted, fit_text(context.fonts.small, what, high.x - low.x - width - frame.px(10)));
  explain_rect(context, low, {high.x, low.y + frame.px(20)}, context.strings("shared.fragments_meaning"));
  const ImVec2 top{low.x, low.y + frame.px(kFragmentsHeader)};
  if (shown->matrices.front().role == FragmentMatrix::Role::loaded)
    draw_loaded(frame, shown->matrices, top, high);
  else
    draw_product(frame, shown->matrices, top, high);
}

}  // namespace tilescope
