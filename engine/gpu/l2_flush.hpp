// Empties the L2 before a sample and leaves no dirty lines in it.
//
// A buffer of at least four times the L2 is written, then read from its start. Writing alone would leave the L2 full of
// dirty lines, and the timed kernel would pay for their write-back: on an H200, 6 of 52 µs for a vector add of 2^24
// elements, and not the same for every implementation.
#pragma once

#include <memory>

#include "engine/gpu/context.hpp"

namespace tilescope {

class L2Flush {
 public:
  static Result<std::unique_ptr<L2Flush>> open(std::shared_ptr<GpuContext> context);
  ~L2Flush();
  L2Flush(const L2Flush&) = delete;
  L2Flush& operator=(const L2Flush&) = delete;

  /// Enqueues both passes on the context's stream. `value` should change from sample to sample.
  CUresult enqueue(unsigned char value) const;
  size_t bytes() const { return buffer_->bytes(); }

 private:
  explicit L2Flush(std::shared_ptr<GpuContext> context) : context_(std::move(context)) {}
  std::shared_ptr<GpuContext> context_;
  std::shared_ptr<GpuMemory> buffer_;
  CUmodule module_ = nullptr;
  CUfunction read_ = nullptr;
  unsigned int blocks_ = 0;
};

}  // namespace tilescope
