// The content of the correctness view, derived from a RunResult. No ImGui.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/draw/strings.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// The sentence at the top: the finding, its reason, a muted addition, and what the checks found.
struct Verdict {
  std::string finding, reason, quiet, found;
};
Verdict verdict_of(const RunResult& run, size_t output, const Strings& strings);

/// The output that is shown initially: the first that fails, else the first.
size_t first_failing_output(const RunResult& run);

/// One element of an output beside its reference. Unknown values are absent.
struct ElementFacts {
  int64_t element = 0;
  std::optional<double> got, expected, error, allowed;
  bool pass = true;
};
ElementFacts facts_of(const RunResult& run, size_t output, size_t buffer, int64_t element);

/// Distribution of an output's errors relative to the tolerance: first those equal to the reference, then a bucket per
/// factor of ten below the tolerance, and last those above it. For a large output, every `every`-th element is counted.
struct ErrorSpread {
  static constexpr size_t kBuckets = 8;
  std::array<uint64_t, kBuckets> counts{};  // 0; < 1e-5; < 1e-4; < 1e-3; < 0.01; < 0.1; ≤ 1; above, or NaN
  uint64_t elements = 0, every = 1;
};
/// Nothing if there is no reference for each element.
std::optional<ErrorSpread> spread_of(const RunResult& run, size_t output, size_t buffer);

/// The element with the largest error among [first, last] of a row; NaN counts as the largest.
int64_t worst_element(const RunResult& run, size_t output, size_t buffer, int64_t first, int64_t last);

/// "54,880" for a vector, "12, 4" for a matrix.
std::string element_text(const BufferSpec& buffer, int64_t element);
/// Seven significant digits, at most: 0.3141593, NaN.
std::string value_text(double value);
/// Both values with as many digits as needed to see that they differ.
std::pair<std::string, std::string> told_apart(double expected, double got);
/// Two significant digits: 2.4e-7.
std::string error_text(double error);
/// "1e-6 + 1e-6 · |expected|"
std::string tolerance_text(const Tolerance& tolerance, const Strings& strings);

}  // namespace tilescope
