// CUB as a reference. It is headers of the CUDA toolkit, so there is no library to open: where the toolkit's nvcc is
// found, a small source of ours is compiled once into a shared library, and its calls are queued and timed like
// kernels.
//
//     auto cub = CubReference::open(context, {.source = root / "assets/cub/device_sum.cu", .cache_folder = cache},
//     stop); auto call = CubReference::call(*cub, "sum", {{"n", n}}); CurrentContext current(*context);
//     (*call)({x, out});                                       // queued in the context's stream
//
// What is missing is an Error of reference_unavailable with its reason. TILESCOPE_HIDE with "cub" makes it absent.
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
  std::filesystem::path cache_folder;  // the library is kept in libraries/ of it
};

/// nvcc of CUDA_PATH, of /usr/local/cuda, or on PATH; empty where there is none.
std::filesystem::path find_nvcc();

/// The library, compiled with nvcc unless it is there already: one file per source, compiler and architecture
/// ("sm_90").
Result<std::filesystem::path> build_cub_library(const CubSource& source, const std::string& architecture,
                                                std::stop_token stop);

class CubReference {
 public:
  static Result<std::shared_ptr<CubReference>> open(std::shared_ptr<GpuContext> context, const CubSource& source,
                                                    std::stop_token stop);

  const std::shared_ptr<GpuContext>& context() const { return context_; }

  /// "sum": cub::DeviceReduce::Sum of `n` floats; addresses are those of x and out. The call keeps CUB's scratch
  /// memory.
  static Result<EnqueueCall> call(const std::shared_ptr<CubReference>& cub, const std::string& operation,
                                  const std::map<std::string, int64_t>& sizes);

 private:
  /// tilescope_cub_sum of the source. With `scratch` null only `scratch_bytes` is set. Returns a cudaError_t.
  using SumFunction = int (*)(const float* x, float* out, long long n, void* scratch, size_t* scratch_bytes,
                              CUstream stream);
  CubReference(std::shared_ptr<GpuContext> context, SumFunction sum) : context_(std::move(context)), sum_(sum) {}

  std::shared_ptr<GpuContext> context_;
  SumFunction sum_;  // its library stays open: the CUDA runtime in it cannot be taken out again
};

}  // namespace tilescope
