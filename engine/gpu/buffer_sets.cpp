#include "engine/gpu/buffer_sets.hpp"

#include <algorithm>

namespace tilescope {
namespace {

constexpr uint64_t kAlignment = 256;  // alignment of cuMemAlloc

uint64_t aligned(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

Result<void> copy(GpuContext& context, uint64_t to, uint64_t from, size_t bytes) {
  if (bytes == 0) return {};
  CurrentContext current(context);
  CUresult status = current ? context.driver().memcpy_dtod(to, from, bytes) : CUDA_ERROR_CONTEXT_IS_DESTROYED;
  // The copy is queued on a different stream than the timed work.
  if (status == CUDA_SUCCESS) status = context.driver().ctx_synchronize();
  if (status != CUDA_SUCCESS) return tl::unexpected(context.error(Phrase("copying a buffer"), status));
  return {};
}

}  // namespace

int sets_beyond(uint64_t l2_bytes, uint64_t set_bytes) {
  const uint64_t needed = 3 * l2_bytes / std::max<uint64_t>(set_bytes, 1) + 1;
  return static_cast<int>(std::clamp<uint64_t>(needed, 2, 64));
}

Result<BufferSets> BufferSets::copies_of(std::span<const std::shared_ptr<DeviceBuffer>> buffers, int count) {
  BufferSets sets;
  sets.addresses_.resize(static_cast<size_t>(count));
  for (const auto& buffer : buffers) {
    const auto context = context_of(*buffer);
    const uint64_t stride = aligned(std::max<size_t>(buffer->bytes(), 1));
    auto slab = GpuMemory::allocate(context, stride * static_cast<uint64_t>(count));
    if (!slab) return forward(slab);
    for (size_t k = 0; k < sets.addresses_.size(); ++k) {
      const uint64_t address = (*slab)->address() + k * stride;
      if (auto ok = copy(*context, address, buffer->address(), buffer->bytes()); !ok) return forward(ok);
      sets.addresses_[k].push_back(address);
    }
    sets.memory_.push_back(std::move(*slab));
  }
  return sets;
}

Result<CopySets> CopySets::make(std::span<const std::shared_ptr<DeviceBuffer>> like, size_t bytes, int count) {
  CopySets sets;
  const auto context = context_of(*like.front());
  const uint64_t stride = aligned(std::max<size_t>(bytes, 1));
  auto slab = GpuMemory::allocate(context, 2 * stride * static_cast<uint64_t>(count));
  if (!slab) return forward(slab);
  for (size_t k = 0; k < static_cast<size_t>(count); ++k) {
    const uint64_t from = (*slab)->address() + 2 * k * stride;
    size_t filled = 0;
    for (size_t i = 0; filled < bytes; i = (i + 1) % like.size()) {
      const size_t piece = std::min(std::max<size_t>(like[i]->bytes(), 1), bytes - filled);
      if (auto ok = copy(*context, from + filled, like[i]->address(), piece); !ok) return forward(ok);
      filled += piece;
    }
    sets.addresses_.push_back({.to = from + stride, .from = from});
  }
  sets.memory_.push_back(std::move(*slab));
  return sets;
}

}  // namespace tilescope
