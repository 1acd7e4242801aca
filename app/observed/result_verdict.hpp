// The verdict on a result in a few words: the same in the header, on the card and in every view's sentence. A result
// passes only if every output matches its reference and no check found anything. No ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/draw/strings.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

struct ResultVerdict {
  enum class Kind {
    none,          // nothing has run
    failed,        // the run ended in an error
    matches,       // every output matches, no finding
    findings,      // the checks found something; all compared outputs match
    wrong,         // an output differs from its reference
    not_compared,  // it ran, and there is nothing to compare it with
  };
  Kind kind = Kind::none;
  std::string text;   // "Values match; 3 findings"; empty for none
  std::string brief;  // if there is only room for a number: "3"; empty if there is none
  bool bad() const { return kind == Kind::failed || kind == Kind::findings || kind == Kind::wrong; }
};

/// `result` may be null; `error` is the reason why the newest request gave none.
ResultVerdict verdict_of_result(const RunResult* result, const std::optional<Error>& error, const Strings& strings);

/// "100,800 of 100,800 elements of out are NaN.": a view appends this to its own sentence if an output is wrong, then
/// what the checks found, unless the view names findings itself. Empty for a result that passes.
enum class WithFindings { no, yes };
std::string failure_sentence(const RunResult& result, const Strings& strings, WithFindings with = WithFindings::yes);

/// "The checks found out-of-bounds on line 18 and 2 more."; empty without findings.
std::string findings_sentence(const RunResult& result, const Strings& strings);

}  // namespace tilescope
