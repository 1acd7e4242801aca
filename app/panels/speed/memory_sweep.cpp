#include "app/panels/speed/memory_sweep.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

constexpr int64_t kLongest = int64_t{1} << 17;

}  // namespace

double allocated_bytes(const Lab& lab, const Rung& rung, const Config& config) {
  double bytes = 0;
  for (const BufferSpec& buffer : rung.buffers ? rung.buffers(config) : lab.buffers(config))
    if (buffer.role == Role::output || buffer.role == Role::scratch)
      bytes += static_cast<double>(buffer.count()) * static_cast<double>(size_of(buffer.type));
  return bytes;
}

MemorySweep memory_sweep(const Lab& lab, const Config& config) {
  MemorySweep sweep;
  sweep.lengths = sweep_of(lab);
  if (sweep.lengths.empty()) return sweep;
  while (sweep.lengths.back() < kLongest) sweep.lengths.push_back(sweep.lengths.back() * 2);
  for (const Rung& rung : lab.rungs) {
    if (rung.pick) continue;
    MemoryCurve line{{&rung}, {}, 0};
    for (const int64_t length : sweep.lengths)
      line.bytes.push_back(allocated_bytes(lab, rung, sweep_config(lab, config, length)));
    const auto same = std::find_if(sweep.lines.begin(), sweep.lines.end(),
                                   [&](const MemoryCurve& other) { return other.bytes == line.bytes; });
    if (same != sweep.lines.end()) {
      same->rungs.push_back(&rung);
      continue;
    }
    if (const size_t count = line.bytes.size(); count > 1 && line.bytes[count - 2] > 0) {
      const double longer =
          static_cast<double>(sweep.lengths[count - 1]) / static_cast<double>(sweep.lengths[count - 2]);
      line.power =
          static_cast<int>(std::lround(std::log(line.bytes[count - 1] / line.bytes[count - 2]) / std::log(longer)));
    }
    sweep.lines.push_back(std::move(line));
  }
  std::stable_sort(sweep.lines.begin(), sweep.lines.end(),
                   [](const MemoryCurve& a, const MemoryCurve& b) { return a.bytes.back() > b.bytes.back(); });
  return sweep;
}

const MemoryCurve* line_of(const MemorySweep& sweep, const std::string& rung) {
  for (const MemoryCurve& line : sweep.lines)
    for (const Rung* one : line.rungs)
      if (one->name == rung) return &line;
  return nullptr;
}

}  // namespace tilescope
