// What the files of lab "autotune" share: what a configuration takes, and its questions.
#pragma once

#include <vector>

#include "labs/matmul_tiles.hpp"

namespace tilescope {

/// Registers of a lane that hold results: BM · BN / (32 · WARPS).
int64_t accumulators_of_lane(const Config& config);
/// STAGES k-tiles of A and of B.
int64_t shared_bytes_of_cta(const Config& config);

std::vector<Predict> make_autotune_predicts();

}  // namespace tilescope
