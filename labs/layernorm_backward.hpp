// What lab "layernorm-backward" and its questions share.
#pragma once

#include <string>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

/// CTAs that loop over the rows in the fused rungs, and their number as a formula for the controls.
int64_t walking_ctas(const Config& config);
std::string walking_formula(const Config& config);
std::vector<Predict> make_layernorm_backward_predicts();

}  // namespace tilescope
