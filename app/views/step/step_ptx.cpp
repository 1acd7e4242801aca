// The PTX around a step: the instruction itself, where the warp's other lanes wait, and the last writer of a register.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "app/draw/editor/code_view.hpp"
#include "app/draw/editor/tokenizer.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/step/step_view.hpp"

namespace tilescope {
namespace {

using Row = StepListing::Row;

StepListing& listing_of(StepFrame& frame) {
  StepListing& listing = frame.context.view.steps->listing;
  const StepIndex& index = frame.index;
  const std::weak_ptr<const StepRecord> wanted = index.reference();
  if (!listing.record.owner_before(wanted) && !wanted.owner_before(listing.record)) return listing;
  listing = {};
  listing.record = wanted;
  const StepRecord& record = index.record();
  auto label = record.labels.begin();
  for (uint32_t i = 0; i < record.instructions.size(); ++i) {
    for (; label != record.labels.end() && label->instruction <= i; ++label) listing.rows.push_back({i, &*label});
    listing.row_of.push_back(static_cast<uint32_t>(listing.rows.size()));
    listing.rows.push_back({i, nullptr});
  }
  return listing;
}

/// Keeps the step visible, and otherwise leaves the rows unchanged.
void scroll(StepFrame& frame, StepListing& listing, int64_t visible) {
  const auto current = static_cast<int64_t>(listing.row_of[frame.step().instruction]);
  const auto all = static_cast<int64_t>(listing.rows.size());
  if (listing.followed != frame.step_number) {
    listing.followed = frame.step_number;
    const int64_t margin = std::min<int64_t>(3, visible / 3);
    if (current < listing.top + margin || current >= listing.top + visible - margin)
      listing.top = current - visible * 2 / 5;
  }
  if (ImGui::IsWindowHovered()) listing.top -= static_cast<int64_t>(std::lround(ImGui::GetIO().MouseWheel * 3));
  listing.top = std::clamp<int64_t>(listing.top, 0, std::max<int64_t>(0, all - visible));
}

/// Returns the right end of the text.
float draw_code(const StepFrame& frame, ImVec2 at, float right, const std::string& text, bool dimmed) {
  const PanelContext& context = frame.context;
  ImFont* font = context.fonts.code;
  const std::string shown = fit_text(font, text, right - at.x);
  LineState state = LineState::plain;
  float x = at.x;
  for (const Token& token : tokenize(Syntax::ptx, shown, &state)) {
    ImU32 colour = syntax_colour(context.theme, token.kind);
    if (dimmed) colour = mix(context.theme.window, colour, 0.75F);
    x += draw_text(frame.list, font, {x, at.y}, colour,
                   std::string_view(shown).substr(token.begin, token.end - token.begin))
             .x;
  }
  return x;
}

/// "24 wait here", at the position of the warp's other lanes.
void draw_waiting(const StepFrame& frame, uint32_t instruction, ImVec2 low, ImVec2 high, float text_end) {
  const PanelContext& context = frame.context;
  uint32_t lanes = 0;
  for (const StepPath& path : frame.record().paths_of(frame.step()))
    if (path.instruction == instruction) lanes |= path.lanes;
  if (lanes == 0) return;
  ImFont* font = context.fonts.small;
  std::string text = context.strings.format("step.wait_here", fmt::arg("count", std::popcount(lanes)));
  if (text_size(font, text).x + context.px(20) > high.x - text_end) text = std::to_string(std::popcount(lanes));
  const float width = text_size(font, text).x + context.px(12), middle = (low.y + high.y) / 2;
  const ImU32 surface = mix(context.theme.window, context.theme.waiting, 0.3F);
  frame.list->AddRectFilled({high.x - width, middle - context.px(8)}, {high.x, middle + context.px(8)}, surface,
                            context.px(4));
  draw_text(frame.list, font, {high.x - width + context.px(6), centred_top(font, middle)},
            readable_on(surface, context.theme), text);
}

void draw_row(StepFrame& frame, const Row& row, uint32_t line_above, ImVec2 low, ImVec2 high, bool hovered) {
  const PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const float unit = context.view.scale;
  ImFont* small = context.fonts.small;
  ImFont* code = context.fonts.code;
  const float middle = (low.y + high.y) / 2, text = low.x + 48 * unit;
  if (row.label != nullptr) {
    draw_text(frame.list, code, {text - 8 * unit, centred_top(code, middle)}, mix(theme.window, theme.muted, 0.8F),
              fit_text(code, row.label->name + ":", high.x - text));
    return;
  }
  const StepInstruction& instruction = frame.record().instructions[row.instruction];
  const bool current = row.instruction == frame.step().instruction;
  const bool same_line = instruction.line != 0 && instruction.line == frame.instruction().line;
  if (current || hovered)
    frame.list->AddRectFilled(low, high, current ? theme.raised : mix(theme.window, theme.raised, 0.6F));
  if (current) frame.list->AddRectFilled(low, {low.x + 2 * unit, high.y}, theme.accent);
  const bool writer = frame.lit_writer && frame.record().steps[*frame.lit_writer].instruction == row.instruction;
  if (writer)
    frame.list->AddRectFilled({text - 8 * unit, low.y + 3 * unit}, {text - 5 * unit, high.y - 3 * unit}, theme.write);
  if (instruction.line != 0 && instruction.line != line_above)
    draw_text_right(frame.list, small, {low.x + 34 * unit, centred_top(small, middle)},
                    same_line ? theme.text : mix(theme.window, theme.muted, 0.7F), std::to_string(instruction.line));
  const float end = draw_code(frame, {text, centred_top(code, middle)}, high.x, instruction.text, !same_line);
  draw_waiting(frame, row.instruction, low, high, end);
}

}  // namespace

void draw_step_ptx(StepFrame& frame, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const float row_height = context.px(20);
  ImFont* font = context.fonts.small;
  draw_text(frame.list, font, {low.x, centred_top(font, low.y + context.px(10))}, context.theme.muted,
            context.strings("step.line"));
  draw_text(frame.list, font, {low.x + context.px(48), centred_top(font, low.y + context.px(10))}, context.theme.muted,
            context.strings("step.ptx"));
  const ImVec2 origin{low.x, low.y + context.px(24)};
  const auto visible = static_cast<int64_t>(std::floor((high.y - origin.y) / row_height));
  if (visible < 1) return;
  StepListing& listing = listing_of(frame);
  ImGui::SetCursorScreenPos(origin);
  ImGui::BeginChild("ptx", {high.x - low.x, static_cast<float>(visible) * row_height}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground);
  ImDrawList* outer = std::exchange(frame.list, ImGui::GetWindowDrawList());
  scroll(frame, listing, visible);
  ImGui::SetCursorScreenPos(origin);
  const bool pressed = hit_area("rows", {high.x - low.x, static_cast<float>(visible) * row_height});
  int64_t hovered = -1;
  if (ImGui::IsItemHovered()) hovered = static_cast<int64_t>((ImGui::GetIO().MousePos.y - origin.y) / row_height);
  uint32_t line_above = 0;
  for (int64_t i = 0; i < visible && listing.top + i < static_cast<int64_t>(listing.rows.size()); ++i) {
    const Row& row = listing.rows[static_cast<size_t>(listing.top + i)];
    const float y = origin.y + static_cast<float>(i) * row_height;
    const ImVec2 row_low{low.x, y}, row_high{high.x, y + row_height};
    draw_row(frame, row, line_above, row_low, row_high, i == hovered && row.label == nullptr);
    if (row.label != nullptr) continue;
    const StepInstruction& instruction = frame.record().instructions[row.instruction];
    line_above = instruction.line;
    if (row.instruction == frame.step().instruction) mark(context, "step.ptx.current", row_low, row_high);
    if (i != hovered) continue;
    explain(context, context.strings.format("step.ptx_meaning", fmt::arg("text", instruction.text)));
    if (instruction.line != 0) context.view.hover.line = instruction.line;
    if (!pressed) continue;
    frame.cursor().playing = false;
    if (const auto next = frame.index.find_instruction(frame.warp, frame.position, row.instruction))
      go_to_step(context, frame.index, frame.warp, *next);
  }
  frame.list = outer;
  ImGui::EndChild();
}

}  // namespace tilescope
