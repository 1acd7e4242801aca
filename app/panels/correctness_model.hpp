// What the correctness view says, worked out from a RunResult. No ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/strings.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// The sentence on top: the finding, its reason, and what is said quietly after it.
struct Verdict {
  std::string finding, reason, quiet;
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
