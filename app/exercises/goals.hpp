// Measures the goals of an exercise in a finished run.
#pragma once

#include <optional>
#include <string>

#include "app/exercises/exercise.hpp"
#include "engine/phrase.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// Nothing where it does not apply: no requests, so no sectors per request.
std::optional<double> measured(const Goal& goal, const RunResult& result);

/// What was measured: "sectors per request of a", in the words of the window.
Phrase subject_of(const Goal& goal);
/// The limit: "at most 4.1".
Phrase limit_of(const Goal& goal);
/// A value of a goal: "4.1", "132", "75".
std::string goal_number(double value);

}  // namespace tilescope
