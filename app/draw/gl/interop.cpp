#include "app/draw/gl/interop.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "engine/gpu/context.hpp"
#include "engine/gpu/gpu_executor.hpp"

namespace tilescope {
namespace {

constexpr unsigned int kWriteDiscard = CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD;

std::string gl_text(GLenum name) {
  const auto* text = reinterpret_cast<const char*>(glGetString(name));
  return text != nullptr ? text : "";
}

/// Whether the GPU that CUDA runs on draws the current OpenGL context.
bool draws_with_cuda_gpu(const Driver& driver) {
  CUdevice first = 0;
  if (driver.device_get(&first, 0) != CUDA_SUCCESS) return false;
  std::array<CUdevice, 16> devices{};
  unsigned int count = 0;
  const CUresult status =
      driver.gl_get_devices(&count, devices.data(), static_cast<unsigned int>(devices.size()), Driver::kGlDevicesAll);
  if (status != CUDA_SUCCESS) return false;
  return std::find(devices.begin(), devices.begin() + count, first) != devices.begin() + count;
}

const char* key_of(Interop::Reason reason) {
  switch (reason) {
    case Interop::Reason::active:
      return "picture.active";
    case Interop::Reason::asked_for_copy:
      return "picture.asked_for_copy";
    case Interop::Reason::no_gpu:
      return "picture.no_gpu";
    case Interop::Reason::other_renderer:
      return "picture.other_renderer";
    case Interop::Reason::trying:
      return "picture.trying";
    case Interop::Reason::trial_failed:
      return "picture.trial_failed";
    case Interop::Reason::faulted:
      return "picture.faulted";
    case Interop::Reason::registration_failed:
      return "picture.registration_failed";
    case Interop::Reason::simulator:
      return "picture.simulator";
  }
  return "";
}

}  // namespace

/// A GL buffer registered with CUDA. It keeps the context alive in which it was registered.
struct Interop::Registration {
  std::shared_ptr<GpuContext> context;
  CUgraphicsResource resource = nullptr;
  CUstream stream = nullptr;  // a separate stream: the context's stream may be recording a graph
  WordBuffer* target = nullptr;

  ~Registration() {
    const CurrentContext current(*context);
    if (!current) return;
    if (resource != nullptr) context->driver().graphics_unregister_resource(resource);
    if (stream != nullptr) context->driver().stream_destroy(stream);
  }
};

Interop::Interop(const Result<std::shared_ptr<Executor>>& gpu, InteropOptions options)
    : renderer_(gl_text(GL_RENDERER)), faulted_before_(options.record.doubtful()) {
  const char* wish = std::getenv("TILESCOPE_PICTURE");
  if (wish != nullptr && std::string_view(wish) == "copy") {
    reason_ = Reason::asked_for_copy;
    return;
  }
  const auto driver = open_driver();
  if (!gpu || !driver) {
    reason_ = Reason::no_gpu;
    detail_ = !gpu ? gpu.error().what : driver.error().what;
    return;
  }
  // CUDA is queried only about contexts of its own vendor: others need not support the query.
  const bool nvidia = gl_text(GL_VENDOR).find("NVIDIA") != std::string::npos;
  if (!nvidia || !draws_with_cuda_gpu(**driver)) {
    reason_ = Reason::other_renderer;
    detail_ = renderer_;
    return;
  }
  gpu_ = std::dynamic_pointer_cast<GpuExecutor>(*gpu);
  if (!options.trial || !gpu_) return;
  if (faulted_before_) {
    reason_ = Reason::faulted;
    return;
  }
  reason_ = Reason::trying;
  trial_.emplace(std::move(options.trial), gpu_->faults(), std::move(options.wake));
}

Interop::~Interop() {
  if (trial_ && gpu_->faults() != trial_->faults()) give_up_registrations();
}

void Interop::poll() {
  if (!trial_) return;
  const uint64_t faults = gpu_->faults();
  if (faults != trial_->faults()) give_up_registrations();
  switch (trial_->poll(faults)) {
    case InteropTrial::State::trying:
      reason_ = Reason::trying;
      break;
    case InteropTrial::State::good:
      reason_ = Reason::active;
      break;
    case InteropTrial::State::faulted:
      reason_ = Reason::faulted;
      break;
    case InteropTrial::State::failed:
      if (reason_ != Reason::trial_failed) ++losses_;  // its process may have blocked OpenGL
      reason_ = Reason::trial_failed;
      detail_ = Phrase::translatable(trial_->why_not());
      break;
  }
}

/// From now on every call about a registration could block, in OpenGL as in CUDA. All of them are left to the end of
/// the process, together with their context.
void Interop::give_up_registrations() {
  for (auto& [buffer, registration] : registrations_) {
    registration->target->renew();
    static_cast<void>(registration.release());
  }
  registrations_.clear();
  ++losses_;
}

Interop::Path Interop::path_of(const RunResult* run) const {
  return reason_of(run) == Reason::active ? Path::interop : Path::copy;
}

Interop::Reason Interop::reason_of(const RunResult* run) const {
  const bool simulated = run != nullptr && run->device.kind == DeviceKind::sim;
  return reason_ == Reason::active && simulated ? Reason::simulator : reason_;
}

std::string Interop::explain(const Strings& strings, const RunResult* run) const {
  return strings.format(key_of(reason_of(run)), fmt::arg("detail", strings.say(detail_)));
}

bool Interop::software_renderer() const {
  return renderer_.find("llvmpipe") != std::string::npos || renderer_.find("softpipe") != std::string::npos ||
         renderer_.find("swrast") != std::string::npos;
}

Interop::Path Interop::fill(WordBuffer& target, const RunResult& run, size_t buffer, size_t bytes) {
  poll();
  const bool on_device = path() == Path::interop && buffer < run.device_buffers.size() && run.device_buffers[buffer];
  if (on_device && fill_on_device(target, *run.device_buffers[buffer], bytes)) return Path::interop;
  if (target.capacity() < bytes) {
    registrations_.erase(target.buffer());  // storage that is registered with CUDA must not be replaced
    target.reserve(bytes);
  }
  target.write(std::span(run.buffers[buffer]->bytes).first(bytes));
  return Path::copy;
}

void Interop::empty(WordBuffer& target) {
  poll();
  registrations_.erase(target.buffer());
  target.shrink();
}

bool Interop::fill_on_device(WordBuffer& target, const DeviceBuffer& source, size_t bytes) {
  const std::shared_ptr<GpuContext> context = context_of(source);
  if (!context) return false;
  const auto known = registrations_.find(target.buffer());
  if (known != registrations_.end() && (known->second->context != context || target.capacity() < bytes))
    registrations_.erase(known);
  target.reserve(bytes);
  const Driver& driver = context->driver();
  const CurrentContext current(*context);
  if (!current) return false;
  if (!registrations_.contains(target.buffer())) {
    auto fresh = std::make_unique<Registration>();
    fresh->context = context;
    fresh->target = &target;
    CUresult status = driver.stream_create(&fresh->stream, CU_STREAM_NON_BLOCKING);
    if (status == CUDA_SUCCESS)
      status = driver.graphics_gl_register_buffer(&fresh->resource, target.buffer(), kWriteDiscard);
    if (status != CUDA_SUCCESS) {
      reason_ = Reason::registration_failed;
      detail_ = driver.describe(status);
      trial_.reset();
      registrations_.clear();  // nothing checks for faults any more
      return false;
    }
    registrations_[target.buffer()] = std::move(fresh);
  }
  const std::unique_ptr<Registration>& registration = registrations_[target.buffer()];
  CUgraphicsResource* resource = &registration->resource;
  if (driver.graphics_map_resources(1, resource, registration->stream) != CUDA_SUCCESS) return false;
  CUdeviceptr address = 0;
  size_t mapped = 0;
  CUresult status = driver.graphics_resource_get_mapped_pointer(&address, &mapped, *resource);
  if (status == CUDA_SUCCESS && mapped >= bytes)
    status = driver.memcpy_dtod_async(address, source.address(), bytes, registration->stream);
  const CUresult unmapped = driver.graphics_unmap_resources(1, resource, registration->stream);
  return status == CUDA_SUCCESS && mapped >= bytes && unmapped == CUDA_SUCCESS;
}

}  // namespace tilescope
