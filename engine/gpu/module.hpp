// A compiled module on the GPU, and a fully prepared launch of one of its kernels.
//
//     auto module = LoadedModule::load(context, compiled);
//     auto prepared = prepare_launch(*module, compiled, launch, addresses);
//     enqueue(*prepared, context->stream());
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/gpu/context.hpp"
#include "engine/gpu/texture.hpp"
#include "engine/plan.hpp"

namespace tilescope {

class LoadedModule {
 public:
  /// Loads the cubin; without one, or with one for a different GPU, the driver compiles the PTX.
  static Result<std::shared_ptr<LoadedModule>> load(std::shared_ptr<GpuContext> context, const CompiledModule& module);
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  const std::shared_ptr<GpuContext>& context() const { return context_; }
  CUmodule handle() const { return module_; }
  bool from_ptx() const { return from_ptx_; }

 private:
  LoadedModule(std::shared_ptr<GpuContext> context, CUmodule module, bool from_ptx)
      : context_(std::move(context)), module_(module), from_ptx_(from_ptx) {}

  std::shared_ptr<GpuContext> context_;
  CUmodule module_;
  bool from_ptx_;
};

/// The most recently loaded modules of one context, so that moving a slider back and forth does not reload them.
class GpuModules {
 public:
  Result<std::shared_ptr<LoadedModule>> get(const std::shared_ptr<GpuContext>& context, const CompiledModule& module);

 private:
  static constexpr size_t kCapacity = 16;
  std::deque<std::pair<std::string, std::shared_ptr<LoadedModule>>> entries_;
};

/// A launch whose kernel is found, whose extents are valid and whose arguments are packed.
struct PreparedLaunch {
  std::shared_ptr<LoadedModule> module;
  CUfunction function = nullptr;
  std::string kernel;
  Dim3 grid, block;
  uint32_t shared_bytes = 0;
  bool cooperative = false;                       // all blocks are resident at once and may wait for each other
  std::vector<std::vector<std::byte>> arguments;  // in order, as the kernel receives them
  std::vector<std::shared_ptr<GpuTexture>> textures = {};
};

/// `addresses[k]` is the address of Plan::buffers[k]. Creates texture objects from the buffers' current contents, and
/// raises the kernel's limit of dynamic shared memory if needed.
Result<PreparedLaunch> prepare_launch(const std::shared_ptr<LoadedModule>& module, const CompiledModule& compiled,
                                      const Launch& launch, std::span<const uint64_t> addresses);

/// Whether the kernel exists and takes these arguments, as far as the compiler's record tells.
Result<void> check_arguments(const CompiledModule& compiled, const Launch& launch);

/// Runs the launch to its end and returns its device time in milliseconds. If it still runs one second after a stop
/// request, the launch is abandoned together with its context.
Result<double> run_launch(GpuContext& context, const PreparedLaunch& launch, std::stop_token stop);

/// Enqueues the launch on the stream. The context must be current.
CUresult enqueue(const Driver& driver, const PreparedLaunch& launch, CUstream stream);

}  // namespace tilescope
