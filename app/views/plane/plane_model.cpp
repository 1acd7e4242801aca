#include "app/views/plane/plane_model.hpp"

#include <algorithm>
#include <map>

#include "app/observed/wording.hpp"

namespace tilescope {
namespace {

int32_t find_buffer(const RunResult& result, const std::string& name) {
  if (name.empty()) return -1;
  for (size_t i = 0; i < result.plan.buffers.size(); ++i)
    if (result.plan.buffers[i].name == name) return static_cast<int32_t>(i);
  return -1;
}

/// [batch, heads, length, depth]; false for any other shape.
bool read_extents(PlanePicture& picture, const RunResult& result) {
  const auto shape_of = [&](int32_t buffer) -> const std::vector<int64_t>* {
    if (buffer < 0) return nullptr;
    const auto& shape = result.plan.buffers[static_cast<size_t>(buffer)].shape;
    return shape.size() == 4 && *std::min_element(shape.begin(), shape.end()) > 0 ? &shape : nullptr;
  };
  const auto* q = shape_of(picture.q);
  const auto* k = shape_of(picture.k);
  if (q == nullptr || k == nullptr || shape_of(picture.v) == nullptr || shape_of(picture.o) == nullptr) return false;
  picture.extents = {(*q)[0] * (*q)[1], (*k)[0] * (*k)[1], (*q)[2], (*k)[2], (*q)[3]};
  return picture.extents.heads % picture.extents.kv_heads == 0;
}

void merge(std::vector<ElementRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const ElementRange& range : ranges) {
    if (kept != 0 && range.begin <= ranges[kept - 1].end)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
}

/// Converts elements of a buffer of rows to rows of one head.
template <class Take>
void rows_by_head(std::span<const ElementRange> ranges, int64_t row_length, int64_t rows_of_head, Take take) {
  for (const ElementRange& range : ranges) {
    const int64_t end = (range.end + row_length - 1) / row_length;
    for (int64_t row = range.begin / row_length; row < end;) {
      const int64_t head = row / rows_of_head, stop = std::min(end, (head + 1) * rows_of_head);
      take(head, ElementRange{row - head * rows_of_head, stop - head * rows_of_head});
      row = stop;
    }
  }
}

/// The strips of one block: rows from what it writes (O, else scores), keys from what it touches in K, V and scores.
class StripBuilder {
 public:
  StripBuilder(const PlanePicture& picture, const RunResult& result, uint32_t block)
      : picture_(picture), result_(result), block_(block) {}

  std::vector<PlaneStrip> build() {
    const PlaneExtents& all = picture_.extents;
    const auto add_rows = [&](int64_t head, ElementRange rows) {
      auto [place, added] = strips_.try_emplace(head, PlaneStrip{block_, head, rows, {}});
      ElementRange& known = place->second.queries;
      known = {std::min(known.begin, rows.begin), std::max(known.end, rows.end)};
    };
    rows_by_head(writes(picture_.o), all.depth, all.queries, add_rows);
    const auto read_scores = reads(picture_.scores), written_scores = writes(picture_.scores);
    if (strips_.empty()) rows_by_head(written_scores, all.keys, all.queries, add_rows);
    if (strips_.empty()) rows_by_head(read_scores, all.keys, all.queries, add_rows);
    for (const int32_t buffer : {picture_.k, picture_.v})
      rows_by_head(reads(buffer), all.depth, all.keys, [&](int64_t kv_head, ElementRange keys) {
        for (auto& [head, strip] : strips_)
          if (all.kv_head_of(head) == kv_head) strip.keys.push_back(keys);
      });
    for (const auto ranges : {read_scores, written_scores}) add_columns(ranges);
    std::vector<PlaneStrip> built;
    for (auto& [head, strip] : strips_) {
      merge(strip.keys);
      built.push_back(std::move(strip));
    }
    return built;
  }

 private:
  std::span<const ElementRange> reads(int32_t buffer) const {
    if (buffer < 0) return {};
    return result_.tiles.buffers[static_cast<size_t>(buffer)].reads_of(block_);
  }
  std::span<const ElementRange> writes(int32_t buffer) const {
    if (buffer < 0) return {};
    return result_.tiles.buffers[static_cast<size_t>(buffer)].writes_of(block_);
  }
  void add_columns(std::span<const ElementRange> ranges) {
    const int64_t keys = picture_.extents.keys;
    for (const ElementRange& range : ranges) {
      const int64_t row = range.begin / keys, first = range.begin % keys;
      const auto strip = strips_.find(row / picture_.extents.queries);
      if (strip == strips_.end()) continue;
      const bool one_row = first + range.end - range.begin <= keys;
      strip->second.keys.push_back(one_row ? ElementRange{first, first + range.end - range.begin}
                                           : ElementRange{0, keys});
    }
  }

  const PlanePicture& picture_;
  const RunResult& result_;
  uint32_t block_;
  std::map<int64_t, PlaneStrip> strips_;
};

void sort_by_head(PlanePicture& picture) {
  const auto heads = static_cast<size_t>(picture.extents.heads);
  picture.first_of_head.assign(heads + 1, 0);
  for (const PlaneStrip& strip : picture.strips) ++picture.first_of_head[static_cast<size_t>(strip.head) + 1];
  for (size_t head = 0; head < heads; ++head) picture.first_of_head[head + 1] += picture.first_of_head[head];
  std::vector<size_t> next(picture.first_of_head.begin(), picture.first_of_head.end() - 1);
  picture.strips_of_head.resize(picture.strips.size());
  for (size_t i = 0; i < picture.strips.size(); ++i)
    picture.strips_of_head[next[static_cast<size_t>(picture.strips[i].head)]++] = i;
}

int64_t keys_of(const PlaneStrip& strip) {
  int64_t count = 0;
  for (const ElementRange& range : strip.keys) count += range.end - range.begin;
  return count;
}

std::string counted(const Strings& strings, int64_t count, const char* one, const char* many) {
  return count == 1 ? strings(one) : strings.format(many, fmt::arg("count", with_separators(count)));
}

}  // namespace

std::span<const size_t> PlanePicture::of_head(int64_t head) const {
  if (head < 0 || head >= extents.heads) return {};
  const auto at = static_cast<size_t>(head);
  return {strips_of_head.data() + first_of_head[at], strips_of_head.data() + first_of_head[at + 1]};
}

const PlaneStrip* PlanePicture::strip_of(uint32_t block, std::optional<int64_t> row) const {
  const auto first = std::lower_bound(strips.begin(), strips.end(), block,
                                      [](const PlaneStrip& strip, uint32_t wanted) { return strip.block < wanted; });
  if (first == strips.end() || first->block != block) return nullptr;
  if (row)
    for (auto strip = first; strip != strips.end() && strip->block == block; ++strip) {
      const int64_t query = *row - strip->head * extents.queries;
      if (query >= strip->queries.begin && query < strip->queries.end) return &*strip;
    }
  return &*first;
}

bool take_plane(PlanePicture& picture, const std::shared_ptr<const RunResult>& result, const PlaneSpec& spec) {
  if (picture.result.is(result)) return !picture.strips.empty();
  const uint64_t generation = picture.generation + 1;
  picture = PlanePicture();
  picture.generation = generation;
  picture.result = ResultReference(result);
  picture.spec = spec;
  if (!result || !result->observed) return false;
  picture.q = find_buffer(*result, spec.q);
  picture.k = find_buffer(*result, spec.k);
  picture.v = find_buffer(*result, spec.v);
  picture.o = find_buffer(*result, spec.o);
  picture.scores = find_buffer(*result, spec.scores);
  picture.trace = find_buffer(*result, spec.trace);
  if (!read_extents(picture, *result)) return false;
  const auto blocks = static_cast<uint32_t>(std::min(result->tiles.blocks_observed, result->tiles.grid.count()));
  for (uint32_t block = 0; block < blocks; ++block)
    for (PlaneStrip& strip : StripBuilder(picture, *result, block).build()) picture.strips.push_back(std::move(strip));
  if (picture.strips.empty()) return false;
  sort_by_head(picture);
  if (spec.visible)
    for (const int64_t query : {int64_t{0}, picture.extents.queries - 1})
      picture.masked |= spec.visible(result->config, query) < picture.extents.keys;
  const auto longest =
      std::max_element(picture.strips.begin(), picture.strips.end(),
                       [](const PlaneStrip& a, const PlaneStrip& b) { return keys_of(a) < keys_of(b); });
  picture.key_block = std::max<int64_t>(walk_of(picture, *longest).widest(), 1);
  return true;
}

const PlaneStrip* neighbour_strip(const PlanePicture& picture, uint32_t block, int by) {
  const PlaneStrip* of = picture.strip_of(block);
  const PlaneStrip* nearest = nullptr;
  if (of == nullptr) return nullptr;
  const auto distance = [&](const PlaneStrip& strip) { return by * (strip.queries.begin - of->queries.begin); };
  for (const size_t index : picture.of_head(of->head)) {
    const PlaneStrip& strip = picture.strips[index];
    if (distance(strip) > 0 && (nearest == nullptr || distance(strip) < distance(*nearest))) nearest = &strip;
  }
  return nearest;
}

const PlaneStrip* strip_in_head(const PlanePicture& picture, const PlaneStrip& strip, int64_t head) {
  const PlaneStrip* found = nullptr;
  for (const size_t index : picture.of_head(head)) {
    const PlaneStrip& other = picture.strips[index];
    const bool same_keys = other.keys.empty() || strip.keys.empty() || other.keys[0].begin == strip.keys[0].begin;
    if (strip.queries.begin >= other.queries.begin && strip.queries.begin < other.queries.end &&
        (found == nullptr || same_keys))
      found = &other;
  }
  return found;
}

const PlaneStrip* strip_at(const PlanePicture& picture, int64_t head, int64_t query, int64_t key) {
  const PlaneStrip* found = nullptr;
  for (const size_t index : picture.of_head(head)) {
    const PlaneStrip& strip = picture.strips[index];
    if (query < strip.queries.begin || query >= strip.queries.end) continue;
    for (const ElementRange& range : strip.keys)
      if (key >= range.begin && key < range.end) return &strip;
    if (found == nullptr) found = &strip;
  }
  return found;
}

CellCount count_cells(const PlanePicture& picture, const PlaneStrip& strip) {
  CellCount count{.all = picture.key_cells()};
  int64_t next = 0;
  for (const ElementRange& range : strip.keys) {
    const int64_t first = std::max(range.begin / picture.key_block, next);
    next = std::max((range.end + picture.key_block - 1) / picture.key_block, next);
    count.touched += std::max<int64_t>(next - first, 0);
  }
  return count;
}

CellCount count_cells(const PlanePicture& picture, int64_t head) {
  // Blocks that share a row of the plane, as in a grid over queries and keys, form one row of cells.
  std::map<int64_t, int64_t> touched;
  for (const size_t index : picture.of_head(head)) {
    const PlaneStrip& strip = picture.strips[index];
    touched[strip.queries.begin] += count_cells(picture, strip).touched;
  }
  CellCount count;
  for (const auto& [row, cells] : touched) {
    count.all += picture.key_cells();
    count.touched += std::min(cells, picture.key_cells());
  }
  return count;
}

PlaneSentence plane_sentence(const Strings& strings, const PlanePicture& picture, const PlaneStrip& strip,
                             const KeyWalk& walk) {
  PlaneSentence said;
  if (picture.stores_scores()) {
    const BufferSpec& scores = picture.result->plan.buffers[static_cast<size_t>(picture.scores)];
    const auto bytes = static_cast<double>(scores.count()) * static_cast<double>(size_of(scores.type));
    said.finding = strings.format("plane.stored", fmt::arg("bytes", bytes_text(bytes)));
  } else {
    said.finding = strings("plane.never_stored");
  }
  const int64_t rows = strip.queries.end - strip.queries.begin;
  const auto steps = static_cast<int64_t>(walk.steps.size());
  const CellCount cells = count_cells(picture, strip);
  const std::string block_name = block_number(picture.result->tiles.grid, strip.block),
                    row_count = counted(strings, rows, "plane.one_row", "plane.rows"),
                    key_count = counted(strings, keys_of(strip), "plane.single_key", "plane.keys"),
                    step_count = with_separators(steps), left_out = with_separators(cells.skipped());
  const auto block = fmt::arg("block", block_name), of_rows = fmt::arg("rows", row_count),
             of_keys = fmt::arg("keys", key_count), of_steps = fmt::arg("steps", step_count),
             skipped = fmt::arg("skipped", left_out);
  if (!walk.reads_k && !walk.reads_v)
    said.reason = strings.format("plane.passes_scores", block, of_rows, of_keys,
                                 fmt::arg("times", fmt::format("{:.3g}", walk.passes())));
  else if (!walk.reads_k || !walk.reads_v)
    said.reason = strings.format(walk.reads_k ? "plane.scores_of" : "plane.weighs", block, of_rows, of_keys);
  else if (walk.widest() == 1)
    said.reason = strings.format("plane.passes_keys", block, of_rows, of_keys);
  else
    said.reason = strings.format(steps == 1 ? "plane.passes_one" : "plane.passes_blocks", block, of_rows, of_steps);
  if (walk.reads_k && walk.reads_v) {
    const char* rest = cells.skipped() == 0                     ? "plane.none_skipped"
                       : picture.masked && walk.widest() == 1   ? "plane.keys_skipped"
                       : picture.masked && cells.skipped() == 1 ? "plane.one_skipped"
                       : picture.masked                         ? "plane.skipped"
                                                                : "plane.not_read";
    said.reason += strings.format(rest, skipped);
  }
  return said;
}

}  // namespace tilescope
