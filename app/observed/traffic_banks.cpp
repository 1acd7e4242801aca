#include "app/observed/traffic_banks.hpp"

#include <algorithm>
#include <bit>

#include "engine/traffic/access/block_traffic.hpp"
#include "engine/traffic/access/shared_banks.hpp"

namespace tilescope {
namespace {

constexpr int64_t kWordBytes = 4;

std::vector<BankWord> words_of_pass(const BankPicture& picture, uint32_t lanes, uint32_t pass) {
  std::vector<BankWord> words;
  const int64_t of_lane = std::max<int64_t>(1, picture.bytes_per_lane / kWordBytes);
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const int64_t first = picture.offset[lane] / kWordBytes;
    for (int64_t word = first; word < first + of_lane; ++word) {
      auto found = std::lower_bound(words.begin(), words.end(), word,
                                    [](const BankWord& one, int64_t value) { return one.word < value; });
      if (found == words.end() || found->word != word) found = words.insert(found, {.word = word, .pass = pass});
      found->lanes |= 1U << lane;
    }
  }
  std::array<uint32_t, kBanks> count{};
  for (BankWord& word : words) word.turn = count[static_cast<size_t>(word.bank())]++;
  for (BankWord& word : words) word.ways = count[static_cast<size_t>(word.bank())];
  return words;
}

/// Computes passes and words from lanes and offsets.
void work_out(BankPicture& picture, bool apart) {
  std::array<uint64_t, 32> address{};
  for (size_t lane = 0; lane < 32; ++lane) address[lane] = static_cast<uint64_t>(picture.offset[lane]);
  const auto passes = shared_passes(address, picture.mask, picture.bytes_per_lane, apart);
  picture.words.clear();
  picture.passes = picture.ways = 0;
  picture.needed = picture.groups = static_cast<uint32_t>(passes.size());
  for (size_t pass = 0; pass < passes.size(); ++pass) {
    picture.passes += passes[pass].wavefronts;
    for (const BankWord& word : words_of_pass(picture, passes[pass].lanes, static_cast<uint32_t>(pass))) {
      if (word.ways > picture.ways) picture.fullest_bank = word.bank();
      picture.ways = std::max(picture.ways, word.ways);
      picture.words.push_back(word);
    }
  }
}

bool is_apart(const BankPicture& picture) {
  return picture.is_matrix || picture.kind == AccessKind::store || picture.kind == AccessKind::async_copy;
}

/// Byte distance between consecutive lanes, if it is the same for all active lanes; these must be consecutive.
std::optional<int64_t> even_distance(const BankPicture& picture) {
  std::optional<int64_t> distance;
  int last = -1;
  for (int lane = 0; lane < 32; ++lane) {
    if (!picture.is_active(lane)) continue;
    if (last >= 0) {
      const int64_t here = picture.offset[static_cast<size_t>(lane)] - picture.offset[static_cast<size_t>(last)];
      if (lane != last + 1 || (distance && *distance != here)) return {};
      distance = here;
    }
    last = lane;
  }
  return distance;
}

}  // namespace

int BankPicture::bank_of(int lane) const {
  return BankWord{.word = offset[static_cast<size_t>(lane)] / kWordBytes}.bank();
}

uint32_t BankPicture::group_of(int lane) const {
  for (const BankWord& word : words)
    if ((word.lanes >> lane & 1) != 0) return word.pass;
  return 0;
}

std::vector<int64_t> BankPicture::rows() const {
  std::vector<int64_t> rows;
  for (const BankWord& word : words) rows.push_back(word.row());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

BankPicture bank_picture(const RunResult& result, uint32_t access) {
  const Access& one = result.trace.accesses[access];
  const Site& site = result.trace.sites[one.site];
  BankPicture picture{.access = access,
                      .mask = one.mask,
                      .bytes_per_lane = std::max(1U, site.bytes_per_lane),
                      .kind = site.kind,
                      .is_matrix = site.is_matrix,
                      .offset = {},
                      .words = {}};
  for (int lane = 0; lane < 32; ++lane)
    if (picture.is_active(lane))
      picture.offset[static_cast<size_t>(lane)] = region_of(result.trace.address(one, lane)).offset;
  work_out(picture, lanes_apart(site));
  return picture;
}

std::string bank_text(const Strings& strings, const BankPicture& picture) {
  const int active = std::popcount(picture.mask);
  if (picture.ways > 1) {
    bool one_bank = true;
    for (const BankWord& word : picture.words) one_bank = one_bank && word.bank() == picture.fullest_bank;
    return strings.format(one_bank ? "traffic.lanes_on_one_bank" : "traffic.words_of_one_bank",
                          fmt::arg("lanes", active), fmt::arg("ways", picture.ways),
                          fmt::arg("bank", picture.fullest_bank));
  }
  if (picture.is_matrix) return strings.format("traffic.matrices", fmt::arg("count", picture.groups));
  if (picture.words.size() == 1 && active > 1) return strings.format("traffic.broadcast", fmt::arg("lanes", active));
  if (picture.groups > 1) return strings.format("traffic.in_groups", fmt::arg("count", picture.groups));
  return strings("traffic.a_word_of_each_bank");
}

std::optional<PaddedPicture> with_padding(const BankPicture& picture) {
  if (picture.ways < 2 || picture.is_matrix) return {};
  const auto distance = even_distance(picture);
  if (!distance || *distance < kShortestRow * kWordBytes || *distance % kWordBytes != 0) return {};
  // A row is padded by a whole access, so that the lanes stay aligned.
  const int64_t more = std::max<int64_t>(kWordBytes, picture.bytes_per_lane);
  PaddedPicture padded{picture, *distance / kWordBytes, (*distance + more) / kWordBytes};
  const int first = std::countr_zero(picture.mask);
  for (int lane = first; lane < 32; ++lane)
    if (picture.is_active(lane)) padded.picture.offset[static_cast<size_t>(lane)] += more * (lane - first);
  work_out(padded.picture, is_apart(picture));
  if (padded.picture.passes >= picture.passes) return {};
  return padded;
}

}  // namespace tilescope
