// The steps of a lab: docs/labs/steps/LAB.toml as plain data. Each says what to do, where to look, asks what is seen
// there, and says why. docs/adding-a-lab.md describes the file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/result.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// What must hold for a step to be done: a word of the lessons' links and what it is about.
struct StepCondition {
  enum class Kind {
    rung,       // rung:NAME          this rung is shown
    set,        // set:NAME=VALUE     a size or parameter has the value
    broken,     // break:NAME         the switch is on
    whole,      // whole              no switch is on
    tab,        // tab:NAME           the view is shown
    lower,      // lower:NAME         the tab of the lower part is shown
    chosen,     // chosen:KIND        a block, access, lane, line or element was selected
    finding,    // finding:ID         the shown run has a finding with this id
    wrong,      // wrong              the shown run's result is wrong
    passed,     // passed             it is right
    edited,     // edited             the shown run is of an edited kernel
    played,     // played             the blocks were played to their end
    predicted,  // predicted          a question of the lab was answered
  };
  Kind kind = Kind::rung;
  std::string target = {};  // what follows the colon
};
/// Nothing for a text that is no condition.
std::optional<StepCondition> step_condition_from(const std::string& text);

struct LabStep {
  std::string id = {};                                             // kept in the learner's progress
  Text title = {}, to_do = {}, look = {}, ask = {}, because = {};  // Markdown, with the links of lessons
  std::vector<StepCondition> done = {};
  std::string at = {};               // the mark to look at (app/draw/marks.hpp); empty: none
  std::vector<double> numbers = {};  // the choices, ascending, or
  std::vector<Text> texts = {};      // as texts
  size_t right = 0;                  // of the texts
  std::string answer = {};           // of the numbers: an expression over the run (app/observed/run_values.hpp)
  bool asks() const { return !numbers.empty() || !texts.empty(); }
};

struct LabSteps {
  int minutes = 0;
  std::vector<LabStep> steps = {};
};

/// Error: asset_malformed, with the step and what is wrong in it.
Result<LabSteps> read_steps(const std::filesystem::path& file);

}  // namespace tilescope
