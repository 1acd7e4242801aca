// Rungs of labs that compute the same unfused and fused: what the cost model of graphs (engine/graph/fuse.hpp) predicts
// of their times, beside what was measured.
//
//   predicted   MODELLED. Each kernel takes launch + bytes / bandwidth + FLOPs / throughput. The bytes are those of the
//               lab's operators as a graph: every tensor that a kernel needs is read once, every result written once.
//               Bandwidth and throughput are the data sheet's; a launch costs what it does within a CUDA graph, because
//               sweeps queue their launches one behind the other.
//   measured    the medians of the two rungs in a SpeedReport: RECORDED, or MEASURED if it is this session's
//   error       predicted / measured − 1. Nothing is fitted to the measurements, so it can be large.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/bench/recording.hpp"
#include "engine/graph/fuse.hpp"
#include "engine/lab.hpp"

namespace tilescope {

struct FusionPair {
  std::string_view lab, unfused, fused;  // rungs; `unfused` is empty if the lab has only fused kernels
  /// The operators as the text of a graph (engine/graph/graph_text.hpp), at these sizes.
  std::string (*text)(const Config& config, DType type) = nullptr;
  /// The kernels of the unfused rung, each with the tensors that it computes; empty: a kernel for each operator.
  std::vector<std::vector<std::string_view>> kernels = {};
};
std::span<const FusionPair> fusion_pairs();
/// Null if the lab has none.
const FusionPair* find_fusion_pair(std::string_view lab);

/// Why a time differs much from the prediction.
enum class PairReason {
  none,          // it differs by less than kLargeError
  l2,            // faster: intermediate results fit into the L2
  overlap,       // faster: the next launch is prepared while a kernel runs
  few_blocks,    // slower: blocks for at most half of the SMs
  idle_threads,  // slower: more threads than elements
  other_kernel,  // slower: at this size the rung launches a kernel that reads its input again
  latency,       // slower: launches take more than half of the time, and each kernel waits for memory
  throughput,    // slower: the kernel does not reach the peak rate
  bandwidth      // slower: the kernel does not reach the data sheet's bandwidth
};
constexpr double kLargeError = 0.2;
/// One sentence; empty for none.
Phrase sentence_of(PairReason reason);
std::string_view name_of(PairReason reason);  // "l2"

struct PairSide {
  size_t launches = 0;
  double bytes = 0, flops = 0;
  double launch_seconds = 0, bytes_seconds = 0, flops_seconds = 0;
  std::optional<double> measured_seconds = {};
  PairReason reason = PairReason::none;
  double seconds() const { return launch_seconds + bytes_seconds + flops_seconds; }
  /// Predicted / measured − 1.
  std::optional<double> error() const;
};

struct PairRow {
  std::string size;                 // "n = 16,777,216" or "8192 × 4096"
  std::optional<PairSide> unfused;  // nothing if the lab has no unfused rung
  PairSide fused;
  /// Unfused / fused time.
  std::optional<double> predicted_speedup() const;
  std::optional<double> measured_speedup() const;
};

struct PairTable {
  const FusionPair* pair = nullptr;
  std::string gpu, date, command;  // of the report
  DType type = DType::f32;
  Badge badge = Badge::recorded;
  std::vector<PairRow> rows;
};

/// At most `most` sizes of the report, the smallest and the largest among them. Error: the report is of a GPU that is
/// not in the table, or not of the pair's lab.
Result<PairTable> compare_pair(const FusionPair& pair, const SpeedReport& report, const std::vector<GpuSpec>& gpus,
                               size_t most = 4);
/// A table for every sweep of a pair's lab, in the order of the pairs.
std::vector<PairTable> compare_pairs(const Recordings& recordings, const std::vector<GpuSpec>& gpus, size_t most = 4);

}  // namespace tilescope
