// Derives the order in which a block reads the keys from its accesses.
#include <algorithm>
#include <map>

#include "app/views/plane/plane_model.hpp"

namespace tilescope {
namespace {

constexpr int64_t kNoKey = -1;

/// Consecutive accesses of one warp to the same keys.
struct Run {
  int64_t first = kNoKey, end = kNoKey;
  uint32_t access = 0;
  bool async = false;
};
struct WarpRuns {
  std::vector<Run> runs;
  bool open = false;                                       // the last run may continue
  std::map<uint16_t, std::vector<uint32_t>> shared_loads;  // by site, in order
};

AccessKind kind_of(const AccessTrace& trace, uint32_t access) { return trace.sites[trace.accesses[access].site].kind; }

class WalkBuilder {
 public:
  WalkBuilder(const PlanePicture& picture, const PlaneStrip& strip) : picture_(picture), strip_(strip) {
    const int64_t keys = picture.extents.keys;
    first_row_ = picture.extents.kv_head_of(strip.head) * keys;
    first_query_ = strip.head * picture.extents.queries;
  }

  KeyWalk build() {
    KeyWalk walk{.block = strip_.block, .head = strip_.head};
    const RunResult& result = *picture_.result;
    const auto& first = result.tiles.accesses_first;
    if (strip_.block + 1 >= first.size()) return walk;
    const uint32_t begin = first[strip_.block], end = first[strip_.block + 1];
    for (uint32_t i = begin; i < end; ++i) {
      const int32_t buffer = buffer_of(i);
      walk.reads_k |= buffer == picture_.k && buffer >= 0;
      walk.reads_v |= buffer == picture_.v && buffer >= 0;
      copies_ |= buffer >= 0 && kind_of(result.trace, i) == AccessKind::async_copy;
    }
    // K before V; stored scores only if there is neither. An access to anything else ends a run.
    primary_ = walk.reads_k ? picture_.k : walk.reads_v ? picture_.v : picture_.scores;
    for (uint32_t i = begin; i < end; ++i) take(i);
    join(walk);
    return walk;
  }

 private:
  int32_t buffer_of(uint32_t index) const {
    const Access& access = picture_.result->trace.accesses[index];
    if (picture_.result->trace.sites[access.site].space != Space::global) return -1;
    return static_cast<int32_t>(region_of(access.base).buffer);
  }

  /// Keys of this head that an access touches; an empty range if it touches none.
  ElementRange keys_of(const Access& access, int32_t buffer) const {
    const AccessTrace& trace = picture_.result->trace;
    const bool scores = buffer == picture_.scores;
    const auto element = static_cast<int64_t>(size_of(picture_.result->plan.buffers[static_cast<size_t>(buffer)].type));
    const int64_t row_bytes = (scores ? picture_.extents.keys : picture_.extents.depth) * element;
    ElementRange keys{picture_.extents.keys, 0};
    for (uint32_t left = access.mask, lane = 0; left != 0; left >>= 1, ++lane) {
      if ((left & 1) == 0) continue;
      const int64_t offset = region_of(trace.address(access, static_cast<int>(lane))).offset;
      if (offset < 0) continue;
      const int64_t row = offset / row_bytes;
      int64_t first = row - first_row_, end = first + 1;
      if (scores) {
        const int64_t query = row - first_query_;
        if (query < 0 || query >= picture_.extents.queries) continue;
        first = offset % row_bytes / element;
        end = first + std::max<int64_t>(trace.sites[access.site].bytes_per_lane / element, 1);
      }
      if (first < 0 || first >= picture_.extents.keys) continue;
      keys = {std::min(keys.begin, first), std::max(keys.end, std::min(end, picture_.extents.keys))};
    }
    return keys;
  }

  void take(uint32_t index) {
    const Access& access = picture_.result->trace.accesses[index];
    const Site& site = picture_.result->trace.sites[access.site];
    if (access.warp >= warps_.size()) warps_.resize(access.warp + 1U);
    WarpRuns& warp = warps_[access.warp];
    if (site.space == Space::shared) {
      if (copies_ && site.kind == AccessKind::load) warp.shared_loads[access.site].push_back(index);
      return;
    }
    const int32_t buffer = buffer_of(index);
    if (buffer < 0) return;
    if (buffer != primary_) {
      if (buffer == picture_.v || buffer == picture_.scores) warp.open = false;
      return;
    }
    const ElementRange keys = keys_of(access, buffer);
    if (keys.begin >= keys.end) return;
    // There is nothing between two reads of stored scores, so different keys start a new step.
    if (primary_ == picture_.scores && warp.open && warp.runs.back().first != keys.begin) warp.open = false;
    if (!warp.open) warp.runs.push_back({keys.begin, keys.end, index, false});
    Run& run = warp.runs.back();
    run.first = std::min(run.first, keys.begin);
    run.end = std::max(run.end, keys.end);
    run.async |= site.kind == AccessKind::async_copy;
    warp.open = true;
  }

  /// The warps of a block share its steps: the k-th run of each warp covers the same keys.
  void join(KeyWalk& walk) const {
    for (const WarpRuns& warp : warps_)
      for (size_t i = 0; i < warp.runs.size(); ++i) {
        const Run& run = warp.runs[i];
        if (i == walk.steps.size()) walk.steps.push_back({run.first, run.end, run.access, run.async, {}});
        WalkStep& step = walk.steps[i];
        step.first_key = std::min(step.first_key, run.first);
        step.end_key = std::max(step.end_key, run.end);
        step.access = std::min(step.access, run.access);
        step.async |= run.async;
      }
    for (const WarpRuns& warp : warps_) note_computed(warp, walk);
  }

  /// The loop over the keys reads a tile of shared memory in each iteration: a load that ran a whole number of times
  /// per step is in it, and the earliest of these begins the iteration.
  static void note_computed(const WarpRuns& warp, KeyWalk& walk) {
    const size_t steps = walk.steps.size();
    if (steps == 0) return;  // causal, and all keys come after the block's queries
    const std::vector<uint32_t>* earliest = nullptr;
    for (const auto& [site, loads] : warp.shared_loads)
      if (loads.size() >= steps && loads.size() % steps == 0 && (earliest == nullptr || loads[0] < (*earliest)[0]))
        earliest = &loads;
    if (earliest == nullptr) return;
    const size_t each = earliest->size() / steps;
    for (size_t i = 0; i < steps; ++i) {
      std::optional<uint32_t>& computed = walk.steps[i].computed;
      const uint32_t access = (*earliest)[i * each];
      if (walk.steps[i].async && (!computed || access < *computed)) computed = access;
    }
  }

  const PlanePicture& picture_;
  const PlaneStrip& strip_;
  int64_t first_row_ = 0, first_query_ = 0;
  int32_t primary_ = -1;
  bool copies_ = false;  // with asynchronous copies; without them nothing is ever in flight, and reads of shared memory
                         // tell nothing
  std::vector<WarpRuns> warps_;
};

}  // namespace

int64_t KeyWalk::widest() const {
  int64_t widest = 0;
  for (const WalkStep& step : steps) widest = std::max(widest, step.end_key - step.first_key);
  return widest;
}

double KeyWalk::passes() const {
  if (steps.empty()) return 0;
  int64_t walked = 0, first = steps.front().first_key, end = steps.front().end_key;
  for (const WalkStep& step : steps) {
    walked += step.end_key - step.first_key;
    first = std::min(first, step.first_key);
    end = std::max(end, step.end_key);
  }
  return static_cast<double>(walked) / static_cast<double>(end - first);
}

KeyState state_at(const KeyWalk& walk, size_t done, size_t step) {
  if (step < done) return KeyState::seen;
  if (step == done) return KeyState::computing;
  if (done >= walk.steps.size() || !walk.steps[step].async) return KeyState::to_come;
  const std::optional<uint32_t>& now = walk.steps[done].computed;
  return now && walk.steps[step].access < *now ? KeyState::arriving : KeyState::to_come;
}

std::vector<KeyState> key_states(const KeyWalk& walk, size_t done, int64_t width, int64_t keys) {
  std::vector<KeyState> cells(static_cast<size_t>((keys + width - 1) / width), KeyState::untouched);
  const auto rank = [](KeyState state) {
    switch (state) {
      case KeyState::computing:
        return 4;
      case KeyState::arriving:
        return 3;
      case KeyState::seen:
        return 2;
      case KeyState::to_come:
        return 1;
      case KeyState::untouched:
        break;
    }
    return 0;
  };
  for (size_t i = 0; i < walk.steps.size(); ++i) {
    const KeyState state = state_at(walk, done, i);
    const auto first = static_cast<size_t>(walk.steps[i].first_key / width);
    const auto last = static_cast<size_t>((walk.steps[i].end_key - 1) / width);
    for (size_t cell = first; cell <= last && cell < cells.size(); ++cell)
      if (rank(state) > rank(cells[cell])) cells[cell] = state;
  }
  return cells;
}

KeyWalk walk_of(const PlanePicture& picture, const PlaneStrip& strip) { return WalkBuilder(picture, strip).build(); }

}  // namespace tilescope
