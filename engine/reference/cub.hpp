// CUB as a reference. It consists of headers of the CUDA toolkit, so there is no library to open: if the toolkit's nvcc
// is found, a small source of ours is compiled once into a shared library, whose calls are queued and timed like
// kernels.
//
//     auto cub = CubReference::open(
//         context, {.source = root / "assets/cub/device_sum.cu", .cache_folder = cache}, stop);
//     auto call = CubReference::call(*cub, "sum", {{"n", n}});
//     CurrentContext current(*context);
//     (*call)({x, out});                                       // queued in the context's stream
//
// Anything missing is an Error reference_unavailable with the reason. TILESCOPE_HIDE with "cub" makes it absent.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/gpu/context.hpp"
#include "engine/gpu/timing.hpp"

namespace tilescope {

struct CubSource {
  std::filesystem::path source;        // assets/cub/device_sum.cu
  std::filesystem::path cache_folder;  // the library is kept in its subfolder libraries/
};

/// nvcc of CUDA_PATH, of /usr/local/cuda, or on PATH; empty if there is none.
std::filesystem::path find_nvcc();

/// The library, compiled with nvcc unless it exists: one file per source, compiler and architecture ("sm_90").
Result<std::filesystem::path> build_cub_library(const CubSource& source, const std::string& architecture,
                                                std::stop_token stop);

class CubReference {
 public:
  static Result<std::shared_ptr<CubReference>> open(std::shared_ptr<GpuContext> context, const CubSource& source,
                                                    std::stop_token stop);

  const std::shared_ptr<GpuContext>& context() const { return context_; }

  /// "sum": cub::DeviceReduce::Sum of `n` floats; the addresses are those of x and out. The call owns CUB's scratch
  /// memory.
  static Result<EnqueueCall> call(const std::shared_ptr<CubReference>& cub, const std::string& operation,
                                  const std::map<std::string, int64_t>& sizes);

 private:
  /// tilescope_cub_sum of the source. If `scratch` is null, only `scratch_bytes` is set. Returns a cudaError_t.
  using SumFunction = int (*)(const float* x, float* out, long long n, void* scratch, size_t* scratch_bytes,
                              CUstream stream);
  CubReference(std::shared_ptr<GpuContext> context, SumFunction sum) : context_(std::move(context)), sum_(sum) {}

  std::shared_ptr<GpuContext> context_;
  SumFunction sum_;  // its library stays open: the CUDA runtime in it cannot be unloaded
};

}  // namespace tilescope
