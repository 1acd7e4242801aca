// cuBLASLt as a reference: libcublasLt is loaded at run time. It proposes several algorithms, best guess first; each
// proposal is a call that can be timed, and the caller keeps the fastest.
//
//     auto library = CublasLtReference::open(context);
//     auto proposals = CublasLtReference::proposals(*library, *product_named("linear_relu_bf16", config));
//     CurrentContext current(*context);
//     proposals->front().call({a, b, product, bias, c});       // queued in the context's stream
//
// Anything missing is an Error reference_unavailable with the reason. TILESCOPE_HIDE with "cublaslt" makes it absent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/gpu/context.hpp"
#include "engine/gpu/timing.hpp"
#include "engine/reference/product.hpp"

namespace tilescope {

class CublasLtReference {
 public:
  static Result<std::shared_ptr<CublasLtReference>> open(std::shared_ptr<GpuContext> context);
  ~CublasLtReference();
  CublasLtReference(const CublasLtReference&) = delete;
  CublasLtReference& operator=(const CublasLtReference&) = delete;

  const std::shared_ptr<GpuContext>& context() const { return context_; }

  struct Proposal {
    EnqueueCall call;
    std::string name;  // "algorithm 66, tile 128 × 256, cluster 2 × 1"
  };
  static constexpr int kMostProposals = 8;
  /// The heuristics' proposals for this product; at least one. The calls keep the library and its workspace alive.
  static Result<std::vector<Proposal>> proposals(const std::shared_ptr<CublasLtReference>& library,
                                                 const MatrixProduct& product);

 private:
  struct Library;
  struct Plan;
  CublasLtReference(std::shared_ptr<GpuContext> context, const Library& library, void* handle)
      : context_(std::move(context)), library_(library), handle_(handle) {}
  static Result<const Library*> open_library();
  static CUresult enqueue(const Plan& plan, const void* algorithm, const AddressSet& addresses);
  static Result<std::shared_ptr<Plan>> make_plan(const std::shared_ptr<CublasLtReference>& library,
                                                 const MatrixProduct& product);
  std::string name_of(const void* algorithm) const;

  std::shared_ptr<GpuContext> context_;
  const Library& library_;
  void* handle_;
};

/// "128 × 256" for a cublasLtMatmulTile_t; the number itself for a value that this program does not know.
std::string cublaslt_tile_text(uint32_t tile);
/// "2 × 1" for a cublasLtClusterShape_t; empty if the library chose none.
std::string cublaslt_cluster_text(uint16_t cluster);

}  // namespace tilescope
