// A texture object on the GPU over a buffer's contents at creation: a CUDA array is a copy, linear memory is the buffer
// itself.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>

#include "engine/gpu/context.hpp"
#include "engine/result.hpp"
#include "engine/texture.hpp"

namespace tilescope {

class GpuTexture {
 public:
  /// `address` is that of the first texel. The context must be current. cuda_failed if the driver rejects it.
  static Result<std::shared_ptr<GpuTexture>> make(std::shared_ptr<GpuContext> context, const TextureSpec& texture,
                                                  uint64_t address);
  ~GpuTexture();
  GpuTexture(const GpuTexture&) = delete;
  GpuTexture& operator=(const GpuTexture&) = delete;
  /// What the kernel receives.
  uint64_t object() const { return object_; }

 private:
  explicit GpuTexture(std::shared_ptr<GpuContext> context) : context_(std::move(context)) {}
  CUresult fill_array(const TextureSpec& texture, uint64_t address);
  CUresult make_object(const TextureSpec& texture, uint64_t address);

  std::shared_ptr<GpuContext> context_;
  CUarray array_ = nullptr;
  CUtexObject object_ = 0;
};

}  // namespace tilescope
