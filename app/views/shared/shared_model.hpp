// Derives the content of the shared view from a picture (engine/traffic/access/shared_picture.hpp): how long regions
// hold which data, runs of words, the sentence's facts. Facts only; shared_*.cpp draws them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/run_result.hpp"
#include "engine/traffic/access/shared_picture.hpp"

namespace tilescope {

/// A range of one warp's events in which a region is being filled, or holds its data.
struct SharedSpan {
  int32_t region = -1;
  size_t first = 0, last = 0;  // indices into SharedPicture::events of the warp
  bool filling = false;
  bool operator==(const SharedSpan&) const = default;
};
std::vector<SharedSpan> spans_of(const SharedPicture& picture, uint32_t warp);

/// The last event of a warp at or before a step; nothing before the first one.
std::optional<size_t> event_at(const SharedPicture& picture, uint32_t warp, uint32_t step);

/// Neighbouring words of a row of banks that hold neighbouring elements and were moved by one lane.
struct SharedRun {
  uint32_t word = 0, count = 1;
  SharedWord first;
};
/// `row` counts rows of 32 words. If lanes move 8 bytes or more, each lane is a separate run; words of narrower lanes
/// are joined.
std::vector<SharedRun> runs_of_row(const SharedPicture& picture, std::span<const SharedWord> contents, uint32_t row,
                                   const RunResult& result);

/// "64, 8": the coordinates of an element in its buffer.
std::string coordinates_text(const BufferSpec& buffer, int64_t element);

/// The regions in flight after a step, and the one that the warp read last since the last barrier.
struct SharedMoment {
  std::vector<int32_t> arriving;
  int32_t reading = -1;
};
SharedMoment moment_of(const SharedPicture& picture, std::span<const SharedWord> contents, uint32_t warp,
                       uint32_t step);

}  // namespace tilescope
