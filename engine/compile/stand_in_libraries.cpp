// The stand-ins for the headers of libraries: cuBLAS, cuFFT, CUB, Thrust and others whose calls belong to the host.
#include <array>

#include "engine/compile/stand_in_headers.hpp"

namespace tilescope {
namespace {

/// Libraries that host code calls. Their headers need more of the host environment than exists here.
constexpr auto kHostLibraries = std::to_array<std::string_view>({
    "cublas",
    "cudnn",
    "cufft",
    "cupti",
    "cusolver",
    "cusparse",
    "cutensor",
    "nccl",
    "nvml",
    "nvrtc.h",
    "nvToolsExt",
    "nvtx3/",
    "cuda_gl_interop.h",
    "cuda_profiler_api.h",
    "cudaProfiler.h",
    "GL/",
    "GLFW/",
    "cub/device/",
    "cub/util_allocator.cuh",
    "thrust/",
});

/// <cub/cub.cuh> also contains the algorithms called from the host, which NVRTC rejects.
constexpr std::string_view kCubForDevice = R"(#pragma once
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>
)";

/// The parts of Thrust that device code uses. Its complex numbers are the toolkit's std::complex, because Thrust's
/// header contains functions that NVRTC rejects.
constexpr std::string_view kThrustComplex = R"(#include <cuda/std/complex>
namespace thrust {
template <class T> using complex = cuda::std::complex<T>;
using cuda::std::abs; using cuda::std::arg; using cuda::std::norm; using cuda::std::conj; using cuda::std::polar;
using cuda::std::proj; using cuda::std::exp; using cuda::std::log; using cuda::std::log10; using cuda::std::pow;
using cuda::std::sqrt; using cuda::std::sin; using cuda::std::cos; using cuda::std::tan; using cuda::std::sinh;
using cuda::std::cosh; using cuda::std::tanh; using cuda::std::asin; using cuda::std::acos; using cuda::std::atan;
}  // namespace thrust)";
struct ThrustHeader {
  std::string_view name;  // a name in thrust::
  std::string_view header;
};
constexpr auto kThrustHeaders = std::to_array<ThrustHeader>({
    {"tuple", "tuple"},
    {"make_tuple", "tuple"},
    {"tie", "tuple"},
    {"get", "tuple"},
    {"pair", "pair"},
    {"make_pair", "pair"},
    {"plus", "functional"},
    {"minus", "functional"},
    {"multiplies", "functional"},
    {"maximum", "functional"},
    {"minimum", "functional"},
    {"less", "functional"},
    {"greater", "functional"},
    {"identity", "functional"},
});

/// cuFFT's complex types; the rest is for the host.
constexpr std::string_view kCufftTypes = R"(#pragma once
#include <cuComplex.h>
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
)";

}  // namespace

std::optional<std::string> library_stand_in(std::string_view name) {
  if (name == "cub/cub.cuh") return std::string(kCubForDevice);
  if (name == "cufft.h" || name == "cufftXt.h" || name == "cufftw.h") return std::string(kCufftTypes);
  if (name.starts_with("cublas")) return "#include <cuComplex.h>\n";
  for (const std::string_view library : kHostLibraries)
    if (name.starts_with(library)) return std::string();
  return std::nullopt;
}

std::string thrust_name_declaration(std::string_view name) {
  if (name == "complex") return std::string(kThrustComplex);
  for (const ThrustHeader& one : kThrustHeaders)
    if (one.name == name) return "#include <thrust/" + std::string(one.header) + ".h>";
  return {};
}

}  // namespace tilescope
