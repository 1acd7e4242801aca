// Plays blocks in issue order: position, steps, and the row of controls.
#pragma once

#include "app/views/context.hpp"
#include "engine/traffic/schedule/waves.hpp"

namespace tilescope {

/// Number of issued blocks: all of them if nothing is being played.
uint64_t issued_blocks(const ViewState& view, uint64_t blocks);
/// The block issued last during playback.
std::optional<uint32_t> newest_block(const ViewState& view, uint64_t blocks);
/// The block that views explain: the hovered one, the one being played, the selected one, or one near the middle.
uint32_t focus_block(const ViewState& view, uint64_t blocks);
/// Advances a running playback by the time of a frame; stops it at the end.
void advance_playback(ViewState& view, uint64_t blocks, double seconds);
void toggle_playback(ViewState& view, uint64_t blocks);
/// Moves by whole blocks and pauses; a step back from "everything" removes the last block.
void step_playback(ViewState& view, uint64_t blocks, int64_t by);
/// Moves to the end of the wave that contains the next block (1), or to the start of the last issued one's wave (−1),
/// and pauses.
void step_playback_by_wave(ViewState& view, const WaveSchedule& waves, int direction);
void seek_playback(ViewState& view, uint64_t blocks, double position);
/// Keyboard control of playback: Space, the arrows (by waves with Shift), Home and End.
void playback_keys(PanelContext& context);
/// Shows everything again, whatever the number of blocks in a later result.
void end_playback(ViewState& view);

/// Step back, play, step forward, the track, and "block 53 of 97, wave 1 of 2". `low` and `high` bound the row. If the
/// waves are known, the track has a notch at each. A `moment` replaces the block's text.
void draw_playback_row(PanelContext& context, ImVec2 low, ImVec2 high, uint64_t blocks,
                       const WaveSchedule* waves = nullptr, std::string_view moment = {});

}  // namespace tilescope
