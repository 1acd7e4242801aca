// What the simulator observed during a run: the elements that each block touched, the traffic by line and buffer, and
// the modelled effect of a GPU's caches on it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/phrase.hpp"
#include "engine/plan.hpp"
#include "engine/trace.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// Elements [begin, end) of a buffer.
struct ElementRange {
  int64_t begin, end;
};

/// The elements of one buffer that each block touched; observed, never declared. SIMULATED.
struct BufferMap {
  static constexpr uint32_t kNobody = 0xffffffff;
  std::string name;
  DType type = DType::f32;
  std::vector<int64_t> shape;
  Role role = Role::input;
  /// Per element, if any was written: the linear index of the last block that wrote it, and the access that did.
  std::vector<uint32_t> writer;
  std::vector<uint32_t> writer_access;  // index into AccessTrace::accesses
  /// Merged element ranges by block: block b has ranges[first[b]] … ranges[first[b + 1]].
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
  Dim3 grid, block;  // the mapped launch's
  uint32_t launch = 0;
  std::vector<BufferMap> buffers;  // parallel to Plan::buffers
  uint64_t blocks_observed = 0;    // fewer than grid.count() if the recording budget ran out
  /// Lanes that were launched but masked off at every store: threads past the end of the data.
  uint64_t idle_threads = 0;
  /// The block to show first: among the recorded blocks that write the most (excluding small ones at an edge), the one
  /// nearest to a point just after the middle.
  uint32_t typical_block = 0;
  /// Per block: the half-open range of its accesses in AccessTrace::accesses (grid.count() + 1 entries).
  std::vector<uint32_t> accesses_first;
};

/// Number of instructions of a given width; bits = 0: unknown, as for atomics.
struct OperationCount {
  uint32_t bits = 0, count = 0;
  bool operator==(const OperationCount&) const = default;
};

/// Traffic of one source line: sums over its sites. SIMULATED.
struct LineTraffic {
  uint32_t line = 0;
  std::string file;
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  uint64_t requests = 0, lanes = 0, sectors = 0, useful_bytes = 0;
  uint64_t wavefronts = 0, passes = 0;  // shared memory
  /// The machine code has different operations here than the PTX, so the hardware's counters differ. Both lists are
  /// sorted widest first.
  bool changed_by_ptxas = false;
  std::vector<OperationCount> ptx_operations, machine_operations;
  uint64_t bank_conflicts() const { return wavefronts - passes; }
  /// Average number of lanes that a bank serves one after another: 1 without conflicts.
  double conflict_ways() const {
    return passes == 0 ? 0 : static_cast<double>(wavefronts) / static_cast<double>(passes);
  }
  /// Sectors have 32 bytes; a wavefront of shared memory moves one word from each of 32 banks.
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
  std::vector<LineTraffic> lines;      // ascending by line; a line with a load and a store has two rows
  std::vector<BufferTraffic> buffers;  // parallel to Plan::buffers
};

/// Requests to one level of the memory hierarchy from the level above, in 32-byte sectors. MODELLED.
struct LevelTraffic {
  uint64_t read_sectors = 0, read_hits = 0;
  uint64_t write_sectors = 0, write_hits = 0;  // L2: all writes are hits, since a store needs nothing from below
  uint64_t atomic_sectors = 0, atomic_hits = 0;
  uint64_t far_sectors = 0;  // partitioned L2: those of all these sectors that are also requested from the far
                             // partition
  uint64_t sectors() const { return read_sectors + write_sectors + atomic_sectors; }
  uint64_t hits() const { return read_hits + write_hits + atomic_hits; }
  uint64_t bytes() const { return sectors() * 32; }
  double hit_rate() const { return sectors() == 0 ? 0 : static_cast<double>(hits()) / static_cast<double>(sectors()); }
  double read_hit_rate() const {
    return read_sectors == 0 ? 0 : static_cast<double>(read_hits) / static_cast<double>(read_sectors);
  }
};

/// Use of the levels by one buffer, or by all. MODELLED.
struct HierarchyUse {
  LevelTraffic l1;  // requests by the kernel; stores pass through, asynchronous copies and some others may bypass it
  LevelTraffic l2;
  uint64_t device_bytes_read = 0;
  /// Written back while the kernels ran, as counted by dram__bytes_write. Dirty data in the L2 at the end is written
  /// later, or never if it is overwritten first.
  uint64_t device_bytes_written = 0;
  uint64_t bytes_left_in_l2 = 0;
};

/// The recorded accesses replayed through the caches of the modelled GPU, which start empty. MODELLED.
struct HierarchyTraffic {
  bool modelled = false;
  Phrase reason;  // why it is not modelled
  HierarchyUse total;
  std::vector<HierarchyUse> buffers;  // parallel to Plan::buffers
  HierarchyUse other;                 // module variables, heap
};

}  // namespace tilescope
