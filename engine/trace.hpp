// What the simulator observed: every memory access of every warp, and the counts derived from them.
//
//   site      one static memory instruction (a PTX instruction, with its source line)
//   access    one execution of a site by one warp: base address, active lanes, and the pattern of lane offsets
//   pattern   the 32 lane offsets from the base, stored once however often it recurs
//
// Addresses are those of the simulated machine: buffer k of a run lives in its own region, so an address names its
// buffer and its offset exactly (see address_of / region_of). Buffers are aligned as cudaMalloc aligns them or better.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/finding.hpp"
#include "engine/types.hpp"

namespace tilescope {

enum class Space : uint8_t { global, shared, local, constant, param };
enum class AccessKind : uint8_t { load, store, atomic, reduction, async_copy };
std::string_view name_of(Space space);      // "global"
std::string_view name_of(AccessKind kind);  // "load"

struct Site {
  uint32_t instruction = 0;  // index into the kernel's instructions
  uint32_t line = 0;         // source line, 1-based; 0 if the compiler gave none
  std::string file = {};     // source file of that line
  uint32_t origin_line = 0;  // the line itself, in origin_file, if it was inlined from a header
  std::string origin_file = {};
  std::string ptx = {};  // the instruction as text
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  uint32_t bytes_per_lane = 0;
  uint32_t launch = 0;     // index of the launch within the run
  bool is_matrix = false;  // ldmatrix, stmatrix: a lane's address is that of a row of 16 bytes
};

/// Byte offsets of the 32 lanes from Access::base; lanes outside the access's mask are 0.
using LanePattern = std::array<int64_t, 32>;

struct Access {
  uint64_t base = 0;      // address of the lowest active lane
  uint32_t block = 0;     // linear block index
  uint32_t mask = 0;      // active lanes
  uint32_t pattern = 0;   // index into AccessTrace::patterns
  uint32_t sequence = 0;  // position among this warp's accesses, from 0
  uint16_t warp = 0;      // warp within the block
  uint16_t site = 0;      // index into AccessTrace::sites
};

/// Accesses ordered by launch, then block, then execution within the block.
struct AccessTrace {
  std::vector<Site> sites = {};
  std::vector<LanePattern> patterns = {};
  std::vector<Access> accesses = {};
  bool complete = true;  // false: the budget ran out; `accesses` holds whole blocks up to last_block
  uint64_t blocks_recorded = 0;

  uint64_t address(const Access& access, int lane) const {
    return access.base + static_cast<uint64_t>(patterns[access.pattern][static_cast<size_t>(lane)]);
  }
};

/// Region k of the simulated address space holds buffer k; offsets are the low half of the window, so an offset
/// slightly below zero is still attributed to that buffer.
constexpr int kRegionBits = 40;
constexpr uint64_t address_of(size_t buffer, int64_t offset) {
  return ((static_cast<uint64_t>(buffer) + 16) << kRegionBits) + static_cast<uint64_t>(offset);
}
struct RegionOffset {
  int64_t buffer;  // index into Plan::buffers; negative for the machine's own windows (shared, local, null page)
  int64_t offset;  // bytes; may be negative or past the end
};
constexpr RegionOffset region_of(uint64_t address) {
  const auto rounded = static_cast<int64_t>((address + (uint64_t{1} << (kRegionBits - 1))) >> kRegionBits);
  return {rounded - 16, static_cast<int64_t>(address - (static_cast<uint64_t>(rounded) << kRegionBits))};
}

/// Counts of one site on one buffer. Requests, sectors and bytes are counted like the hardware's counters
/// (engine/traffic/access/coalesce.hpp has the definitions).
struct SiteCount {
  uint16_t site = 0;
  int32_t buffer = -1;        // index into Plan::buffers; -1 for shared and other windows
  uint64_t requests = 0;      // executions with at least one active lane
  uint64_t lanes = 0;         // active lanes, summed
  uint64_t sectors = 0;       // global: distinct 32-byte sectors, summed over requests
  uint64_t useful_bytes = 0;  // distinct bytes that lanes requested
  uint64_t wavefronts = 0;    // shared: accesses to the banks, one for each word that the fullest bank delivers
  uint64_t passes = 0;        // shared: the number of wavefronts without conflicts
};

/// The counters of `--json`, over the whole run. SIMULATED. As in the hardware's counters (op_ld, op_st, op_atom and
/// op_red), loads and stores exclude atomics; atomics, with or without a result, have separate counters.
struct Counters {
  uint64_t global_load_requests = 0, global_load_sectors = 0, global_load_bytes_useful = 0;
  uint64_t global_store_requests = 0, global_store_sectors = 0, global_store_bytes_useful = 0;
  uint64_t global_atomic_requests = 0, global_atomic_sectors = 0, global_atomic_bytes_useful = 0;
  uint64_t shared_load_wavefronts = 0, shared_store_wavefronts = 0, shared_atomic_wavefronts = 0;
  uint64_t shared_load_bank_conflicts = 0, shared_store_bank_conflicts = 0, shared_atomic_bank_conflicts = 0;
  uint64_t warp_instructions = 0;
  uint64_t block_barriers = 0;  // barriers that all threads of a block have passed, summed over the blocks
  /// Loads, stores and atomics together.
  uint64_t global_requests() const { return global_load_requests + global_store_requests + global_atomic_requests; }
  uint64_t global_sectors() const { return global_load_sectors + global_store_sectors + global_atomic_sectors; }
  uint64_t global_bytes_moved() const { return global_sectors() * 32; }
  uint64_t global_bytes_useful() const {
    return global_load_bytes_useful + global_store_bytes_useful + global_atomic_bytes_useful;
  }
};

/// The arithmetic of a launch, for a model of its duration.
struct LaunchWork {
  /// By PeakRate: operations of the executed instructions, over all lanes. A multiply-add counts as two, and so does
  /// every other floating-point instruction, since it takes the same slot in the pipeline.
  std::array<double, kPeakRates> operations{};
  uint64_t warp_instructions = 0;
  /// Asynchronous copies: number of cp.async groups in flight while a group is waited for, including that one. 0: the
  /// kernel has none.
  uint32_t copy_groups_in_flight = 0;
};

}  // namespace tilescope
