#include "app/exercises/exercise_file.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "app/sandbox/form/kernel_form.hpp"
#include "engine/toml_entries.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// Reads one table; the first problem is kept, and everything after it may be incomplete.
class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file) {}

  Result<Exercise> read() {
    const auto parsed = read_toml(file_);
    if (!parsed) return bad(parsed.error());
    const toml::table& table = *parsed;
    read_head(table);
    each(table, "parameters", [&](const toml::table& one) { read_parameter(one); });
    if (const auto* tolerance = table["tolerance"].as_table(); tolerance != nullptr)
      exercise_.tolerance = Tolerance{number(*tolerance, "absolute", 0), number(*tolerance, "relative", 0)};
    each(table, "cases", [&](const toml::table& one) { read_case(one); });
    each(table, "goals", [&](const toml::table& one) { read_goal(one); });
    each(table, "wrong", [&](const toml::table& one) {
      exercise_.wrong.push_back({string(one, "file"), string(one, "refused_by")});
    });
    read_hints(table);
    read_bug(table);
    if (problem_.empty()) check();
    if (!problem_.empty()) return bad(problem_);
    return std::move(exercise_);
  }

 private:
  tl::unexpected<Error> bad(const Phrase& what) const {
    return fail(ErrorId::bad_exercise, file_.parent_path().filename().string(),
                phrase("{}: {}", "exercise.toml", what));
  }
  void wrong(Phrase what) {
    if (problem_.empty()) problem_ = std::move(what);
  }

  std::string string(const toml::table& table, const char* key) {
    const auto value = table[key].value<std::string>();
    if (!value || value->empty()) wrong(phrase("'{}' is missing", key));
    return value.value_or("");
  }
  double number(const toml::table& table, const char* key, double otherwise) {
    if (!table.contains(key)) return otherwise;
    const auto value = table[key].value<double>();
    if (!value) wrong(phrase("'{}' is not a number", key));
    return value.value_or(otherwise);
  }
  static Text text(const toml::table& table, const char* key) {
    Text both;
    if (const auto* languages = table[key].as_table(); languages != nullptr) {
      both.en = (*languages)["en"].value_or(std::string());
      both.zh = (*languages)["zh"].value_or(both.en);
    }
    return both;
  }
  template <class Each>
  static void each(const toml::table& table, const char* key, const Each& function) {
    const auto* list = table[key].as_array();
    if (list == nullptr) return;
    for (const toml::node& one : *list)
      if (const auto* entry = one.as_table(); entry != nullptr) function(*entry);
  }

  void read_head(const toml::table& table) {
    exercise_.title = text(table, "title");
    if (exercise_.title.en.empty()) wrong(phrase("'{}' is missing", "title.en"));
    exercise_.stage = static_cast<int>(number(table, "stage", 1));
    exercise_.order = static_cast<int>(number(table, "order", 0));
    exercise_.lab = table["lab"].value_or(std::string());
    exercise_.kernel = string(table, "kernel");
  }

  void read_parameter(const toml::table& one) {
    ExerciseParameter parameter{.name = string(one, "name"), .argument = string(one, "argument")};
    if (const auto role = one["role"].value<std::string>()) {
      parameter.role = role_from(*role);
      if (!parameter.role) wrong(phrase("there is no role '{}'", *role));
    }
    exercise_.parameters.push_back(std::move(parameter));
  }

  /// 1000, or "1..1000": a random one for every seed.
  CaseSize size(const std::string& name, const toml::node& node) {
    if (const auto fixed = node.value<int64_t>(); fixed && node.is_integer()) return {*fixed, *fixed};
    const std::string range = node.value_or(std::string());
    CaseSize read;
    const size_t dots = range.find("..");
    const char* end = range.data() + range.size();
    const bool is_range =
        dots != std::string::npos && std::from_chars(range.data(), range.data() + dots, read.low).ec == std::errc() &&
        std::from_chars(range.data() + dots + 2, end, read.high).ec == std::errc() && read.low <= read.high;
    if (!is_range) wrong(phrase("size {} is neither a whole number nor a range such as \"1..1000\"", name));
    return read;
  }

  void read_case(const toml::table& one) {
    ExerciseCase read;
    if (const auto* sizes = one["sizes"].as_table(); sizes != nullptr)
      for (const auto& [name, node] : *sizes) read.sizes[std::string(name.str())] = size(std::string(name.str()), node);
    if (const auto* arguments = one["arguments"].as_table(); arguments != nullptr)
      for (const auto& [name, node] : *arguments) {
        read.arguments[std::string(name.str())] = node.value_or(std::string());
        if (exercise_.parameter(std::string(name.str())) == nullptr)
          wrong(phrase("there is no parameter '{}'", std::string(name.str())));
      }
    read.hidden = one["hidden"].value_or(false);
    read.about = text(one, "about");
    exercise_.cases.push_back(std::move(read));
  }

  void read_goal(const toml::table& one) {
    Goal goal;
    const std::string name = string(one, "measure");
    if (const auto measure = measure_named(name))
      goal.measure = *measure;
    else
      wrong(phrase("there is no measure '{}'", name));
    goal.of = one["of"].value_or(std::string());
    if (!goal.of.empty() && exercise_.parameter(goal.of) == nullptr)
      wrong(phrase("there is no parameter '{}'", goal.of));
    if ((goal.measure == Measure::reads_per_element || goal.measure == Measure::writes_per_element) && goal.of.empty())
      wrong(phrase("the goal '{}' needs a buffer: of = NAME", name));
    const auto bound = [&](const char* key, Goal::Bound kind) {
      if (!one.contains(key)) return;
      goal.bound = kind;
      goal.limit = number(one, key, 0);
      ++bounds_;
    };
    bounds_ = 0;
    bound("at_most", Goal::Bound::at_most);
    bound("at_least", Goal::Bound::at_least);
    bound("exactly", Goal::Bound::exactly);
    if (bounds_ != 1) wrong(phrase("the goal '{}' needs one of at_most, at_least and exactly", name));
    const auto number_of_case = static_cast<int64_t>(number(one, "case", 1));
    if (number_of_case < 1 || number_of_case > static_cast<int64_t>(exercise_.cases.size()))
      wrong(phrase("the goal '{}' is in case {}, and there is none", name, number_of_case));
    else
      goal.in_case = static_cast<size_t>(number_of_case - 1);
    exercise_.goals.push_back(std::move(goal));
  }

  void read_hints(const toml::table& table) {
    const auto* english = table["hints"]["en"].as_array();
    const auto* chinese = table["hints"]["zh"].as_array();
    for (size_t i = 0; english != nullptr && i < english->size(); ++i) {
      Text hint{.en = english->get(i)->value_or(std::string()), .zh = {}};
      const toml::node* other = chinese != nullptr ? chinese->get(i) : nullptr;
      hint.zh = other != nullptr ? other->value_or(hint.en) : hint.en;
      exercise_.hints.push_back(std::move(hint));
    }
  }

  void read_bug(const toml::table& table) {
    const auto* bug = table["bug"].as_table();
    if (bug == nullptr) return;
    ExerciseBug read{.line = string(*bug, "line"),
                     .line_py = (*bug)["line_py"].value_or(std::string()),
                     .kind = string(*bug, "kind")};
    if (const auto* also = (*bug)["also"].as_array(); also != nullptr)
      for (const toml::node& one : *also) read.also.push_back(one.value_or(std::string()));
    if (std::ranges::find(bug_kinds(), read.kind) == bug_kinds().end())
      wrong(phrase("there is no kind of bug '{}'", read.kind));
    exercise_.bug = std::move(read);
  }

  void check() {
    if (exercise_.parameters.empty()) return wrong(phrase("the kernel has no parameters"));
    if (exercise_.cases.empty()) return wrong(phrase("there are no cases"));
    if (exercise_.cases.front().hidden) return wrong(phrase("the first case is hidden, and the views show it"));
    std::set<std::string> names;
    for (const auto& [name, unused] : exercise_.cases.front().sizes) names.insert(name);
    for (const ExerciseCase& one : exercise_.cases)
      for (const std::string& name : names)
        if (!one.sizes.contains(name)) return wrong(phrase("a case does not say the size {}", name));
  }

  fs::path file_;
  Exercise exercise_;
  Phrase problem_;
  int bounds_ = 0;
};

}  // namespace

Result<Exercise> read_exercise_file(const fs::path& file) { return Reader(file).read(); }

Result<Exercise> read_exercise(const fs::path& folder) {
  auto exercise = read_exercise_file(folder / "exercise.toml");
  if (!exercise) return exercise;
  exercise->name = folder.filename().string();
  exercise->folder = folder;
  std::error_code failed;
  exercise->has_triton = fs::exists(folder / "start.py", failed);
  for (const char* file : {"start.cu", "reference.cu", "solution.cu", "task.en.md"})
    if (!fs::exists(folder / file, failed))
      return fail(ErrorId::bad_exercise, exercise->name, phrase("{} is missing", file));
  return exercise;
}

}  // namespace tilescope
