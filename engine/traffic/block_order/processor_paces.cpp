#include "engine/traffic/block_order/processor_paces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace tilescope {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// Draws from an approximately normal distribution; the same on every host.
std::vector<double> normal_draws(uint32_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> draws;
  for (uint32_t i = 0; i < count; ++i) {
    double sum = -6;
    for (int part = 0; part < 12; ++part) sum += static_cast<double>(random()) / 4294967296.0;
    draws.push_back(sum);
  }
  return draws;
}

/// Shifted and scaled to mean 0 and standard deviation 1, which a few draws would miss by far.
std::vector<double> standardized(std::vector<double> draws) {
  const auto count = static_cast<double>(draws.size());
  double mean = 0, square = 0;
  for (const double draw : draws) mean += draw / count;
  for (double& draw : draws) {
    draw -= mean;
    square += draw * draw / count;
  }
  if (square > 0)
    for (double& draw : draws) draw /= std::sqrt(square);
  return draws;
}

/// Bytes per ns that an SM gets from the L2 with `flight` bytes requested at a time: what the latency allows, and at
/// most what its port takes, with a smooth transition.
double latency_limit(const L2Limits& l2, double flight) {
  if (l2.sm_bytes_per_ns <= 0 || flight <= 0) return kUnlimited;
  constexpr double kSharpness = 4;
  return std::pow(std::pow(flight / l2.latency_ns, -kSharpness) + std::pow(l2.sm_bytes_per_ns, -kSharpness),
                  -1 / kSharpness);
}

/// Bytes per ns that the clusters leave an SM.
double cluster_limit(const L2Limits& l2, const GpuClusters& clusters, uint32_t multiprocessor, double flight) {
  if (clusters.in_cpc(multiprocessor) == 0 || l2.cpc_bytes_per_ns <= 0 || flight <= l2.queued_from_bytes)
    return kUnlimited;
  return std::min(l2.cpc_bytes_per_ns / clusters.in_cpc(multiprocessor),
                  l2.gpc_bytes_per_ns / clusters.in_gpc(multiprocessor));
}

/// Blocks get ahead of others where they compete for the arithmetic units: the more so the busier these are, and the
/// more blocks there are.
double lead_of(const GridPace& pace, double rate, uint32_t blocks) {
  if (blocks < 2) return 0;
  const double competing = (1 - 1.0 / blocks) * pace.computing_ns * rate;
  return std::min(pace.lead.least + pace.lead.slope * std::max(0.0, competing - pace.lead.from), pace.lead.most);
}

}  // namespace

std::vector<ProcessorPace> processor_paces(const GridPace& pace, const GpuClusters& clusters, uint32_t blocks) {
  constexpr double kShortest = 0.05;
  const uint32_t multiprocessors = clusters.multiprocessors();
  const std::vector<double> starts = normal_draws(multiprocessors, 1), spreads = normal_draws(multiprocessors, 2);
  const std::vector<double> of_clusters = standardized(normal_draws(clusters.count(), 3));
  const double earliest = *std::ranges::min_element(starts);
  // A block alone on its SM takes alone_ns, which is measured.
  const double flight = pace.step_bytes * pace.steps_in_flight * blocks;
  const double latency = blocks > 1 ? latency_limit(pace.l2, flight) : kUnlimited;
  std::vector<ProcessorPace> paces(multiprocessors);
  for (uint32_t i = 0; i < multiprocessors; ++i) {
    const double slower =
        std::max(kShortest, 1 + pace.pace_spread * spreads[i] + pace.cluster_spread * of_clusters[clusters.gpc_of(i)]);
    const double bytes = std::max(pace.step_bytes, 1.0);
    ProcessorPace& one = paces[i];
    one.start_ns = pace.start_ns + pace.start_spread_ns * (starts[i] - earliest);
    one.full_rate = std::min(1 / (pace.busy_ns * slower), cluster_limit(pace.l2, clusters, i, flight) / bytes);
    one.most_rate = std::min(
        {one.full_rate, 1 / (std::max(pace.alone_ns, pace.busy_ns) * slower), latency / (blocks * bytes * slower)});
    one.lead = lead_of(pace, std::min(one.full_rate, blocks * one.most_rate), blocks);
  }
  return paces;
}

}  // namespace tilescope
