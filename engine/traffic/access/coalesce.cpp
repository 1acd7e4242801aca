#include "engine/traffic/access/coalesce.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tilescope {
namespace {

/// Number of distinct values of a sorted range.
uint32_t count_distinct(std::span<const uint64_t> sorted) {
  uint32_t distinct = 0;
  for (size_t i = 0; i < sorted.size(); ++i)
    if (i == 0 || sorted[i] != sorted[i - 1]) ++distinct;
  return distinct;
}

}  // namespace

GlobalCost coalesce(std::span<const uint64_t, 32> address, uint32_t mask, uint32_t bytes_per_lane) {
  std::array<uint64_t, 32> start{};
  size_t lanes = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    start[lanes++] = address[static_cast<size_t>(std::countr_zero(left))];
  std::sort(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(lanes));

  // A naturally aligned lane of up to 16 bytes is in one sector; a misaligned one (a kernel bug) in two.
  std::array<uint64_t, 64> sector{}, line{};
  size_t pieces = 0;
  uint32_t useful = 0;
  uint64_t covered = 0;  // end of the bytes counted so far
  for (size_t i = 0; i < lanes; ++i) {
    const uint64_t end = start[i] + bytes_per_lane;
    const uint64_t from = i == 0 ? start[i] : std::max(start[i], covered);
    if (end > from) useful += static_cast<uint32_t>(end - from);
    covered = i == 0 ? end : std::max(covered, end);
    sector[pieces] = start[i] / kSectorBytes;
    line[pieces++] = start[i] / kLineBytes;
    if ((end - 1) / kSectorBytes != start[i] / kSectorBytes) {
      sector[pieces] = (end - 1) / kSectorBytes;
      line[pieces++] = (end - 1) / kLineBytes;
    }
  }
  std::sort(sector.begin(), sector.begin() + static_cast<std::ptrdiff_t>(pieces));
  std::sort(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(pieces));
  return {count_distinct({sector.data(), pieces}), count_distinct({line.data(), pieces}), useful};
}

uint32_t sectors_past_l1(std::span<const uint64_t, 32> source, std::span<const uint64_t, 32> target, uint32_t mask) {
  std::array<uint64_t, 32> written{};                      // 16-byte destinations, the last lane's first
  std::array<std::pair<uint64_t, uint64_t>, 32> filled{};  // a segment of shared memory, and a line that it is filled
                                                           // from
  size_t places = 0, pieces = 0;
  for (uint32_t left = mask; left != 0;) {
    const auto lane = static_cast<size_t>(31 - std::countl_zero(left));
    left &= ~(1U << lane);
    const auto places_end = written.begin() + static_cast<std::ptrdiff_t>(places);
    if (std::find(written.begin(), places_end, target[lane]) != places_end) continue;
    written[places++] = target[lane];
    const std::pair piece{target[lane] / kSectorBytes, source[lane] / kLineBytes};
    const auto pieces_end = filled.begin() + static_cast<std::ptrdiff_t>(pieces);
    if (std::find(filled.begin(), pieces_end, piece) == pieces_end) filled[pieces++] = piece;
  }
  return static_cast<uint32_t>(pieces);
}

}  // namespace tilescope
