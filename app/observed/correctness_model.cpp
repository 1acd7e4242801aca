#include "app/observed/correctness_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/draw/sentences.hpp"
#include "app/observed/result_verdict.hpp"

namespace tilescope {
namespace {

/// 2.4e-07 → 2.4e-7
std::string without_exponent_zeros(std::string text) {
  const size_t exponent = text.find('e');
  if (exponent == std::string::npos || exponent + 2 >= text.size()) return text;
  size_t digit = exponent + 2;  // past the sign
  while (digit + 1 < text.size() && text[digit] == '0') text.erase(digit, 1);
  if (text[exponent + 1] == '+') text.erase(exponent + 1, 1);
  return text;
}

std::string rounded_text(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  return without_exponent_zeros(fmt::format("{:.{}g}", value, digits));
}

std::string index_text(const RunResult& run, const Correctness& check, uint64_t index) {
  for (const auto& buffer : run.plan.buffers)
    if (buffer.name == check.buffer) return element_text(buffer, static_cast<int64_t>(index));
  return with_separators(index);
}

std::string passed_reason(const RunResult& run, const Correctness& check, const Strings& strings) {
  if (check.largest_error == 0) return strings("correctness.no_error");
  return strings.format("correctness.largest_is", fmt::arg("error", error_text(check.largest_error)),
                        fmt::arg("index", index_text(run, check, check.largest_error_index)));
}

std::string failed_finding(const Correctness& check, const Strings& strings) {
  const bool untouched = check.untouched > 0 && check.untouched >= check.mismatches;
  return strings.format(untouched ? "correctness.untouched_of" : "correctness.wrong_of",
                        fmt::arg("count", with_separators(untouched ? check.untouched : check.mismatches)),
                        fmt::arg("all", with_separators(check.checked)), fmt::arg("name", check.buffer));
}

std::string failed_reason(const RunResult& run, const Correctness& check, const Strings& strings) {
  if (!check.first) return sentence(strings, check.reason);
  return strings.format("correctness.first_is", fmt::arg("index", index_text(run, check, check.first->index)),
                        fmt::arg("expected", value_text(check.first->expected)),
                        fmt::arg("got", value_text(check.first->got)));
}

}  // namespace

Verdict verdict_of(const RunResult& run, size_t output, const Strings& strings) {
  const Correctness& check = run.correctness[output];
  Verdict verdict;
  if (check.pass) {
    verdict.finding = strings.format(check.checked == 1 ? "correctness.one_matches" : "correctness.all_match",
                                     fmt::arg("all", with_separators(check.checked)), fmt::arg("name", check.buffer));
    verdict.reason = passed_reason(run, check, strings);
    verdict.found = findings_sentence(run, strings);
    verdict.quiet =
        strings.format("correctness.allowed_is", fmt::arg("tolerance", tolerance_text(check.tolerance, strings)));
  } else {
    verdict.finding = failed_finding(check, strings);
    verdict.reason = failed_reason(run, check, strings);
    verdict.found = findings_sentence(run, strings);
  }
  return verdict;
}

size_t first_failing_output(const RunResult& run) {
  for (size_t i = 0; i < run.correctness.size(); ++i)
    if (!run.correctness[i].pass) return i;
  return 0;
}

ElementFacts facts_of(const RunResult& run, size_t output, size_t buffer, int64_t element) {
  const Correctness& check = run.correctness[output];
  const auto index = static_cast<size_t>(element);
  ElementFacts facts;
  facts.element = element;
  if (run.buffers[buffer] && index < run.buffers[buffer]->count()) facts.got = value_at(*run.buffers[buffer], index);
  if (index < check.expected.size()) {
    facts.expected = static_cast<double>(check.expected[index]);
    if (index < check.expected_rest.size()) *facts.expected += static_cast<double>(check.expected_rest[index]);
  } else if (check.first && check.first->index == index) {
    facts.expected = check.first->expected;
  }
  if (facts.expected) facts.allowed = check.tolerance.absolute + check.tolerance.relative * std::fabs(*facts.expected);
  if (facts.got && facts.expected) {
    // A reference stored as a rounded float is less accurate than the one that was compared.
    const bool worst = check.expected_rest.empty() && index == check.largest_error_index;
    facts.error = worst ? check.largest_error : std::fabs(*facts.got - *facts.expected);
    facts.pass = std::isnan(*facts.expected) ? std::isnan(*facts.got) : *facts.error <= *facts.allowed;
    if (std::isinf(*facts.expected)) facts.pass = *facts.got == *facts.expected;
  }
  return facts;
}

std::optional<ErrorSpread> spread_of(const RunResult& run, size_t output, size_t buffer) {
  constexpr uint64_t kMost = uint64_t{1} << 18;
  const Correctness& check = run.correctness[output];
  const uint64_t count = check.expected.size();
  if (count == 0 || !run.buffers[buffer]) return std::nullopt;
  ErrorSpread spread;
  spread.every = (count + kMost - 1) / kMost;
  for (uint64_t element = 0; element < count; element += spread.every, ++spread.elements) {
    const ElementFacts facts = facts_of(run, output, buffer, static_cast<int64_t>(element));
    size_t bucket = ErrorSpread::kBuckets - 1;
    if (facts.pass && facts.error.value_or(0) == 0) {
      bucket = 0;
    } else if (facts.pass && facts.error && facts.allowed && *facts.allowed > 0) {
      const double decade = std::floor(std::log10(*facts.error / *facts.allowed));  // −1: from a tenth of the tolerance
                                                                                    // to all of it
      bucket = static_cast<size_t>(std::clamp(decade, -6.0, -1.0) + 7);
    }
    ++spread.counts[bucket];
  }
  return spread;
}

int64_t worst_element(const RunResult& run, size_t output, size_t buffer, int64_t first, int64_t last) {
  int64_t worst = first;
  double largest = -1;
  for (int64_t element = first; element <= last; ++element) {
    const ElementFacts facts = facts_of(run, output, buffer, element);
    double error = facts.error.value_or(0);
    if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
    if (error <= largest) continue;
    largest = error;
    worst = element;
  }
  return worst;
}

std::string element_text(const BufferSpec& buffer, int64_t element) {
  if (buffer.shape.size() < 2 || buffer.shape.back() <= 1) return with_separators(element);
  return with_separators(element / buffer.shape.back()) + ", " + with_separators(element % buffer.shape.back());
}

std::string value_text(double value) { return rounded_text(value, 7); }

std::pair<std::string, std::string> told_apart(double expected, double got) {
  int digits = 7;
  while (digits < 17 && expected != got && rounded_text(expected, digits) == rounded_text(got, digits)) ++digits;
  return {rounded_text(expected, digits), rounded_text(got, digits)};
}

std::string error_text(double error) {
  if (std::isnan(error)) return "NaN";
  return without_exponent_zeros(fmt::format("{:.2g}", error));
}

std::string tolerance_text(const Tolerance& tolerance, const Strings& strings) {
  if (tolerance.relative == 0) return error_text(tolerance.absolute);
  return strings.format("correctness.tolerance", fmt::arg("absolute", error_text(tolerance.absolute)),
                        fmt::arg("relative", error_text(tolerance.relative)));
}

}  // namespace tilescope
