#include "engine/report/tile_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/compile/kernel_names.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

/// One direction of a buffer's map: how many blocks touched it, and how many elements each.
struct Share {
  uint64_t blocks = 0;
  uint64_t fewest = 0, most = 0;  // elements per block that touched it
  uint32_t first_block = 0;       // the first that did
};

using RangesOf = std::span<const ElementRange> (BufferMap::*)(uint32_t) const;

uint64_t elements_in(std::span<const ElementRange> ranges) {
  uint64_t count = 0;
  for (const ElementRange& range : ranges) count += static_cast<uint64_t>(range.end - range.begin);
  return count;
}

Share share_of(const BufferMap& buffer, RangesOf ranges_of, uint64_t blocks) {
  Share share;
  for (uint32_t block = 0; block < blocks; ++block) {
    const uint64_t count = elements_in((buffer.*ranges_of)(block));
    if (count == 0) continue;
    if (share.blocks == 0) share.first_block = block;
    share.fewest = share.blocks == 0 ? count : std::min(share.fewest, count);
    share.most = std::max(share.most, count);
    ++share.blocks;
  }
  return share;
}

/// Ranges of the flattened buffer, at most three; "row 0 … 15 of 64 columns" is left to views.
std::string ranges_text(std::span<const ElementRange> ranges) {
  constexpr size_t kShown = 3;
  std::string text;
  for (size_t i = 0; i < std::min(ranges.size(), kShown); ++i)
    text += fmt::format("{}{} … {}", i > 0 ? ", " : "", with_separators(ranges[i].begin),
                        with_separators(ranges[i].end - 1));
  if (ranges.size() > kShown) text += fmt::format(" and {} more ranges", ranges.size() - kShown);
  return text;
}

std::string side_text(const TileMap& map, const BufferMap& buffer, const char* verb, RangesOf ranges_of) {
  const Share share = share_of(buffer, ranges_of, map.blocks_observed);
  if (share.blocks == 0) return {};
  const Dim3 block = unflatten(share.first_block, map.grid);
  const std::string each = share.fewest == share.most
                               ? with_separators(share.most)
                               : with_separators(share.fewest) + " to " + with_separators(share.most);
  return fmt::format("  {}: {} by {} of {} blocks, {} elements each; block ({},{},{}): {}\n", buffer.name, verb,
                     with_separators(share.blocks), with_separators(map.grid.count()), each, block.x, block.y, block.z,
                     ranges_text((buffer.*ranges_of)(share.first_block)));
}

nlohmann::json side_json(const TileMap& map, const BufferMap& buffer, RangesOf ranges_of) {
  const Share share = share_of(buffer, ranges_of, map.blocks_observed);
  nlohmann::json first = nlohmann::json::array();
  if (share.blocks > 0)
    for (const ElementRange& range : (buffer.*ranges_of)(share.first_block)) {
      if (first.size() == 64) break;
      first.push_back({range.begin, range.end});
    }
  return {{"blocks", share.blocks},
          {"elements_per_block", {share.fewest, share.most}},
          {"first_block", share.first_block},
          {"first_block_ranges", first}};
}

}  // namespace

std::string tile_text(const RunResult& result) {
  const TileMap& map = result.tiles;
  if (map.grid.count() == 0 || map.buffers.empty()) return {};
  const size_t launches = result.plan.launches.size();
  const std::string of_launch = launches > 1 ? fmt::format(" of launch {} of {}, {}", result.launch + 1, launches,
                                                           kernel_name(result.plan.launches[result.launch].kernel))
                                             : std::string();
  std::string text = fmt::format("tile map{}, elements of the flattened buffers [SIMULATED]\n", of_launch);
  for (const BufferMap& buffer : map.buffers) {
    text += side_text(map, buffer, "written", &BufferMap::writes_of);
    text += side_text(map, buffer, "read", &BufferMap::reads_of);
  }
  if (map.blocks_observed < map.grid.count())
    text += fmt::format("  recorded for the first {} of {} blocks\n", with_separators(map.blocks_observed),
                        with_separators(map.grid.count()));
  if (map.idle_threads > 0)
    text += fmt::format("  threads that store nothing: {}\n", with_separators(map.idle_threads));
  return text;
}

nlohmann::json tile_json(const RunResult& result) {
  const TileMap& map = result.tiles;
  nlohmann::json buffers = nlohmann::json::object();
  for (const BufferMap& buffer : map.buffers)
    buffers[buffer.name] = {{"written", side_json(map, buffer, &BufferMap::writes_of)},
                            {"read", side_json(map, buffer, &BufferMap::reads_of)}};
  return {{"blocks", map.grid.count()},
          {"blocks_recorded", map.blocks_observed},
          {"idle_threads", map.idle_threads},
          {"buffers", buffers}};
}

}  // namespace tilescope
