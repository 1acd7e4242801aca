// The parts of the buffers that blocks touch, step by step, from the accesses that the simulator recorded.
//
//   step     one iteration of the loop in which a warp of the block loads most often; code before the first iteration
//            belongs to step 0, code after the last one to the last step
//   region   the part of one buffer that a step touches: a shape (byte runs that begin at 0) at an offset
//
// Two blocks whose regions have the same shapes at offsets that differ by the same amount in every step are shifted
// copies of each other: in a tiled kernel all blocks are, except those at the edges.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/trace.hpp"

namespace tilescope {

struct ByteRun {
  int64_t offset = 0, bytes = 0;
  bool operator==(const ByteRun&) const = default;
  auto operator<=>(const ByteRun&) const = default;
};
using Shape = std::vector<ByteRun>;  // ascending, disjoint, the first at offset 0

/// Shapes, each stored once.
class ShapeTable {
 public:
  uint32_t intern(Shape shape);
  const Shape& operator[](uint32_t index) const { return *shapes_[index]; }

 private:
  std::map<Shape, uint32_t> numbers_;
  std::vector<const Shape*> shapes_;
};

struct Region {
  uint32_t buffer = 0;
  bool write = false;
  uint32_t shape = 0;  // index in a ShapeTable
  int64_t offset = 0;  // bytes, of the shape's first run
  /// Bytes of whole sectors that reach the L2. A load's sectors count once per step, because the L1 holds them for the
  /// other warps; a load that bypasses the L1 counts with every request.
  uint64_t requested_bytes = 0;
  bool operator==(const Region&) const = default;
};
struct StepFootprint {
  std::vector<Region> regions;  // by buffer, reads before writes
  bool operator==(const StepFootprint&) const = default;
};
using BlockFootprint = std::vector<StepFootprint>;

/// The accesses of one block, which are contiguous in a trace.
std::span<const Access> accesses_of_block(const AccessTrace& trace, uint32_t block);

/// All that one block touched. `accesses` are in execution order.
BlockFootprint make_footprint(const AccessTrace& trace, std::span<const Access> accesses, ShapeTable& shapes);

/// For each of these blocks: the regions touched by each warp's first execution of each memory instruction, whatever
/// followed.
std::vector<std::vector<Region>> make_beginnings(const AccessTrace& trace, std::span<const uint32_t> blocks,
                                                 ShapeTable& shapes);

/// The 32-byte sector of an offset, which may be negative.
int64_t sector_of(int64_t offset);
/// Bytes of the whole 32-byte sectors that a shape at an offset touches.
uint64_t sector_bytes(const Shape& shape, int64_t offset);

}  // namespace tilescope
