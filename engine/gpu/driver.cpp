#include "engine/gpu/driver.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

namespace tilescope {
namespace {

/// Fills a Driver from the library; remembers the first missing symbol.
class Resolver {
 public:
  explicit Resolver(void* library) : library_(library) {}

  template <class Function>
  void operator()(Function*& entry, const char* symbol) {
    entry = reinterpret_cast<Function*>(dlsym(library_, symbol));
    if (!entry && missing_.empty()) missing_ = symbol;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

void resolve_general(Resolver& resolve, Driver& driver) {
  resolve(driver.init, "cuInit");
  resolve(driver.driver_get_version, "cuDriverGetVersion");
  resolve(driver.get_error_name, "cuGetErrorName");
  resolve(driver.get_error_string, "cuGetErrorString");
  resolve(driver.device_get_count, "cuDeviceGetCount");
  resolve(driver.device_get, "cuDeviceGet");
  resolve(driver.device_get_name, "cuDeviceGetName");
  resolve(driver.device_get_attribute, "cuDeviceGetAttribute");
  resolve(driver.device_total_mem, "cuDeviceTotalMem_v2");
  resolve(driver.device_get_pci_bus_id, "cuDeviceGetPCIBusId");
  resolve(driver.ctx_create, "cuCtxCreate_v2");
  resolve(driver.ctx_destroy, "cuCtxDestroy_v2");
  resolve(driver.ctx_push_current, "cuCtxPushCurrent_v2");
  resolve(driver.ctx_pop_current, "cuCtxPopCurrent_v2");
  resolve(driver.ctx_synchronize, "cuCtxSynchronize");
}

void resolve_memory(Resolver& resolve, Driver& driver) {
  resolve(driver.mem_get_info, "cuMemGetInfo_v2");
  resolve(driver.mem_alloc, "cuMemAlloc_v2");
  resolve(driver.mem_free, "cuMemFree_v2");
  resolve(driver.memcpy_htod, "cuMemcpyHtoD_v2");
  resolve(driver.memcpy_dtoh, "cuMemcpyDtoH_v2");
  resolve(driver.memcpy_dtod, "cuMemcpyDtoD_v2");
  resolve(driver.memcpy_dtod_async, "cuMemcpyDtoDAsync_v2");
  resolve(driver.ipc_get_mem_handle, "cuIpcGetMemHandle");
  resolve(driver.ipc_open_mem_handle, "cuIpcOpenMemHandle_v2");
  resolve(driver.ipc_close_mem_handle, "cuIpcCloseMemHandle");
  resolve(driver.memset_d8_async, "cuMemsetD8Async");
  resolve(driver.array_create, "cuArray3DCreate_v2");
  resolve(driver.array_destroy, "cuArrayDestroy");
  resolve(driver.memcpy_3d, "cuMemcpy3D_v2");
  resolve(driver.texture_object_create, "cuTexObjectCreate");
  resolve(driver.texture_object_destroy, "cuTexObjectDestroy");
}

void resolve_execution(Resolver& resolve, Driver& driver) {
  resolve(driver.module_load_data_ex, "cuModuleLoadDataEx");
  resolve(driver.module_unload, "cuModuleUnload");
  resolve(driver.module_get_function, "cuModuleGetFunction");
  resolve(driver.module_get_global, "cuModuleGetGlobal_v2");
  resolve(driver.func_get_attribute, "cuFuncGetAttribute");
  resolve(driver.func_set_attribute, "cuFuncSetAttribute");
  resolve(driver.launch_kernel, "cuLaunchKernel");
  resolve(driver.launch_cooperative_kernel, "cuLaunchCooperativeKernel");
  resolve(driver.occupancy_max_active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  resolve(driver.stream_create, "cuStreamCreate");
  resolve(driver.stream_destroy, "cuStreamDestroy_v2");
  resolve(driver.stream_synchronize, "cuStreamSynchronize");
  resolve(driver.stream_query, "cuStreamQuery");
  resolve(driver.stream_begin_capture, "cuStreamBeginCapture_v2");
  resolve(driver.stream_end_capture, "cuStreamEndCapture");
  resolve(driver.event_create, "cuEventCreate");
  resolve(driver.event_destroy, "cuEventDestroy_v2");
  resolve(driver.event_record, "cuEventRecord");
  resolve(driver.event_query, "cuEventQuery");
  resolve(driver.event_synchronize, "cuEventSynchronize");
  resolve(driver.event_elapsed_time, "cuEventElapsedTime");
  resolve(driver.graph_instantiate, "cuGraphInstantiateWithFlags");
  resolve(driver.graph_launch, "cuGraphLaunch");
  resolve(driver.graph_destroy, "cuGraphDestroy");
  resolve(driver.graph_exec_destroy, "cuGraphExecDestroy");
}

void resolve_graphics(Resolver& resolve, Driver& driver) {
  resolve(driver.gl_get_devices, "cuGLGetDevices_v2");
  resolve(driver.graphics_gl_register_buffer, "cuGraphicsGLRegisterBuffer");
  resolve(driver.graphics_unregister_resource, "cuGraphicsUnregisterResource");
  resolve(driver.graphics_map_resources, "cuGraphicsMapResources");
  resolve(driver.graphics_unmap_resources, "cuGraphicsUnmapResources");
  resolve(driver.graphics_resource_get_mapped_pointer, "cuGraphicsResourceGetMappedPointer_v2");
}

/// The library stays open for the life of the process, because the driver runs its own threads.
Result<Driver> load() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    return fail(ErrorId::driver_missing, reason ? std::string(reason) : Phrase("no reason given"));
  }
  Driver driver{};
  Resolver resolve(library);
  resolve_general(resolve, driver);
  resolve_memory(resolve, driver);
  resolve_execution(resolve, driver);
  resolve_graphics(resolve, driver);
  if (!resolve.missing().empty()) {
    return fail(ErrorId::driver_missing, phrase("it is too old: it has no {}", resolve.missing()));
  }
  if (CUresult status = driver.init(0); status != CUDA_SUCCESS) return fail(ErrorId::no_gpu, driver.describe(status));
  return driver;
}

}  // namespace

bool is_hidden(std::string_view name) {
  const char* variable = std::getenv("TILESCOPE_HIDE");
  std::string_view rest = variable ? variable : "";
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    if (rest.substr(0, comma) == name) return true;
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return false;
}

std::string Driver::describe(CUresult status) const {
  const char* name = nullptr;
  const char* text = nullptr;
  get_error_name(status, &name);
  get_error_string(status, &text);
  if (!name || !text) return fmt::format("error {}", static_cast<int>(status));
  return fmt::format("{} ({})", text, name);
}

Error Driver::error(const Phrase& what, CUresult status) const {
  return make_error(ErrorId::cuda_failed, what, describe(status));
}

Result<const Driver*> open_driver() {
  if (is_hidden("cuda")) return fail(ErrorId::driver_missing, "hidden by TILESCOPE_HIDE");
  static const Result<Driver> driver = load();
  if (!driver) return forward(driver);
  return &*driver;
}

}  // namespace tilescope
