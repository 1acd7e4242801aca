// One access to shared memory on the grid of banks: which lane requests which word of which of the 32 banks, in which
// pass. No drawing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/strings.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

constexpr int kBanks = 32;

/// A word that a pass requests.
struct BankWord {
  int64_t word = 0;    // byte offset into shared memory / 4
  uint32_t lanes = 0;  // lanes of the pass that request it, one bit each
  uint32_t pass = 0;   // 0, 1 …: the warp, its halves or its quarters
  uint32_t turn = 0;   // index among its bank's words in this pass; 0 if it is the only one
  uint32_t ways = 1;   // number of words that its bank delivers in this pass
  int bank() const { return static_cast<int>(((word % kBanks) + kBanks) % kBanks); }
  int64_t row() const { return (word - bank()) / kBanks; }
};

struct BankPicture {
  uint32_t access = 0, mask = 0, bytes_per_lane = 4;
  AccessKind kind = AccessKind::load;
  bool is_matrix = false;
  std::array<int64_t, 32> offset{};  // bytes into shared memory; for active lanes
  std::vector<BankWord> words;       // by pass, ascending
  uint32_t passes = 0;               // over the banks, including conflicts
  uint32_t needed = 0;               // passes without conflicts
  uint32_t groups = 0;               // the warp, halves or quarters of it that have an active lane
  uint32_t ways = 0;                 // words from the fullest bank of any pass
  int fullest_bank = 0;
  bool is_active(int lane) const { return (mask >> lane & 1) != 0; }
  bool reads() const { return kind == AccessKind::load; }
  int bank_of(int lane) const;
  /// The group of a lane; 0 for an idle one.
  uint32_t group_of(int lane) const;
  /// Rows of 32 words that are touched, ascending.
  std::vector<int64_t> rows() const;
};
BankPicture bank_picture(const RunResult& result, uint32_t access);

/// The banks' load by the lanes, in a few words: "all lanes on bank 5".
std::string bank_text(const Strings& strings, const BankPicture& picture);

/// The same access if neighbouring lanes were `to` instead of `from` words apart: the effect of padding each row of an
/// array by one word on a column access. Nothing if the lanes are not evenly spaced by at least `kShortestRow` words,
/// or if there is no conflict.
struct PaddedPicture {
  BankPicture picture;
  int64_t from = 0, to = 0;
};
constexpr int64_t kShortestRow = 8;
std::optional<PaddedPicture> with_padding(const BankPicture& picture);

}  // namespace tilescope
