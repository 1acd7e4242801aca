#include "engine/reference/cublas.hpp"

#include <utility>

#include "engine/reference/library_reference.hpp"
#include "engine/reference/toolkit_library.hpp"

namespace tilescope {
namespace {

constexpr const char* kCublasName = "cuBLAS";

// From cublas_api.h; the exported names and values have been stable since version 4 of the toolkit.
constexpr int kSuccess = 0, kAsItIs = 0, kTransposed = 1;
constexpr int kBestAlgorithm = -1, kSumsInFloat = 16;  // CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION

}  // namespace

struct CublasReference::Library {
  int (*create)(void** handle);
  int (*destroy)(void* handle);
  int (*set_stream)(void* handle, CUstream stream);
  /// Column-major: c = alpha · op(a) + beta · op(b), m × n.
  int (*geam)(void* handle, int op_a, int op_b, int m, int n, const float* alpha, const float* a, int lda,
              const float* beta, const float* b, int ldb, float* c, int ldc);
  int (*set_math_mode)(void* handle, int mode);
  /// Column-major: c = alpha · op(a) · op(b) + beta · c, m × n, with types and the algorithm by their numbers.
  int (*gemm)(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int type_a,
              int lda, const void* b, int type_b, int ldb, const void* beta, void* c, int type_c, int ldc,
              int compute_type, int algorithm);
};

Result<const CublasReference::Library*> CublasReference::open_library() {
  if (is_hidden("cublas")) return fail(ErrorId::reference_unavailable, kCublasName, "TILESCOPE_HIDE hides it");
  static Library library;
  static const ToolkitLibrary file = [] {
    ToolkitLibrary opened("libcublas");
    opened.resolve("cublasCreate_v2", library.create);
    opened.resolve("cublasDestroy_v2", library.destroy);
    opened.resolve("cublasSetStream_v2", library.set_stream);
    opened.resolve("cublasSgeam", library.geam);
    opened.resolve("cublasSetMathMode", library.set_math_mode);
    opened.resolve("cublasGemmEx", library.gemm);
    return opened;
  }();
  if (!file.reason().empty()) return fail(ErrorId::reference_unavailable, kCublasName, file.reason());
  return &library;
}

Result<std::shared_ptr<CublasReference>> CublasReference::open(std::shared_ptr<GpuContext> context) {
  const auto library = open_library();
  if (!library) return forward(library);
  CurrentContext current(*context);
  if (!current) return fail(ErrorId::reference_unavailable, kCublasName, "the GPU was lost");
  void* handle = nullptr;
  if (const int status = (*library)->create(&handle); status != kSuccess)
    return fail(ErrorId::reference_unavailable, kCublasName, phrase("it does not start (status {})", status));
  const std::shared_ptr<CublasReference> cublas(new CublasReference(context, **library, handle));
  if (const int status = (*library)->set_stream(handle, context->stream()); status != kSuccess)
    return fail(ErrorId::reference_unavailable, kCublasName, phrase("it takes no stream (status {})", status));
  // No TF32 unless a call requests it, and parts of K are accumulated as floats, as in our kernels.
  if (const int status = (*library)->set_math_mode(handle, kSumsInFloat); status != kSuccess)
    return fail(ErrorId::reference_unavailable, kCublasName, phrase("it takes no mode (status {})", status));
  return cublas;
}

CublasReference::~CublasReference() {
  CurrentContext current(*context_);
  if (current) library_.destroy(handle_);
}

Result<EnqueueCall> CublasReference::call(const std::shared_ptr<CublasReference>& cublas, const std::string& operation,
                                          const Config& config) {
  if (operation == "geam") return transpose(cublas, config);
  const auto product = product_named(operation, config);
  if (!product || product->epilogue != Epilogue::none)
    return fail(ErrorId::reference_unavailable, kCublasName, phrase("there is no operation {}", operation));
  return multiply(cublas, *product);
}

EnqueueCall CublasReference::transpose(const std::shared_ptr<CublasReference>& cublas, const Config& config) {
  // A row-major matrix of rows × columns is a column-major one of columns × rows.
  const auto rows = static_cast<int>(config.size("rows")), columns = static_cast<int>(config.size("columns"));
  return [cublas, rows, columns](const AddressSet& addresses) {
    const float one = 1, zero = 0;
    const auto* in = reinterpret_cast<const float*>(addresses[0]);
    auto* out = reinterpret_cast<float*>(addresses[1]);
    const int status = cublas->library_.geam(cublas->handle_, kTransposed, kAsItIs, rows, columns, &one, in, columns,
                                             &zero, out, rows, out, rows);
    return status == kSuccess ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
  };
}

EnqueueCall CublasReference::multiply(const std::shared_ptr<CublasReference>& cublas, const MatrixProduct& product) {
  return [cublas, product, shape = column_major(product)](const AddressSet& addresses) {
    const ProductBuffers at = buffers_of(product);
    const int type = cuda_type_of(product.type);
    const float one = 1, zero = 0;
    const auto number = [](int64_t value) { return static_cast<int>(value); };
    const int status = cublas->library_.gemm(
        cublas->handle_, shape.transpose_first ? kTransposed : kAsItIs, kAsItIs, number(shape.rows),
        number(shape.columns), number(shape.depth), &one, reinterpret_cast<const void*>(addresses[at.b]), type,
        number(shape.first_pitch), reinterpret_cast<const void*>(addresses[at.a]), type, number(shape.second_pitch),
        &zero, reinterpret_cast<void*>(addresses[at.c]), type, number(shape.result_pitch), compute_type_of(product),
        kBestAlgorithm);
    return status == kSuccess ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
  };
}

namespace {

class Cublas final : public LibraryReference {
  Result<std::vector<LibraryCall>> calls(const ReferenceTask& task, const std::shared_ptr<GpuContext>& context,
                                         const std::stop_token& /*stop*/) override {
    const auto library = keep_open(library_, context, [&] { return CublasReference::open(context); });
    if (!library) return forward(library);
    auto call = CublasReference::call(*library, task.operation, task.config);
    if (!call) return forward(call);
    return std::vector<LibraryCall>{{.call = std::move(*call)}};
  }

  std::shared_ptr<CublasReference> library_;
};

const bool registered_cublas = register_reference(
    {.names = {"cublas"}, .make = [](const ReferenceFolders&) { return std::make_unique<Cublas>(); }});

}  // namespace
}  // namespace tilescope
