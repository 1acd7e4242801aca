// cuBLAS as a reference: libcublas is loaded at run time, and its calls are queued and timed like kernels.
//
//     auto cublas = CublasReference::open(context);
//     auto call = CublasReference::call(*cublas, "matmul_bf16", config);
//     CurrentContext current(*context);
//     (*call)({a, b, c});                                      // queued in the context's stream
//
// Anything missing is an Error reference_unavailable with the reason. TILESCOPE_HIDE with "cublas" makes it absent.
#pragma once

#include <memory>
#include <string>

#include "engine/gpu/context.hpp"
#include "engine/gpu/timing.hpp"
#include "engine/reference/product.hpp"

namespace tilescope {

class CublasReference {
 public:
  static Result<std::shared_ptr<CublasReference>> open(std::shared_ptr<GpuContext> context);
  ~CublasReference();
  CublasReference(const CublasReference&) = delete;
  CublasReference& operator=(const CublasReference&) = delete;

  const std::shared_ptr<GpuContext>& context() const { return context_; }

  /// "geam": out = inᵀ for `rows` × `columns` floats; the addresses are those of in and out. Products are described in
  /// product.hpp and called without an epilogue. The call keeps the library alive.
  static Result<EnqueueCall> call(const std::shared_ptr<CublasReference>& cublas, const std::string& operation,
                                  const Config& config);

 private:
  struct Library;
  CublasReference(std::shared_ptr<GpuContext> context, const Library& library, void* handle)
      : context_(std::move(context)), library_(library), handle_(handle) {}
  static Result<const Library*> open_library();
  static EnqueueCall transpose(const std::shared_ptr<CublasReference>& cublas, const Config& config);
  static EnqueueCall multiply(const std::shared_ptr<CublasReference>& cublas, const MatrixProduct& product);

  std::shared_ptr<GpuContext> context_;
  const Library& library_;
  void* handle_;
};

}  // namespace tilescope
