#include "engine/traffic/access/access_lines.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/traffic/access/coalesce.hpp"

namespace tilescope {
namespace {

/// A lane touches up to two sectors; an aligned lane, the case unless there is a finding, touches one.
constexpr size_t kMostParts = 64;

struct Touched {
  int64_t line = 0;
  std::array<uint32_t, 4> bytes{};  // by sector, one bit for each byte
};

class TouchedLines {
 public:
  void add(int64_t begin, uint32_t count) {
    while (count != 0) {
      const auto sector_bytes = static_cast<int64_t>(kSectorBytes);
      const int64_t sector = begin >> 5;  // floor, also before the base
      const auto in_sector = static_cast<uint32_t>(begin - sector * sector_bytes);
      const uint32_t here = std::min<uint32_t>(count, static_cast<uint32_t>(kSectorBytes) - in_sector);
      Touched& line = line_of(sector >> 2);
      line.bytes[static_cast<size_t>(sector & 3)] |= ((here == 32 ? 0 : 1U << here) - 1) << in_sector;
      begin += here;
      count -= here;
    }
  }
  std::span<const Touched> lines() const { return {lines_.data(), count_}; }

 private:
  Touched& line_of(int64_t line) {
    for (size_t i = count_; i-- > 0;)  // adjacent lanes usually hit the same line
      if (lines_[i].line == line) return lines_[i];
    lines_[count_] = {line, {}};
    return lines_[count_++];
  }
  std::array<Touched, kMostParts> lines_;
  size_t count_ = 0;
};

}  // namespace

std::span<const LinePart> AccessLines::of(const Access& access, uint32_t bytes_per_lane) {
  const auto base = static_cast<uint32_t>(access.base % kLineBytes);
  uint32_t index = newest_[access.pattern];
  while (index != kNone) {
    const Known& known = known_[index];
    if (known.base == base && known.mask == access.mask && known.bytes_per_lane == bytes_per_lane)
      return {parts_.data() + known.first, known.count};
    index = known.older;
  }
  work_out(access, bytes_per_lane);
  return {parts_.data() + known_.back().first, known_.back().count};
}

void AccessLines::work_out(const Access& access, uint32_t bytes_per_lane) {
  Known known;
  known.base = static_cast<uint32_t>(access.base % kLineBytes);
  known.mask = access.mask;
  known.bytes_per_lane = bytes_per_lane;
  known.first = static_cast<uint32_t>(parts_.size());
  known.older = newest_[access.pattern];
  const LanePattern& pattern = trace_.patterns[access.pattern];
  TouchedLines touched;
  for (uint32_t left = access.mask; left != 0; left &= left - 1)
    touched.add(pattern[static_cast<size_t>(std::countr_zero(left))] + known.base, std::min(bytes_per_lane, 32U));
  for (const Touched& line : touched.lines()) {
    LinePart part;
    part.line = line.line;
    part.bytes = line.bytes;
    for (size_t sector = 0; sector < 4; ++sector) {
      if (line.bytes[sector] != 0) part.sectors |= static_cast<uint8_t>(1U << sector);
      if (line.bytes[sector] == 0xffffffff) part.whole |= static_cast<uint8_t>(1U << sector);
    }
    parts_.push_back(part);
  }
  known.count = static_cast<uint32_t>(parts_.size()) - known.first;
  newest_[access.pattern] = static_cast<uint32_t>(known_.size());
  known_.push_back(known);
}

}  // namespace tilescope
