// The result of comparing a run's outputs with their references.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/lab.hpp"
#include "engine/phrase.hpp"

namespace tilescope {

/// One output against its double-precision reference.
struct Correctness {
  std::string buffer;
  bool pass = false;
  Phrase reason;  // why it failed, one sentence; empty on pass
  Tolerance tolerance;
  uint64_t elements = 0;  // in the output; larger than `checked` if only parts of it were compared
  uint64_t checked = 0, mismatches = 0, nan = 0, untouched = 0;
  double largest_error = 0;  // |got − expected|, over finite elements
  uint64_t largest_error_index = 0;
  struct Mismatch {
    uint64_t index = 0;
    double expected = 0, got = 0;
  };
  std::optional<Mismatch> first;     // the first element that does not match
  std::vector<float> expected;       // for the error map, up to kErrorMapElements elements
  std::vector<float> expected_rest;  // reference − expected, because expected is rounded to float; empty, or as long as
                                     // expected
  static constexpr size_t kErrorMapElements = size_t{1} << 24;
};

/// Statistics of one output that has no reference.
struct OutputStatistics {
  size_t buffer = 0;  // index into Plan::buffers
  uint64_t count = 0, finite = 0, nan = 0, infinite = 0, zeros = 0;
  uint64_t untouched = 0;    // elements that still hold the initial pattern of outputs
  double low = 0, high = 0;  // among the finite elements
  uint64_t low_index = 0, high_index = 0;
  double mean = 0, deviation = 0;
};

}  // namespace tilescope
