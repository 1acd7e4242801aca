// The two numbers that an online softmax keeps of a row: the maximum m of the scores so far, and the sum l of
// exp(score − m). No ImGui.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace tilescope {

struct OnlineSoftmax {
  double m = -HUGE_VAL, l = 0;
  double largest = -HUGE_VAL;  // of the newest scores
  double rescale = 1;          // factor by which they multiplied the earlier sum
  bool raised = false;         // they raised m, and the earlier sum was not empty

  /// The next scores of the row.
  void add(std::span<const double> scores) {
    largest = scores.empty() ? -HUGE_VAL : *std::max_element(scores.begin(), scores.end());
    const double top = std::max(m, largest);
    rescale = l > 0 ? std::exp(m - top) : 1;
    raised = l > 0 && top > m;
    l *= rescale;
    for (const double score : scores) l += std::exp(score - top);
    m = top;
  }
};

}  // namespace tilescope
