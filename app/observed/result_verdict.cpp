#include "app/observed/result_verdict.hpp"

#include <algorithm>

#include "app/draw/sentences.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

std::string findings_text(size_t count, const Strings& strings) {
  return count == 1 ? strings("verdict.one_finding") : strings.format("verdict.findings", fmt::arg("count", count));
}

/// The first wrong output, which a sentence names; null if there is none.
const Correctness* first_wrong(const RunResult& result) {
  const auto wrong = std::find_if(result.correctness.begin(), result.correctness.end(),
                                  [](const Correctness& one) { return !one.pass; });
  return wrong == result.correctness.end() ? nullptr : &*wrong;
}

ResultVerdict wrong_values(const RunResult& result, const Strings& strings) {
  uint64_t wrong = 0, checked = 0;
  for (const Correctness& one : result.correctness) {
    wrong += one.mismatches;
    checked += one.checked;
  }
  // Without a wrong element, an output is wrong as a whole: for example, it has the wrong size.
  if (wrong == 0) return {ResultVerdict::Kind::wrong, strings("verdict.wrong"), {}};
  return {ResultVerdict::Kind::wrong,
          strings.format("verdict.wrong_of", fmt::arg("count", with_separators(wrong)),
                         fmt::arg("all", with_separators(checked))),
          with_separators(wrong)};
}

}  // namespace

ResultVerdict verdict_of_result(const RunResult* result, const std::optional<Error>& error, const Strings& strings) {
  using Kind = ResultVerdict::Kind;
  if (error && error->id != ErrorId::cancelled) return {Kind::failed, strings("verdict.failed"), {}};
  if (result == nullptr) return {};
  ResultVerdict verdict;
  if (first_wrong(*result) != nullptr)
    verdict = wrong_values(*result, strings);
  else if (!result->correctness.empty())
    verdict = {Kind::matches, strings("verdict.matches"), {}};
  if (!result->findings.empty()) {
    const size_t count = result->findings.size();
    if (verdict.kind != Kind::wrong) {
      verdict.kind = Kind::findings;
      verdict.brief = std::to_string(count);
    }
    verdict.text += (verdict.text.empty() ? "" : strings("verdict.and")) + findings_text(count, strings);
    return verdict;
  }
  if (verdict.kind != Kind::none) return verdict;
  // A user's own kernel has no reference, so it is worth saying that the checks found nothing.
  const bool sampled = result->blocks_sampled != 0;
  return {
      Kind::not_compared, strings(result->observed && !sampled ? "verdict.no_findings" : "verdict.not_compared"), {}};
}

std::string failure_sentence(const RunResult& result, const Strings& strings, WithFindings with) {
  std::string text;
  if (const Correctness* wrong = first_wrong(result); wrong != nullptr) {
    const bool untouched = wrong->untouched > 0 && wrong->untouched >= wrong->mismatches;
    const bool nan = !untouched && wrong->nan > 0 && wrong->nan == wrong->mismatches;
    const char* key = untouched ? "correctness.untouched_of" : nan ? "correctness.nan_of" : "correctness.wrong_of";
    const uint64_t count = untouched ? wrong->untouched : wrong->mismatches;
    text = count == 0
               ? sentence(strings, wrong->reason)
               : strings.format(key, fmt::arg("count", with_separators(count)),
                                fmt::arg("all", with_separators(wrong->checked)), fmt::arg("name", wrong->buffer));
  }
  const std::string found = with == WithFindings::yes ? findings_sentence(result, strings) : std::string();
  const bool spaced = !text.empty() && !found.empty() && strings.language == Language::en;
  return text + (spaced ? " " : "") + found;
}

std::string findings_sentence(const RunResult& result, const Strings& strings) {
  if (result.findings.empty()) return {};
  const Finding& first = result.findings.front();
  const size_t more = result.findings.size() - 1;
  return strings.format(more == 0 ? "verdict.found" : "verdict.found_and_more",
                        fmt::arg("id", finding_name(strings, first.id)), fmt::arg("line", first.line),
                        fmt::arg("count", more));
}

}  // namespace tilescope
