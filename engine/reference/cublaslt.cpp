#include "engine/reference/cublaslt.hpp"

#include <array>
#include <map>
#include <utility>

#include "engine/reference/library_reference.hpp"
#include "engine/reference/toolkit_library.hpp"

namespace tilescope {
namespace {

constexpr const char* kCublasLtName = "cuBLASLt";
constexpr size_t kWorkspaceBytes = size_t{64} << 20;  // twice what PyTorch gives it on these GPUs

// From cublasLt.h; the exported names and values have been stable since version 11 of the toolkit.
constexpr int kLtSuccess = 0, kReal32 = 0;
constexpr int kTransposeFirst = 3, kEpilogue = 7, kBiasPointer = 8, kBiasType = 26;       // of an operation
constexpr int kEpilogueReluBias = 6, kEpilogueGeluBias = 36;                              // kinds of epilogue
constexpr int kMostWorkspace = 1, kReductions = 3;                                        // of a preference
constexpr int kAlgorithmId = 0, kTileId = 1, kSplitK = 2, kStagesId = 6, kClusterId = 8;  // of an algorithm

constexpr uint32_t kReductionsInFloat = 2;  // for split K: in the accumulator type; the in-place reduction uses C's
                                            // type

tl::unexpected<Error> lt_unavailable(const Phrase& reason) {
  return fail(ErrorId::reference_unavailable, kCublasLtName, reason);
}

}  // namespace

std::string cublaslt_tile_text(uint32_t tile) {
  static const std::map<uint32_t, std::pair<int, int>> known{
      {15, {64, 64}},   {17, {64, 128}},  {18, {128, 64}},  {19, {64, 256}}, {20, {128, 128}}, {21, {256, 64}},
      {23, {128, 256}}, {24, {256, 128}}, {26, {64, 96}},   {27, {96, 64}},  {28, {96, 128}},  {29, {128, 160}},
      {30, {160, 128}}, {31, {192, 128}}, {32, {128, 192}}, {33, {128, 96}}, {34, {32, 256}},  {35, {256, 32}}};
  const auto found = known.find(tile);
  return found == known.end() ? std::to_string(tile)
                              : fmt::format("{} × {}", found->second.first, found->second.second);
}

std::string cublaslt_cluster_text(uint16_t cluster) {
  static const std::array<std::pair<int, int>, 13> known{
      {{1, 1}, {2, 1}, {4, 1}, {1, 2}, {2, 2}, {4, 2}, {1, 4}, {2, 4}, {4, 4}, {8, 1}, {1, 8}, {8, 2}, {2, 8}}};
  constexpr uint16_t kFirst = 2;  // 0 and 1: chosen by the library
  if (cluster < kFirst) return {};
  const size_t index = cluster - kFirst;
  return index < known.size() ? fmt::format("{} × {}", known[index].first, known[index].second)
                              : std::to_string(cluster);
}

struct CublasLtReference::Library {
  struct Algorithm {
    uint64_t data[8];
  };
  struct HeuristicResult {
    Algorithm algorithm;
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
  };

  int (*create)(void** handle);
  int (*destroy)(void* handle);
  int (*operation_create)(void** operation, int compute_type, int scale_type);
  int (*operation_destroy)(void* operation);
  int (*operation_set)(void* operation, int attribute, const void* value, size_t bytes);
  int (*layout_create)(void** layout, int type, uint64_t rows, uint64_t columns, int64_t pitch);
  int (*layout_destroy)(void* layout);
  int (*preference_create)(void** preference);
  int (*preference_destroy)(void* preference);
  int (*preference_set)(void* preference, int attribute, const void* value, size_t bytes);
  int (*propose)(void* handle, void* operation, void* first, void* second, void* c, void* result, void* preference,
                 int most, HeuristicResult* results, int* count);
  int (*algorithm_get)(const void* algorithm, int attribute, void* value, size_t bytes, size_t* written);
  int (*multiply)(void* handle, void* operation, const void* alpha, const void* a, void* first, const void* b,
                  void* second, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,
                  const void* algorithm, void* workspace, size_t workspace_bytes, CUstream stream);
};

/// The library's descriptions of one product, and its workspace.
struct CublasLtReference::Plan {
  explicit Plan(std::shared_ptr<CublasLtReference> of) : library(std::move(of)) {}
  ~Plan() {
    const Library& functions = library->library_;
    if (operation != nullptr) functions.operation_destroy(operation);
    for (void* layout : {first, second, result})
      if (layout != nullptr) functions.layout_destroy(layout);
    if (preference != nullptr) functions.preference_destroy(preference);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  std::shared_ptr<CublasLtReference> library;
  MatrixProduct product;
  void *operation = nullptr, *first = nullptr, *second = nullptr, *result = nullptr, *preference = nullptr;
  std::shared_ptr<GpuMemory> workspace;
};

Result<const CublasLtReference::Library*> CublasLtReference::open_library() {
  if (is_hidden("cublaslt")) return lt_unavailable(Phrase("TILESCOPE_HIDE hides it"));
  static Library library;
  static const ToolkitLibrary file = [] {
    ToolkitLibrary opened("libcublasLt");
    opened.resolve("cublasLtCreate", library.create);
    opened.resolve("cublasLtDestroy", library.destroy);
    opened.resolve("cublasLtMatmulDescCreate", library.operation_create);
    opened.resolve("cublasLtMatmulDescDestroy", library.operation_destroy);
    opened.resolve("cublasLtMatmulDescSetAttribute", library.operation_set);
    opened.resolve("cublasLtMatrixLayoutCreate", library.layout_create);
    opened.resolve("cublasLtMatrixLayoutDestroy", library.layout_destroy);
    opened.resolve("cublasLtMatmulPreferenceCreate", library.preference_create);
    opened.resolve("cublasLtMatmulPreferenceDestroy", library.preference_destroy);
    opened.resolve("cublasLtMatmulPreferenceSetAttribute", library.preference_set);
    opened.resolve("cublasLtMatmulAlgoGetHeuristic", library.propose);
    opened.resolve("cublasLtMatmulAlgoConfigGetAttribute", library.algorithm_get);
    opened.resolve("cublasLtMatmul", library.multiply);
    return opened;
  }();
  if (!file.reason().empty()) return lt_unavailable(file.reason());
  return &library;
}

Result<std::shared_ptr<CublasLtReference>> CublasLtReference::open(std::shared_ptr<GpuContext> context) {
  const auto library = open_library();
  if (!library) return forward(library);
  CurrentContext current(*context);
  if (!current) return lt_unavailable(Phrase("the GPU was lost"));
  void* handle = nullptr;
  if (const int status = (*library)->create(&handle); status != kLtSuccess)
    return lt_unavailable(phrase("it does not start (status {})", status));
  return std::shared_ptr<CublasLtReference>(new CublasLtReference(std::move(context), **library, handle));
}

CublasLtReference::~CublasLtReference() {
  CurrentContext current(*context_);
  if (current) library_.destroy(handle_);
}

Result<std::shared_ptr<CublasLtReference::Plan>> CublasLtReference::make_plan(
    const std::shared_ptr<CublasLtReference>& library, const MatrixProduct& product) {
  auto plan = std::make_shared<Plan>(library);
  plan->product = product;
  const Library& functions = library->library_;
  const ColumnMajorProduct shape = column_major(product);
  const int type = cuda_type_of(product.type), transposed = shape.transpose_first ? 1 : 0;
  const auto rows = static_cast<uint64_t>(shape.rows), columns = static_cast<uint64_t>(shape.columns),
             depth = static_cast<uint64_t>(shape.depth);
  int status = functions.operation_create(&plan->operation, compute_type_of(product), kReal32);
  const auto step = [&status](auto function, auto... arguments) {
    if (status == kLtSuccess) status = function(arguments...);
  };
  const auto set = [&](int attribute, const auto& value) {
    step(functions.operation_set, plan->operation, attribute, static_cast<const void*>(&value), sizeof value);
  };
  set(kTransposeFirst, transposed);
  if (product.epilogue != Epilogue::none) {
    set(kEpilogue, product.epilogue == Epilogue::bias_relu ? kEpilogueReluBias : kEpilogueGeluBias);
    set(kBiasType, type);
  }
  step(functions.layout_create, &plan->first, type, transposed != 0 ? depth : rows, transposed != 0 ? rows : depth,
       shape.first_pitch);
  step(functions.layout_create, &plan->second, type, depth, columns, shape.second_pitch);
  step(functions.layout_create, &plan->result, type, rows, columns, shape.result_pitch);
  step(functions.preference_create, &plan->preference);
  step(functions.preference_set, plan->preference, kMostWorkspace, static_cast<const void*>(&kWorkspaceBytes),
       sizeof kWorkspaceBytes);
  step(functions.preference_set, plan->preference, kReductions, static_cast<const void*>(&kReductionsInFloat),
       sizeof kReductionsInFloat);
  if (status != kLtSuccess) return lt_unavailable(phrase("it does not describe the product (status {})", status));
  auto workspace = GpuMemory::allocate(library->context_, kWorkspaceBytes);
  if (!workspace) return forward(workspace);
  plan->workspace = std::move(*workspace);
  return plan;
}

Result<std::vector<CublasLtReference::Proposal>> CublasLtReference::proposals(
    const std::shared_ptr<CublasLtReference>& library, const MatrixProduct& product) {
  CurrentContext current(*library->context_);
  if (!current) return lt_unavailable(Phrase("the GPU was lost"));
  auto made = make_plan(library, product);
  if (!made) return forward(made);
  const std::shared_ptr<Plan> plan = std::move(*made);
  std::array<Library::HeuristicResult, kMostProposals> results{};
  int count = 0;
  const int status =
      library->library_.propose(library->handle_, plan->operation, plan->first, plan->second, plan->result,
                                plan->result, plan->preference, kMostProposals, results.data(), &count);
  std::vector<Proposal> proposals;
  for (int i = 0; status == kLtSuccess && i < count; ++i) {
    const Library::HeuristicResult& result = results[static_cast<size_t>(i)];
    if (result.state != kLtSuccess) continue;
    proposals.push_back({.call = [plan, algorithm = result.algorithm](
                                     const AddressSet& addresses) { return enqueue(*plan, &algorithm, addresses); },
                         .name = library->name_of(&result.algorithm)});
  }
  if (proposals.empty()) return lt_unavailable(phrase("it has no algorithm for this product (status {})", status));
  return proposals;
}

CUresult CublasLtReference::enqueue(const Plan& plan, const void* algorithm, const AddressSet& addresses) {
  const Library& functions = plan.library->library_;
  const ProductBuffers at = buffers_of(plan.product);
  const auto memory = [&addresses](size_t buffer) { return reinterpret_cast<void*>(addresses[buffer]); };
  int status = kLtSuccess;
  if (plan.product.epilogue != Epilogue::none) {
    const void* bias = memory(at.bias);
    status = functions.operation_set(plan.operation, kBiasPointer, static_cast<const void*>(&bias), sizeof bias);
  }
  const float one = 1, zero = 0;
  if (status == kLtSuccess)
    status = functions.multiply(plan.library->handle_, plan.operation, &one, memory(at.b), plan.first, memory(at.a),
                                plan.second, &zero, memory(at.c), plan.result, memory(at.c), plan.result, algorithm,
                                reinterpret_cast<void*>(plan.workspace->address()), kWorkspaceBytes,
                                plan.library->context_->stream());
  return status == kLtSuccess ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

/// The properties of an algorithm that the library reports; others are omitted.
std::string CublasLtReference::name_of(const void* algorithm) const {
  const auto ask = [&](int attribute, auto value) {
    size_t written = 0;
    const int status = library_.algorithm_get(algorithm, attribute, &value, sizeof value, &written);
    return status == kLtSuccess ? value : decltype(value){};
  };
  std::string name = fmt::format("algorithm {}, tile {}", ask(kAlgorithmId, int32_t{0}),
                                 cublaslt_tile_text(ask(kTileId, uint32_t{0})));
  if (const uint32_t stages = ask(kStagesId, uint32_t{0}); stages != 0) name += fmt::format(", stages id {}", stages);
  if (const std::string cluster = cublaslt_cluster_text(ask(kClusterId, uint16_t{0})); !cluster.empty())
    name += ", cluster " + cluster;
  if (const int32_t split = ask(kSplitK, int32_t{1}); split > 1) name += fmt::format(", K split by {}", split);
  return name;
}

namespace {

class CublasLt final : public LibraryReference {
  Result<std::vector<LibraryCall>> calls(const ReferenceTask& task, const std::shared_ptr<GpuContext>& context,
                                         const std::stop_token& /*stop*/) override {
    const auto library = keep_open(library_, context, [&] { return CublasLtReference::open(context); });
    if (!library) return forward(library);
    const auto product = product_named(task.operation, task.config);
    if (!product) return lt_unavailable(phrase("there is no operation {}", task.operation));
    auto proposals = CublasLtReference::proposals(*library, *product);
    if (!proposals) return forward(proposals);
    std::vector<LibraryCall> calls;
    for (auto& proposal : *proposals)
      calls.push_back({.call = std::move(proposal.call), .name = std::move(proposal.name)});
    return calls;
  }

  std::shared_ptr<CublasLtReference> library_;
};

const bool registered_lt = register_reference(
    {.names = {"cublaslt"}, .make = [](const ReferenceFolders&) { return std::make_unique<CublasLt>(); }});

}  // namespace
}  // namespace tilescope
