// Which warp and lane touches an element: among one block's reads, and for the last write.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/observed/trace_index.hpp"

namespace tilescope {

struct ElementToucher {
  uint32_t access = 0;
  uint32_t block = 0;
  uint32_t warp = 0;
};

/// The lane of an access that touches an element of a buffer; −1 if none does. Cheap enough to call for each element of
/// a view.
int lane_touching(const RunResult& result, uint32_t access, size_t buffer, int64_t element);

/// The last writer of an element; nothing if it was never written or the record does not tell.
std::optional<ElementToucher> writer_of(const RunResult& result, size_t buffer, int64_t element);

/// The first access of one block that reads each element of a buffer. Computed once per block and buffer.
class BlockReaders {
 public:
  /// Nothing if the block does not read the element, or reads too much for this to be computed.
  std::optional<ElementToucher> reader_of(const std::shared_ptr<const RunResult>& result, uint32_t block, size_t buffer,
                                          int64_t element);
  static constexpr int64_t kMostElements = int64_t{1} << 20;
  static constexpr size_t kMostAccesses = size_t{1} << 15;

 private:
  struct OfBuffer {
    size_t buffer = 0;
    int64_t first = 0;
    std::vector<uint32_t> access;  // by element from `first`; BufferMap::kNobody if none
  };
  void make(const RunResult& result, uint32_t block);
  ResultReference result_;
  uint32_t block_ = 0;
  bool made_ = false;
  std::vector<OfBuffer> buffers_;
};

/// The elements of an access, ascending and merged.
std::vector<ElementRange> elements_of(const WarpAccess& access);

/// The elements of a buffer that one lane reads in a whole launch: all accesses of its warp in which it is active.
std::vector<ElementRange> lane_reads(TraceIndex& index, uint32_t block, uint32_t warp, int lane, size_t buffer);
/// The same for the whole warp.
std::vector<ElementRange> warp_reads(TraceIndex& index, uint32_t block, uint32_t warp, size_t buffer);
/// The elements of a buffer that a warp writes.
std::vector<ElementRange> warp_writes(TraceIndex& index, uint32_t block, uint32_t warp, size_t buffer);

/// The elements of a buffer that a lane touches in its warp's access that is nearest in time to `access`: a store if
/// `writes`, else a load. Nothing if there is none.
std::optional<ElementRange> lane_touch_near(TraceIndex& index, const WarpAccess& access, int lane, size_t buffer,
                                            bool writes);

}  // namespace tilescope
