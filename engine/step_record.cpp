#include "engine/step_record.hpp"

#include <algorithm>
#include <cstring>

namespace tilescope {

uint64_t LaneValues::bits(int lane) const {
  if (bytes_ == 0) return words_[0] >> lane & 1;
  uint64_t value = 0;
  const uint32_t width = std::max(2U, bytes_);
  const auto* bytes = reinterpret_cast<const uint8_t*>(words_) + static_cast<size_t>(lane) * width;
  std::memcpy(&value, bytes, std::min<size_t>(bytes_, sizeof(value)));
  return value;
}

uint64_t LaneValues::high_bits(int lane) const {
  if (bytes_ <= 8) return 0;
  uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const uint8_t*>(words_) + static_cast<size_t>(lane) * bytes_ + 8, sizeof(value));
  return value;
}

std::span<const uint32_t> StepRecord::steps_of(uint32_t warp) const {
  return {steps_by_warp.data() + steps_first[warp], steps_by_warp.data() + steps_first[warp + 1]};
}

std::optional<uint32_t> StepRecord::last_write(uint32_t warp, uint32_t reg, uint32_t step) const {
  const size_t row = size_t{warp} * registers.size() + reg;
  const auto begin = history.begin() + history_first[row], end = history.begin() + history_first[row + 1];
  const auto after =
      std::upper_bound(begin, end, step, [&](uint32_t at, uint32_t write) { return at < writes[write].step; });
  if (after == begin) return {};
  return *(after - 1);
}

std::optional<LaneValues> StepRecord::value_at(uint32_t warp, uint32_t reg, uint32_t step) const {
  const auto write = last_write(warp, reg, step);
  if (!write) return {};
  return values_of(writes[*write]);
}

std::optional<LaneValues> StepRecord::value_read(uint32_t warp, uint32_t reg, uint32_t step) const {
  const size_t row = size_t{warp} * registers.size() + reg;
  const auto begin = history.begin() + history_first[row], end = history.begin() + history_first[row + 1];
  auto after = std::upper_bound(begin, end, step, [&](uint32_t at, uint32_t write) { return at < writes[write].step; });
  while (after != begin && writes[*(after - 1)].step == step && !writes[*(after - 1)].found) --after;
  if (after == begin) return {};
  return values_of(writes[*(after - 1)]);
}

StepWarpState StepRecord::state_at(uint32_t warp, uint32_t step) const {
  const auto begin = changes_by_warp.begin() + changes_first[warp],
             end = changes_by_warp.begin() + changes_first[warp + 1];
  const auto after =
      std::upper_bound(begin, end, step + 1, [&](uint32_t at, uint32_t change) { return at < changes[change].step; });
  return after == begin ? StepWarpState{} : changes[*(after - 1)].now;
}

uint32_t StepRecord::lanes_of(uint32_t warp) const {
  const uint64_t threads = block_extent.count() - uint64_t{warp} * 32;
  return threads >= 32 ? 0xffffffff : (1U << threads) - 1;
}

const StepVariable* StepRecord::shared_variable(uint32_t first, uint32_t end) const {
  const StepVariable* found = nullptr;
  for (const StepVariable& one : shared) {
    if (first < one.first || end > one.first + one.bytes) continue;
    if (found != nullptr) return nullptr;  // two names for the dynamic shared memory
    found = &one;
  }
  return found;
}

std::optional<std::array<uint64_t, 32>> StepRecord::addresses_at(uint32_t index) const {
  const Step& step = steps[index];
  const StepInstruction& instruction = instructions[step.instruction];
  if (!instruction.is_memory) return {};
  std::array<uint64_t, 32> addresses{};
  addresses.fill(static_cast<uint64_t>(instruction.address_offset));
  if (instruction.address_register == Step::kNone) return addresses;
  const auto base = value_read(step.warp, instruction.address_register, index);
  if (!base) return {};
  for (int lane = 0; lane < 32; ++lane) addresses[static_cast<size_t>(lane)] += base->bits(lane);
  return addresses;
}

size_t StepRecord::bytes() const {
  return steps.size() * (sizeof(Step) + sizeof(uint32_t)) + writes.size() * (sizeof(StepWrite) + sizeof(uint32_t)) +
         values.size() * sizeof(uint32_t) + paths.size() * sizeof(StepPath) + changes.size() * sizeof(StepChange);
}

void StepRecord::index() {
  // Counting sort: entries of a row keep their order.
  const auto sort_into = [](size_t rows, size_t count, const auto& row_of, std::vector<uint32_t>& first,
                            std::vector<uint32_t>& sorted) {
    first.assign(rows + 1, 0);
    for (size_t i = 0; i < count; ++i) ++first[row_of(i) + 1];
    for (size_t row = 0; row < rows; ++row) first[row + 1] += first[row];
    std::vector<uint32_t> next(first.begin(), first.end() - 1);
    sorted.assign(count, 0);
    for (size_t i = 0; i < count; ++i) sorted[next[row_of(i)]++] = static_cast<uint32_t>(i);
  };
  sort_into(
      warps, steps.size(), [this](size_t i) { return size_t{steps[i].warp}; }, steps_first, steps_by_warp);
  sort_into(
      warps, changes.size(), [this](size_t i) { return size_t{changes[i].warp}; }, changes_first, changes_by_warp);
  sort_into(
      size_t{warps} * registers.size(), writes.size(),
      [this](size_t i) { return size_t{writes[i].warp} * registers.size() + writes[i].reg; }, history_first, history);
}

}  // namespace tilescope
