// The kernels of tests/differential/kernels and how their runs are drawn: ordinary CUDA of many kinds, without bugs, so
// that every finding is a false alarm.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/differential/scenario.hpp"

namespace tilescope::differential {

struct Case {
  std::string name = {};  // of the kernel, and of the case
  std::string file = {};  // in tests/differential/kernels
  std::function<void(Random&, Scenario&)> draw = {};
};

using Corpus = std::vector<Case>;

// One function per corpus_*.cpp.
void add_reductions(Corpus& corpus);
void add_scans(Corpus& corpus);
void add_sorts(Corpus& corpus);
void add_matrices(Corpus& corpus);
void add_hashes(Corpus& corpus);
void add_graphs(Corpus& corpus);
void add_styles(Corpus& corpus);
void add_cooperation(Corpus& corpus);
void add_structures(Corpus& corpus);
void add_tensor(Corpus& corpus);
void add_numerics(Corpus& corpus);
void add_learning(Corpus& corpus);
void add_grids(Corpus& corpus);

/// All cases.
const Corpus& corpus();

}  // namespace tilescope::differential
