// The driver's own copy between two device addresses: the maximum speed at which bytes can move.
#include "engine/gpu/buffer_sets.hpp"
#include "engine/reference/library_reference.hpp"

namespace tilescope {
namespace {

class DeviceCopy final : public Reference {
 public:
  /// A copy moves every byte twice, so half the bytes cause the same traffic as the operation. Only whole pages are
  /// used: on an H200, 16 MB plus 2 KB took 13.7 µs, and 16 MB took 9.5 µs.
  Result<PreparedReference> prepare(const ReferenceTask& task, const std::stop_token& /*stop*/) override {
    constexpr size_t kPage = 4096, kWorthRounding = size_t{1} << 20;
    auto bytes = static_cast<size_t>(task.useful_bytes / 2);
    if (bytes >= kWorthRounding) bytes -= bytes % kPage;
    auto sets = CopySets::make(task.buffers, bytes, task.method.cold() ? 1 : task.method.sets);
    if (!sets) return forward(sets);
    auto memory = std::make_shared<const CopySets>(std::move(*sets));
    return prepare_work(task, GpuTimer::copies(memory->addresses(), bytes), memory);
  }
};

const bool registered_copy = register_reference({
    .names = {"device_copy"},
    .make = [](const ReferenceFolders&) { return std::make_unique<DeviceCopy>(); },
    .only_moves_bytes = true,
    .optional = false,
});

}  // namespace
}  // namespace tilescope
