#include "engine/run/limits.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace tilescope {
namespace {

/// Bytes that can be allocated without swapping out other programs; 0 if the system does not tell.
uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, rest; file >> name && std::getline(file, rest);)
    if (name == "MemAvailable:") return std::stoull(rest) * 1024;
  return 0;
}

uint64_t total_bytes(const Plan& plan) {
  uint64_t bytes = 0;
  for (const auto& buffer : plan.buffers) bytes += static_cast<uint64_t>(buffer.count()) * size_of(buffer.type);
  return bytes;
}

}  // namespace

Result<void> check_memory(const Plan& plan, DeviceKind device) {
  const uint64_t needed = total_bytes(plan) * (device == DeviceKind::sim ? 3 : 2);
  const uint64_t available = available_memory() / 10 * 8;
  if (available != 0 && needed > available) return fail(ErrorId::out_of_memory, needed, available);
  return {};
}

bool is_too_large(const Lab& lab, const Config& config) {
  return lab.most_simulated_flops != 0 && lab.flops(config) > lab.most_simulated_flops;
}

bool is_too_large(const Lab* lab, const Config& config) { return lab != nullptr && is_too_large(*lab, config); }

std::vector<uint32_t> sample_of(const Dim3& grid) {
  constexpr uint64_t kSampled = 4;
  const uint64_t blocks = grid.count();
  std::vector<uint32_t> sample;
  for (uint64_t i = 0; i < std::min(kSampled, blocks); ++i)
    sample.push_back(static_cast<uint32_t>(i * (blocks - 1) / std::max<uint64_t>(1, kSampled - 1)));
  sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
  return sample;
}

void note_sample(RunResult& result) {
  const Dim3& grid = result.plan.launches[result.launch].grid;
  result.blocks_sampled = sample_of(grid).size();
  result.not_observed_reason =
      phrase("{} of {} blocks were executed, which is too few for the views", result.blocks_sampled, grid.count());
}

size_t elements_to_compare(const Lab& lab, const Config& config, size_t elements) {
  if (lab.most_reference_flops == 0 || lab.flops(config) <= lab.most_reference_flops) return elements;
  return static_cast<size_t>(static_cast<double>(elements) * (lab.most_reference_flops / lab.flops(config)));
}

}  // namespace tilescope
