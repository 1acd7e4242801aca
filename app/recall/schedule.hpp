// When a review card is asked again: a Leitner schedule. A right answer moves a card up one box, a wrong one back to
// box 0.
//
//     box            0            1      2       3       4        5        6
//     asked again    10 minutes   1 day  3 days  7 days  16 days  35 days  90 days    after the answer
//
// An answer counts only if the card is due: a right answer to a card whose answer was on the screen a minute ago shows
// nothing. A wrong answer always counts. Times are seconds since 1970, UTC.
#pragma once

#include <cstdint>

#include "app/session/progress.hpp"

namespace tilescope {

/// Seconds from an answer until the card is asked again, for a card that the answer has moved to this box.
int64_t interval_of(int box);

/// Whether the card is to be asked now; a card without a record is. Also if the record is from the future: then the
/// machine's clock was wrong.
bool is_due(const CardRecord* record, int64_t now);

/// Records an answer. Returns whether it counted.
bool note_answer(CardRecord& record, bool right, int64_t now);

}  // namespace tilescope
