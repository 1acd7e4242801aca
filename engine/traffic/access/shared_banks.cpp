#include "engine/traffic/access/shared_banks.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tilescope {
namespace {

/// Whether all lane pairs whose numbers differ in one bit read the same address or have an idle lane.
bool pairs_agree(std::span<const uint64_t, 32> offset, uint32_t mask, size_t bit) {
  for (size_t lane = 0; lane < 32; ++lane) {
    const size_t other = lane ^ bit;
    const bool both = (mask >> lane & 1) != 0 && (mask >> other & 1) != 0;
    if (both && offset[lane] != offset[other]) return false;
  }
  return true;
}

/// The largest number of distinct words in one bank, over the words that these lanes touch.
uint32_t wavefronts_of_pass(std::span<const uint64_t, 32> offset, uint32_t mask, uint32_t bytes_per_lane) {
  std::array<uint64_t, 32 * 4> words{};
  size_t count = 0;
  const uint64_t words_per_lane = std::max<uint64_t>(1, bytes_per_lane / kBankWordBytes);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint64_t first = offset[static_cast<size_t>(std::countr_zero(left))] / kBankWordBytes;
    for (uint64_t word = 0; word < words_per_lane; ++word) words[count++] = first + word;
  }
  std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  const auto end = std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  std::array<uint32_t, kSharedBanks> of_bank{};
  uint32_t most = 0;
  for (auto word = words.begin(); word != end; ++word) most = std::max(most, ++of_bank[*word % kSharedBanks]);
  return most;
}

/// Number of passes into which the warp is divided.
size_t cut(std::span<const uint64_t, 32> offset, uint32_t mask, uint32_t bytes_per_lane, bool store) {
  if (bytes_per_lane <= kBankWordBytes) return 1;
  const bool merged = !store && (pairs_agree(offset, mask, 1) || pairs_agree(offset, mask, 2));
  return (bytes_per_lane == 8 ? 2 : 4) / (merged ? 2 : 1);
}

/// Calls `take` with the active lanes of every pass that has one, and their wavefronts.
template <class Take>
void for_each_pass(std::span<const uint64_t, 32> offset, uint32_t mask, uint32_t bytes_per_lane, bool apart,
                   Take take) {
  const size_t passes = cut(offset, mask, bytes_per_lane, apart);
  const size_t lanes = 32 / passes;
  for (size_t pass = 0; pass < passes; ++pass) {
    const uint32_t of_pass = mask & static_cast<uint32_t>(((uint64_t{1} << lanes) - 1) << (pass * lanes));
    if (of_pass != 0) take(of_pass, wavefronts_of_pass(offset, of_pass, bytes_per_lane));
  }
}

}  // namespace

SharedCost shared_cost(std::span<const uint64_t, 32> offset, uint32_t mask, uint32_t bytes_per_lane, bool store) {
  SharedCost cost;
  for_each_pass(offset, mask, bytes_per_lane, store, [&](uint32_t, uint32_t wavefronts) {
    ++cost.passes;
    cost.wavefronts += wavefronts;
  });
  return cost;
}

std::vector<SharedPass> shared_passes(std::span<const uint64_t, 32> offset, uint32_t mask, uint32_t bytes_per_lane,
                                      bool apart) {
  std::vector<SharedPass> passes;
  for_each_pass(offset, mask, bytes_per_lane, apart, [&](uint32_t lanes, uint32_t wavefronts) {
    passes.push_back({lanes, wavefronts});
  });
  return passes;
}

}  // namespace tilescope
