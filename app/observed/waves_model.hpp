// The content of the waves views, derived from a RunResult. No ImGui.
//
//   place   a slot for one block on one SM; a wave has SMs · slots of them
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

/// The waves of the launch that views show; null if they are unknown.
const WaveSchedule* shown_waves(const RunResult& result);
/// The measured times of that launch's blocks, if a GPU has recorded them, which only the last launch does. Null if the
/// waves are modelled.
const BlockTimes* shown_times(const RunResult& result);
/// Number of blocks to play: those of that launch, or without a schedule those of the observed one.
uint64_t played_blocks(const RunResult& result);

/// The sequence of blocks in each slot, as measured.
class MeasuredPlaces {
 public:
  MeasuredPlaces() = default;
  explicit MeasuredPlaces(const BlockTimes& times);
  uint32_t multiprocessors() const { return static_cast<uint32_t>(names_.size()); }
  uint32_t slots() const { return slots_; }
  uint32_t name_of(uint32_t row) const { return names_[row]; }  // its %smid
  /// The block in a slot at a time; nothing if it is empty then.
  std::optional<uint32_t> block_at(const BlockTimes& times, uint32_t row, uint32_t slot, double time_us) const;
  /// Resident blocks over time: rows × columns values from 0 to slots(), each averaged over its time interval.
  std::vector<float> residency(const BlockTimes& times, uint32_t columns) const;

 private:
  std::vector<uint32_t> names_;
  uint32_t slots_ = 0;
  std::vector<std::vector<uint32_t>> blocks_;  // by row · slots + slot, in order of time
};

/// Everything derived from one result; rebuilt with it.
struct WavesPicture {
  ResultReference result;
  WaveSchedule schedule;
  BlockUsage usage;
  Occupancy occupancy;
  uint32_t spilled_bytes = 0;  // per thread, stored by the machine code because of register spills
  std::vector<ResourceLimit> limits;
  std::vector<GpuWaves> gpus;
  MeasuredPlaces measured;  // from the result's block times, if it has them
};

/// False: the result's waves are unknown.
bool take_waves(WavesPicture& picture, const std::shared_ptr<const RunResult>& result, std::span<const GpuSpec> gpus);

/// The time of a measured schedule that is shown, in µs: played from start to end like a whole grid of blocks; at rest
/// (−1) the start of the last block, which is where the tail begins.
double moment_of(const BlockTimes& times, double position);

struct WavesSentence {
  std::string finding, reason, quiet;
  bool trouble = false;  // the grid cannot run
};
WavesSentence waves_sentence(const Strings& strings, const WavesPicture& picture);
/// "wave 3 of 3: blocks 2,112–2,499 in 388 of 1,056 places"; brief: without the blocks.
std::string wave_text(const Strings& strings, const WaveSchedule& schedule, uint64_t issued, bool brief = false);
std::string limit_name(const Strings& strings, OccupancyLimit limit);  // "Registers"
/// What a block uses of a resource, and the total: "12,288 of 65,536".
std::string limit_detail(const Strings& strings, const WavesPicture& picture, OccupancyLimit limit);
std::string limit_sentence(const Strings& strings, const ResourceLimit& limit);

}  // namespace tilescope
