#include "engine/gpu/module.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/compile/cubin.hpp"
#include "engine/compile/kernel_names.hpp"
#include "engine/gpu/whole_grid.hpp"

namespace tilescope {
namespace {

std::string text_of(const Dim3& extent) { return fmt::format("({}, {}, {})", extent.x, extent.y, extent.z); }

int device_attribute(const GpuContext& context, CUdevice_attribute attribute) {
  int value = 0;
  context.driver().device_get_attribute(&value, attribute, context.device());
  return value;
}

Result<CUmodule> load_cubin(GpuContext& context, const std::vector<std::byte>& cubin) {
  CUmodule module = nullptr;
  CUresult status = context.driver().module_load_data_ex(&module, cubin.data(), 0, nullptr, nullptr);
  if (status != CUDA_SUCCESS) return tl::unexpected(context.error(Phrase("loading the compiled kernels"), status));
  return module;
}

Result<CUmodule> compile_ptx(GpuContext& context, const std::string& ptx) {
  std::array<char, 4096> log{};
  std::array<CUjit_option, 2> names{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // The driver expects the size as a pointer-sized integer.
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CUmodule module = nullptr;
  CUresult status = context.driver().module_load_data_ex(&module, ptx.c_str(), static_cast<unsigned int>(names.size()),
                                                         names.data(), values.data());
  if (status == CUDA_SUCCESS) return module;
  Error error = context.error(Phrase("compiling the PTX"), status);
  if (log[0] == '\0') return tl::unexpected(std::move(error));
  error.what = phrase("{}; the driver's compiler says: {}", error.what, std::string(log.data()));
  error.message = error.what.english();
  return tl::unexpected(std::move(error));
}

/// The limits that a launch can exceed, so that the message names the exceeded one.
Result<void> check_extents(const GpuContext& context, CUfunction function, const Launch& launch) {
  int threads = 0;
  context.driver().func_get_attribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
  if (launch.block.count() == 0 || launch.block.count() > static_cast<uint64_t>(threads)) {
    return fail(ErrorId::bad_launch, "block", text_of(launch.block),
                phrase("this kernel allows 1 to {} threads per block here", threads));
  }
  if (launch.block.z > 64) return fail(ErrorId::bad_launch, "block", text_of(launch.block), "z is at most 64");
  const uint64_t widest = static_cast<uint64_t>(device_attribute(context, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X));
  const uint64_t highest = static_cast<uint64_t>(device_attribute(context, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y));
  if (launch.grid.count() == 0 || launch.grid.x > widest || launch.grid.y > highest || launch.grid.z > highest) {
    return fail(ErrorId::bad_launch, "grid", text_of(launch.grid),
                phrase("1 to {} blocks in x and 1 to {} in y and z are possible", widest, highest));
  }
  return {};
}

std::string name_in_module(const LoadedModule& module, const CompiledModule& compiled, const std::string& symbol) {
  return module.from_ptx() ? symbol : name_in_cubin(compiled.cubin, symbol);
}

/// Stores the launch's values of variables and arrays of pointers.
Result<void> store_presets(const LoadedModule& module, const CompiledModule& compiled, const Launch& launch,
                           std::span<const uint64_t> addresses, std::span<const uint64_t> textures) {
  GpuContext& context = *module.context();
  const Driver& driver = context.driver();
  for (const Preset& preset : launch.presets) {
    const std::vector<std::byte> bytes = argument_bytes(Argument{preset.value}, addresses, textures);
    CUdeviceptr address = preset.variable.empty() ? addresses[preset.buffer] : 0;
    size_t room = bytes.size();
    CUresult status = CUDA_SUCCESS;
    const std::string name = name_in_module(module, compiled, preset.variable);
    if (!name.empty()) status = driver.module_get_global(&address, &room, module.handle(), name.c_str());
    if (status == CUDA_SUCCESS && bytes.size() <= room)
      status = driver.memcpy_htod(address, bytes.data(), bytes.size());
    // The kernels run on a separate stream.
    if (status == CUDA_SUCCESS) status = driver.ctx_synchronize();
    if (status != CUDA_SUCCESS)
      return tl::unexpected(context.error(phrase("setting the variable '{}'", preset.variable), status));
  }
  return {};
}

Result<void> allow_shared_memory(GpuContext& context, CUfunction function, const Launch& launch) {
  const Driver& driver = context.driver();
  int fixed = 0;
  driver.func_get_attribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
  const int limit = device_attribute(context, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (uint64_t{launch.shared_bytes} + static_cast<uint64_t>(fixed) > static_cast<uint64_t>(limit)) {
    return fail(ErrorId::bad_launch, "shared memory", phrase("{} bytes", launch.shared_bytes),
                phrase("a block may have {} bytes, of which the kernel declares {} itself", limit, fixed));
  }
  // Above 48 KiB a kernel must opt in.
  if (launch.shared_bytes + static_cast<uint32_t>(fixed) <= 48u * 1024u) return {};
  CUresult status = driver.func_set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              static_cast<int>(launch.shared_bytes));
  if (status != CUDA_SUCCESS) return tl::unexpected(context.error(Phrase("asking for shared memory"), status));
  return {};
}

/// Blocks that wait for each other must all be resident at once.
Result<void> check_that_all_blocks_fit(GpuContext& context, CUfunction function, const Launch& launch) {
  int blocks = 0;
  const CUresult status = context.driver().occupancy_max_active_blocks(
      &blocks, function, static_cast<int>(launch.block.count()), launch.shared_bytes);
  if (status != CUDA_SUCCESS)
    return tl::unexpected(context.error(Phrase("counting the blocks that fit at once"), status));
  const uint64_t most = static_cast<uint64_t>(blocks) *
                        static_cast<uint64_t>(device_attribute(context, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  if (launch.grid.count() <= most) return {};
  return fail(ErrorId::bad_launch, "grid", text_of(launch.grid),
              phrase("the kernel waits for its whole grid, of which this GPU holds {} blocks at once", most));
}

/// A CUDA event that lives as long as its scope; the context is current throughout.
struct ScopedEvent {
  explicit ScopedEvent(const Driver& driver_in) : driver(driver_in) { driver.event_create(&event, CU_EVENT_DEFAULT); }
  ~ScopedEvent() {
    if (event) driver.event_destroy(event);
  }
  ScopedEvent(const ScopedEvent&) = delete;
  ScopedEvent& operator=(const ScopedEvent&) = delete;
  const Driver& driver;
  CUevent event = nullptr;
};

}  // namespace

Result<void> check_arguments(const CompiledModule& compiled, const Launch& launch) {
  const KernelInfo* info = compiled.find(launch.kernel);
  if (!info) {
    if (compiled.kernels.empty()) return {};
    std::string known;
    for (const KernelInfo& one : compiled.kernels) known += (known.empty() ? "" : ", ") + one.name;
    return fail(ErrorId::kernel_not_found, launch.kernel, "the compiled module", known);
  }
  if (info->parameter_bytes.size() != launch.arguments.size()) {
    return fail(ErrorId::argument_count, launch.kernel, info->parameter_bytes.size(), launch.arguments.size());
  }
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const auto* given = std::get_if<ScalarArgument>(&launch.arguments[i]);
    const size_t bytes = given ? given->bytes.size() : sizeof(uint64_t);
    if (bytes != info->parameter_bytes[i]) {
      return fail(ErrorId::argument_size, i + 1, launch.kernel, info->parameter_bytes[i],
                  given ? Phrase(given->text) : Phrase("a buffer"), bytes);
    }
  }
  return {};
}

Result<std::shared_ptr<LoadedModule>> GpuModules::get(const std::shared_ptr<GpuContext>& context,
                                                      const CompiledModule& module) {
  const std::string_view cubin(reinterpret_cast<const char*>(module.cubin.data()), module.cubin.size());
  std::string key = std::string(cubin) + '\n' + module.ptx;
  for (const auto& [known, loaded] : entries_) {
    if (known == key) return loaded;
  }
  auto loaded = LoadedModule::load(context, module);
  if (!loaded) return loaded;
  entries_.emplace_front(std::move(key), *loaded);
  if (entries_.size() > kCapacity) entries_.pop_back();
  return loaded;
}

Result<std::shared_ptr<LoadedModule>> LoadedModule::load(std::shared_ptr<GpuContext> context,
                                                         const CompiledModule& module) {
  CurrentContext current(*context);
  if (!current) return tl::unexpected(context->error(Phrase("loading the kernels"), CUDA_ERROR_CONTEXT_IS_DESTROYED));
  if (!module.cubin.empty()) {
    Result<CUmodule> loaded = load_cubin(*context, module.cubin);
    if (loaded) return std::shared_ptr<LoadedModule>(new LoadedModule(std::move(context), *loaded, false));
    if (context->lost() || module.ptx.empty()) return forward(loaded);
  }
  Result<CUmodule> loaded = compile_ptx(*context, module.ptx);
  if (!loaded) return forward(loaded);
  return std::shared_ptr<LoadedModule>(new LoadedModule(std::move(context), *loaded, true));
}

LoadedModule::~LoadedModule() {
  CurrentContext current(*context_);
  if (current) context_->driver().module_unload(module_);
}

Result<PreparedLaunch> prepare_launch(const std::shared_ptr<LoadedModule>& module, const CompiledModule& compiled,
                                      const Launch& planned, std::span<const uint64_t> addresses) {
  GpuContext& context = *module->context();
  const Launch launch = as_on_gpu(planned);
  CurrentContext current(context);
  if (!current) return tl::unexpected(context.error(Phrase("the launch"), CUDA_ERROR_CONTEXT_IS_DESTROYED));
  if (auto ok = check_arguments(compiled, launch); !ok) return forward(ok);
  PreparedLaunch prepared{module, nullptr, launch.kernel, launch.grid, launch.block, launch.shared_bytes, false, {}};
  const std::string name = name_in_module(*module, compiled, launch.kernel);
  CUresult status = context.driver().module_get_function(&prepared.function, module->handle(), name.c_str());
  if (status == CUDA_ERROR_NOT_FOUND) {
    return fail(ErrorId::kernel_not_found, launch.kernel, "the compiled module", "others");
  }
  if (status != CUDA_SUCCESS) {
    return tl::unexpected(context.error(phrase("finding kernel '{}'", kernel_name(launch.kernel)), status));
  }
  if (auto ok = check_extents(context, prepared.function, launch); !ok) return forward(ok);
  if (auto ok = allow_shared_memory(context, prepared.function, launch); !ok) return forward(ok);
  std::vector<uint64_t> textures;
  for (const TextureSpec& one : launch.textures) {
    auto texture = GpuTexture::make(module->context(), one, addresses[one.buffer]);
    if (!texture) return forward(texture);
    textures.push_back((*texture)->object());
    prepared.textures.push_back(std::move(*texture));
  }
  if (auto ok = store_presets(*module, compiled, launch, addresses, textures); !ok) return forward(ok);
  prepared.cooperative = waits_for_whole_grid(compiled.ptx, launch.kernel);
  if (prepared.cooperative)
    if (auto ok = check_that_all_blocks_fit(context, prepared.function, launch); !ok) return forward(ok);
  for (const Argument& argument : launch.arguments)
    prepared.arguments.push_back(argument_bytes(argument, addresses, textures));
  return prepared;
}

Result<double> run_launch(GpuContext& context, const PreparedLaunch& launch, std::stop_token stop) {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  CurrentContext current(context);
  const Phrase what = phrase("kernel '{}'", kernel_name(launch.kernel));
  if (!current) return tl::unexpected(context.error(what, CUDA_ERROR_CONTEXT_IS_DESTROYED));
  const Driver& driver = context.driver();
  ScopedEvent start(driver), end(driver);
  CUresult status = driver.event_record(start.event, context.stream());
  if (status == CUDA_SUCCESS) status = enqueue(driver, launch, context.stream());
  if (status == CUDA_SUCCESS) status = driver.event_record(end.event, context.stream());
  if (status != CUDA_SUCCESS) return tl::unexpected(context.error(what, status));

  const Clock::time_point begin = Clock::now();
  Clock::time_point give_up = Clock::time_point::max();
  while ((status = driver.event_query(end.event)) == CUDA_ERROR_NOT_READY) {
    const Clock::time_point now = Clock::now();
    if (stop.stop_requested() && give_up == Clock::time_point::max()) give_up = now + 1s;
    if (now >= give_up) {
      context.give_up();
      return fail(ErrorId::cancelled);
    }
    if (now - begin > 1ms) std::this_thread::sleep_for(100us);
  }
  if (status == CUDA_SUCCESS) status = driver.ctx_synchronize();  // flushes the kernel's printed output
  if (status != CUDA_SUCCESS) return tl::unexpected(context.error(what, status));
  float milliseconds = 0;
  status = driver.event_elapsed_time(&milliseconds, start.event, end.event);
  if (status != CUDA_SUCCESS) return tl::unexpected(context.error(what, status));
  return milliseconds;
}

CUresult enqueue(const Driver& driver, const PreparedLaunch& launch, CUstream stream) {
  std::array<void*, 128> few{};
  std::vector<void*> many;
  void** parameters = few.data();
  if (launch.arguments.size() > few.size()) {
    many.resize(launch.arguments.size());
    parameters = many.data();
  }
  // The driver copies the arguments and never writes them; its signature only lacks the const.
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    parameters[i] = const_cast<std::byte*>(launch.arguments[i].data());
  }
  if (launch.cooperative)
    return driver.launch_cooperative_kernel(launch.function, launch.grid.x, launch.grid.y, launch.grid.z,
                                            launch.block.x, launch.block.y, launch.block.z, launch.shared_bytes, stream,
                                            parameters);
  return driver.launch_kernel(launch.function, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                              launch.block.y, launch.block.z, launch.shared_bytes, stream, parameters, nullptr);
}

}  // namespace tilescope
