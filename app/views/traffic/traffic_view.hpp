// The parts of the traffic view.
//
//     registers ⇄ L1 ⇄ L2 ⇄ device        traffic_flow.cpp        figures: traffic_chart.hpp
//         ⇅ shared memory, by buffer      traffic_buffers.cpp
//     one warp instruction                traffic_instruction.cpp  which one: traffic_choice.hpp
//         lanes → lines and sectors       traffic_sectors.cpp
//         lanes → banks                   traffic_bank_grid.cpp   figures: traffic_banks.hpp
//
// The ledger by source line is the source panel's margin, expanded to columns (source_ledger.cpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/observed/traffic_banks.hpp"
#include "app/observed/traffic_choice.hpp"
#include "app/observed/traffic_facts.hpp"
#include "app/observed/traffic_seen.hpp"
#include "app/views/context.hpp"
#include "app/views/traffic/traffic_chart.hpp"
#include "app/views/view.hpp"
#include "engine/traffic/access/block_traffic.hpp"

namespace tilescope {

/// Everything derived from one result; rebuilt when the result changes.
struct TrafficPicture {
  ResultReference result;
  MemoryChart chart;
  std::vector<LedgerRow> rows;
  TrafficSentence sentence;
  Language language = Language::en;  // the sentence's
  std::optional<BlockTraffic> of_block;
  uint32_t block = 0;  // the block of `of_block`

  bool compact = false;  // the view is low: everything is smaller, so that it need not scroll

  // Kept across results.
  std::string chosen_buffer;   // shown in the chart; empty: all
  std::string hovered_buffer;  // takes precedence over it
  struct BufferRow {
    std::string buffer;
    ImVec2 low, high;
  };
  std::vector<BufferRow> buffer_rows;  // their positions in the last frame
};

class TrafficView final : public View {
 public:
  void draw(PanelContext& context) override;
  bool speaks_of_lines() const override { return true; }
  Lower lower(const PanelContext& context, bool stacked) const override;

 private:
  TrafficPicture picture_;  // rebuilt when the result changes
};

/// What the chart shows: the hovered or chosen buffer, or all.
const ChartUse& shown_use(const TrafficPicture& picture);

/// What the numbers do not cover: a sampled grid, a truncated record, different machine code.
std::vector<std::string> notes_of(const Strings& strings, const RunResult& result);

// Each draws at a top left corner with a width and returns the height used.
float draw_flow(PanelContext& context, TrafficPicture& picture, ImVec2 low, float width);
float draw_buffer_table(PanelContext& context, TrafficPicture& picture, ImVec2 low, float right);
/// The line about the selected block's traffic, on two rows if one is too short; returns its height.
float draw_block(PanelContext& context, TrafficPicture& picture, ImVec2 low, float right);
float draw_instruction(PanelContext& context, TrafficPicture& picture, ImVec2 low, float width);

/// The lanes of an access and the lines and sectors of global memory that they touch.
struct SectorView {
  const WarpAccess* access = nullptr;
  std::optional<uint32_t> partner;       // the same warp's access to shared memory: its lanes are the same threads
  bool interactive = true;               // false: it belongs to a different run
  float lanes = 24, fan = 40, bar = 20;  // heights, unscaled
};
/// Call before drawing anything that highlights the lane under the pointer.
void point_at_sectors(PanelContext& context, const SectorView& view, ImVec2 low, float width);
float draw_sectors(PanelContext& context, const SectorView& view, ImVec2 low, float width);
/// "line 8,766: 128 of 128 bytes used"
std::string cost_text(const Strings& strings, const WarpAccess& access);

/// The lanes of an access to shared memory and the banks that they access.
struct BankView {
  const BankPicture* picture = nullptr;
  std::optional<uint32_t> partner;  // the same warp's access to global memory
  bool interactive = true;
  float height = 160;     // maximum height of the grid; unscaled
  size_t least_rows = 0;  // so that grids side by side have cells of equal size
};
/// Rows of words in the grid of an access.
size_t bank_rows(const BankPicture& picture);
float draw_banks(PanelContext& context, const BankView& view, ImVec2 low, float width);

/// A lane is highlighted if it, or its partner access, is hovered or selected.
bool is_lit(const ViewState& view, int lane, uint32_t access, const std::optional<uint32_t>& partner);
bool is_selected(const ViewState& view, int lane, uint32_t access, const std::optional<uint32_t>& partner);

/// Colour of bytes that are moved but not used.
ImU32 unused_colour(const Theme& theme);
/// Colour of a word requested by a group of lanes without a conflict: the first group is the strongest.
ImU32 pass_colour(const Theme& theme, uint32_t group, uint32_t groups);

}  // namespace tilescope
