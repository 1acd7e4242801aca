// What one run found out, with the provenance of every part. Views read this and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/executor.hpp"
#include "engine/lab.hpp"
#include "engine/order_result.hpp"
#include "engine/phrase.hpp"
#include "engine/trace.hpp"
#include "engine/traffic/occupancy.hpp"
#include "engine/traffic/waves.hpp"

namespace tilescope {

/// A run as it was asked for. The same request gives the same bytes.
struct Request {
  std::string lab, rung;
  Config config;
  std::vector<std::string> broken;  // names of BreakIt switches that are on
  DeviceKind device = DeviceKind::sim;
  /// The GPU that is modelled, an id of assets/gpus.toml; empty: the GPU of this machine if it is there, else an H200.
  std::string gpu;
  uint64_t seed = 1;
  bool observe = true;                       // simulate for traffic, tile map and findings (also beside a GPU run)
  bool model_order = false;                  // the block-order model too, also where no lab asks for it
  bool time = false;                         // GPU: a short timing of this rung
  std::optional<std::string> edited_source;  // instead of the lab's file
  std::shared_ptr<const Lab> own_lab;        // a lab that is in no registry: that of a user's own file
  /// Of several launches, the one that is shown: an index into Plan::launches. Nothing, or one that the run does not
  /// have: that of the first finding, or the usual one (Rung::shown_kernels).
  std::optional<uint32_t> launch;
  bool operator==(const Request&) const = default;
};
/// The lab that is asked for; null if there is none of that name.
inline const Lab* lab_of(const Request& request) {
  return request.own_lab ? request.own_lab.get() : find_lab(request.lab);
}

/// Elements [begin, end) of a buffer.
struct ElementRange {
  int64_t begin, end;
};

/// Which block touched what in one buffer; observed, never declared. SIMULATED.
struct BufferMap {
  static constexpr uint32_t kNobody = 0xffffffff;
  std::string name;
  DType type = DType::f32;
  std::vector<int64_t> shape;
  Role role = Role::input;
  /// Per element, if anything was written: the linear index of the last block that wrote it, and which access did.
  std::vector<uint32_t> writer;
  std::vector<uint32_t> writer_access;  // index into AccessTrace::accesses
  /// Merged element ranges by block: those of block b are ranges[first[b]] … ranges[first[b + 1]].
  std::vector<ElementRange> reads, writes;
  std::vector<uint32_t> reads_first, writes_first;  // grid.count() + 1 entries, or empty
  std::span<const ElementRange> reads_of(uint32_t block) const {
    if (reads_first.empty()) return {};
    return {reads.data() + reads_first[block], reads.data() + reads_first[block + 1]};
  }
  std::span<const ElementRange> writes_of(uint32_t block) const {
    if (writes_first.empty()) return {};
    return {writes.data() + writes_first[block], writes.data() + writes_first[block + 1]};
  }
};

struct TileMap {
  Dim3 grid, block;  // of the launch that is mapped
  uint32_t launch = 0;
  std::vector<BufferMap> buffers;  // parallel to Plan::buffers
  uint64_t blocks_observed = 0;    // fewer than grid.count() if the record's budget ended
  /// Lanes that were launched but masked off at every store: threads past the end of the data.
  uint64_t idle_threads = 0;
  /// The block to look at first: of those recorded that write most, which are no slivers at an edge, the one nearest to
  /// a little behind the middle.
  uint32_t typical_block = 0;
  /// Per block: the half-open range of its accesses in AccessTrace::accesses (grid.count() + 1 entries).
  std::vector<uint32_t> accesses_first;
};

/// So many instructions of one width; bits 0: not told, as for atomics.
struct OperationCount {
  uint32_t bits = 0, count = 0;
  bool operator==(const OperationCount&) const = default;
};

/// Ledger of one source line: sums over its sites. SIMULATED.
struct LineTraffic {
  uint32_t line = 0;
  std::string file;
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  uint64_t requests = 0, lanes = 0, sectors = 0, useful_bytes = 0;
  uint64_t wavefronts = 0, passes = 0;  // shared memory
  /// The machine code has other operations here than the PTX, so that the hardware counts something else; both, widest
  /// first.
  bool changed_by_ptxas = false;
  std::vector<OperationCount> ptx_operations, machine_operations;
  uint64_t bank_conflicts() const { return wavefronts - passes; }
  /// How many lanes a bank serves one after the other, on average: 1 without conflicts.
  double conflict_ways() const {
    return passes == 0 ? 0 : static_cast<double>(wavefronts) / static_cast<double>(passes);
  }
  /// Sectors of 32 bytes; a wavefront of shared memory moves a word of each of 32 banks.
  uint64_t moved_bytes() const { return sectors * 32 + wavefronts * 128; }
};
struct BufferTraffic {
  std::string name;
  uint64_t read_requests = 0, read_sectors = 0, read_useful = 0;
  uint64_t write_requests = 0, write_sectors = 0, write_useful = 0;
};
struct Traffic {
  Counters counters;
  std::vector<SiteCount> sites;        // indices into trace.sites
  std::vector<LineTraffic> lines;      // ascending line; a line with a load and a store has two rows
  std::vector<BufferTraffic> buffers;  // parallel to Plan::buffers
};

/// What one level of the memory hierarchy was asked for by the one above it, in sectors of 32 bytes. MODELLED.
struct LevelTraffic {
  uint64_t read_sectors = 0, read_hits = 0;
  uint64_t write_sectors = 0, write_hits = 0;  // L2: all are hits, since a store needs nothing from below
  uint64_t atomic_sectors = 0, atomic_hits = 0;
  uint64_t far_sectors = 0;  // L2 in partitions: of all these, those asked for once more, of the far partition
  uint64_t sectors() const { return read_sectors + write_sectors + atomic_sectors; }
  uint64_t hits() const { return read_hits + write_hits + atomic_hits; }
  uint64_t bytes() const { return sectors() * 32; }
  double hit_rate() const { return sectors() == 0 ? 0 : static_cast<double>(hits()) / static_cast<double>(sectors()); }
  double read_hit_rate() const {
    return read_sectors == 0 ? 0 : static_cast<double>(read_hits) / static_cast<double>(read_sectors);
  }
};

/// The levels as one buffer, or all of them, use them. MODELLED.
struct HierarchyUse {
  LevelTraffic l1;  // asked for by the kernel; stores pass through, asynchronous copies and others may go past it
  LevelTraffic l2;
  uint64_t device_bytes_read = 0;
  /// Written back while the kernels ran, as dram__bytes_write counts. What is written but still in the L2 at the end
  /// comes later, or never if it is overwritten first.
  uint64_t device_bytes_written = 0;
  uint64_t bytes_left_in_l2 = 0;
};

/// The recorded accesses replayed through the caches of the modelled GPU, which begin empty. MODELLED.
struct HierarchyTraffic {
  bool modelled = false;
  Phrase reason;  // why not
  HierarchyUse total;
  std::vector<HierarchyUse> buffers;  // parallel to Plan::buffers
  HierarchyUse other;                 // module variables, heap
};

/// One output against its double-precision reference.
struct Correctness {
  std::string buffer;
  bool pass = false;
  Phrase reason;  // why it failed, one sentence; empty on pass
  Tolerance tolerance;
  uint64_t elements = 0;  // of the output: more than `checked`, where runs of it were compared
  uint64_t checked = 0, mismatches = 0, nan = 0, untouched = 0;
  double largest_error = 0;  // |got − expected|, over finite elements
  uint64_t largest_error_index = 0;
  struct Mismatch {
    uint64_t index = 0;
    double expected = 0, got = 0;
  };
  std::optional<Mismatch> first;     // the first element that does not match
  std::vector<float> expected;       // for the error map, up to kErrorMapElements elements
  std::vector<float> expected_rest;  // reference − expected, which is a rounded float; empty, or as long as expected
  static constexpr size_t kErrorMapElements = size_t{1} << 24;
};

/// One output in numbers, where there is no reference to compare it with.
struct OutputStatistics {
  size_t buffer = 0;  // index into Plan::buffers
  uint64_t count = 0, finite = 0, nan = 0, infinite = 0, zeros = 0;
  uint64_t untouched = 0;    // still hold the pattern that outputs start with
  double low = 0, high = 0;  // of the finite ones
  uint64_t low_index = 0, high_index = 0;
  double mean = 0, deviation = 0;
};

/// One timed implementation at one size. MEASURED, or RECORDED when it comes from a recording.
struct TimingPoint {
  int64_t size = 0;                               // value of Lab::sweep_size
  double median_ms = 0, low_ms = 0, high_ms = 0;  // 95% bootstrap interval of the median
  double burst_ms = 0;  // median of the first samples after a rest, before power limits the clock; 0: not taken
  uint32_t samples = 0;
  uint64_t useful_bytes = 0;  // that one run has to read and write
  bool cold_l2 = true;        // L2 flushed before every sample; false: graph batch over rotated buffers
  uint32_t sm_clock_mhz = 0;
  std::string note = {};                       // what a library chose to run here, in its own numbers
  std::map<std::string, int64_t> params = {};  // those that differ from the report's: of a scheme map
  double gigabytes_per_second() const {
    return median_ms > 0 ? static_cast<double>(useful_bytes) / (median_ms * 1e6) : 0;
  }
};
struct TimingSeries {
  std::string name;  // rung name, or the reference's name
  bool is_rung = true;
  std::string unavailable;                   // the reason, if there are no points
  std::vector<TimingPoint> points;           // ascending size
  std::map<int64_t, std::string> gaps = {};  // why sizes are missing that come after one that has a point
};

/// A sweep: every rung and reference of a lab over its sizes; or a scheme map, of rungs over a grid of shapes. The
/// recording format of assets/recordings.
struct SpeedReport {
  static constexpr int kFormat = 3, kMapFormat = 4;  // of a sweep; of a map
  bool is_map = false;
  std::string lab;
  std::string gpu, driver_version, tilescope_version, date;  // date: ISO 8601, UTC
  int cuda_version = 0;
  std::string nvrtc_version, torch_version, triton_version;  // empty where absent
  uint32_t sm_clock_min_mhz = 0, sm_clock_max_mhz = 0, memory_clock_mhz = 0;
  std::string clock_state;  // "sustained" or "burst"
  std::string command;      // what wrote it
  std::string size_name;    // "n"; of a sweep over shapes "rows × columns", and a point's size is a number from 1
  std::vector<SweepPoint> shapes;  // of a sweep over shapes
  std::string bytes_formula;
  Config config;  // parameters of the rungs
  std::vector<TimingSeries> series;
  Badge badge = Badge::measured;  // recorded once read back from a file
};

struct RunResult {
  Request request;
  std::string rung;          // that ran: the request's, or what it picked
  Config config;             // that it ran with
  std::optional<Pick> pick;  // where the request's rung picks: what, and why
  Plan plan;                 // source, buffers, launches as run
  uint32_t launch = 0;       // that is shown: tiles, steps and waves are those of it. An index into plan.launches
  DeviceInfo device;         // where outputs and timing come from
  /// The GPU that occupancy and hierarchy are of; on the simulator device.multiprocessors is its SM count too.
  GpuSpec modelled_gpu;
  /// Whose machine code the registers and memory operations are of, where it is not the modelled GPU's: a sentence.
  Phrase machine_code_note;
  Phrase not_compared_reason;  // why no line is marked as changed by ptxas; empty: they were compared
  std::string version, date;   // provenance
  CompiledModule compiled;     // the module the device ran
  // Contents after the run, parallel to plan.buffers; shared, because inputs are kept from run to run.
  std::vector<std::shared_ptr<const HostBuffer>> buffers;
  std::vector<std::shared_ptr<DeviceBuffer>> device_buffers;  // GPU runs: still there, for interop
  std::vector<Correctness> correctness;                       // one per output
  std::vector<OutputStatistics> statistics;                   // one per output, where correctness has none
  bool observed = false;                                      // traffic, trace, tiles, findings hold
  Phrase not_observed_reason;                                 // why they do not
  /// Where the grid is too large: so many of its blocks were executed, on zeros, and nothing is compared. Findings and
  /// traffic.counters are theirs alone. 0: all were.
  uint64_t blocks_sampled = 0;
  std::optional<OrderModel> block_order;  // MODELLED; where the lab asks for it
  Traffic traffic;                        // SIMULATED
  std::vector<BlockUsage> usage;          // by launch: what one block takes, by the machine code
  std::vector<Occupancy> occupancy;       // by launch, on the modelled GPU; MODELLED
  std::vector<WaveSchedule> waves;        // by launch, on the modelled GPU; MODELLED
  std::optional<BlockTimes> block_times;  // of the last launch, where it notes them; MEASURED
  HierarchyTraffic hierarchy;             // MODELLED
  AccessTrace trace;                      // SIMULATED
  TileMap tiles;                          // SIMULATED
  std::vector<Finding> findings;          // SIMULATED
  std::vector<Phrase> warnings;           // what makes the result doubtful although the kernel ran clean
  std::string output;                     // what the kernels printed on the device, as bytes
  uint64_t simulated_warps = 0;
  double simulate_ms = 0;                           // host time of the simulation
  double compile_ms = 0, run_ms = 0, total_ms = 0;  // run_ms: on a GPU device time, on the simulator host time
  std::optional<TimingPoint> timing;                // GPU only
  bool passed() const {
    if (correctness.empty()) return false;
    for (const auto& one : correctness)
      if (!one.pass) return false;
    return true;
  }
};

}  // namespace tilescope
