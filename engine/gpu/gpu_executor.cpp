#include "engine/gpu/gpu_executor.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "engine/gpu/context.hpp"
#include "engine/gpu/launch_worker.hpp"
#include "engine/gpu/module.hpp"
#include "engine/gpu/nvml.hpp"
#include "engine/gpu/output_capture.hpp"

namespace tilescope {
namespace {

class DriverExecutor final : public GpuExecutor {
 public:
  DriverExecutor(const Driver& driver, CUdevice device, std::shared_ptr<GpuContext> context,
                 std::function<void()> on_fault)
      : driver_(driver), device_(device), context_(std::move(context)), on_fault_(std::move(on_fault)) {
    describe_device();
    if (is_hidden("worker")) {
      no_worker_ = "hidden by TILESCOPE_HIDE";
    } else {
      worker_ = std::make_unique<LaunchWorker>(LaunchWorker::beside_this_program());
    }
  }

  DeviceInfo device() const override {
    DeviceInfo info = info_;
    if (nvml_) {
      info.sm_clock_mhz = nvml_->sm_clock_mhz();
      info.memory_clock_mhz = nvml_->memory_clock_mhz();
    }
    return info;
  }

  bool clock_is_capped() const override { return nvml_ && nvml_->clock_is_capped(); }

  Result<std::shared_ptr<DeviceBuffer>> allocate(const BufferRequest& request) override;
  Result<void> upload(DeviceBuffer& buffer, std::span<const std::byte> bytes, bool poison) override;
  Result<void> download(const DeviceBuffer& buffer, std::span<std::byte> bytes) override;
  Result<LaunchReport> launch(const CompiledModule& module, const Launch& launch,
                              std::span<const std::shared_ptr<DeviceBuffer>> buffers, const LaunchOptions& options,
                              std::stop_token stop) override;
  Result<QuickTiming> time(const CompiledModule& module, std::span<const Launch> launches,
                           std::span<const std::shared_ptr<DeviceBuffer>> buffers, bool spare_contents,
                           std::stop_token stop) override;
  std::string not_isolated() const override { return worker_ ? worker_->unusable().english() : no_worker_; }
  uint64_t faults() const override { return (worker_ ? worker_->faults() : 0) + (context_->lost() ? 1 : 0); }

 private:
  void describe_device();
  Result<void> usable() const;
  bool isolated() const { return not_isolated().empty(); }
  /// Passes on the result of a launch after reporting a fault with which it may have ended.
  template <typename Report>
  Result<Report> told(Result<Report> report) {
    const uint64_t now = faults();
    if (told_.exchange(now, std::memory_order_acq_rel) != now && on_fault_) on_fault_();
    return report;
  }
  Result<LaunchReport> run_here(const CompiledModule& module, const Launch& launch,
                                std::span<const std::shared_ptr<DeviceBuffer>> buffers, std::stop_token stop);

  const Driver& driver_;
  CUdevice device_;
  DeviceInfo info_;
  std::unique_ptr<Nvml> nvml_;
  std::shared_ptr<GpuContext> context_;
  std::unique_ptr<LaunchWorker> worker_;
  std::string no_worker_;
  std::function<void()> on_fault_;
  std::atomic<uint64_t> told_{0};  // faults already reported to on_fault_
  std::mutex mutex_;               // guards modules_
  GpuModules modules_;             // for kernels that run here
};

void DriverExecutor::describe_device() {
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

/// After a fault the driver does not let a process open a second context, so a lost context makes the GPU unusable
/// here.
Result<void> DriverExecutor::usable() const {
  if (!context_->lost()) return {};
  return fail(ErrorId::no_gpu,
              "a kernel that faulted or never ended stopped all use of it by this process; start again");
}

Result<std::shared_ptr<DeviceBuffer>> DriverExecutor::allocate(const BufferRequest& request) {
  if (auto ok = usable(); !ok) return forward(ok);
  if (worker_) worker_->start();  // a launch will follow
  auto memory = GpuMemory::allocate(context_, request.count * size_of(request.type),
                                    worker_ ? GpuMemory::Sharing::with_worker : GpuMemory::Sharing::none);
  if (!memory) return forward(memory);
  if (request.zeros && (*memory)->bytes() > 0) {
    CurrentContext current(*context_);
    if (!current) return tl::unexpected(context_->error(Phrase("the allocation"), CUDA_ERROR_CONTEXT_IS_DESTROYED));
    CUresult status = driver_.memset_d8_async((*memory)->address(), 0, (*memory)->bytes(), context_->stream());
    if (status == CUDA_SUCCESS) status = driver_.ctx_synchronize();  // the kernels may run in a different process
    if (status != CUDA_SUCCESS) return tl::unexpected(context_->error(Phrase("the allocation"), status));
  }
  return std::static_pointer_cast<DeviceBuffer>(*memory);
}

Result<void> DriverExecutor::upload(DeviceBuffer& buffer, std::span<const std::byte> bytes, bool /*poison*/) {
  const auto context = context_of(buffer);
  CurrentContext current(*context);
  if (!current) return tl::unexpected(context->error(Phrase("the upload"), CUDA_ERROR_CONTEXT_IS_DESTROYED));
  if (bytes.empty()) return {};
  CUresult status = driver_.memcpy_htod(buffer.address(), bytes.data(), bytes.size());
  // A copy from pageable memory may return before it has finished, and the kernels run on a separate stream.
  if (status == CUDA_SUCCESS) status = driver_.ctx_synchronize();
  if (status != CUDA_SUCCESS) return tl::unexpected(context->error(Phrase("the upload"), status));
  return {};
}

Result<void> DriverExecutor::download(const DeviceBuffer& buffer, std::span<std::byte> bytes) {
  const auto context = context_of(buffer);
  CurrentContext current(*context);
  if (!current) return tl::unexpected(context->error(Phrase("the download"), CUDA_ERROR_CONTEXT_IS_DESTROYED));
  if (bytes.empty()) return {};
  CUresult status = driver_.memcpy_dtoh(bytes.data(), buffer.address(), bytes.size());
  if (status != CUDA_SUCCESS) return tl::unexpected(context->error(Phrase("the download"), status));
  return {};
}

Result<LaunchReport> DriverExecutor::launch(const CompiledModule& module, const Launch& launch,
                                            std::span<const std::shared_ptr<DeviceBuffer>> buffers,
                                            const LaunchOptions& /*options*/, std::stop_token stop) {
  if (stop.stop_requested()) return fail(ErrorId::cancelled);
  if (auto ok = usable(); !ok) return forward(ok);
  if (isolated()) {
    auto report = told(worker_->run(module, launch, buffers, stop));
    // Unless no worker was available after all, this was the kernel's own error.
    if (report || isolated() || stop.stop_requested()) return report;
  }
  return told(run_here(module, launch, buffers, stop));
}

Result<LaunchReport> DriverExecutor::run_here(const CompiledModule& module, const Launch& launch,
                                              std::span<const std::shared_ptr<DeviceBuffer>> buffers,
                                              std::stop_token stop) {
  std::scoped_lock lock(mutex_);
  auto loaded = modules_.get(context_, module);
  if (!loaded) return forward(loaded);
  std::vector<uint64_t> addresses;
  for (const auto& buffer : buffers) addresses.push_back(buffer->address());
  auto prepared = prepare_launch(*loaded, module, launch, addresses);
  if (!prepared) return forward(prepared);
  const OutputCapture capture;
  auto milliseconds = run_launch(*context_, *prepared, stop);
  if (!milliseconds) return tl::unexpected(error_of_launch(milliseconds.error(), capture.messages()));
  LaunchReport report;
  report.elapsed_ms = *milliseconds;
  report.output = capture.output();
  return report;
}

Result<QuickTiming> DriverExecutor::time(const CompiledModule& module, std::span<const Launch> launches,
                                         std::span<const std::shared_ptr<DeviceBuffer>> buffers, bool spare_contents,
                                         std::stop_token stop) {
  if (stop.stop_requested()) return fail(ErrorId::cancelled);
  if (auto ok = usable(); !ok) return forward(ok);
  if (isolated()) {
    auto timing = told(worker_->time(module, launches, buffers, spare_contents, stop));
    if (timing || isolated() || stop.stop_requested()) return timing;
  }
  return told(quick_timing(module, launches, buffers, spare_contents));
}

}  // namespace

Result<std::shared_ptr<Executor>> open_gpu(std::function<void()> on_fault) {
  auto driver = open_driver();
  if (!driver) return forward(driver);
  int count = 0;
  CUresult status = (*driver)->device_get_count(&count);
  if (status != CUDA_SUCCESS) return fail(ErrorId::no_gpu, (*driver)->describe(status));
  if (count == 0) return fail(ErrorId::no_gpu, "it lists none");
  CUdevice device = 0;
  status = (*driver)->device_get(&device, 0);
  if (status != CUDA_SUCCESS) return fail(ErrorId::no_gpu, (*driver)->describe(status));
  auto context = GpuContext::create(**driver, device);
  if (!context) return forward(context);
  return std::shared_ptr<Executor>(std::make_shared<DriverExecutor>(**driver, device, *context, std::move(on_fault)));
}

}  // namespace tilescope
