#include "tests/differential/corpus.hpp"

namespace tilescope::differential {

const Corpus& corpus() {
  static const Corpus all = [] {
    Corpus cases;
    add_reductions(cases);
    add_scans(cases);
    add_sorts(cases);
    add_matrices(cases);
    add_hashes(cases);
    add_graphs(cases);
    add_styles(cases);
    add_cooperation(cases);
    add_structures(cases);
    add_tensor(cases);
    add_numerics(cases);
    add_learning(cases);
    add_grids(cases);
    return cases;
  }();
  return all;
}

}  // namespace tilescope::differential
