// What blocks touch of the buffers, step by step, from the accesses that the simulator recorded.
//
//   step     one round of the loop in which a warp of the block loads most often; what comes before its first round
//            belongs to step 0, what comes behind its last one to the last step
//   region   what a step touches of one buffer: a shape (byte runs that begin at 0) at an offset
//
// Two blocks whose regions have the same shapes at offsets that differ by the same amount in every step are shifts of
// one another: of a tiled kernel all blocks are, but for those at the edges.
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
using Shape = std::vector<ByteRun>;  // ascending, apart, the first at offset 0

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
  uint32_t shape = 0;  // in a ShapeTable
  int64_t offset = 0;  // bytes, of the shape's first run
  /// Bytes of whole sectors that reach the L2. A load's are counted once in a step, because the L1 holds them for the
  /// other warps; one that passes the L1 by is counted with every request.
  uint64_t requested_bytes = 0;
  bool operator==(const Region&) const = default;
};
struct StepFootprint {
  std::vector<Region> regions;  // by buffer, what is read before what is written
  bool operator==(const StepFootprint&) const = default;
};
using BlockFootprint = std::vector<StepFootprint>;

/// The accesses of one block; they lie together in a trace.
std::span<const Access> accesses_of_block(const AccessTrace& trace, uint32_t block);

/// What one block touched, all of it. `accesses` are in the order in which the block made them.
BlockFootprint make_footprint(const AccessTrace& trace, std::span<const Access> accesses, ShapeTable& shapes);

/// What the first execution of each memory instruction by each warp touched, whatever followed.
std::vector<Region> make_beginning(const AccessTrace& trace, std::span<const Access> accesses, ShapeTable& shapes);

/// Whole 32-byte sectors that a shape at an offset touches, in bytes.
uint64_t sector_bytes(const Shape& shape, int64_t offset);

}  // namespace tilescope
