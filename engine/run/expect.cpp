#include "engine/run/expect.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/run/inputs.hpp"
#include "engine/run/npy.hpp"

namespace tilescope {
namespace {

/// Whether element i still holds the initial pattern of an output. For small integers that pattern is an ordinary
/// value.
bool is_untouched(const BufferSpec& buffer, const HostBuffer& got, size_t i) {
  if (buffer.fill != Fill::poison || (!is_floating(buffer.type) && size_of(buffer.type) < 4)) return false;
  return count_poison(got, i, i + 1) == 1;
}

bool agree(const HostBuffer& got, const HostBuffer& expected, size_t i, const Tolerance& tolerance) {
  const double value = value_at(got, i), wanted = value_at(expected, i);
  if (std::isnan(value) || std::isnan(wanted)) return false;
  const bool exact = tolerance.absolute == 0 && tolerance.relative == 0;
  if (exact && got.type == expected.type && !is_floating(got.type)) {
    const size_t bytes = size_of(got.type);
    return std::memcmp(got.bytes.data() + i * bytes, expected.bytes.data() + i * bytes, bytes) == 0;
  }
  if (std::isinf(value) || std::isinf(wanted)) return value == wanted;
  return std::fabs(value - wanted) <= tolerance.absolute + tolerance.relative * std::fabs(wanted);
}

Phrase reason_of(const Correctness& result, const std::vector<int64_t>& shape, uint64_t first_nan) {
  if (result.mismatches == 0) return {};
  if (result.untouched != 0) return phrase("{} of {} elements were never written", result.untouched, result.elements);
  if (result.nan != 0)
    return phrase("{} of {} elements are NaN, the first at [{}]; a NaN agrees with nothing", result.nan,
                  result.elements, index_text(shape, first_nan));
  return phrase("{} of {} elements differ, the first at [{}]: expected {}, got {}", result.mismatches, result.checked,
                index_text(shape, result.first->index), fmt::format("{:.9g}", result.first->expected),
                fmt::format("{:.9g}", result.first->got));
}

}  // namespace

Tolerance usual_tolerance(DType type) {
  switch (type) {
    case DType::f32:
      return {1e-5, 1.3e-6};
    case DType::f64:
      return {1e-7, 1e-7};
    case DType::f16:
      return {1e-5, 1e-3};
    case DType::bf16:
      return {1e-5, 1.6e-2};
    default:
      return {0, 0};
  }
}

Result<HostBuffer> read_expected(const std::string& file, const BufferSpec& buffer) {
  const auto count = static_cast<size_t>(buffer.count());
  if (is_npy(file)) {
    auto array = read_npy(file);
    if (!array) return forward(array);
    if (array->values.count() != count)
      return fail(ErrorId::file_refused, file,
                  phrase("it holds {} elements and the buffer '{}' has {}", array->values.count(), buffer.name, count));
    return std::move(array->values);
  }
  std::error_code problem;
  const auto bytes = std::filesystem::file_size(file, problem);
  if (problem) return fail(ErrorId::file_not_found, file, problem.message());
  HostBuffer expected(buffer.type, count);
  if (bytes != expected.bytes.size())
    return fail(ErrorId::file_refused, file,
                phrase("it holds {} bytes and the buffer '{}' has {}", bytes, buffer.name, expected.bytes.size()));
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(expected.bytes.data()), static_cast<std::streamsize>(expected.bytes.size()));
  if (!stream) return fail(ErrorId::file_not_found, file, std::strerror(errno));
  return expected;
}

Correctness compare_expected(const BufferSpec& buffer, const HostBuffer& got, const HostBuffer& expected,
                             const Tolerance& tolerance) {
  Correctness result;
  result.buffer = buffer.name;
  result.tolerance = tolerance;
  result.checked = result.elements = got.count();
  uint64_t first_nan = 0;
  for (size_t i = 0; i < got.count(); ++i) {
    const double value = value_at(got, i), wanted = value_at(expected, i), error = std::fabs(value - wanted);
    if (std::isfinite(error) && error > result.largest_error) {
      result.largest_error = error;
      result.largest_error_index = i;
    }
    const bool untouched = is_untouched(buffer, got, i);
    if (!untouched && agree(got, expected, i, tolerance)) continue;
    result.untouched += untouched ? 1 : 0;
    if (std::isnan(value) && result.nan++ == 0) first_nan = i;
    if (result.mismatches++ == 0) result.first = {i, wanted, value};
  }
  result.reason = reason_of(result, buffer.shape, first_nan);
  result.pass = result.reason.empty();
  return result;
}

std::string index_text(const std::vector<int64_t>& shape, uint64_t index) {
  std::string text;
  for (size_t i = shape.size(); i-- > 1;) {
    const auto extent = static_cast<uint64_t>(shape[i]);
    text.insert(0, "," + std::to_string(index % extent));
    index /= extent;
  }
  return std::to_string(index) + text;
}

}  // namespace tilescope
