#include "labs/matmul_fp32_pick.hpp"

#include <algorithm>

#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr int64_t kWarp = 32;

struct Candidate {
  int64_t bm, bn, bk, tm, tn, wm;
  int64_t threads() const { return bm * bn / (tm * tn); }
};

/// Large tiles first: of two that are as good, the larger one reads less.
constexpr Candidate kCandidates[] = {{128, 256, 16, 8, 16, 64}, {128, 128, 16, 8, 8, 64}, {64, 128, 16, 8, 8, 32},
                                     {64, 64, 16, 8, 4, 32},    {32, 64, 16, 4, 4, 32},   {32, 32, 16, 4, 4, 16}};

struct Estimate {
  int64_t ctas = 0;
  double clocks = 0;  // of the busiest multiprocessor, for each step of K
};

/// A multiprocessor issues 4 warps' multiply-adds in a clock if it has 8 warps to choose from; but for each step of K a
/// warp also issues its loads of 16 bytes, and some 4 instructions for copies, indices and the barrier. The busiest
/// multiprocessor decides when the grid ends.
Estimate estimate(const Candidate& tile, const Config& config, const GpuSpec& gpu) {
  const int64_t ctas = ceil_divide(config.size("M"), tile.bm) * ceil_divide(config.size("N"), tile.bn);
  const int64_t of_busiest = ceil_divide(ctas, gpu.multiprocessors);
  const int64_t registers = tile.tm * tile.tn + 2 * (tile.tm + tile.tn) + 48;
  const int64_t resident = std::max<int64_t>(1, gpu.registers_per_multiprocessor / (registers * tile.threads()));
  const auto warps = static_cast<double>(std::min(resident, of_busiest) * tile.threads() / kWarp);
  const auto results = static_cast<double>(tile.tm * tile.tn), others = static_cast<double>(tile.tm + tile.tn) / 4 + 4;
  const double per_clock = 128 * std::min(1.0, warps / 8) * results / (results + others);
  return {ctas, static_cast<double>(of_busiest * tile.bm * tile.bn) / per_clock};
}

}  // namespace

Pick pick_fp32_tile(const Config& config, const GpuSpec& gpu) {
  const Candidate* best = nullptr;
  Estimate of_best;
  for (const Candidate& candidate : kCandidates) {
    const Estimate of_candidate = estimate(candidate, config, gpu);
    if (best != nullptr && of_candidate.clocks >= of_best.clocks) continue;
    best = &candidate;
    of_best = of_candidate;
  }
  const std::string tile = fmt::format("{} × {}", best->bm, best->bn), ctas = with_separators(of_best.ctas);
  Pick pick{.rung = "double-buffered",
            .params = {{"BM", best->bm},
                       {"BN", best->bn},
                       {"BK", best->bk},
                       {"TM", best->tm},
                       {"TN", best->tn},
                       {"WM", best->wm},
                       {"STAGES", 2},
                       {"GROUP_M", 8}}};
  if (best == kCandidates) {
    pick.why = {fmt::format("Tiles of {} make {} CTAs for {} multiprocessors: enough for the tile that needs the "
                            "fewest loads.",
                            tile, ctas, gpu.multiprocessors),
                fmt::format("{} 的分块有 {} 个线程块，对 {} 个 SM 足够，所以用访存最少的分块。", tile, ctas,
                            gpu.multiprocessors)};
  } else {
    const int64_t of_largest = estimate(kCandidates[0], config, gpu).ctas;
    pick.why = {
        fmt::format(
            "Tiles of 128 × 256 would make {} CTAs for {} multiprocessors; {} make {}, which balance the load better.",
            with_separators(of_largest), gpu.multiprocessors, tile, ctas),
        fmt::format("128 × 256 的分块只有 {} 个线程块，SM 却有 {} 个；{} 的分块有 {} 个，分得更匀。",
                    with_separators(of_largest), gpu.multiprocessors, tile, ctas)};
  }
  return pick;
}

}  // namespace tilescope
