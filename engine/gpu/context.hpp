// One CUDA context, and the memory in it.
//
// A fault in a kernel (such as an illegal address) poisons its context: every later call in it fails, and the driver
// does not let the process open another. That is why kernels run in a worker process (launch_worker.hpp). If a context
// is lost here anyway, all objects made in it keep the GpuContext alive and stop calling into it.
//
//     CurrentContext current(*context);   // on any thread
//     if (!current) …                     // lost: nothing may be called
//     context->driver().memcpy_dtod(…);   // acts on this context until the closing brace
//
// OpenGL interop: context_of(buffer) gives the context of a RunResult's device buffer. Register, map and copy inside a
// CurrentContext, and register again when the next result has a different context.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "engine/executor.hpp"
#include "engine/gpu/driver.hpp"

namespace tilescope {

class GpuContext {
 public:
  static Result<std::shared_ptr<GpuContext>> create(const Driver& driver, CUdevice device);
  ~GpuContext();
  GpuContext(const GpuContext&) = delete;
  GpuContext& operator=(const GpuContext&) = delete;

  const Driver& driver() const { return driver_; }
  CUdevice device() const { return device_; }
  CUcontext handle() const { return context_; }
  /// The stream of kernels and their events. Non-blocking with respect to the legacy stream.
  CUstream stream() const { return stream_; }

  /// True after a kernel poisoned the context or is stuck in it.
  bool lost() const { return lost_.load(std::memory_order_acquire); }
  void give_up() { lost_.store(true, std::memory_order_release); }

  /// The error for a status in this context; a poisoning status marks the context lost.
  Error error(const Phrase& what, CUresult status);

 private:
  GpuContext(const Driver& driver, CUdevice device) : driver_(driver), device_(device) {}

  const Driver& driver_;
  CUdevice device_;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  std::atomic<bool> lost_{false};
};

/// Makes a context current on this thread for the life of the object. False if the context is lost.
class CurrentContext {
 public:
  explicit CurrentContext(const GpuContext& context);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  explicit operator bool() const { return pushed_; }

 private:
  const Driver& driver_;
  bool pushed_;
};

/// Device memory of this process, or shared by another process. Freed with the object if its context still exists.
class GpuMemory final : public DeviceBuffer {
 public:
  enum class Sharing { none, with_worker };

  /// too_large_for_gpu, with the requested and free bytes, if there is not enough memory.
  static Result<std::shared_ptr<GpuMemory>> allocate(std::shared_ptr<GpuContext> context, size_t bytes,
                                                     Sharing sharing = Sharing::none);
  /// Maps memory that another process exported and that must outlive the mapping.
  static Result<std::shared_ptr<GpuMemory>> map(std::shared_ptr<GpuContext> context, const CUipcMemHandle& handle,
                                                size_t bytes);
  ~GpuMemory() override;
  uint64_t address() const override { return address_; }
  size_t bytes() const override { return bytes_; }
  const std::shared_ptr<GpuContext>& context() const { return context_; }
  /// For map() in another process.
  Result<CUipcMemHandle> export_handle() const;

 private:
  GpuMemory(std::shared_ptr<GpuContext> context, CUdeviceptr address, size_t bytes, bool mapped)
      : context_(std::move(context)), address_(address), bytes_(bytes), mapped_(mapped) {}

  std::shared_ptr<GpuContext> context_;
  CUdeviceptr address_;
  size_t bytes_;
  bool mapped_;
};

/// Whether a status leaves the context unusable (illegal address, trap, hardware fault …).
bool poisons_context(CUresult status);

/// The context of a GPU buffer; null for a buffer of another executor.
std::shared_ptr<GpuContext> context_of(const DeviceBuffer& buffer);

}  // namespace tilescope
