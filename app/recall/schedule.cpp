#include "app/recall/schedule.hpp"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

constexpr int64_t kMinute = 60, kDay = 24 * 60 * kMinute;
constexpr std::array<int64_t, CardRecord::kLastBox + 1> kIntervals{10 * kMinute, 1 * kDay,  3 * kDay, 7 * kDay,
                                                                   16 * kDay,    35 * kDay, 90 * kDay};

}  // namespace

int64_t interval_of(int box) { return kIntervals[static_cast<size_t>(std::clamp(box, 0, CardRecord::kLastBox))]; }

bool is_due(const CardRecord* record, int64_t now) {
  if (record == nullptr || record->tries == 0) return true;
  // A clock that is corrected by some minutes is not wrong.
  return record->due <= now || record->answered > now + kDay;
}

bool note_answer(CardRecord& record, bool right, int64_t now) {
  if (right && !is_due(&record, now)) return false;
  record.box = right ? std::min(record.box + 1, CardRecord::kLastBox) : 0;
  record.answered = now;
  record.due = now + interval_of(record.box);
  ++record.tries;
  record.right += right ? 1 : 0;
  return true;
}

}  // namespace tilescope
