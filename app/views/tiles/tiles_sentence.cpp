#include "app/views/tiles/tiles_sentence.hpp"

#include <algorithm>

#include "app/draw/sentences.hpp"
#include "app/observed/trace_index.hpp"
#include "app/observed/wording.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

std::string number_or_range(int64_t a, int64_t b) {
  if (a == b) return with_separators(a);
  return with_separators(std::min(a, b)) + "–" + with_separators(std::max(a, b));
}

std::string how_each_block_works(const Strings& strings, const RunResult& result, const TileShape& shape) {
  const std::string tile = with_separators(shape.tile);
  if (shape.blocks == 1) {
    const auto threads = static_cast<int64_t>(result.tiles.block.count());
    const auto idle = static_cast<int64_t>(result.tiles.idle_threads);
    if (idle == 0) return strings.format("tiles.all_threads_write", fmt::arg("threads", with_separators(threads)));
    return strings.format("tiles.threads_idle", fmt::arg("idle", with_separators(idle)),
                          fmt::arg("threads", with_separators(threads)));
  }
  if (shape.gathered) return strings("tiles.gathered");
  if (shape.rows > 0)
    return strings.format("tiles.each_writes_rectangle", fmt::arg("rows", with_separators(shape.rows)),
                          fmt::arg("columns", with_separators(shape.columns)));
  if (shape.tiles_per_block > 1 && !shape.contiguous && shape.stride > 0)
    return strings.format("tiles.each_strides",
                          fmt::arg("tiles", number_or_range(shape.tiles_per_block, shape.last_tiles)),
                          fmt::arg("tile", tile), fmt::arg("stride", with_separators(shape.stride)));
  if (shape.tiles_per_block > 1)
    return strings.format("tiles.each_walks", fmt::arg("tiles", with_separators(shape.tiles_per_block)),
                          fmt::arg("tile", tile));
  if (shape.pieces > 1 && shape.piece == 1)
    return strings.format("tiles.each_writes_scattered", fmt::arg("elements", with_separators(shape.pieces)),
                          fmt::arg("stride", with_separators(shape.stride)));
  if (shape.pieces > 1 && shape.piece > 0)
    return strings.format("tiles.each_writes_pieces", fmt::arg("pieces", with_separators(shape.pieces)),
                          fmt::arg("piece", with_separators(shape.piece)),
                          fmt::arg("stride", with_separators(shape.stride)));
  if (shape.pieces > 1)
    return strings.format("tiles.each_writes_some",
                          fmt::arg("elements", count_of_elements(strings, shape.block_elements)),
                          fmt::arg("pieces", with_separators(shape.pieces)));
  return strings.format("tiles.each_writes", fmt::arg("tile", tile));
}

/// "51 blocks at the edge write less."
std::string what_is_cut(const Strings& strings, const TileShape& shape) {
  if (shape.rows == 0 || shape.cut_blocks == 0) return {};
  return shape.cut_blocks == 1
             ? strings("tiles.one_cut_block")
             : strings.format("tiles.cut_blocks", fmt::arg("count", with_separators(shape.cut_blocks)));
}

std::string what_is_left_over(const Strings& strings, const RunResult& result, const TileShape& shape) {
  if (result.blocks_sampled > 0)
    return strings.format("tiles.sampled", fmt::arg("blocks", with_separators(result.blocks_sampled)));
  const int64_t processors = result.device.multiprocessors;
  if (processors > 0 && shape.blocks < processors)
    return strings.format("tiles.idle_processors", fmt::arg("idle", with_separators(processors - shape.blocks)),
                          fmt::arg("all", with_separators(processors)));
  if (processors > 0)
    return strings.format(
        "tiles.busy_processors",
        fmt::arg("blocks", fmt::format("{:.1f}", static_cast<double>(shape.blocks) / static_cast<double>(processors))));
  if (result.tiles.idle_threads > 0 && shape.blocks > 1)
    return strings.format("tiles.idle_threads", fmt::arg("idle", with_separators(result.tiles.idle_threads)));
  return {};
}

void add_warning(ViewSentence& said, const Strings& strings, const RunResult& result) {
  const auto found = std::ranges::find(result.findings, result.launch, &Finding::launch);
  if (found == result.findings.end()) return;
  const Finding& first = *found;
  const auto block = shown_block_of(first, result);
  if (!block) return;
  said.warning = strings.format("tiles.finding", fmt::arg("block", block_number(result.tiles.grid, *block)),
                                fmt::arg("id", finding_name(strings, first.id)), fmt::arg("line", first.line),
                                fmt::arg("count", with_separators(first.count)));
}

}  // namespace

std::string tail_text(const Strings& strings, const Tail& tail) {
  const char* of_block = tail.outside ? "tiles.tail_outside" : "tiles.tail";
  const char* of_tile = tail.outside ? "tiles.tail_of_tile_outside" : "tiles.tail_of_tile";
  return strings.format(tail.block < 0 ? of_tile : of_block, fmt::arg("block", with_separators(tail.block)),
                        fmt::arg("left", count_of_elements(strings, tail.left)),
                        fmt::arg("masked", with_separators(tail.masked)));
}

ViewSentence tiles_sentence(const Strings& strings, const RunResult& result, const TileShape& shape) {
  ViewSentence said;
  said.finding = count_of_blocks(strings, shape.blocks);
  if (shape.buffer < 0) {
    said.reason = strings(shape.blocks == 1 ? "tiles.one_writes_nothing" : "tiles.writes_nothing");
    add_warning(said, strings, result);
    return said;
  }
  std::string elements = count_of_elements(strings, shape.written);
  if (!result.trace.complete && result.blocks_sampled == 0) {  // the writes of the others are unknown
    said.reason =
        strings.format("tiles.recorded_write", fmt::arg("blocks", with_separators(result.tiles.blocks_observed)),
                       fmt::arg("elements", elements), fmt::arg("how", how_each_block_works(strings, result, shape)));
    said.quiet = strings("tiles.recorded_hint");
    add_warning(said, strings, result);
    return said;
  }
  if (shape.written < shape.elements)
    elements = strings.format("tiles.some_elements", fmt::arg("count", with_separators(shape.written)),
                              fmt::arg("all", with_separators(shape.elements)));
  const std::string_view key = shape.blocks == 1 ? "tiles.one_writes" : "tiles.write";
  said.reason = strings.format(key, fmt::arg("elements", elements),
                               fmt::arg("how", how_each_block_works(strings, result, shape)));
  for (const std::string& more : {what_is_cut(strings, shape), what_is_left_over(strings, result, shape)}) {
    const bool spaced = !said.quiet.empty() && !more.empty() && strings.language == Language::en;
    said.quiet += (spaced ? " " : "") + more;
  }
  add_warning(said, strings, result);
  return said;
}

}  // namespace tilescope
