// A learner's text as a lab: its launch lines decide the launches, the exercise the buffers, numbers and expected
// values. Every view works on it, because to them it is a lab like any other.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/exercises/exercise.hpp"
#include "app/exercises/launch_line.hpp"
#include "engine/request.hpp"

namespace tilescope {

class Engine;
class ExerciseReference;  // app/exercises/reference_values.hpp

/// The buffers and the argument of each parameter, for the sizes of a case.
struct ExerciseArguments {
  std::vector<BufferSpec> buffers = {};
  std::vector<Argument> values = {};  // parallel to Exercise::parameters
};
Result<ExerciseArguments> arguments_of(const Exercise& exercise, const ExerciseCase& one,
                                       const std::map<std::string, int64_t>& sizes);

/// The launches of a text. The Error says what is wrong with a launch line.
Result<std::vector<Launch>> launches_of(const Exercise& exercise, const ExerciseArguments& arguments,
                                        const std::map<std::string, int64_t>& sizes, const std::string& text,
                                        KernelLanguage language);

/// "exercise:add-ten": the lab's name, which tells the window that an exercise is shown.
constexpr std::string_view kExerciseLab = "exercise:";
std::string lab_name_of(const Exercise& exercise);

struct Submission {
  std::string file = {};  // names the text in messages; its ending decides the language
  std::string text = {};
  KernelLanguage language() const { return language_of(file); }
};

/// The exercise as a lab. Its sizes are those of the case, and other values may be chosen. `reference` must outlive it.
std::shared_ptr<const Lab> make_exercise_lab(const Exercise& exercise, size_t case_index, const Submission& submission,
                                             std::shared_ptr<ExerciseReference> reference);
/// A run of that lab at the sizes of its case for this seed.
Request make_exercise_request(std::shared_ptr<const Lab> lab, const ExerciseCase& one, uint64_t seed);

}  // namespace tilescope
