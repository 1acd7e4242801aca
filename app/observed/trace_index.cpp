#include "app/observed/trace_index.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace tilescope {
namespace {

auto statement_key(const Statement& one) {
  return std::tuple(one.line, static_cast<int>(one.writes()), one.buffer, static_cast<int>(one.kind),
                    static_cast<int>(one.space), std::string_view(one.file));
}

/// The buffer that each site touches most; −1 if unknown.
std::vector<int32_t> buffers_of_sites(const RunResult& result) {
  std::vector<int32_t> buffer(result.trace.sites.size(), -1);
  std::vector<uint64_t> most(buffer.size(), 0);
  for (const SiteCount& count : result.traffic.sites) {
    if (count.site >= buffer.size() || count.requests < most[count.site] || count.requests == 0) continue;
    most[count.site] = count.requests;
    buffer[count.site] = count.buffer;
  }
  return buffer;
}

}  // namespace

BlockAccesses::BlockAccesses(const RunResult& result, std::span<const int32_t> statement_of_site, size_t statements,
                             uint32_t block)
    : block_(block) {
  const auto& bounds = result.tiles.accesses_first;
  if (size_t{block} + 1 >= bounds.size()) return;
  const size_t last = std::min<size_t>(bounds[block + 1], result.trace.accesses.size());
  const size_t begin = std::min<size_t>(bounds[block], last);
  const auto accesses = std::span(result.trace.accesses).subspan(begin, last - begin);
  warps_ = static_cast<uint32_t>((result.tiles.block.count() + 31) / 32);
  for (const Access& access : accesses) warps_ = std::max<uint32_t>(warps_, access.warp + 1U);
  const auto bucket_of = [&](const Access& access) {
    const int32_t statement = access.site < statement_of_site.size() ? statement_of_site[access.site] : -1;
    return statement < 0 ? statements * warps_ : static_cast<size_t>(statement) * warps_ + access.warp;
  };
  first_.assign(statements * warps_ + 2, 0);
  for (const Access& access : accesses) ++first_[bucket_of(access) + 1];
  for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  entries_.resize(accesses.size());
  std::vector<uint32_t> cursor(first_.begin(), first_.end() - 1);
  for (size_t i = 0; i < accesses.size(); ++i)
    entries_[cursor[bucket_of(accesses[i])]++] = static_cast<uint32_t>(begin + i);
}

std::span<const uint32_t> BlockAccesses::of(size_t statement, uint32_t warp) const {
  const size_t bucket = statement * warps_ + warp;
  if (warp >= warps_ || bucket + 2 >= first_.size()) return {};
  return std::span(entries_).subspan(first_[bucket], first_[bucket + 1] - first_[bucket]);
}

uint32_t BlockAccesses::steps(size_t statement) const {
  size_t most = 0;
  for (uint32_t warp = 0; warp < warps_; ++warp) most = std::max(most, of(statement, warp).size());
  return static_cast<uint32_t>(most);
}

std::optional<uint32_t> BlockAccesses::find(size_t statement, uint32_t warp, uint32_t step) const {
  const auto taken = of(statement, warp);
  if (step >= taken.size()) return {};
  return taken[step];
}

std::optional<uint32_t> BlockAccesses::nearest(size_t statement, uint32_t warp, uint32_t step) const {
  if (const auto exact = find(statement, warp, step)) return exact;
  std::optional<uint32_t> best;
  uint32_t best_distance = 0;
  for (uint32_t other = 0; other < warps_; ++other) {
    const auto taken = of(statement, other);
    if (taken.empty()) continue;
    const uint32_t distance = other > warp ? other - warp : warp - other;
    if (best && distance >= best_distance) continue;
    best = taken[std::min<size_t>(step, taken.size() - 1)];
    best_distance = distance;
  }
  return best;
}

TraceIndex::TraceIndex(const std::shared_ptr<const RunResult>& result) : result_(result) {
  const auto& sites = result_->trace.sites;
  const auto buffers = buffers_of_sites(*result_);
  for (size_t i = 0; i < sites.size(); ++i) {
    Statement one{.line = sites[i].line,
                  .file = sites[i].file,
                  .space = sites[i].space,
                  .kind = sites[i].kind,
                  .buffer = buffers[i],
                  .bytes_per_lane = sites[i].bytes_per_lane,
                  .sites = {static_cast<uint16_t>(i)}};
    const auto same = std::find_if(statements_.begin(), statements_.end(),
                                   [&](const Statement& other) { return statement_key(other) == statement_key(one); });
    if (same == statements_.end()) {
      statements_.push_back(std::move(one));
    } else {
      same->bytes_per_lane = std::max(same->bytes_per_lane, one.bytes_per_lane);
      same->sites.push_back(static_cast<uint16_t>(i));
    }
  }
  std::stable_sort(statements_.begin(), statements_.end(),
                   [](const Statement& a, const Statement& b) { return statement_key(a) < statement_key(b); });
  by_site_.assign(sites.size(), -1);
  for (size_t i = 0; i < statements_.size(); ++i) {
    for (uint16_t site : statements_[i].sites) by_site_[site] = static_cast<int32_t>(i);
    // A write explains a block best: results are preferred to scratch, and larger results to smaller ones, such as the
    // rows of a norm to their means.
    const auto weight = [&](const Statement& one) {
      const auto buffer = static_cast<size_t>(std::max(0, one.buffer));
      if (!one.writes() || buffer >= result_->plan.buffers.size())
        return std::pair<int, int64_t>{one.writes() ? 2 : 0, 0};
      const BufferSpec& spec = result_->plan.buffers[buffer];
      return std::pair<int, int64_t>{spec.role == Role::scratch ? 1 : 2, static_cast<int64_t>(spec.count())};
    };
    const bool better =
        default_statement_ < 0 || weight(statements_[i]) > weight(statements_[static_cast<size_t>(default_statement_)]);
    if (statements_[i].space == Space::global && statements_[i].buffer >= 0 && better)
      default_statement_ = static_cast<int32_t>(i);
  }
}

const BlockAccesses& TraceIndex::block(uint32_t block) {
  for (int i = 0; i < 2; ++i)
    if (held_[i] && recent_[i].block() == block) return recent_[i];
  const int slot = next_;
  next_ = 1 - next_;
  recent_[slot] = BlockAccesses(*result_, by_site_, statements_.size(), block);
  held_[slot] = true;
  return recent_[slot];
}

std::optional<AccessPlace> TraceIndex::place(uint32_t access) {
  if (access >= result_->trace.accesses.size()) return {};
  const Access& one = result_->trace.accesses[access];
  const int32_t statement = statement_of(one.site);
  if (statement < 0) return {};
  const auto taken = block(one.block).of(static_cast<size_t>(statement), one.warp);
  const auto found = std::lower_bound(taken.begin(), taken.end(), access);
  if (found == taken.end() || *found != access) return {};
  return AccessPlace{static_cast<size_t>(statement), one.block, one.warp, static_cast<uint32_t>(found - taken.begin())};
}

int32_t TraceIndex::statement_at(uint32_t line) const {
  int32_t found = -1, shared = -1;
  for (size_t i = 0; i < statements_.size(); ++i) {
    if (statements_[i].line != line) continue;
    if (statements_[i].space == Space::global && statements_[i].buffer >= 0) found = static_cast<int32_t>(i);
    if (statements_[i].space == Space::shared) shared = static_cast<int32_t>(i);
  }
  return found >= 0 ? found : shared;
}

std::optional<uint32_t> TraceIndex::shown_access(const Selection& hover, const Selection& selection, uint32_t shown) {
  for (const Selection* from : {&hover, &selection}) {
    if (!from->access || *from->access >= result_->trace.accesses.size()) continue;
    const Access& one = result_->trace.accesses[*from->access];
    if (region_of(one.base).buffer < 0) continue;  // shared memory: shown by the traffic view
    const bool line_agrees = !from->line || result_->trace.sites[one.site].line == *from->line;
    if (one.block == shown && line_agrees) return from->access;
  }
  const BlockAccesses& of_block = block(shown);
  int32_t statement = default_statement_;
  uint32_t warp = of_block.warps() > 0 ? (of_block.warps() - 1) / 2 : 0;
  std::optional<uint32_t> step;
  if (selection.access) {
    if (const auto from = place(*selection.access)) {
      if (statements_[from->statement].buffer >= 0) statement = static_cast<int32_t>(from->statement);
      warp = from->warp;
      step = from->step;
    }
  }
  for (const auto& line : {selection.line, hover.line}) {
    if (!line) continue;
    const int32_t there = statement_at(*line);
    const bool already = statement >= 0 && statements_[static_cast<size_t>(statement)].line == *line;
    if (there >= 0 && !already) statement = there;
  }
  if (statement < 0) return {};
  const auto chosen = static_cast<size_t>(statement);
  const BlockAccesses& accesses = block(shown);
  if (const auto found = accesses.nearest(chosen, warp, step.value_or(accesses.steps(chosen) / 2))) return found;
  // The last block may do the same work at a different line: prefer the same buffer, then any.
  for (const bool same_buffer : {true, false})
    for (size_t other = 0; other < statements_.size(); ++other) {
      const Statement &one = statements_[other], &wanted = statements_[chosen];
      if (one.buffer < 0 || (same_buffer && (one.buffer != wanted.buffer || one.writes() != wanted.writes()))) continue;
      if (const auto found = accesses.nearest(other, warp, 0)) return found;
    }
  return {};
}

TraceIndex& trace_index(ViewState& view, const std::shared_ptr<const RunResult>& result) {
  if (!view.index || !view.index->is_of(result)) view.index = std::make_shared<TraceIndex>(result);
  return *view.index;
}

int64_t WarpAccess::element(int lane) const {
  return floor_divide(offset[static_cast<size_t>(lane)], static_cast<int64_t>(element_bytes));
}

WarpAccess warp_access(const RunResult& result, uint32_t access) {
  const Access& one = result.trace.accesses[access];
  const Site& site = result.trace.sites[one.site];
  WarpAccess shown;
  shown.access = access;
  shown.block = one.block;
  shown.warp = one.warp;
  shown.mask = one.mask;
  shown.line = site.line;
  shown.bytes_per_lane = site.bytes_per_lane;
  shown.writes = site.kind != AccessKind::load && site.kind != AccessKind::async_copy;
  shown.buffer = region_of(one.base).buffer;
  const bool known = shown.buffer >= 0 && shown.buffer < static_cast<int64_t>(result.plan.buffers.size());
  if (!known) shown.buffer = -1;
  shown.element_bytes =
      known ? static_cast<uint32_t>(size_of(result.plan.buffers[static_cast<size_t>(shown.buffer)].type))
            : std::max(1U, site.bytes_per_lane);
  if (known) {
    const BufferSpec& spec = result.plan.buffers[static_cast<size_t>(shown.buffer)];
    shown.buffer_bytes = spec.count() * static_cast<int64_t>(size_of(spec.type));
  }
  shown.space = site.space;
  shown.is_matrix = site.is_matrix;
  const uint64_t start = one.base - static_cast<uint64_t>(region_of(one.base).offset);
  std::array<uint64_t, 32> address{};
  for (int lane = 0; lane < 32; ++lane) {
    if (!shown.is_active(lane)) continue;
    const auto at = static_cast<size_t>(lane);
    address[at] = result.trace.address(one, lane);
    shown.offset[at] = static_cast<int64_t>(address[at] - start);
    const int64_t sector = floor_divide(shown.offset[at], kSectorBytes);
    const bool continues = !shown.runs.empty() && shown.runs.back().last_lane == lane - 1;
    if (continues && shown.runs.back().sector == sector) {
      shown.runs.back().last_lane = lane;
    } else {
      shown.runs.push_back({lane, lane, sector});
    }
    const int64_t first = shown.element(lane), last = first + shown.elements_per_lane() - 1;
    shown.first_element = shown.active == 0 ? first : std::min(shown.first_element, first);
    shown.last_element = shown.active == 0 ? last : std::max(shown.last_element, last);
    ++shown.active;
  }
  if (shown.active == 0 || shown.bytes_per_lane == 0) return shown;
  if (shown.space == Space::shared) {
    std::array<uint64_t, 32> offset{};
    for (size_t lane = 0; lane < offset.size(); ++lane) offset[lane] = static_cast<uint64_t>(shown.offset[lane]);
    shown.shared = shared_cost(offset, shown.mask, shown.bytes_per_lane, shown.writes);
  } else {
    shown.cost = coalesce(address, shown.mask, shown.bytes_per_lane);
  }
  return shown;
}

uint32_t conflicting_lanes(const WarpAccess& access) {
  if (access.space != Space::shared || access.shared.wavefronts <= access.shared.passes) return 0;
  // Lanes of 8 bytes are processed per half-warp, lanes of 16 bytes per quarter-warp: only lanes of one group can
  // conflict.
  const int group = access.bytes_per_lane <= 4 ? 32 : access.bytes_per_lane <= 8 ? 16 : 8;
  uint32_t lanes = 0;
  for (int lane = 0; lane < 32; ++lane)
    for (int other = lane / group * group; other < lane / group * group + group; ++other) {
      if (other == lane || !access.is_active(lane) || !access.is_active(other)) continue;
      const int64_t a = access.offset[static_cast<size_t>(lane)] / 4, b = access.offset[static_cast<size_t>(other)] / 4;
      if (a != b && bank_of(a * 4) == bank_of(b * 4)) lanes |= 1U << lane;
    }
  return lanes;
}

int lane_of_element(const WarpAccess& access, int64_t element) {
  for (int lane = 0; lane < 32; ++lane) {
    if (!access.is_active(lane)) continue;
    const int64_t first = access.element(lane);
    if (element >= first && element < first + access.elements_per_lane()) return lane;
  }
  return -1;
}

bool is_wasteful(const WarpAccess& access) {
  const uint64_t needed = (uint64_t{access.cost.useful_bytes} + kSectorBytes - 1) / kSectorBytes;
  return access.cost.sectors > needed && access.cost.useful_bytes * 10 < access.moved_bytes() * 9;
}

}  // namespace tilescope
