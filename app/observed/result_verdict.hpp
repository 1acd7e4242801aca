// What a result says, in a few words: the same in the header, on the card and behind the sentence of every view. A
// result passes only when every output matches its reference and no check found anything. No ImGui.
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
    findings,      // the checks found something; what was compared matches
    wrong,         // an output differs from its reference
    not_compared,  // it ran, and there is nothing to compare it with
  };
  Kind kind = Kind::none;
  std::string text;   // "Values match; 3 findings"; empty for none
  std::string brief;  // where there is room for a number only: "3"; empty where there is no number to say
  bool bad() const { return kind == Kind::failed || kind == Kind::findings || kind == Kind::wrong; }
};

/// `result` may be null; `error` is why the newest request gave none.
ResultVerdict verdict_of_result(const RunResult* result, const std::optional<Error>& error, const Strings& strings);

/// "100,800 of 100,800 elements of out are NaN.": what a view says after its own sentence where an output is wrong,
/// then what the checks found, which a view that names findings itself leaves out. Empty for a result that passes.
enum class WithFindings { no, yes };
std::string failure_sentence(const RunResult& result, const Strings& strings, WithFindings with = WithFindings::yes);

/// "The checks found out-of-bounds on line 18 and 2 more."; empty without findings.
std::string findings_sentence(const RunResult& result, const Strings& strings);

}  // namespace tilescope
