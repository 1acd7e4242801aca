// What lab "reduction-sum" and its questions share.
#pragma once

#include <string>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

/// Numbers left after each launch if a CTA reduces `per_cta` numbers to one: 100,003 → 391, 2, 1.
std::vector<int64_t> levels(int64_t n, int64_t per_cta);
/// Floats that one CTA of the last two CUDA rungs adds.
int64_t share_of_cta(const Config& config);
/// Their number of CTAs, for the controls.
std::string share_formula(const Config& config);
std::vector<Predict> make_reduction_predicts();

}  // namespace tilescope
