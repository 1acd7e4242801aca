// What is under the pointer in the tile view, and the effect of a click.
#include <imgui_internal.h>  // SetItemUsingMouseWheel

#include <algorithm>

#include "app/draw/widgets.hpp"
#include "app/observed/correctness_model.hpp"
#include "app/observed/wording.hpp"
#include "app/views/playback.hpp"
#include "app/views/tiles/tiles_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

/// Pressed and released at one position: a drag moves the map and selects nothing.
bool picked() {
  constexpr float kStill = 4;
  return ImGui::IsItemDeactivated() && ImGui::GetIO().MouseDragMaxDistanceSqr[0] < kStill * kStill;
}

/// "448 … 479, 320 … 351": rows and columns, if the ranges are the rows of one rectangle of a matrix.
std::optional<std::string> rectangle_text(const BufferMap& map, std::span<const ElementRange> ranges) {
  if (!is_rectangle(map, ranges)) return {};
  const int64_t width = map.shape.back(), first = ranges.front().begin, last = ranges.back().end - 1;
  return range_text(first / width, last / width) + ", " + range_text(first % width, last % width);
}

void point_at_block(PanelContext& context, const TilePicture& picture, int64_t block) {
  ViewState& view = context.view;
  const RunResult& result = *picture.result;
  const auto blocks = result.tiles.grid.count();
  view.hover.block = static_cast<uint32_t>(block);
  const std::string name = block_number(result.tiles.grid, static_cast<uint32_t>(block));
  std::string writes;
  if (picture.shape.buffer >= 0) {
    const BufferMap& map = result.tiles.buffers[static_cast<size_t>(picture.shape.buffer)];
    if (static_cast<size_t>(block) + 1 < map.writes_first.size()) {
      int64_t elements = 0;
      const auto ranges = map.writes_of(static_cast<uint32_t>(block));
      for (const ElementRange& range : ranges) elements += range.end - range.begin;
      const auto tile = rectangle_text(map, ranges);
      if (!ranges.empty()) writes = map.name + "[" + range_text(ranges.front().begin, ranges.back().end - 1) + "]";
      explain_rect(context, picture.low, picture.high,
                   context.strings.format(ranges.empty()       ? "tiles.explain_block_nothing"
                                          : tile               ? "tiles.explain_block_rectangle"
                                          : ranges.size() == 1 ? "tiles.explain_block"
                                                               : "tiles.explain_block_pieces",
                                          fmt::arg("block", name), fmt::arg("all", with_separators(blocks)),
                                          fmt::arg("elements", count_of_elements(context.strings, elements)),
                                          fmt::arg("where", tile ? map.name + "[" + *tile + "]" : writes),
                                          fmt::arg("pieces", with_separators(ranges.size()))));
    }
  }
  if (!picked()) return;
  view.selection = {.block = static_cast<uint32_t>(block),
                    .access = {},
                    .lane = {},
                    .line = view.selection.line,
                    .buffer = {},
                    .element = {}};
  if (view.playback.position >= 0) view.playback.position = static_cast<double>(block) + 1;
}

std::string name_with_value(const RunResult& result, size_t buffer, int64_t element) {
  const BufferMap& map = result.tiles.buffers[buffer];
  std::string name = map.name + "[" + element_text(result.plan.buffers[buffer], element) + "]";
  const auto at = static_cast<size_t>(element);
  const HostBuffer* values = buffer < result.buffers.size() ? result.buffers[buffer].get() : nullptr;
  if (values != nullptr && at < values->count()) name += fmt::format(" = {:.6g}", value_at(*values, at));
  return name;
}

void explain_element(PanelContext& context, const TilePicture& picture, size_t buffer, int64_t element,
                     const Selection& found, bool writes) {
  const RunResult& result = *picture.result;
  const BufferMap& map = result.tiles.buffers[buffer];
  const std::string name = name_with_value(result, buffer, element);
  const Strings& strings = context.strings;
  std::string text;
  if (!found.block) {
    text =
        strings.format(map.writer.empty() ? "tiles.explain_input" : "tiles.explain_untouched", fmt::arg("name", name));
  } else if (const std::string block = block_number(result.tiles.grid, *found.block); found.access && found.lane) {
    text = strings.format(writes ? "tiles.explain_element" : "tiles.explain_element_read", fmt::arg("name", name),
                          fmt::arg("block", block), fmt::arg("warp", result.trace.accesses[*found.access].warp),
                          fmt::arg("lane", *found.lane), fmt::arg("line", found.line.value_or(0)));
  } else {
    text = strings.format("tiles.explain_element_block", fmt::arg("name", name), fmt::arg("block", block));
  }
  explain_rect(context, picture.low, picture.high, text);
}

void point_at_element(PanelContext& context, TilePicture& picture, const BufferPicture& one, int64_t element,
                      uint32_t focus) {
  const RunResult& result = *picture.result;
  Selection found = select_element(result, one.buffer, element);
  const bool writes = !result.tiles.buffers[one.buffer].writer.empty();
  // In close-up, an input's element belongs to the lane that reads it.
  if (one.near && !writes) {
    if (const auto reader = picture.readers.reader_of(context.result, focus, one.buffer, element)) {
      const int lane = lane_touching(result, reader->access, one.buffer, element);
      found = select_access(result, reader->access, lane >= 0 ? std::optional(lane) : std::nullopt);
      found.element = element;
    }
  }
  context.view.hover = found;
  explain_element(context, picture, one.buffer, element, found, writes);
  if (!found.block) return;
  if (picked()) {
    context.view.selection = found;
    if (context.view.playback.position >= 0) context.view.playback.position = static_cast<double>(*found.block) + 1;
  }
}

const BufferPicture* picture_under(const TilePicture& picture, ImVec2 pointer) {
  for (const auto* side : {&picture.inputs, &picture.outputs})
    for (const BufferPicture& one : *side)
      if (one.contains(pointer)) return &one;
  return nullptr;
}

}  // namespace

void point_at_map(PanelContext& context, TilePicture& picture, TraceIndex& index) {
  if (picture.high.x <= picture.low.x || picture.high.y <= picture.low.y) return;
  ImGui::SetCursorScreenPos(picture.low);
  hit_area("map", {picture.high.x - picture.low.x, picture.high.y - picture.low.y});
#if IMGUI_VERSION_NUM < 18900
  ImGui::SetItemUsingMouseWheel();  // it zooms instead of scrolling the view
#else
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
#endif
  const bool was_hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
  if (was_hovered || active) zoom_by_hand(context, picture, index);
  if (!was_hovered) return;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  bool found = false;
  if (const int64_t block = picture.grid.at(pointer); block >= 0) {
    point_at_block(context, picture, block);
    found = true;
  } else if (const BufferPicture* one = picture_under(picture, pointer)) {
    const int64_t element = one->at.at(pointer);
    if (element >= 0) {
      point_at_element(context, picture, *one, element, focus_block(context.view, picture.result->tiles.grid.count()));
      found = context.view.hover.block.has_value();
    } else if (one->in_last_tile(pointer)) {
      explain_rect(context, one->seen_low, one->seen_high, context.strings("tiles.explain_beyond"));
    }
  }
  // A double click zooms in by one level at the pointer.
  if (found && ImGui::IsMouseDoubleClicked(0)) {
    context.view.selection = context.view.hover;
    change_level(context.view, +1);
  }
}

}  // namespace tilescope
