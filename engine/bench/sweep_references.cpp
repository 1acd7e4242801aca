// What the rungs are compared with at the size that a sweep is at: the device's copy, libraries of this process, and
// those of the Python child.
#include <cmath>
#include <map>

#include "engine/bench/sweep.hpp"
#include "engine/run/paths.hpp"

namespace tilescope {

/// What cannot be had at this size leaves its reason.
Result<void> Sweep::add_references(const Config& config, int64_t size) {
  for (size_t series = first_reference_; series < report_.series.size(); ++series) {
    if (stop_.stop_requested()) return fail(ErrorId::cancelled);
    TimingSeries& shown = report_.series[series];
    if (!shown.unavailable.empty()) continue;
    auto added = add_reference(series, config);
    if (added || added.error().id == ErrorId::cancelled) continue;
    const bool own = reference(series).kind == ReferenceKind::device_copy;
    if (own && added.error().id != ErrorId::too_large_for_gpu) return added;
    miss(shown, size, added.error().message);
  }
  return {};
}

Result<void> Sweep::add_reference(size_t series, const Config& config) {
  const ReferenceSpec& spec = reference(series);
  if (is_library(spec.kind)) return add_library(series, spec, config);
  if (spec.kind != ReferenceKind::device_copy) return add_python(series, spec, config);
  return add_copy(series, lab_.useful_bytes(config));
}

/// A copy moves every byte twice, so half the bytes make the same traffic as the operation. Whole pages only: 16 MB and
/// 2 KB took an H200 13.7 µs, and 16 MB 9.5.
Result<void> Sweep::add_copy(size_t series, double useful_bytes) {
  constexpr size_t kPage = 4096, kWorthRounding = size_t{1} << 20;
  auto bytes = static_cast<size_t>(useful_bytes / 2);
  if (bytes >= kWorthRounding) bytes -= bytes % kPage;
  auto sets = CopySets::make(buffers_, bytes, method_.cold() ? 1 : method_.sets);
  if (!sets) return forward(sets);
  copies_.push_back(std::move(*sets));
  return add_work(series, GpuTimer::copies(copies_.back().addresses(), bytes), method_);
}

/// What queues the operation of a library that is called in this process, opened when it is first needed. Of several
/// ways the fastest comes first; `addresses` are those of buffers that they may be tried on.
Result<std::vector<LibraryCall>> Sweep::library_calls(const ReferenceSpec& spec, const Config& config,
                                                      const AddressSet& addresses) {
  const auto context = context_of(*buffers_.front());
  const std::string operation = operation_of(spec, config);
  const auto plain = [](Result<EnqueueCall> call) -> Result<std::vector<LibraryCall>> {
    if (!call) return forward(call);
    return std::vector<LibraryCall>{{.call = std::move(*call)}};
  };
  if (spec.kind == ReferenceKind::cub) {
    if (!cub_ || cub_->context() != context) {
      auto opened = CubReference::open(
          context, {.source = engine_.root() / "assets" / "cub" / "device_sum.cu", .cache_folder = user_cache_folder()},
          stop_);
      if (!opened) return forward(opened);
      cub_ = std::move(*opened);
    }
    return plain(CubReference::call(cub_, operation, config.sizes));
  }
  if (spec.kind == ReferenceKind::cublaslt) {
    if (!cublaslt_ || cublaslt_->context() != context) {
      auto opened = CublasLtReference::open(context);
      if (!opened) return forward(opened);
      cublaslt_ = std::move(*opened);
    }
    return timed_proposals(operation, config, addresses);
  }
  if (!cublas_ || cublas_->context() != context) {
    auto opened = CublasReference::open(context);
    if (!opened) return forward(opened);
    cublas_ = std::move(*opened);
  }
  return plain(CublasReference::call(cublas_, operation, config));
}

/// cuBLASLt leaves the choice among its algorithms to the caller: each is timed a few times.
Result<std::vector<LibraryCall>> Sweep::timed_proposals(const std::string& operation, const Config& config,
                                                        const AddressSet& addresses) {
  constexpr int kSamples = 5;
  const auto product = product_named(operation, config);
  if (!product) return fail(ErrorId::reference_unavailable, "cuBLASLt", phrase("there is no operation {}", operation));
  auto proposals = CublasLtReference::proposals(cublaslt_, *product);
  if (!proposals) return forward(proposals);
  std::multimap<double, LibraryCall> timed;
  for (auto& proposal : *proposals) {
    const auto times = timer_->cold(GpuTimer::calls(proposal.call, std::span(&addresses, 1)), kSamples);
    if (!times) continue;  // a proposal that the library itself then refuses
    timed.emplace(bootstrap_median(*times).median,
                  LibraryCall{.call = std::move(proposal.call),
                              .note = fmt::format("{}, the fastest of {}", proposal.name, proposals->size())});
  }
  if (timed.empty()) return fail(ErrorId::reference_unavailable, "cuBLASLt", "none of its algorithms runs");
  std::vector<LibraryCall> calls;
  for (auto& [ms, call] : timed) calls.push_back(std::move(call));
  return calls;
}

/// On copies of the rungs' buffers; checked against what the rungs computed, which is right. Of several ways the
/// fastest that computes the same.
Result<void> Sweep::add_library(size_t series, const ReferenceSpec& spec, const Config& config) {
  auto copies = BufferSets::copies_of(buffers_, method_.cold() ? 1 : method_.sets);
  if (!copies) return forward(copies);
  auto calls = library_calls(spec, config, copies->addresses().front());
  if (!calls) return forward(calls);
  for (LibraryCall& called : *calls) {
    TimedWork work = GpuTimer::calls(std::move(called.call), copies->addresses());
    auto right = agrees(work, copies->addresses().front(), config);
    if (!right) return forward(right);
    if (!*right) continue;
    library_sets_.push_back(std::move(*copies));
    if (auto added = add_work(series, std::move(work), method_); !added) return added;
    const bool passed_over = &called != &calls->front();
    contestants_.back().note = std::move(called.note) + (passed_over ? " whose result is that of the rungs" : "");
    return {};
  }
  return fail(ErrorId::reference_unavailable, spec.name, "its result is not that of the rungs");
}

/// Outputs are wiped, computed, and compared with those of the rungs: both may be off by the tolerance.
Result<bool> Sweep::agrees(const TimedWork& work, std::span<const uint64_t> addresses, const Config& config) const {
  const auto context = context_of(*buffers_.front());
  const auto specs = lab_.buffers(config);
  CurrentContext current(*context);
  if (!current) return tl::unexpected(context->error(Phrase("the comparison"), CUDA_ERROR_CONTEXT_IS_DESTROYED));
  const Driver& driver = context->driver();
  CUresult status = CUDA_SUCCESS;
  const auto step = [&status](CUresult result) { status = status == CUDA_SUCCESS ? result : status; };
  for (size_t i = 0; i < specs.size(); ++i)
    if (specs[i].role == Role::output)
      step(driver.memset_d8_async(addresses[i], 0xff, buffers_[i]->bytes(), context->stream()));
  if (auto ran = timer_->execute(work); !ran) return forward(ran);
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].role != Role::output) continue;
    const Tolerance tolerance = tolerance_of(lab_, report_.series.front().name, config, specs[i].type);
    HostBuffer expected(specs[i].type, static_cast<size_t>(specs[i].count())), got = expected;
    step(driver.memcpy_dtoh(expected.bytes.data(), buffers_[i]->address(), buffers_[i]->bytes()));
    step(driver.memcpy_dtoh(got.bytes.data(), addresses[i], buffers_[i]->bytes()));
    if (status != CUDA_SUCCESS) return tl::unexpected(context->error(Phrase("the comparison"), status));
    for (size_t k = 0; k < got.count(); ++k) {
      const double wanted = value_at(expected, k);
      const double allowed = 2 * (tolerance.absolute + tolerance.relative * std::abs(wanted));
      if (!(std::abs(value_at(got, k) - wanted) <= allowed)) return false;  // NaN is not either
    }
  }
  return true;
}

Result<void> Sweep::add_python(size_t series, const ReferenceSpec& spec, const Config& config) {
  PythonReference::Work work;
  work.kind = spec.kind;
  work.operation = operation_of(spec, config);
  if (const auto n = config.sizes.find(lab_.sweep_size); n != config.sizes.end()) work.n = n->second;
  work.sizes = config.sizes;
  work.params = config.params;
  work.sets = method_.cold() ? 1 : method_.sets;
  work.executions = method_.executions;
  work.flush_bytes = timer_->flush_bytes();
  auto take = [this, kind = spec.kind, operation = work.operation](int count) {
    return python_->time(kind, operation, count, stop_);
  };
  auto prepared = python_->prepare(work, stop_);
  auto pilot = prepared ? take(2) : forward(prepared);
  if (!pilot) return forward(pilot);
  Contestant contestant;
  contestant.series = series;
  contestant.take = take;
  contestant.method = method_;
  contestant.estimate_ms = bootstrap_median(*pilot).median * std::max(method_.executions, 1);
  contestants_.push_back(std::move(contestant));
  return {};
}

}  // namespace tilescope
