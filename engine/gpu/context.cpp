#include "engine/gpu/context.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {

Result<std::shared_ptr<GpuContext>> GpuContext::create(const Driver& driver, CUdevice device) {
  std::shared_ptr<GpuContext> context(new GpuContext(driver, device));
  // Our own context instead of the primary one: it can be destroyed after a kernel has poisoned it.
  if (CUresult status = driver.ctx_create(&context->context_, CU_CTX_SCHED_AUTO, device); status != CUDA_SUCCESS) {
    context->context_ = nullptr;
    return fail(ErrorId::no_gpu, driver.describe(status));
  }
  // Creating a context also makes it current; undo that, because every call makes it current itself.
  CUresult status = driver.stream_create(&context->stream_, CU_STREAM_NON_BLOCKING);
  CUcontext popped = nullptr;
  driver.ctx_pop_current(&popped);
  if (status != CUDA_SUCCESS) return tl::unexpected(driver.error(Phrase("creating a stream"), status));
  return context;
}

/// A lost context is left to the driver: destroying one in which a kernel never ends would never return.
GpuContext::~GpuContext() {
  if (context_ && !lost()) driver_.ctx_destroy(context_);
}

Error GpuContext::error(const Phrase& what, CUresult status) {
  if (poisons_context(status)) lost_.store(true, std::memory_order_release);
  return driver_.error(what, status);
}

CurrentContext::CurrentContext(const GpuContext& context)
    : driver_(context.driver()),
      pushed_(!context.lost() && driver_.ctx_push_current(context.handle()) == CUDA_SUCCESS) {}

CurrentContext::~CurrentContext() {
  CUcontext popped = nullptr;
  if (pushed_) driver_.ctx_pop_current(&popped);
}

Result<std::shared_ptr<GpuMemory>> GpuMemory::allocate(std::shared_ptr<GpuContext> context, size_t bytes,
                                                       Sharing sharing) {
  CurrentContext current(*context);
  if (!current) return tl::unexpected(context->error(Phrase("allocating memory"), CUDA_ERROR_CONTEXT_IS_DESTROYED));
  const Driver& driver = context->driver();
  CUdeviceptr address = 0;
  // An empty buffer still needs a unique address. Memory is shared in blocks of 2 MiB: a smaller allocation would share
  // its neighbours too.
  constexpr size_t kBlock = size_t{2} << 20;
  const size_t granularity = sharing == Sharing::with_worker ? kBlock : 1;
  const size_t reserved = (std::max<size_t>(bytes, 1) + granularity - 1) / granularity * granularity;
  CUresult status = driver.mem_alloc(&address, reserved);
  if (status == CUDA_ERROR_OUT_OF_MEMORY) {
    size_t free = 0, total = 0;
    driver.mem_get_info(&free, &total);
    return fail(ErrorId::too_large_for_gpu, bytes, free);
  }
  if (status != CUDA_SUCCESS) {
    return tl::unexpected(context->error(phrase("allocating {} bytes", bytes), status));
  }
  return std::shared_ptr<GpuMemory>(new GpuMemory(std::move(context), address, bytes, false));
}

Result<std::shared_ptr<GpuMemory>> GpuMemory::map(std::shared_ptr<GpuContext> context, const CUipcMemHandle& handle,
                                                  size_t bytes) {
  CurrentContext current(*context);
  CUdeviceptr address = 0;
  CUresult status = current
                        ? context->driver().ipc_open_mem_handle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
                        : CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (status != CUDA_SUCCESS) return tl::unexpected(context->error(Phrase("sharing memory with the worker"), status));
  return std::shared_ptr<GpuMemory>(new GpuMemory(std::move(context), address, bytes, true));
}

Result<CUipcMemHandle> GpuMemory::export_handle() const {
  CurrentContext current(*context_);
  CUipcMemHandle handle{};
  CUresult status =
      current ? context_->driver().ipc_get_mem_handle(&handle, address_) : CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (status != CUDA_SUCCESS) return tl::unexpected(context_->error(Phrase("sharing memory with the worker"), status));
  return handle;
}

GpuMemory::~GpuMemory() {
  CurrentContext current(*context_);
  if (!current) return;
  if (mapped_) {
    context_->driver().ipc_close_mem_handle(address_);
  } else {
    context_->driver().mem_free(address_);
  }
}

bool poisons_context(CUresult status) {
  switch (status) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

std::shared_ptr<GpuContext> context_of(const DeviceBuffer& buffer) {
  const auto* memory = dynamic_cast<const GpuMemory*>(&buffer);
  return memory ? memory->context() : nullptr;
}

}  // namespace tilescope
