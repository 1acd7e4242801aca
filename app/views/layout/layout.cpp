#include <algorithm>
#include <cmath>
#include <utility>

#include "app/observed/result_verdict.hpp"
#include "app/observed/trace_index.hpp"
#include "app/views/launch_choice.hpp"
#include "app/views/layout/layout_view.hpp"
#include "engine/kernel_language.hpp"

namespace tilescope {
namespace {

using Kind = ProgramTensor::Kind;

// Unscaled pixels.
constexpr float kLayoutPadding = 24, kCheck = 40, kBetween = 36, kLeastMain = 180;

const ViewRegistration registered_layout{{"layout", 85, make_view<LayoutView>}};

/// The warp, lane and part that an access of the block belongs to.
std::optional<LayoutCursor> cursor_at(const LayoutPicture& picture, const LayoutCursor& cursor, uint32_t access,
                                      std::optional<int> lane) {
  for (const TensorAccess& one : picture.accesses)
    if (one.access == access)
      return LayoutCursor{cursor.entry, one.warp, lane ? static_cast<uint32_t>(*lane) : cursor.lane,
                          one.first_register / picture.tile.registers};
  return std::nullopt;
}

std::string name_with_line(const LayoutPicture& picture, size_t entry) {
  const ProgramTensor& tensor = picture.tensor(entry);
  return tensor.name + ":" + std::to_string(tensor.line) + ":" + std::to_string(static_cast<int>(tensor.kind)) +
         (picture.entries[entry].in_shared ? "s" : "");
}

}  // namespace

ImU32 colour_of_warp(const Theme& theme, uint32_t warp, uint32_t warps) {
  const float place = warps < 2 ? 0.45F : 0.12F + 0.7F * static_cast<float>(warp) / static_cast<float>(warps - 1);
  return mix(theme.window, viridis(place), theme.dark ? 0.62F : 0.7F);
}

std::string entry_text(const Strings& strings, const LayoutPicture& picture, size_t entry) {
  const ProgramTensor& tensor = picture.tensor(entry);
  const char* key = picture.entries[entry].in_shared   ? "layout.in_shared"
                    : tensor.kind == Kind::store       ? "layout.stored"
                    : tensor.kind == Kind::dot         ? "layout.accumulator"
                    : tensor.is_operand()              ? "layout.operand"
                    : tensor.kind == Kind::from_shared ? "layout.from_shared"
                    : tensor.kind == Kind::reduce      ? "layout.reduced"
                                                       : "layout.loaded";
  const bool unnamed = tensor.name.empty() && tensor.kind != Kind::store;
  return strings.format(unnamed ? "layout.unnamed" : key, fmt::arg("name", tensor.name), fmt::arg("line", tensor.line));
}

std::string tensor_name(const LayoutFrame& frame) {
  if (!frame.tensor().name.empty()) return frame.tensor().name;
  if (!frame.picture.accesses.empty()) {
    const Access& access = frame.result().trace.accesses[frame.picture.accesses.front().access];
    const int64_t buffer = region_of(access.base).buffer;
    if (buffer >= 0 && buffer < static_cast<int64_t>(frame.result().plan.buffers.size()))
      return frame.result().plan.buffers[static_cast<size_t>(buffer)].name;
  }
  return frame.context.strings("layout.tensor");
}

void choose_lane(LayoutFrame& frame, uint32_t warp, uint32_t lane, uint32_t part) {
  frame.cursor.warp = warp;
  frame.cursor.lane = lane;
  frame.cursor.part = part;
  Selection& selection = frame.context.view.selection;
  const uint32_t first = part * frame.picture.tile.registers;
  for (const TensorAccess& one : frame.picture.accesses)
    if (one.warp == warp && one.first_register >= first && one.first_register < first + frame.picture.tile.registers) {
      selection = select_access(frame.result(), one.access, static_cast<int>(lane));
      return;
    }
  selection.line = frame.tensor().line;
  selection.access.reset();
}

/// Until something is chosen, the other views and the source show the tensor that this view opens with.
void LayoutView::suggest_tensor(LayoutFrame& frame) {
  ViewState& view = frame.context.view;
  if (view.selection != view.suggested || !frame.result().findings.empty()) return;
  if (view.selection.line == frame.tensor().line) return;
  choose_lane(frame, frame.cursor.warp, frame.cursor.lane, frame.cursor.part);
  view.suggested = view.selection;
}

bool LayoutView::concerns(const Session& session) const {
  return language_of(session.source_file()) == KernelLanguage::triton;
}

const char* LayoutView::empty_reason(const std::shared_ptr<const RunResult>& result) const {
  return has_layouts(*result) ? nullptr : "view.layout.empty_reason";
}

/// A line that is selected elsewhere chooses a tensor of that line, an access the thread that made it.
void LayoutView::follow_selection(PanelContext& context) {
  const Selection& selection = context.view.selection;
  // What the program has selected by itself is no choice.
  if (seen_ == selection || selection == context.view.suggested) return;
  seen_ = selection;
  if (selection.line && picture_.tensor(cursor_.entry).line != *selection.line)
    for (size_t i = 0; i < picture_.entries.size(); ++i)
      if (picture_.tensor(i).line == *selection.line) {
        cursor_ = {.entry = i, .warp = cursor_.warp, .lane = cursor_.lane};
        break;
      }
  if (!selection.access) return;
  look_at(picture_, cursor_.entry, selection.block.value_or(usual_block(*context.result)), *context.result);
  if (const auto cursor = cursor_at(picture_, cursor_, *selection.access, selection.lane)) cursor_ = *cursor;
}

void LayoutView::draw_known(PanelContext& context) {
  cursor_.entry = std::min(cursor_.entry, picture_.entries.size() - 1);
  follow_selection(context);
  const uint32_t block = context.view.selection.block.value_or(usual_block(*context.result));
  look_at(picture_, cursor_.entry, block, *context.result);
  LayoutFrame frame{context, picture_, cursor_, lit_, ImGui::GetWindowDrawList()};
  cursor_.warp = std::min(cursor_.warp, frame.tensor().layout.warps() - 1);
  cursor_.part = std::min(cursor_.part, frame.parts() - 1);
  suggest_tensor(frame);

  const ImVec2 window = ImGui::GetWindowPos();
  const float left = window.x + context.px(kLayoutPadding),
              width = ImGui::GetWindowWidth() - context.px(2 * kLayoutPadding);
  if (width < context.px(80)) return;
  ImGui::PushID("layout");
  float y = ImGui::GetCursorScreenPos().y + context.px(12);
  y += draw_layout_sentence(frame, {left, y}, width) + context.px(8);
  y += draw_tensor_choice(frame, {left, y}, width) + context.px(10);
  const float bottom = std::max(window.y + ImGui::GetWindowHeight() - context.px(kCheck), y + context.px(kLeastMain));
  const float split = std::floor(left + width * 0.42F), right = left + width, column = split + context.px(kBetween);
  const std::optional<LitLane> was_lit = std::exchange(lit_, std::nullopt);
  draw_tensor_map(frame, {left, y}, {split, bottom - context.px(8)});
  if (frame.in_shared()) {
    draw_shared_rows(frame, {column, y}, {right, bottom - context.px(8)});
  } else {
    if (!lit_) lit_ = was_lit;  // the last frame's, for what is drawn before the pointer is met
    const float tile = draw_warp_tile(frame, {column, y}, {right, bottom - context.px(8)});
    draw_lane_registers(frame, {column, tile + context.px(12)}, {right, bottom - context.px(8)});
  }
  draw_check(frame, {left, bottom}, width);
  ImGui::SetCursorScreenPos({window.x, bottom + context.px(kCheck - 4)});
  ImGui::Dummy({1, 1});
  ImGui::PopID();
  tensor_ = name_with_line(picture_, cursor_.entry);
  seen_ = context.view.selection;
}

void LayoutView::draw(PanelContext& context) {
  if (!context.result)
    return empty_state(context, context.strings("layout.empty_title"), context.strings("layout.empty_hint"));
  const bool fresh = !picture_.of.is(context.result);
  take_layouts(picture_, context.result);
  if (picture_.entries.empty()) {
    launch_in_corner(context);
    return empty_state(context, context.strings("layout.none_title"), context.strings("layout.none_hint"));
  }
  follow_result(context.view, context.result);
  if (fresh)
    for (size_t i = 0; i < picture_.entries.size(); ++i)
      if (name_with_line(picture_, i) == tensor_) cursor_.entry = i;
  if (wished_) cursor_.entry = *std::exchange(wished_, std::nullopt);
  draw_known(context);
  dim_if_stale(context);
}

}  // namespace tilescope
