// Which warp and lane touches an element: of one block's reads, and of what was written last.
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

/// The lane of an access that touches an element of a buffer; −1 if none does. Cheap enough for each element of a view.
int lane_touching(const RunResult& result, uint32_t access, size_t buffer, int64_t element);

/// Who wrote an element last; nothing where nobody did or the record does not tell.
std::optional<ElementToucher> writer_of(const RunResult& result, size_t buffer, int64_t element);

/// The first access of one block that reads each element of a buffer. Worked out once per block and buffer.
class BlockReaders {
 public:
  /// Nothing where the block does not read the element, or reads too much for this to be worked out.
  std::optional<ElementToucher> reader_of(const std::shared_ptr<const RunResult>& result, uint32_t block, size_t buffer,
                                          int64_t element);
  static constexpr int64_t kMostElements = int64_t{1} << 20;
  static constexpr size_t kMostAccesses = size_t{1} << 15;

 private:
  struct OfBuffer {
    size_t buffer = 0;
    int64_t first = 0;
    std::vector<uint32_t> access;  // by element from `first`; BufferMap::kNobody where none
  };
  void make(const RunResult& result, uint32_t block);
  ResultReference result_;
  uint32_t block_ = 0;
  bool made_ = false;
  std::vector<OfBuffer> buffers_;
};

/// The elements of an access, ascending and merged.
std::vector<ElementRange> elements_of(const WarpAccess& access);

/// What one lane reads in a whole launch, as elements of a buffer: all accesses of its warp in which it is active.
std::vector<ElementRange> lane_reads(TraceIndex& index, uint32_t block, uint32_t warp, int lane, size_t buffer);
/// And all its warp.
std::vector<ElementRange> warp_reads(TraceIndex& index, uint32_t block, uint32_t warp, size_t buffer);
/// What a warp writes of a buffer.
std::vector<ElementRange> warp_writes(TraceIndex& index, uint32_t block, uint32_t warp, size_t buffer);

/// What a lane touches of a buffer in the access of its warp that comes closest to `access` in time: a store if
/// `writes`, else a load. Nothing where there is none.
std::optional<ElementRange> lane_touch_near(TraceIndex& index, const WarpAccess& access, int lane, size_t buffer,
                                            bool writes);

}  // namespace tilescope
