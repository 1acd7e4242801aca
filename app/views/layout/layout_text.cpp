// The words of the layout view: the sentence, the choice of a tensor, and what the check against the trace found.
#include <algorithm>
#include <cmath>

#include "app/observed/result_verdict.hpp"
#include "app/observed/trace_index.hpp"
#include "app/views/launch_choice.hpp"
#include "app/views/layout/layout_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

using Kind = ProgramTensor::Kind;
using Outcome = LayoutCheck::Outcome;

std::string list_text(const std::vector<int64_t>& list) {
  std::string text;
  for (const int64_t one : list) text += (text.empty() ? "" : ", ") + std::to_string(one);
  return "[" + text + "]";
}

/// "blocked  sizePerThread [1, 8]  threadsPerWarp [8, 4]": the layout as TTGIR names it.
std::string attribute_text(const LayoutAttribute& attribute) {
  static constexpr const char* kLists[] = {"sizePerThread", "threadsPerWarp", "warpsPerCTA", "instrShape"};
  static constexpr const char* kNumbers[] = {"dim", "opIdx", "kWidth", "vec", "perPhase", "maxPhase"};
  std::string text = "#" + attribute.kind;
  for (const char* name : kNumbers)
    if (const auto found = attribute.numbers.find(name); found != attribute.numbers.end())
      text += fmt::format("  {} {}", name, found->second);
  for (const char* name : kLists)
    if (const auto found = attribute.lists.find(name); found != attribute.lists.end())
      text += fmt::format("  {} {}", name, list_text(found->second));
  return attribute.parent ? text + "  " + attribute_text(*attribute.parent) : text;
}

struct Sentence {
  std::string finding, reason, quiet;
};

std::string cover_text(const LayoutFrame& frame) {
  const Strings& strings = frame.context.strings;
  const WarpTile& tile = frame.picture.tile;
  const uint32_t parts = frame.parts();
  const bool flat = frame.tensor().shape.size() == 1;
  std::string text = strings.format(flat             ? "layout.covers_elements"
                                    : tile.rows == 1 ? "layout.covers_row"
                                                     : "layout.covers",
                                    fmt::arg("rows", tile.rows), fmt::arg("columns", tile.columns),
                                    fmt::arg("count", tile.rows * tile.columns));
  return text + (parts == 1 ? strings("layout.once") : strings.format("layout.times", fmt::arg("parts", parts)));
}

Sentence sentence_of(LayoutFrame& frame) {
  const Strings& strings = frame.context.strings;
  const ProgramTensor& tensor = frame.tensor();
  Sentence said;
  if (frame.in_shared()) {
    const SharedLayout& shared = *tensor.shared;
    const bool swizzled = shared.max_phase > 1;
    said.finding =
        strings.format(swizzled ? "layout.says_swizzle" : "layout.says_no_swizzle", fmt::arg("vec", shared.vec),
                       fmt::arg("phases", shared.max_phase), fmt::arg("rows", shared.per_phase));
    if (swizzled) said.reason = strings("layout.says_swizzle_why");
    return said;
  }
  const LayoutCheck& check = check_of(frame.picture, frame.cursor.entry, frame.result());
  const bool known = tensor.touches_global() && check.run > 0;
  const char* key = !known && tensor.kind == Kind::dot ? "layout.says_dot"
                    : !known && tensor.is_operand()    ? "layout.says_operand"
                    : !known                           ? "layout.says_held"
                    : tensor.kind == Kind::copy        ? "layout.says_copy"
                    : tensor.kind == Kind::store       ? "layout.says_store"
                                                       : "layout.says_load";
  const std::string one = known && check.run == 1 ? "_one" : "";
  said.finding = strings.format(key + one, fmt::arg("run", check.run), fmt::arg("count", tensor.layout.registers()),
                                fmt::arg("bytes", check.run * tensor.element_bytes));
  said.reason = cover_text(frame);
  if (!frame.picture.grid.holders.empty() && frame.picture.grid.holders.front().threads > 1)
    said.quiet =
        strings.format("layout.says_shared_by", fmt::arg("threads", frame.picture.grid.holders.front().threads));
  return said;
}

struct CheckText {
  std::string title, text;
  ImU32 colour = 0;
};

CheckText check_text(LayoutFrame& frame, const LayoutCheck& check) {
  const Strings& strings = frame.context.strings;
  const Theme& theme = frame.context.theme;
  switch (check.outcome) {
    case Outcome::matches: {
      std::string text = strings.format("layout.matches_text", fmt::arg("requests", with_separators(check.requests)),
                                        fmt::arg("lanes", with_separators(check.lanes)));
      if (!check.stride_bytes.empty()) {
        std::string strides;
        for (const int64_t stride : check.stride_bytes)
          strides += (strides.empty() ? "" : ", ") + with_separators(stride) + " B";
        text += " " + strings.format("layout.matches_strides", fmt::arg("strides", strides));
      }
      return {strings("layout.matches"), std::move(text), theme.ok};
    }
    case Outcome::differs:
    case Outcome::uneven: {
      const bool differs = check.outcome == Outcome::differs;
      std::string text = strings(differs ? "layout.differs_text" : "layout.uneven_text");
      if (check.difference)
        text +=
            " " +
            strings.format(
                "layout.difference", fmt::arg("lane", check.difference->lane),
                fmt::arg("got", with_separators(static_cast<uint64_t>(region_of(check.difference->address).offset))),
                fmt::arg("expected",
                         with_separators(static_cast<uint64_t>(region_of(check.difference->expected).offset))));
      return {strings(differs ? "layout.differs" : "layout.uneven"), std::move(text),
              differs ? theme.error : theme.waiting};
    }
    case Outcome::not_assigned:
      return {strings("layout.not_checked"), strings("layout.not_assigned_text"), theme.muted};
    case Outcome::no_accesses:
      break;
  }
  const bool touches = frame.tensor().touches_global() || frame.tensor().shared;
  return {strings("layout.not_checked"), strings(touches ? "layout.no_trace_text" : "layout.no_memory_text"),
          theme.muted};
}

}  // namespace

float draw_layout_sentence(LayoutFrame& frame, ImVec2 low, float width) {
  PanelContext& context = frame.context;
  const Sentence said = sentence_of(frame);
  const std::string space = context.strings.language == Language::en ? " " : "";
  const std::string reason = said.reason.empty() ? "" : space + said.reason;
  const std::string quiet = said.quiet.empty() ? "" : space + said.quiet;
  const std::string failure = space + failure_sentence(frame.result(), context.strings);
  const TextRun runs[] = {{context.fonts.body_semibold, context.theme.text, said.finding},
                          {context.fonts.body, context.theme.text, reason},
                          {context.fonts.body, context.theme.muted, quiet},
                          {context.fonts.body, context.theme.error, failure}};
  const float right = low.x + width;
  const ImVec2 from = launch_before_sentence(context, low, right);
  return from.y - low.y + flow_text(frame.list, from, right - from.x, context.px(24), runs);
}

/// "x, from tl.load   y, from tl.load   acc        #blocked  sizePerThread [1, 8] …"
float draw_tensor_choice(LayoutFrame& frame, ImVec2 low, float width) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const float row = context.px(24);
  float x = low.x, y = low.y;
  for (size_t i = 0; i < frame.picture.entries.size(); ++i) {
    const bool on = i == frame.cursor.entry;
    const std::string text = entry_text(context.strings, frame.picture, i);
    const float size = text_size(context.fonts.small_semibold, text).x;
    if (x > low.x && x + size > low.x + width) {
      x = low.x;
      y += row;
    }
    const float middle = y + row / 2;
    const ImVec2 item_low{x - context.px(6), y}, item_high{x + size + context.px(6), y + row};
    ImGui::SetCursorScreenPos(item_low);
    ImGui::PushID(static_cast<int>(i));
    if (hit_area("tensor", {item_high.x - item_low.x, row}) && !on) {
      frame.cursor = {.entry = i, .warp = frame.cursor.warp, .lane = frame.cursor.lane};
      context.view.selection.line = frame.tensor().line;
      context.view.selection.access.reset();
    }
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) context.view.hover.line = frame.picture.tensor(i).line;
    ImGui::PopID();
    ImFont* font = on ? context.fonts.small_semibold : context.fonts.small;
    draw_text(frame.list, font, {x, centred_top(font, middle)}, on || hovered ? theme.text : theme.muted, text);
    if (on) frame.list->AddRectFilled({x, y + row - context.px(3)}, {x + size, y + row - context.px(1)}, theme.accent);
    explain(context, context.strings.format("layout.entry_meaning", fmt::arg("line", frame.picture.tensor(i).line),
                                            fmt::arg("shape", shape_text(frame.picture.tensor(i).shape)),
                                            fmt::arg("element", frame.picture.tensor(i).element)));
    mark(context, "layout.entry." + std::to_string(i), item_low, item_high);
    x += size + context.px(18);
  }
  // Looking at a different tensor may have moved the cursor: what follows is drawn in the next frame.
  look_at(frame.picture, frame.cursor.entry, frame.picture.accesses_block.value_or(0), frame.result());
  const std::string attribute =
      frame.in_shared() ? frame.tensor().shared_text : attribute_text(frame.tensor().attribute);
  const float room = low.x + width - x - context.px(12), size = text_size(context.fonts.small, attribute).x;
  y += row;
  if (size <= room) {
    draw_text_right(frame.list, context.fonts.small, {low.x + width, centred_top(context.fonts.small, y - row / 2)},
                    theme.muted, attribute);
    explain_rect(context, {low.x + width - size, y - row}, {low.x + width, y}, frame.tensor().attribute.text);
    return y - low.y;
  }
  draw_text(frame.list, context.fonts.small, {low.x, centred_top(context.fonts.small, y + row / 2 - context.px(2))},
            theme.muted, fit_text(context.fonts.small, attribute, width));
  explain_rect(context, {low.x, y}, {low.x + width, y + row}, frame.tensor().attribute.text);
  return y + row - low.y;
}

void draw_check(LayoutFrame& frame, ImVec2 low, float width) {
  PanelContext& context = frame.context;
  const LayoutCheck& check = check_of(frame.picture, frame.cursor.entry, frame.result());
  const CheckText said = check_text(frame, check);
  const float middle = std::round(low.y + context.px(16)), right = low.x + width;
  frame.list->AddRectFilled(low, {right, low.y + context.px(1)}, context.theme.separator);
  float x = low.x;
  if (check.outcome == Outcome::matches) {
    draw_check(frame.list, {x + context.px(7), middle}, context.px(12), said.colour, context.px(1.5F));
    x += context.px(20);
  } else if (check.outcome == Outcome::differs) {
    draw_cross(frame.list, {x + context.px(6), middle}, context.px(10), said.colour, context.px(1.5F));
    x += context.px(20);
  }
  ImFont *bold = context.fonts.body_semibold, *small = context.fonts.small;
  x += draw_text(frame.list, bold, {x, centred_top(bold, middle)}, said.colour, said.title).x + context.px(12);
  const bool compared = check.requests > 0;
  const float badge =
      compared ? draw_badge(context, frame.list, {right, middle - context.px(10)}, Badge::simulated) : 0;
  draw_text(frame.list, small, {x, centred_top(small, middle)}, context.theme.muted,
            fit_text(small, said.text, right - badge - context.px(12) - x));
  explain_rect(context, low, {right - badge, low.y + context.px(32)},
               said.title + ": " + said.text + "\n" + context.strings("layout.check_meaning"));
  mark(context, "layout.check", low, {right, low.y + context.px(32)});
}

}  // namespace tilescope
