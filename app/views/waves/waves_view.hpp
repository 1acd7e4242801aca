// Shared by the parts of the waves view.
//
//     sentence
//     SMs, a cell each                 │ what limits the blocks per SM
//     playback                         │
//     waves over time                  │ the same grid on other GPUs
#pragma once

#include "app/draw/cell_texture.hpp"
#include "app/observed/waves_model.hpp"
#include "app/views/context.hpp"
#include "app/views/view.hpp"

namespace tilescope {

/// The picture of the measured blocks over time; it belongs to a result, theme and OpenGL context.
struct MeasuredTexture {
  CellTexture texture;
  ResultReference result;
  bool dark = true;
};

class WavesView final : public View {
 public:
  void draw(PanelContext& context) override;
  bool moving(const Session& session, const ViewState& view) const override;

 private:
  void draw_known(PanelContext& context);

  WavesPicture picture_;  // rebuilt when the result changes
  MeasuredTexture texture_;
};

struct WavesFrame {
  PanelContext& context;
  const WavesPicture& picture;
  MeasuredTexture& texture;
  ImDrawList* list;
  uint64_t issued = 0;   // blocks, for a modelled schedule
  double time_us = 0;    // for a measured schedule
  bool compact = false;  // the view is low, and so are its rows, so that it need not scroll

  const RunResult& result() const { return *picture.result; }
  /// Null if the schedule is modelled.
  const BlockTimes* times() const { return shown_times(result()); }
  float px(float value) const { return context.px(value); }
  // Heights of a title with its badge, of a row of limits, and of a GPU's row.
  float header() const { return px(compact ? 25 : 28); }
  float row() const { return px(compact ? 20 : 24); }
  float gpu_row() const { return px(compact ? 17 : 20); }
};

/// SMs as rows of cells in an area.
struct ProcessorGrid {
  uint32_t count = 0, columns = 1, slots = 1, slot_columns = 1;
  ImVec2 origin{0, 0};
  float pitch_x = 1, pitch_y = 1, gap = 1, unit = 1;
  uint32_t rows() const { return (count + columns - 1) / columns; }
  uint32_t slot_rows() const { return (slots + slot_columns - 1) / slot_columns; }
  float height() const { return static_cast<float>(rows()) * pitch_y; }
  ImVec2 low(uint32_t processor) const;
  ImVec2 high(uint32_t processor) const;
  /// Corners of one slot.
  ImVec2 slot_low(uint32_t processor, uint32_t slot) const;
  ImVec2 slot_high(uint32_t processor, uint32_t slot) const;
};
ProcessorGrid lay_out_processors(uint32_t count, uint32_t slots, ImVec2 low, ImVec2 high, float unit);

/// The block in a slot at the frame's moment; nothing if the slot is empty.
std::optional<uint32_t> block_in(const WavesFrame& frame, uint32_t processor, uint32_t slot);

void draw_processors(WavesFrame& frame, ImVec2 low, ImVec2 high);
void draw_wave_timeline(WavesFrame& frame, ImVec2 low, ImVec2 high);
/// Both return their heights.
float draw_limits(WavesFrame& frame, ImVec2 low, float width);
float draw_other_gpus(WavesFrame& frame, ImVec2 low, float width);

}  // namespace tilescope
