// The SMs below the map of tiles: how many blocks each holds at the moment that is played.
#pragma once

#include "app/views/context.hpp"
#include "app/views/tiles/tiles_view.hpp"

namespace tilescope {

/// Unscaled height of the row; 0 if the waves are unknown.
float processor_row_height(const RunResult& result);
/// A cell for each SM, filled in proportion to its occupied slots; that of the focused block is ringed. The cells are
/// between the ends of the playback track. `low` and `high` bound the row.
void draw_processor_row(TilesFrame& frame, ImVec2 low, ImVec2 high);
/// The meaning of the blocks' colours during playback; its right end is at `top_right`. Returns its width.
float draw_state_legend(PanelContext& context, ImDrawList* list, ImVec2 top_right);
/// Whether a lab's kernel records in this buffer where its blocks ran: it is not a result of the computation.
bool is_schedule(const RunResult& result, size_t buffer);

}  // namespace tilescope
