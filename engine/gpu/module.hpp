// A compiled module on the GPU, and a launch of one of its kernels with everything decided.
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
  /// Loads the cubin; where there is none, or it is for another GPU, the driver compiles the PTX.
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

/// The modules loaded last, so that moving a slider back and forth does not load them again. For one context.
class GpuModules {
 public:
  Result<std::shared_ptr<LoadedModule>> get(const std::shared_ptr<GpuContext>& context, const CompiledModule& module);

 private:
  static constexpr size_t kCapacity = 16;
  std::deque<std::pair<std::string, std::shared_ptr<LoadedModule>>> entries_;
};

/// A launch whose kernel is found, whose extents are possible and whose arguments are packed.
struct PreparedLaunch {
  std::shared_ptr<LoadedModule> module;
  CUfunction function = nullptr;
  std::string kernel;
  Dim3 grid, block;
  uint32_t shared_bytes = 0;
  bool cooperative = false;                       // all blocks run at once, and may wait for one another
  std::vector<std::vector<std::byte>> arguments;  // as the kernel receives them, in order
  std::vector<std::shared_ptr<GpuTexture>> textures = {};
};

/// `addresses[k]` is where Plan::buffers[k] lies. Makes the texture objects of what the buffers hold now, and raises
/// the kernel's limit of dynamic shared memory where needed.
Result<PreparedLaunch> prepare_launch(const std::shared_ptr<LoadedModule>& module, const CompiledModule& compiled,
                                      const Launch& launch, std::span<const uint64_t> addresses);

/// Whether the kernel is there and takes these arguments, as far as the compiler's record tells.
Result<void> check_arguments(const CompiledModule& compiled, const Launch& launch);

/// Runs the launch to its end and gives its device time in milliseconds. A launch that still runs a second after a stop
/// request is given up, and its context with it.
Result<double> run_launch(GpuContext& context, const PreparedLaunch& launch, std::stop_token stop);

/// Puts the launch into the stream. The context must be current.
CUresult enqueue(const Driver& driver, const PreparedLaunch& launch, CUstream stream);

}  // namespace tilescope
