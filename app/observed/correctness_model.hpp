// What the correctness view says, worked out from a RunResult. No ImGui.
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

/// The sentence on top: the finding, its reason, what is said quietly after it, and what the checks found.
struct Verdict {
  std::string finding, reason, quiet, found;
};
Verdict verdict_of(const RunResult& run, size_t output, const Strings& strings);

/// The output that is shown first: the first that fails, else the first.
size_t first_failing_output(const RunResult& run);

/// One element of an output beside its reference. What is not known is absent.
struct ElementFacts {
  int64_t element = 0;
  std::optional<double> got, expected, error, allowed;
  bool pass = true;
};
ElementFacts facts_of(const RunResult& run, size_t output, size_t buffer, int64_t element);

/// How the errors of an output spread, as shares of what is allowed: equal to the reference, then a bucket for each
/// factor of ten below what is allowed, the last one above it. Where an output is large, every `every`-th element.
struct ErrorSpread {
  static constexpr size_t kBuckets = 8;
  std::array<uint64_t, kBuckets> counts{};  // 0; < 1e-5; < 1e-4; < 1e-3; < 0.01; < 0.1; ≤ 1; above, or NaN
  uint64_t elements = 0, every = 1;
};
/// Nothing where there is no reference element by element.
std::optional<ErrorSpread> spread_of(const RunResult& run, size_t output, size_t buffer);

/// The element with the largest error among [first, last] of a row; no number counts as the largest.
int64_t worst_element(const RunResult& run, size_t output, size_t buffer, int64_t first, int64_t last);

/// "54,880" for a vector, "12, 4" for a matrix.
std::string element_text(const BufferSpec& buffer, int64_t element);
/// Seven significant digits, at most: 0.3141593, NaN.
std::string value_text(double value);
/// Both with as many digits as it takes to see that they differ.
std::pair<std::string, std::string> told_apart(double expected, double got);
/// Two significant digits: 2.4e-7.
std::string error_text(double error);
/// "1e-6 + 1e-6 · |expected|"
std::string tolerance_text(const Tolerance& tolerance, const Strings& strings);

}  // namespace tilescope
