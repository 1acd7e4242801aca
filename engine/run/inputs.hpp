// Initial contents of buffers. Random values depend only on (seed, buffer, element), so any number of threads, and
// either device, gives the same bytes.
#pragma once

#include <cstdint>

#include "engine/plan.hpp"
#include "engine/result.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// The contents of the index-th buffer of a plan. Fill::file reads the file; a file that is too short is an Error.
Result<HostBuffer> make_contents(const BufferSpec& spec, size_t index, uint64_t seed);
/// Elements [begin, end) of the contents; not for Fill::file.
HostBuffer make_part(const BufferSpec& spec, size_t index, uint64_t seed, size_t begin, size_t end);

/// The initial pattern of outputs: a NaN for floating types, an unlikely value for integers.
uint64_t poison_of(DType type);
/// Number of elements in [begin, end) that still hold the poison.
uint64_t count_poison(const HostBuffer& buffer, size_t begin, size_t end);

/// Standard normal value of element i of stream s: Box–Muller over a counter-based generator.
float normal_at(uint64_t stream, uint64_t element);
/// Uniform in [0, 1).
float uniform_at(uint64_t stream, uint64_t element);

/// Stores a value as an element, rounded to nearest even; integers are truncated.
void store_value(HostBuffer& buffer, size_t index, double value);

}  // namespace tilescope
