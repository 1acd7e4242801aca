#include "engine/gpu/gpu_executor.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "engine/gpu/context.hpp"
#include "engine/gpu/module.hpp"
#include "engine/gpu/nvml.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

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

/// Modules of recent launches, so that moving a slider back and forth does not load them again.
class ModuleCache {
 public:
  Result<std::shared_ptr<LoadedModule>> get(const std::shared_ptr<GpuContext>& context, const CompiledModule& module) {
    const std::string_view cubin(reinterpret_cast<const char*>(module.cubin.data()), module.cubin.size());
    std::string key = std::string(cubin) + '\n' + module.ptx;
    for (const auto& [known, loaded] : entries_) {
      if (loaded->context() == context && known == key) return loaded;
    }
    auto loaded = LoadedModule::load(context, module);
    if (!loaded) return loaded;
    entries_.emplace_front(std::move(key), *loaded);
    if (entries_.size() > kCapacity) entries_.pop_back();
    return loaded;
  }
  void clear() { entries_.clear(); }

 private:
  static constexpr size_t kCapacity = 16;
  std::deque<std::pair<std::string, std::shared_ptr<LoadedModule>>> entries_;
};

class GpuExecutor final : public Executor {
 public:
  GpuExecutor(const Driver& driver, CUdevice device, std::shared_ptr<GpuContext> context)
      : driver_(driver), device_(device), context_(std::move(context)) {
    describe_device();
  }

  DeviceInfo device() const override {
    DeviceInfo info = info_;
    if (nvml_) {
      info.sm_clock_mhz = nvml_->sm_clock_mhz();
      info.memory_clock_mhz = nvml_->memory_clock_mhz();
    }
    return info;
  }

  Result<std::shared_ptr<DeviceBuffer>> allocate(const BufferRequest& request) override;
  Result<void> upload(DeviceBuffer& buffer, std::span<const std::byte> bytes, bool poison) override;
  Result<void> download(const DeviceBuffer& buffer, std::span<std::byte> bytes) override;
  Result<LaunchReport> launch(const CompiledModule& module, const Launch& launch,
                              std::span<const std::shared_ptr<DeviceBuffer>> buffers, const LaunchOptions& options,
                              std::stop_token stop) override;

 private:
  void describe_device();
  Result<std::shared_ptr<GpuContext>> live_context();
  void replace_if_lost();
  Result<double> run(GpuContext& context, const PreparedLaunch& prepared, std::stop_token stop);
  Result<std::vector<uint64_t>> addresses_in(const GpuContext& context,
                                             std::span<const std::shared_ptr<DeviceBuffer>> buffers);

  const Driver& driver_;
  CUdevice device_;
  DeviceInfo info_;
  std::unique_ptr<Nvml> nvml_;
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<GpuContext> context_;
  ModuleCache modules_;
};

void GpuExecutor::describe_device() {
  const auto attribute = [this](CUdevice_attribute which) {
    int value = 0;
    driver_.device_get_attribute(&value, which, device_);
    return value;
  };
  std::array<char, 256> text{};
  driver_.device_get_name(text.data(), static_cast<int>(text.size()) - 1, device_);
  info_.kind = DeviceKind::gpu;
  info_.name = text.data();
  info_.architecture = fmt::format("sm_{}{}", attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                   attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  info_.multiprocessors = static_cast<uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  info_.l2_bytes = static_cast<uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  size_t memory = 0;
  driver_.device_total_mem(&memory, device_);
  info_.memory_bytes = memory;
  driver_.driver_get_version(&info_.cuda_version);
  std::array<char, 32> bus{};
  driver_.device_get_pci_bus_id(bus.data(), static_cast<int>(bus.size()) - 1, device_);
  nvml_ = Nvml::open(bus.data());
  if (nvml_) info_.driver_version = nvml_->driver_version();
}

/// The context of the executor, or a new one where the last was lost.
Result<std::shared_ptr<GpuContext>> GpuExecutor::live_context() {
  std::scoped_lock lock(mutex_);
  if (context_ && !context_->lost()) return context_;
  modules_.clear();
  if (context_) context_->destroy();
  context_.reset();
  auto fresh = GpuContext::create(driver_, device_);
  if (!fresh) return fresh;
  context_ = *fresh;
  return context_;
}

Result<std::shared_ptr<DeviceBuffer>> GpuExecutor::allocate(const BufferRequest& request) {
  auto context = live_context();
  if (!context) return tl::unexpected(context.error());
  auto memory = GpuMemory::allocate(*context, request.count * size_of(request.type));
  if (!memory) return tl::unexpected(memory.error());
  return std::static_pointer_cast<DeviceBuffer>(*memory);
}

Result<void> GpuExecutor::upload(DeviceBuffer& buffer, std::span<const std::byte> bytes, bool /*poison*/) {
  const auto context = context_of(buffer);
  CurrentContext current(*context);
  if (!current) return tl::unexpected(context->error("the upload", CUDA_ERROR_CONTEXT_IS_DESTROYED));
  if (bytes.empty()) return {};
  CUresult status = driver_.memcpy_htod(buffer.address(), bytes.data(), bytes.size());
  // A copy from pageable memory may return before its end, and the kernels run in a stream of their own.
  if (status == CUDA_SUCCESS) status = driver_.ctx_synchronize();
  if (status != CUDA_SUCCESS) return tl::unexpected(context->error("the upload", status));
  return {};
}

Result<void> GpuExecutor::download(const DeviceBuffer& buffer, std::span<std::byte> bytes) {
  const auto context = context_of(buffer);
  CurrentContext current(*context);
  if (!current) return tl::unexpected(context->error("the download", CUDA_ERROR_CONTEXT_IS_DESTROYED));
  if (bytes.empty()) return {};
  CUresult status = driver_.memcpy_dtoh(bytes.data(), buffer.address(), bytes.size());
  if (status != CUDA_SUCCESS) return tl::unexpected(context->error("the download", status));
  return {};
}

Result<std::vector<uint64_t>> GpuExecutor::addresses_in(const GpuContext& context,
                                                        std::span<const std::shared_ptr<DeviceBuffer>> buffers) {
  std::vector<uint64_t> addresses;
  for (const auto& buffer : buffers) {
    if (context_of(*buffer).get() != &context) {
      return tl::unexpected(driver_.error("the launch", CUDA_ERROR_CONTEXT_IS_DESTROYED));
    }
    addresses.push_back(buffer->address());
  }
  return addresses;
}

Result<LaunchReport> GpuExecutor::launch(const CompiledModule& module, const Launch& launch,
                                         std::span<const std::shared_ptr<DeviceBuffer>> buffers,
                                         const LaunchOptions& /*options*/, std::stop_token stop) {
  if (stop.stop_requested()) return fail(ErrorId::cancelled);
  auto context = live_context();
  if (!context) return tl::unexpected(context.error());
  auto addresses = addresses_in(**context, buffers);
  if (!addresses) return tl::unexpected(addresses.error());
  Result<double> milliseconds = 0.0;
  {
    auto loaded = [&] {
      std::scoped_lock lock(mutex_);
      return modules_.get(*context, module);
    }();
    if (!loaded) return tl::unexpected(loaded.error());
    auto prepared = prepare_launch(*loaded, module, launch, *addresses);
    if (!prepared) return tl::unexpected(prepared.error());
    milliseconds = run(**context, *prepared, stop);
  }
  replace_if_lost();
  if (!milliseconds) return tl::unexpected(milliseconds.error());
  LaunchReport report;
  report.elapsed_ms = *milliseconds;
  return report;
}

/// Device time of one launch. A launch that is still running a second after a stop request is given up with its
/// context: nothing else ends a kernel that loops forever.
Result<double> GpuExecutor::run(GpuContext& context, const PreparedLaunch& prepared, std::stop_token stop) {
  using namespace std::chrono_literals;
  CurrentContext current(context);
  const std::string what = fmt::format("kernel '{}'", prepared.kernel);
  if (!current) return tl::unexpected(context.error(what, CUDA_ERROR_CONTEXT_IS_DESTROYED));
  ScopedEvent start(driver_), end(driver_);
  CUresult status = driver_.event_record(start.event, context.stream());
  if (status == CUDA_SUCCESS) status = enqueue(driver_, prepared, context.stream());
  if (status == CUDA_SUCCESS) status = driver_.event_record(end.event, context.stream());
  if (status != CUDA_SUCCESS) return tl::unexpected(context.error(what, status));

  const Clock::time_point begin = Clock::now();
  Clock::time_point give_up = Clock::time_point::max();
  while ((status = driver_.event_query(end.event)) == CUDA_ERROR_NOT_READY) {
    const Clock::time_point now = Clock::now();
    if (stop.stop_requested() && give_up == Clock::time_point::max()) give_up = now + 1s;
    if (now >= give_up) {
      context.give_up();
      return fail(ErrorId::cancelled);
    }
    if (now - begin > 1ms) std::this_thread::sleep_for(100us);
  }
  if (status != CUDA_SUCCESS) return tl::unexpected(context.error(what, status));
  float milliseconds = 0;
  status = driver_.event_elapsed_time(&milliseconds, start.event, end.event);
  if (status != CUDA_SUCCESS) return tl::unexpected(context.error(what, status));
  return milliseconds;
}

/// Replaces a poisoned context at once, so that its memory is free again for whatever comes next.
void GpuExecutor::replace_if_lost() {
  bool lost = false;
  {
    std::scoped_lock lock(mutex_);
    lost = context_ && context_->lost();
  }
  if (lost) (void)live_context();  // where no new one can be made, the next call says so
}

}  // namespace

Result<std::shared_ptr<Executor>> open_gpu() {
  auto driver = open_driver();
  if (!driver) return tl::unexpected(driver.error());
  int count = 0;
  CUresult status = (*driver)->device_get_count(&count);
  if (status != CUDA_SUCCESS) return fail(ErrorId::no_gpu, (*driver)->describe(status));
  if (count == 0) return fail(ErrorId::no_gpu, "it lists none");
  CUdevice device = 0;
  status = (*driver)->device_get(&device, 0);
  if (status != CUDA_SUCCESS) return fail(ErrorId::no_gpu, (*driver)->describe(status));
  auto context = GpuContext::create(**driver, device);
  if (!context) return tl::unexpected(context.error());
  return std::shared_ptr<Executor>(std::make_shared<GpuExecutor>(**driver, device, *context));
}

}  // namespace tilescope
