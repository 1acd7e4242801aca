// Compares a buffer after the run with expected contents from a file.
#pragma once

#include <optional>
#include <string>

#include "engine/plan.hpp"
#include "engine/result.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// Tolerance for results of a type, with the values of torch.testing.assert_close: |got − expected| ≤ absolute +
/// relative · |expected|. Integers must be equal.
Tolerance usual_tolerance(DType type);

/// The expected elements: raw elements of the buffer's type, or a .npy file of any type; both with the buffer's count.
Result<HostBuffer> read_expected(const std::string& file, const BufferSpec& buffer);

/// A NaN matches nothing, not even a NaN; nor does an element of a poisoned buffer that was never written. With a
/// tolerance of zero, 64-bit integers are compared bit by bit.
Correctness compare_expected(const BufferSpec& buffer, const HostBuffer& got, const HostBuffer& expected,
                             const Tolerance& tolerance);

/// "3,17": the index of an element in a buffer of this shape.
std::string index_text(const std::vector<int64_t>& shape, uint64_t index);

}  // namespace tilescope
