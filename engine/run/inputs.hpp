// Initial contents of buffers. Random values are a function of (seed, buffer, element) alone, so any number of threads,
// and either device, gives the same bytes.
#pragma once

#include <cstdint>

#include "engine/plan.hpp"
#include "engine/result.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// The contents of the index-th buffer of a plan. Fill::file reads the file; one that is too short is an Error.
Result<HostBuffer> make_contents(const BufferSpec& spec, size_t index, uint64_t seed);
/// Elements [begin, end) of them; not of Fill::file.
HostBuffer make_part(const BufferSpec& spec, size_t index, uint64_t seed, size_t begin, size_t end);

/// Outputs start as this pattern: a NaN for floating types, an unlikely value for integers.
uint64_t poison_of(DType type);
/// Elements of [begin, end) that still hold the poison.
uint64_t count_poison(const HostBuffer& buffer, size_t begin, size_t end);

/// Standard normal, Box–Muller over a counter-based generator. Element i of stream s.
float normal_at(uint64_t stream, uint64_t element);
/// Uniform in [0, 1).
float uniform_at(uint64_t stream, uint64_t element);

/// Stores a value as an element, rounded to nearest even; integers are truncated.
void store_value(HostBuffer& buffer, size_t index, double value);

}  // namespace tilescope
