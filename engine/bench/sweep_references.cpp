// Adds the references at the current size of a sweep.
#include <cmath>

#include "engine/bench/sweep.hpp"

namespace tilescope {

/// Records why a reference is missing.
void Sweep::open_references() {
  for (size_t series = first_reference_; series < report_.series.size(); ++series)
    report_.series[series].unavailable = references_.missing(reference(series).implementation, stop_);
  references_.note_versions(report_);
}

/// For a reference that is unavailable at this size, the reason is recorded.
Result<void> Sweep::add_references(const Config& config, int64_t size) {
  for (size_t series = first_reference_; series < report_.series.size(); ++series) {
    if (stop_.stop_requested()) return fail(ErrorId::cancelled);
    TimingSeries& shown = report_.series[series];
    if (!shown.unavailable.empty()) continue;
    auto added = add_reference(series, config, size);
    if (added || added.error().id == ErrorId::cancelled) continue;
    const bool optional = find_reference(reference(series).implementation)->optional;
    if (!optional && added.error().id != ErrorId::too_large_for_gpu) return added;
    miss(shown, size, added.error().message);
  }
  return {};
}

Result<void> Sweep::add_reference(size_t series, const Config& config, int64_t size) {
  const ReferenceSpec& spec = reference(series);
  const auto n = config.sizes.find(lab_.sweep_size);
  const ReferenceTask task{
      .name = spec.name,
      .implementation = spec.implementation,
      .operation = operation_of(spec, config),
      .config = config,
      .n = n != config.sizes.end() ? n->second : 0,
      .useful_bytes = lab_.useful_bytes(config),
      .buffers = buffers_,
      .timer = *timer_,
      .method = method_,
      .agrees = [&](const TimedWork& work, const AddressSet& addresses) { return agrees(work, addresses, config); }};
  auto prepared = references_.prepare(task, stop_);
  if (!prepared) return forward(prepared);
  if (prepared->host_us > 0) report_.series[series].host_us[size] = prepared->host_us;
  Contestant contestant;
  contestant.series = series;
  contestant.take = std::move(prepared->take);
  contestant.method = method_;
  contestant.note = std::move(prepared->note);
  return add_contestant(std::move(contestant));
}

/// Outputs are wiped, computed, and compared with the rungs': both may deviate by the tolerance.
Result<bool> Sweep::agrees(const TimedWork& work, const AddressSet& addresses, const Config& config) const {
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
      if (!(std::abs(value_at(got, k) - wanted) <= allowed)) return false;  // true for NaN too
    }
  }
  return true;
}

}  // namespace tilescope
