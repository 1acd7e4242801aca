// Compares an output with its double-precision reference: |got − expected| ≤ absolute + relative · |expected|.
//
// Three things never pass: a NaN that is not expected, an element that still holds the poison, and an output that is
// all zeros when the reference is not.
#pragma once

#include <functional>

#include "engine/run_result.hpp"

namespace tilescope {

/// expected(begin, end, values) fills values[0 … end − begin); called from several threads.
using ExpectedFunction = std::function<void(size_t begin, size_t end, double* values)>;

Correctness compare(const std::string& buffer_name, const HostBuffer& got, const Tolerance& tolerance,
                    const ExpectedFunction& expected);

/// Compares about `most` elements: the output is divided into equal parts, and a run of 64 neighbours is compared in
/// each. All elements are still checked for being written.
Correctness compare_some(const std::string& buffer_name, const HostBuffer& got, const Tolerance& tolerance,
                         const ExpectedFunction& expected, size_t most);

}  // namespace tilescope
