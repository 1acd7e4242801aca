// Questions about time that every lab with a speed report has. Their answers are computed from the shown report, a
// recording or this machine's sweep, at the size of the ladder. No ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/draw/strings.hpp"
#include "engine/lab.hpp"
#include "engine/speed_report.hpp"

namespace tilescope {

struct SpeedQuestion {
  std::string key;  // names what the answer depends on: "fastest, NVIDIA H200, 8192"
  std::string text, why;
  std::vector<std::pair<int64_t, std::string>> choices;  // value and label
  int64_t answer = 0;
};

/// Which rung is fastest? The choices are the fastest one and up to three others, and the intervals of their times do
/// not overlap with its: the answer is unambiguous. Nothing if there are fewer than two.
std::optional<SpeedQuestion> which_is_fastest(const Lab& lab, const SpeedReport& report, int64_t size,
                                              const Strings& strings);
/// How many times faster is one of the first and the last timed rung than the other? Values are tenths.
std::optional<SpeedQuestion> how_many_times_faster(const Lab& lab, const SpeedReport& report, int64_t size,
                                                   const Strings& strings);

/// A factor as it is shown: tenths below 10, whole numbers from there on.
int64_t factor_in_tenths(double factor);
/// Four different factors, at least 1, that include `factor`, each about twice the one before; `turn` (0 … 3) moves
/// the answer among them. In tenths, ascending.
std::vector<int64_t> factors_around(double factor, size_t turn);

}  // namespace tilescope
