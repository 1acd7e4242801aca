// An output against its double-precision reference: |got − expected| ≤ absolute + relative · |expected|.
//
// A NaN never passes unless it is expected; an element that still holds the poison, and an output that is zero
// everywhere while the reference is not, never pass.
#pragma once

#include <functional>

#include "engine/run_result.hpp"

namespace tilescope {

/// expected(begin, end, values) fills values[0 … end − begin); called from several threads.
using ExpectedFunction = std::function<void(size_t begin, size_t end, double* values)>;

Correctness compare(const std::string& buffer_name, const HostBuffer& got, const Tolerance& tolerance,
                    const ExpectedFunction& expected);

/// The same for about `most` elements: runs of 64 neighbours, one somewhere in each of as many equal parts of the
/// output. That nothing is left unwritten is still checked for every element.
Correctness compare_some(const std::string& buffer_name, const HostBuffer& got, const Tolerance& tolerance,
                         const ExpectedFunction& expected, size_t most);

}  // namespace tilescope
