// What a buffer should hold after the run, from a file.
#pragma once

#include <optional>
#include <string>

#include "engine/plan.hpp"
#include "engine/result.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// |got − expected| ≤ absolute + relative · |expected| for results of a type, as torch.testing.assert_close has it;
/// integers agree or do not.
Tolerance usual_tolerance(DType type);

/// The expected elements: raw ones of the buffer's type, as many as it has, or a .npy file of as many of any type.
Result<HostBuffer> read_expected(const std::string& file, const BufferSpec& buffer);

/// A NaN agrees with nothing, not even with a NaN; nor does an element of a poisoned buffer that nobody has written.
/// With a tolerance of zero, 64-bit integers are compared bit by bit.
Correctness compare_expected(const BufferSpec& buffer, const HostBuffer& got, const HostBuffer& expected,
                             const Tolerance& tolerance);

/// "3,17": the index of an element in a buffer of that shape.
std::string index_text(const std::vector<int64_t>& shape, uint64_t index);

}  // namespace tilescope
