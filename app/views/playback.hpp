// Blocks played in the order in which they are issued: position, steps, and the row of controls.
#pragma once

#include "app/views/context.hpp"
#include "engine/traffic/schedule/waves.hpp"

namespace tilescope {

/// How many blocks have been issued: all of them when nothing is being played.
uint64_t issued_blocks(const ViewState& view, uint64_t blocks);
/// The block that was issued last while something is being played.
std::optional<uint32_t> newest_block(const ViewState& view, uint64_t blocks);
/// The block that views explain: the hovered one, the one being played, the selected one, or one near the middle.
uint32_t focus_block(const ViewState& view, uint64_t blocks);
/// Moves a running playback on by the time of a frame; stops it at the end.
void advance_playback(ViewState& view, uint64_t blocks, double seconds);
void toggle_playback(ViewState& view, uint64_t blocks);
/// Moves by whole blocks and pauses; stepping back from "everything" leaves the last block out.
void step_playback(ViewState& view, uint64_t blocks, int64_t by);
/// To the end of the wave in which the next block is (1), or to the beginning of the last one's (−1), and pauses.
void step_playback_by_wave(ViewState& view, const WaveSchedule& waves, int direction);
void seek_playback(ViewState& view, uint64_t blocks, double position);
/// Keys of the playback: Space, the arrows (with Shift by waves), Home and End.
void playback_keys(PanelContext& context);
/// Shows everything again, however many blocks a later result has.
void end_playback(ViewState& view);

/// Step back, play, step on, the track, and "block 53 of 97, wave 1 of 2". `low` and `high` bound the row. Where the
/// waves are known, the track has a notch at each. A `moment` is said in place of the block.
void draw_playback_row(PanelContext& context, ImVec2 low, ImVec2 high, uint64_t blocks,
                       const WaveSchedule* waves = nullptr, std::string_view moment = {});

}  // namespace tilescope
