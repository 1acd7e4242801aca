// An exercise: the learner writes a kernel and its launch, and judge() (judge.hpp) says whether it is right.
//
// Everything about an exercise is in one folder, which docs/adding-an-exercise.md describes: the task in two languages,
// the file to start from, the reference, the cases, the goals, and wrong submissions that a test sees refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernel_language.hpp"
#include "engine/lab.hpp"
#include "engine/plan.hpp"
#include "engine/result.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// A parameter of the kernel, with its argument in the form of `exec --arg`: "buf:f32:n:normal", "i32:n".
struct ExerciseParameter {
  std::string name = {}, argument = {};
  std::optional<Role> role = {};  // if it does not follow from the argument
};

/// A size of a case; low < high: a different one in [low, high] for every seed.
struct CaseSize {
  int64_t low = 0, high = 0;
};

struct ExerciseCase {
  std::map<std::string, CaseSize> sizes = {};
  std::map<std::string, std::string> arguments = {};  // by parameter, instead of ExerciseParameter::argument
  bool hidden = false;
  Text about = {};  // what is special besides the sizes; may be empty
};

/// What a goal limits. Names and units: name_of and docs/adding-an-exercise.md.
enum class Measure {
  sectors_per_request,
  moved_per_useful,
  reads_per_element,
  writes_per_element,
  requests,
  atomics,
  bank_conflicts,
  shared_wavefronts,
  barriers,
  instructions,
  instructions_per_element,
  device_bytes_per_least,
  registers,
  shared_bytes,
  spilled_bytes,
  occupancy,
  blocks,
  threads,
  launches,
};
/// "sectors per request": the name in exercise.toml.
std::string_view name_of(Measure measure);
std::optional<Measure> measure_named(std::string_view name);
/// Observed in the simulator, or computed by a model from what was observed.
Badge badge_of(Measure measure);

/// A limit beyond "correct".
struct Goal {
  enum class Bound { at_most, at_least, exactly };
  Measure measure = Measure::sectors_per_request;
  std::string of = {};  // a buffer; empty: all
  Bound bound = Bound::at_most;
  double limit = 0;
  size_t in_case = 0;  // index into Exercise::cases
  bool met_by(double value) const;
};

/// A submission that must be refused, and why: "result", "compile", "launch", the id of a finding, "goal: MEASURE".
struct WrongSubmission {
  std::string file = {};  // in the folder wrong/
  std::string refused_by = {};
};

/// The one bug of a debug exercise.
struct ExerciseBug {
  std::string line = {}, line_py = {};  // the text of its line in start.cu and in start.py, without indentation
  std::vector<std::string> also = {};   // other lines that answer the question as well
  std::string kind = {};                // one of bug_kinds()
};
/// "off-by-one", "missing-barrier", …
const std::vector<std::string>& bug_kinds();

struct Exercise {
  std::string name = {};  // that of its folder
  std::filesystem::path folder = {};
  Text title = {};
  int stage = 0, order = 0;
  std::string lab = {};     // whose lesson teaches it
  std::string kernel = {};  // the function that the learner writes
  std::vector<ExerciseParameter> parameters = {};
  std::optional<Tolerance> tolerance = {};
  std::vector<ExerciseCase> cases = {};  // the public ones first; views show the first one
  std::vector<Goal> goals = {};
  std::vector<Text> hints = {};
  std::vector<WrongSubmission> wrong = {};
  std::optional<ExerciseBug> bug = {};
  bool has_triton = false;  // a start.py

  const ExerciseParameter* parameter(const std::string& name) const;
  std::filesystem::path start(KernelLanguage language) const;
  std::filesystem::path solution(KernelLanguage language) const;
};

/// Reads and checks a folder. The Error bad_exercise names the file and what is wrong.
Result<Exercise> read_exercise(const std::filesystem::path& folder);

/// All exercises, in the order of the rail: stage, order, name.
struct ExerciseCatalogue {
  std::vector<Exercise> exercises = {};
  std::vector<Error> problems = {};  // of folders that could not be read
  const Exercise* find(const std::string& name) const;
};
/// Those of the program, root/exercises, and those of the folder that TILESCOPE_EXERCISES names. An exercise
/// of that folder replaces one of the program with the same name.
ExerciseCatalogue read_exercises(const std::filesystem::path& root);

/// The sizes of a case for a seed, and what is shown of them: "n = 1000, about.…".
std::map<std::string, int64_t> sizes_of(const ExerciseCase& one, uint64_t seed);

}  // namespace tilescope
