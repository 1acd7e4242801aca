// What the views of waves show, worked out from a RunResult. No ImGui.
//
//   place   room for one block on one multiprocessor (SM); a wave has multiprocessors · slots of them
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/draw/strings.hpp"
#include "app/observed/trace_index.hpp"
#include "engine/run_result.hpp"
#include "engine/traffic/schedule/waves.hpp"

namespace tilescope {

/// The waves of the launch that views show; null where nothing is known of them.
const WaveSchedule* shown_waves(const RunResult& result);
/// When the blocks of that launch ran, where a GPU has noted it: the last launch does. Null where the waves are
/// modelled.
const BlockTimes* shown_times(const RunResult& result);
/// Blocks that are played: those of that launch, of the observed one where there is no schedule.
uint64_t played_blocks(const RunResult& result);

/// The blocks that each place held, one after the other, as they were measured.
class MeasuredPlaces {
 public:
  MeasuredPlaces() = default;
  explicit MeasuredPlaces(const BlockTimes& times);
  uint32_t multiprocessors() const { return static_cast<uint32_t>(names_.size()); }
  uint32_t slots() const { return slots_; }
  uint32_t name_of(uint32_t row) const { return names_[row]; }  // its %smid
  /// The block in a place at a time; nothing if it is empty then.
  std::optional<uint32_t> block_at(const BlockTimes& times, uint32_t row, uint32_t slot, double time_us) const;
  /// Resident blocks over time: rows × columns values from 0 to slots(), each the average over its part of the time.
  std::vector<float> residency(const BlockTimes& times, uint32_t columns) const;

 private:
  std::vector<uint32_t> names_;
  uint32_t slots_ = 0;
  std::vector<std::vector<uint32_t>> blocks_;  // by row · slots + slot, in the order of time
};

/// Everything derived from one result; rebuilt with it.
struct WavesPicture {
  ResultReference result;
  WaveSchedule schedule;
  BlockUsage usage;
  Occupancy occupancy;
  uint32_t spilled_bytes = 0;  // per thread, that its machine code stores for want of registers
  std::vector<ResourceLimit> limits;
  std::vector<GpuWaves> gpus;
  MeasuredPlaces measured;  // of the result's block times, if it has them
};

/// Nothing is known of the result's waves: false.
bool take_waves(WavesPicture& picture, const std::shared_ptr<const RunResult>& result, std::span<const GpuSpec> gpus);

/// The time that is shown of a measured schedule, µs: played from begin to end as a whole grid of blocks is; at rest
/// (−1) when the last block began, which is where the tail does.
double moment_of(const BlockTimes& times, double position);

struct WavesSentence {
  std::string finding, reason, quiet;
  bool trouble = false;  // the grid cannot run
};
WavesSentence waves_sentence(const Strings& strings, const WavesPicture& picture);
/// "wave 3 of 3: blocks 2,112–2,499 in 388 of 1,056 places"; brief: without the blocks.
std::string wave_text(const Strings& strings, const WaveSchedule& schedule, uint64_t issued, bool brief = false);
std::string limit_name(const Strings& strings, OccupancyLimit limit);  // "Registers"
/// What a block takes of a resource, and how much of it there is: "12,288 of 65,536".
std::string limit_detail(const Strings& strings, const WavesPicture& picture, OccupancyLimit limit);
std::string limit_sentence(const Strings& strings, const ResourceLimit& limit);

}  // namespace tilescope
