// The SMs of the modelled GPU, each with its block slots.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/waves/waves_view.hpp"

namespace tilescope {
namespace {

constexpr float kMostCellHeight = 40, kCellAspect = 1.9F, kProcessorsLegend = 20;

/// The maximum number of slot columns that are wide enough to be distinguished.
uint32_t slot_columns_for(uint32_t slots, float width, float height, float unit) {
  for (uint32_t rows = 1; rows < slots; ++rows) {
    const uint32_t columns = (slots + rows - 1) / rows;
    const float slot_width = width / static_cast<float>(columns), slot_height = height / static_cast<float>(rows);
    if (slot_width >= 3 * unit && slot_height <= 4 * slot_width) return columns;
  }
  return 1;
}

ImU32 block_ink(const WavesFrame& frame, uint32_t block) {
  const Theme& theme = frame.context.theme;
  const auto& selected = frame.context.view.selection.block;
  const bool picked =
      (selected && *selected == block) || (frame.context.view.hover.block && *frame.context.view.hover.block == block);
  return picked ? theme.write : theme.accent;
}

void draw_processor_legend(WavesFrame& frame, ImVec2 low, float right) {
  const Theme& theme = frame.context.theme;
  ImFont* font = frame.context.fonts.small;
  const float y = low.y + frame.px(kProcessorsLegend) / 2, side = frame.px(8);
  float x = low.x;
  const auto entry = [&](ImU32 colour, const std::string& text) {
    if (x + side + frame.px(6) + text_size(font, text).x > right) return;
    frame.list->AddRectFilled({x, y - side / 2}, {x + side, y + side / 2}, colour);
    x += side + frame.px(6);
    x += draw_text(frame.list, font, {x, centred_top(font, y)}, theme.muted, text).x + frame.px(18);
  };
  entry(theme.accent, frame.context.strings("waves.place_taken"));
  entry(theme.separator, frame.context.strings("waves.place_empty"));
  if (frame.context.view.selection.block || frame.context.view.hover.block)
    entry(theme.write, frame.context.strings("waves.place_chosen"));
}

std::string place_sentence(const WavesFrame& frame, uint32_t name, uint32_t slot, std::optional<uint32_t> block) {
  const Strings& strings = frame.context.strings;
  const auto where = [&](const char* key) {
    return strings.format(key, fmt::arg("processor", name), fmt::arg("slot", slot),
                          fmt::arg("block", with_separators(block.value_or(0))));
  };
  if (!block) return where("waves.explain_empty");
  std::string said = where("waves.explain_place");
  if (const BlockTimes* times = frame.times(); times != nullptr) {
    const BlockSpan& span = times->blocks[*block];
    said += strings.format("waves.explain_span", fmt::arg("begin", fmt::format("{:.1f}", span.begin_us)),
                           fmt::arg("end", fmt::format("{:.1f}", span.end_us)));
  }
  return said;
}

/// What is under the pointer becomes the hovered block; a click selects it.
void point_at_place(WavesFrame& frame, const ProcessorGrid& grid) {
  ViewState& view = frame.context.view;
  ImGui::SetCursorScreenPos(grid.origin);
  const float width = static_cast<float>(grid.columns) * grid.pitch_x;
  const bool pressed = hit_area("processors", {std::max(1.0F, width), std::max(1.0F, grid.height())});
  mark(frame.context, "waves.processors", grid.origin, {grid.origin.x + width, grid.origin.y + grid.height()});
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const auto column = static_cast<uint32_t>((pointer.x - grid.origin.x) / grid.pitch_x);
  const auto row = static_cast<uint32_t>((pointer.y - grid.origin.y) / grid.pitch_y);
  const uint32_t processor = row * grid.columns + column;
  if (column >= grid.columns || processor >= grid.count) return;
  uint32_t nearest = 0;
  float least = 1e9F;
  for (uint32_t slot = 0; slot < grid.slots; ++slot) {
    const ImVec2 low = grid.slot_low(processor, slot), high = grid.slot_high(processor, slot);
    const float dx = (low.x + high.x) / 2 - pointer.x, dy = (low.y + high.y) / 2 - pointer.y;
    if (dx * dx + dy * dy >= least) continue;
    least = dx * dx + dy * dy;
    nearest = slot;
  }
  const auto block = block_in(frame, processor, nearest);
  const uint32_t name = frame.times() != nullptr ? frame.picture.measured.name_of(processor) : processor;
  explain_rect(frame.context, grid.low(processor), grid.high(processor), place_sentence(frame, name, nearest, block));
  view.hover.block = block;
  if (pressed && block) {
    view.selection = {};
    view.selection.block = block;
  }
}

}  // namespace

ImVec2 ProcessorGrid::low(uint32_t processor) const {
  return {std::floor(origin.x + static_cast<float>(processor % columns) * pitch_x),
          std::floor(origin.y + static_cast<float>(processor / columns) * pitch_y)};
}

ImVec2 ProcessorGrid::high(uint32_t processor) const {
  return {std::floor(origin.x + static_cast<float>(processor % columns + 1) * pitch_x) - gap,
          std::floor(origin.y + static_cast<float>(processor / columns + 1) * pitch_y) - gap};
}

ImVec2 ProcessorGrid::slot_low(uint32_t processor, uint32_t slot) const {
  const ImVec2 from = low(processor), to = high(processor);
  return {
      std::floor(from.x + (to.x - from.x) * static_cast<float>(slot % slot_columns) / static_cast<float>(slot_columns)),
      std::floor(from.y + (to.y - from.y) * static_cast<float>(slot / slot_columns) / static_cast<float>(slot_rows()))};
}

ImVec2 ProcessorGrid::slot_high(uint32_t processor, uint32_t slot) const {
  const ImVec2 from = low(processor), to = high(processor);
  const auto right = static_cast<float>(slot % slot_columns + 1) / static_cast<float>(slot_columns);
  const auto bottom = static_cast<float>(slot / slot_columns + 1) / static_cast<float>(slot_rows());
  const float line = std::max(1.0F, std::floor(unit));
  return {std::floor(from.x + (to.x - from.x) * right) - line, std::floor(from.y + (to.y - from.y) * bottom) - line};
}

ProcessorGrid lay_out_processors(uint32_t count, uint32_t slots, ImVec2 low, ImVec2 high, float unit) {
  ProcessorGrid grid{.count = std::max(1U, count), .slots = std::max(1U, slots), .origin = low, .unit = unit};
  const float width = high.x - low.x, height = high.y - low.y;
  float best = 0;
  for (uint32_t columns = 1; columns <= grid.count; ++columns) {
    const float across = width / static_cast<float>(columns);
    const float down = height / static_cast<float>((grid.count + columns - 1) / columns);
    const float size = std::min(across / kCellAspect, down);
    // Among equally large ones, the layout with the fuller last row.
    if (size <= best * 1.001F) continue;
    best = size;
    grid.columns = columns;
  }
  grid.gap = std::max(2.0F, std::floor((best >= 16 * unit ? 4 : 2) * unit));
  grid.pitch_x = width / static_cast<float>(grid.columns);
  grid.pitch_y = std::min(kMostCellHeight * unit, height / static_cast<float>(grid.rows()));
  grid.slot_columns = slot_columns_for(grid.slots, grid.pitch_x - grid.gap, grid.pitch_y - grid.gap, unit);
  return grid;
}

std::optional<uint32_t> block_in(const WavesFrame& frame, uint32_t processor, uint32_t slot) {
  if (const BlockTimes* times = frame.times(); times != nullptr)
    return frame.picture.measured.block_at(*times, processor, slot, frame.time_us);
  const WaveSchedule& waves = frame.picture.schedule;
  const uint64_t block = waves.first_resident(frame.issued) + uint64_t{slot} * waves.multiprocessors + processor;
  if (block >= frame.issued) return {};
  return static_cast<uint32_t>(block);
}

void draw_processors(WavesFrame& frame, ImVec2 low, ImVec2 high) {
  const bool measured = frame.times() != nullptr;
  const uint32_t count = measured ? frame.picture.measured.multiprocessors() : frame.picture.schedule.multiprocessors;
  const uint32_t slots = measured ? frame.picture.measured.slots() : frame.picture.schedule.blocks_per_multiprocessor;
  const float unit = frame.context.view.scale;
  const ProcessorGrid grid =
      lay_out_processors(count, slots, low, {high.x, high.y - frame.px(kProcessorsLegend + 2)}, unit);
  point_at_place(frame, grid);
  for (uint32_t processor = 0; processor < grid.count; ++processor)
    for (uint32_t slot = 0; slot < grid.slots; ++slot) {
      const auto block = block_in(frame, processor, slot);
      frame.list->AddRectFilled(grid.slot_low(processor, slot), grid.slot_high(processor, slot),
                                block ? block_ink(frame, *block) : frame.context.theme.separator);
    }
  draw_processor_legend(frame, {low.x, grid.origin.y + grid.height() + frame.px(2)}, high.x);
}

}  // namespace tilescope
