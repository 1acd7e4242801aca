// The kernel's printed output: a heading, and scrolling text.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "app/draw/widgets.hpp"
#include "app/views/correctness/correctness_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kLine = 19, kHeading = 26, kInset = 8, kBelow = 12;
constexpr size_t kMostLines = 8;        // visible at once
constexpr float kMostOfTheRoom = 0.4F;  // the maps keep the rest

/// The lines of the newest run; split once, because a run may print up to a megabyte.
const std::vector<std::string_view>& lines_of(const std::shared_ptr<const RunResult>& run, CorrectnessState& state) {
  std::vector<std::string_view>& lines = state.printed;
  if (state.printed_by.lock() == run) return lines;
  state.printed_by = run;
  lines.clear();
  const std::string_view text = run->output;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

float output_height(const PanelContext& context, CorrectnessState& state, float room) {
  if (context.result->output.empty()) return 0;
  const float around = context.px(kHeading + 2 * kInset + kBelow), line = context.px(kLine);
  const float fit = std::max(2.0F, std::floor((room * kMostOfTheRoom - around) / line));
  const auto lines = static_cast<float>(std::min(lines_of(context.result, state).size(), kMostLines));
  return std::floor(around + line * std::min(fit, lines));
}

void draw_output(PanelContext& context, CorrectnessState& state, ImVec2 low, ImVec2 high) {
  const auto& lines = lines_of(context.result, state);
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_text(list, context.fonts.small, {low.x, centred_top(context.fonts.small, low.y + context.px(kHeading) / 2)},
            context.theme.muted, context.strings("correctness.printed"));
  low.y += context.px(kHeading);
  high.y -= context.px(kBelow);
  list->AddRectFilled(low, high, context.theme.raised, context.px(4));
  mark(context, "output", low, high);
  const ImVec2 inset(context.px(kInset), context.px(kInset));
  ImGui::SetCursorScreenPos({low.x + inset.x, low.y + inset.y});
  ImGui::PushFont(context.fonts.code);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, std::max(0.0F, context.px(kLine) - line_height(nullptr))));
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.text);
  ImGui::BeginChild("output", {high.x - low.x - 2 * inset.x, high.y - low.y - 2 * inset.y}, false,
                    ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(lines.size()), context.px(kLine));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const std::string_view line = lines[static_cast<size_t>(i)];
      ImGui::TextUnformatted(line.data(), line.data() + line.size());
    }
  ImGui::EndChild();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

}  // namespace tilescope
