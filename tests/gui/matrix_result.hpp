// RunResults of kernels over matrices, hand-made from what their lanes must do: the ground truth for testing the views
// without compiler or simulator.
#pragma once

#include <array>
#include <memory>

#include "engine/run_result.hpp"
#include "engine/traffic/access/ledger.hpp"
#include "engine/traffic/access/tile_map.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {

/// Writes a record access by access and creates sites when they are needed.
class MatrixRecorder {
 public:
  MatrixRecorder(std::vector<BufferSpec> buffers, Dim3 grid, Dim3 block) {
    made_->plan.buffers = std::move(buffers);
    made_->plan.launches.push_back({.kernel = "kernel", .grid = grid, .block = block});
  }

  /// One access by one warp; element(lane) is the first of `width` elements, negative if the lane is inactive.
  template <class Element>
  void access(uint32_t line, AccessKind kind, size_t buffer, uint32_t block, uint32_t warp, const Element& element,
              uint32_t width = 1) {
    const auto bytes = static_cast<uint32_t>(size_of(made_->plan.buffers[buffer].type));
    const uint16_t site = site_of(line, kind, Space::global, width * bytes, static_cast<int32_t>(buffer));
    record(site, block, warp, [&](int lane) -> int64_t {
      const int64_t at = element(lane);
      return at < 0 ? -1 : static_cast<int64_t>(address_of(buffer, at * bytes));
    });
  }
  /// The same for shared memory; offset(lane) in bytes.
  template <class Offset>
  void shared(uint32_t line, AccessKind kind, uint32_t block, uint32_t warp, const Offset& offset, uint32_t bytes = 4) {
    const uint16_t site = site_of(line, kind, Space::shared, bytes, -1);
    record(site, block, warp, [&](int lane) -> int64_t {
      const int64_t at = offset(lane);
      return at < 0 ? -1 : (int64_t{1} << kRegionBits) + at;  // the window of shared memory
    });
  }

  std::shared_ptr<RunResult> result() {
    made_->observed = true;
    made_->traffic = make_ledger(made_->trace, counts_, {}, made_->plan.buffers);
    made_->tiles = make_tile_map(made_->trace, made_->plan.launches[0], 0, made_->plan.buffers);
    return made_;
  }

 private:
  uint16_t site_of(uint32_t line, AccessKind kind, Space space, uint32_t bytes, int32_t buffer) {
    auto& sites = made_->trace.sites;
    for (size_t i = 0; i < sites.size(); ++i)
      if (sites[i].line == line && sites[i].kind == kind && sites[i].space == space && counts_[i].buffer == buffer)
        return static_cast<uint16_t>(i);
    sites.push_back({.line = line, .file = "k.cu", .space = space, .kind = kind, .bytes_per_lane = bytes});
    counts_.push_back({.site = static_cast<uint16_t>(sites.size() - 1), .buffer = buffer});
    return static_cast<uint16_t>(sites.size() - 1);
  }
  template <class Address>
  void record(uint16_t site, uint32_t block, uint32_t warp, const Address& address) {
    Access one{.block = block, .warp = static_cast<uint16_t>(warp), .site = site};
    LanePattern pattern{};
    for (int lane = 0; lane < 32; ++lane) {
      const int64_t at = address(lane);
      if (at < 0) continue;
      if (one.mask == 0) one.base = static_cast<uint64_t>(at);
      one.mask |= 1U << lane;
      pattern[static_cast<size_t>(lane)] = at - static_cast<int64_t>(one.base);
    }
    if (one.mask == 0) return;
    ++counts_[site].requests;
    made_->trace.patterns.push_back(pattern);
    one.pattern = static_cast<uint32_t>(made_->trace.patterns.size() - 1);
    made_->trace.accesses.push_back(one);
  }

  std::shared_ptr<RunResult> made_ = std::make_shared<RunResult>();
  std::vector<SiteCount> counts_;
};

inline BufferSpec matrix(std::string name, int64_t rows, int64_t columns, Role role) {
  return {.name = std::move(name), .type = DType::f32, .shape = {rows, columns}, .role = role};
}

inline constexpr uint32_t kTransposeLoad = 17, kTransposeStore = 18;

/// out[c][r] = in[r][c] in tiles of 32 × 32 by 8 warps, four rows of `in` each: a warp's lanes read along a row of
/// `in`.
inline std::shared_ptr<RunResult> make_transpose(int64_t rows, int64_t columns) {
  const auto across = static_cast<uint32_t>((columns + 31) / 32), down = static_cast<uint32_t>((rows + 31) / 32);
  MatrixRecorder recorder({matrix("in", rows, columns, Role::input), matrix("out", columns, rows, Role::output)},
                          {across, down, 1}, {32, 8, 1});
  for (uint32_t block = 0; block < across * down; ++block)
    for (int64_t step = 0; step < 4; ++step)
      for (uint32_t warp = 0; warp < 8; ++warp)
        for (const bool store : {false, true})
          recorder.access(store ? kTransposeStore : kTransposeLoad, store ? AccessKind::store : AccessKind::load,
                          store ? 1 : 0, block, warp, [&](int lane) -> int64_t {
                            const int64_t row = block / across * 32 + step * 8 + warp,
                                          column = block % across * 32 + lane;
                            if (row >= rows || column >= columns) return -1;
                            return store ? column * rows + row : row * columns + column;
                          });
  return recorder.result();
}

/// c = a · b by blocks of one warp with a tile of 8 × 32, one row of it at a time; the warp reads its rows of a and its
/// columns of b. `as_sum`: an elementwise kernel with the same stores instead.
inline std::shared_ptr<RunResult> make_matmul(int64_t m, int64_t n, int64_t k, bool as_sum = false) {
  const auto across = static_cast<uint32_t>((n + 31) / 32), down = static_cast<uint32_t>((m + 7) / 8);
  MatrixRecorder recorder(
      {matrix("a", m, k, Role::input), matrix("b", k, n, Role::input), matrix("c", m, n, Role::output)},
      {across * down, 1, 1}, {32, 1, 1});
  for (uint32_t block = 0; block < across * down; ++block)
    for (int64_t row = block / across * 8; row < std::min<int64_t>(m, block / across * 8 + 8); ++row) {
      const auto column = [&](int lane) { return int64_t{block % across} * 32 + lane; };
      const auto c = [&](int lane) -> int64_t { return column(lane) < n ? row * n + column(lane) : -1; };
      for (int64_t depth = 0; depth < (as_sum ? 1 : k); ++depth) {
        const auto a = [&](int lane) -> int64_t { return column(lane) < n ? row * k + depth : -1; };
        const auto b = [&](int lane) -> int64_t { return column(lane) < n ? depth * n + column(lane) : -1; };
        if (as_sum) {
          recorder.access(10, AccessKind::load, 0, block, 0, c);
          recorder.access(10, AccessKind::load, 1, block, 0, c);
        } else {
          recorder.access(10, AccessKind::load, 0, block, 0, a);
          recorder.access(11, AccessKind::load, 1, block, 0, b);
        }
      }
      recorder.access(12, AccessKind::store, 2, block, 0, c);
    }
  return recorder.result();
}

}  // namespace tilescope::testing
