#include "app/exercises/exercise_test.hpp"

#include <algorithm>
#include <set>

#include "engine/compile/triton/triton_compiler.hpp"
#include "engine/run/engine.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHints = 3, kLeastWrong = 4, kLeastWrongTriton = 2;

bool fits(const std::string& expected, const std::string& got) {
  return expected == "any" ? !got.empty() && got != "broken" : expected == got;
}

/// The lines of a text that are the bug's.
size_t lines_equal(const std::string& text, const std::string& wanted) {
  size_t equal = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    while (line.starts_with(' ')) line.remove_prefix(1);
    while (line.ends_with(' ')) line.remove_suffix(1);
    equal += line == wanted ? 1 : 0;
    begin = end + 1;
  }
  return equal;
}

void check_bug(const Exercise& exercise, ExerciseTest& test) {
  const auto check = [&](const std::string& line, KernelLanguage language) {
    const fs::path file = exercise.start(language);
    const auto text = read_text(file);
    if (text && lines_equal(*text, line) == 1) return;
    test.problems.push_back(fmt::format("'{}' is not one line of {}", line, file.filename().string()));
  };
  check(exercise.bug->line, KernelLanguage::cuda);
  for (const std::string& line : exercise.bug->also) check(line, KernelLanguage::cuda);
  if (exercise.has_triton) check(exercise.bug->line_py, KernelLanguage::triton);
}

void check_files(const Exercise& exercise, ExerciseTest& test) {
  for (const char* file : {"task.zh.md", "solution.en.md", "solution.zh.md"})
    if (!read_text(exercise.folder / file)) test.problems.push_back(fmt::format("{} is missing", file));
  if (exercise.hints.size() != kHints)
    test.problems.push_back(fmt::format("it has {} hints, and an exercise has {}", exercise.hints.size(), kHints));
  for (const Text& hint : exercise.hints)
    if (hint.zh == hint.en) test.problems.emplace_back("a hint has no Chinese");
  if (exercise.title.zh == exercise.title.en) test.problems.emplace_back("the title has no Chinese");
  std::set<std::string> listed;
  size_t cuda = 0, triton = 0;
  for (const WrongSubmission& one : exercise.wrong) {
    listed.insert(one.file);
    (one.file.ends_with(".py") ? triton : cuda) += 1;
  }
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(exercise.folder / "wrong", failed))
    if (!listed.contains(entry.path().filename().string()))
      test.problems.push_back(fmt::format("exercise.toml does not name wrong/{}", entry.path().filename().string()));
  if (cuda < kLeastWrong)
    test.problems.push_back(fmt::format("it has {} wrong submissions in CUDA, and needs {}", cuda, kLeastWrong));
  if (exercise.has_triton && triton < kLeastWrongTriton)
    test.problems.push_back(
        fmt::format("it has {} wrong submissions in Triton, and needs {}", triton, kLeastWrongTriton));
  if (exercise.bug) check_bug(exercise, test);
}

}  // namespace

bool ExerciseTest::good() const { return problems.empty() && std::ranges::all_of(rows, &Row::as_said); }

ExerciseTest test_exercise(const std::shared_ptr<Engine>& engine, const Exercise& exercise, TestedSubmissions tested,
                           const JudgeOptions& options) {
  ExerciseTest test;
  check_files(exercise, test);
  const bool with_triton = exercise.has_triton && engine->triton().triton_origin({}).has_value();
  const auto run = [&](const std::string& file, const std::string& expected) {
    if (file.ends_with(".py") && !with_triton) return;
    const fs::path path = exercise.folder / file;
    const auto text = read_text(path);
    if (!text) return test.problems.push_back(fmt::format("{} is missing", file));
    const Judgement judgement = judge(engine, exercise, {.file = path.filename().string(), .text = *text}, options);
    ExerciseTest::Row row{.file = file,
                          .expected = expected.empty() ? "all goals met" : expected,
                          .got = judgement.reason,
                          .what = judgement.what.english(),
                          .as_said = fits(expected, judgement.reason),
                          .milliseconds = judgement.milliseconds};
    if (judgement.error) row.what += " " + judgement.error->message;
    for (const GoalOutcome& one : judgement.goals) row.goals.push_back(one.value);
    test.rows.push_back(std::move(row));
  };
  run("solution.cu", "");
  run("start.cu", "any");
  if (exercise.has_triton) {
    run("solution.py", "");
    run("start.py", "any");
  }
  if (tested == TestedSubmissions::all)
    for (const WrongSubmission& one : exercise.wrong) run("wrong/" + one.file, one.refused_by);
  return test;
}

}  // namespace tilescope
