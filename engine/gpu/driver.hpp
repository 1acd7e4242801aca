// The CUDA driver, loaded at run time: libcuda.so.1 by dlopen, and a table of the functions that Tilescope calls.
//
// Only types come from cuda.h; nothing is linked, so the program starts on a machine without a driver. Every entry
// names the exported symbol with its version suffix and declares its signature here: cuda.h renames functions between
// toolkits, but the driver keeps the old symbols.
//
//     Result<const Driver*> driver = open_driver();
//     if (CUresult status = (*driver)->mem_alloc(&address, bytes); status != CUDA_SUCCESS)
//       return tl::unexpected((*driver)->error(Phrase("the allocation"), status));
#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/result.hpp"

namespace tilescope {

struct Driver {
  CUresult (*init)(unsigned int flags);
  CUresult (*driver_get_version)(int* version);
  CUresult (*get_error_name)(CUresult status, const char** name);
  CUresult (*get_error_string)(CUresult status, const char** text);

  CUresult (*device_get_count)(int* count);
  CUresult (*device_get)(CUdevice* device, int ordinal);
  CUresult (*device_get_name)(char* name, int length, CUdevice device);
  CUresult (*device_get_attribute)(int* value, CUdevice_attribute attribute, CUdevice device);
  CUresult (*device_total_mem)(size_t* bytes, CUdevice device);
  CUresult (*device_get_pci_bus_id)(char* id, int length, CUdevice device);

  CUresult (*ctx_create)(CUcontext* context, unsigned int flags, CUdevice device);
  CUresult (*ctx_destroy)(CUcontext context);
  CUresult (*ctx_push_current)(CUcontext context);
  CUresult (*ctx_pop_current)(CUcontext* context);
  CUresult (*ctx_synchronize)();

  CUresult (*mem_get_info)(size_t* free, size_t* total);
  CUresult (*mem_alloc)(CUdeviceptr* address, size_t bytes);
  CUresult (*mem_free)(CUdeviceptr address);
  CUresult (*memcpy_htod)(CUdeviceptr to, const void* from, size_t bytes);
  CUresult (*memcpy_dtoh)(void* to, CUdeviceptr from, size_t bytes);
  CUresult (*memcpy_dtod)(CUdeviceptr to, CUdeviceptr from, size_t bytes);
  CUresult (*memcpy_dtod_async)(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
  CUresult (*ipc_get_mem_handle)(CUipcMemHandle* handle, CUdeviceptr address);
  CUresult (*ipc_open_mem_handle)(CUdeviceptr* address, CUipcMemHandle handle, unsigned int flags);
  CUresult (*ipc_close_mem_handle)(CUdeviceptr address);
  CUresult (*memset_d8_async)(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream);

  CUresult (*array_create)(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description);
  CUresult (*array_destroy)(CUarray array);
  CUresult (*memcpy_3d)(const CUDA_MEMCPY3D* copy);
  CUresult (*texture_object_create)(CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                                    const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view);
  CUresult (*texture_object_destroy)(CUtexObject object);

  CUresult (*module_load_data_ex)(CUmodule* module, const void* image, unsigned int options, CUjit_option* names,
                                  void** values);
  CUresult (*module_unload)(CUmodule module);
  CUresult (*module_get_function)(CUfunction* function, CUmodule module, const char* name);
  CUresult (*module_get_global)(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name);
  CUresult (*func_get_attribute)(int* value, CUfunction_attribute attribute, CUfunction function);
  CUresult (*func_set_attribute)(CUfunction function, CUfunction_attribute attribute, int value);
  CUresult (*launch_kernel)(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                            unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                            CUstream stream, void** parameters, void** extra);

  CUresult (*launch_cooperative_kernel)(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                        unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                                        void** parameters);
  CUresult (*occupancy_max_active_blocks)(int* blocks, CUfunction function, int block_threads, size_t shared_bytes);

  CUresult (*stream_create)(CUstream* stream, unsigned int flags);
  CUresult (*stream_destroy)(CUstream stream);
  CUresult (*stream_synchronize)(CUstream stream);
  CUresult (*stream_query)(CUstream stream);
  CUresult (*stream_begin_capture)(CUstream stream, CUstreamCaptureMode mode);
  CUresult (*stream_end_capture)(CUstream stream, CUgraph* graph);
  CUresult (*event_create)(CUevent* event, unsigned int flags);
  CUresult (*event_destroy)(CUevent event);
  CUresult (*event_record)(CUevent event, CUstream stream);
  CUresult (*event_query)(CUevent event);
  CUresult (*event_synchronize)(CUevent event);
  CUresult (*event_elapsed_time)(float* milliseconds, CUevent start, CUevent end);
  CUresult (*graph_instantiate)(CUgraphExec* executable, CUgraph graph, unsigned long long flags);
  CUresult (*graph_launch)(CUgraphExec executable, CUstream stream);
  CUresult (*graph_destroy)(CUgraph graph);
  CUresult (*graph_exec_destroy)(CUgraphExec executable);

  // OpenGL interop. cudaGL.h is not used because it includes GL/gl.h, which clashes with GL loaders. `buffer` is a
  // GLuint; `list` is a CUGLDeviceList, of which only kGlDevicesAll is needed.
  CUresult (*gl_get_devices)(unsigned int* count, CUdevice* devices, unsigned int capacity, unsigned int list);
  CUresult (*graphics_gl_register_buffer)(CUgraphicsResource* resource, unsigned int buffer, unsigned int flags);
  CUresult (*graphics_unregister_resource)(CUgraphicsResource resource);
  CUresult (*graphics_map_resources)(unsigned int count, CUgraphicsResource* resources, CUstream stream);
  CUresult (*graphics_unmap_resources)(unsigned int count, CUgraphicsResource* resources, CUstream stream);
  CUresult (*graphics_resource_get_mapped_pointer)(CUdeviceptr* address, size_t* bytes, CUgraphicsResource resource);

  static constexpr unsigned int kGlDevicesAll = 1;

  /// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"
  std::string describe(CUresult status) const;
  /// ErrorId::cuda_failed: "<what> failed on the GPU: <description>".
  Error error(const Phrase& what, CUresult status) const;
};

/// Whether TILESCOPE_HIDE, a comma-separated list, contains the name. Read at every call.
bool is_hidden(std::string_view name);

/// This machine's driver, opened and initialised once per process; or driver_missing with the loader's reason, or
/// no_gpu. TILESCOPE_HIDE, a comma-separated list that contains "cuda", makes it absent; it is read at every call.
Result<const Driver*> open_driver();

}  // namespace tilescope
