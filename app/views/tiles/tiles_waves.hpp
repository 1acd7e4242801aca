// The multiprocessors below the map of tiles: how many blocks each holds at the moment that is played.
#pragma once

#include "app/views/context.hpp"
#include "app/views/tiles/tiles_view.hpp"

namespace tilescope {

/// Unscaled height of the row; 0 where nothing is known of the waves.
float processor_row_height(const RunResult& result);
/// A cell for each multiprocessor, filled as far as its places are; that of the focused block is ringed. The cells lie
/// between the ends of the playback's track. `low` and `high` bound the row.
void draw_processor_row(TilesFrame& frame, ImVec2 low, ImVec2 high);
/// What the colours of blocks mean while they are played; its right end at `top_right`. Returns its width.
float draw_state_legend(PanelContext& context, ImDrawList* list, ImVec2 top_right);
/// Whether a lab's kernel notes in this buffer where its blocks ran: nothing that it computes.
bool is_schedule(const RunResult& result, size_t buffer);

}  // namespace tilescope
