// One access to shared memory on the grid of banks: which lane asks which word of which of the 32 banks, in which pass.
// No drawing.
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

/// A word that a pass asks for.
struct BankWord {
  int64_t word = 0;    // byte offset into shared memory / 4
  uint32_t lanes = 0;  // of the pass that ask for it, one bit each
  uint32_t pass = 0;   // 0, 1 …: the warp, its halves or its quarters
  uint32_t turn = 0;   // which of its bank's words in this pass; 0 where it is the only one
  uint32_t ways = 1;   // words that its bank has to give in this pass
  int bank() const { return static_cast<int>(((word % kBanks) + kBanks) % kBanks); }
  int64_t row() const { return (word - bank()) / kBanks; }
};

struct BankPicture {
  uint32_t access = 0, mask = 0, bytes_per_lane = 4;
  AccessKind kind = AccessKind::load;
  bool is_matrix = false;
  std::array<int64_t, 32> offset{};  // bytes into shared memory; of active lanes
  std::vector<BankWord> words;       // by pass, ascending
  uint32_t passes = 0;               // over the banks
  uint32_t needed = 0;               // without conflicts
  uint32_t groups = 0;               // the warp, halves or quarters of it that have an active lane
  uint32_t ways = 0;                 // the fullest bank of any pass
  int fullest_bank = 0;
  bool is_active(int lane) const { return (mask >> lane & 1) != 0; }
  bool reads() const { return kind == AccessKind::load; }
  int bank_of(int lane) const;
  /// In which group of lanes a lane goes; 0 for an idle one.
  uint32_t group_of(int lane) const;
  /// Rows of 32 words that are touched, ascending.
  std::vector<int64_t> rows() const;
};
BankPicture bank_picture(const RunResult& result, uint32_t access);

/// What the lanes do to the banks, in a few words: "all lanes on bank 5".
std::string bank_text(const Strings& strings, const BankPicture& picture);

/// The same access if neighbouring lanes, which lie `from` words apart, lay `to` words apart: what one more word at the
/// end of each row of an array does to a column. Nothing where the lanes are not evenly apart by at least a row of
/// `kShortestRow` words, or where there is no conflict.
struct PaddedPicture {
  BankPicture picture;
  int64_t from = 0, to = 0;
};
constexpr int64_t kShortestRow = 8;
std::optional<PaddedPicture> with_padding(const BankPicture& picture);

}  // namespace tilescope
