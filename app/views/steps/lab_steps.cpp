#include "app/views/steps/lab_steps.hpp"

#include <algorithm>
#include <map>

#include "engine/toml_entries.hpp"

namespace tilescope {
namespace {

class StepReader {
 public:
  explicit StepReader(const std::filesystem::path& file) : entries_(file, in_step) {}

  Result<LabSteps> read() {
    const auto table = entries_.read();
    if (!table) return tl::unexpected(table.error());
    LabSteps all{.minutes = static_cast<int>((*table)["minutes"].value_or(int64_t{0})), .steps = {}};
    if (all.minutes <= 0) entries_.wrong(phrase("'{}' is missing", "minutes"));
    entries_.each(*table, "steps",
                  [&](const std::string& id, const toml::table& one) { all.steps.push_back(read_step(id, one)); });
    if (auto end = entries_.end(); !end) return tl::unexpected(end.error());
    return all;
  }

 private:
  static Phrase in_step(const std::string& id, const Phrase& what) { return phrase("step '{}': {}", id, what); }

  LabStep read_step(const std::string& id, const toml::table& table) {
    LabStep step;
    step.id = id;
    step.title = entries_.text(table, "title");
    step.to_do = entries_.text(table, "do");
    step.look = entries_.text(table, "look");
    step.because = entries_.text(table, "because");
    step.at = table["at"].value_or(std::string());
    for (const std::string& word : entries_.strings(table, "done")) {
      if (const auto condition = step_condition_from(word))
        step.done.push_back(*condition);
      else
        entries_.wrong(phrase("'{}' is no condition", word));
    }
    if (step.done.empty()) entries_.wrong(phrase("'{}' is missing", "done"));
    read_question(table, step);
    return step;
  }

  void read_question(const toml::table& table, LabStep& step) {
    step.ask = entries_.text(table, "ask", /*needed=*/false);
    if (const auto* numbers = table["choices"].as_array(); numbers != nullptr) {
      for (const toml::node& one : *numbers) step.numbers.push_back(one.value_or(0.0));
      step.answer = entries_.string(table, "answer");
      if (!std::ranges::is_sorted(step.numbers, std::less_equal<>()))
        entries_.wrong(phrase("its choices do not ascend"));
    } else if (table.contains("choices")) {
      step.texts = entries_.choices(table);
      step.right = entries_.right_choice(table, step.texts.size());
    }
    if (step.asks() == step.ask.en.empty())
      entries_.wrong(phrase("a question needs choices, and choices need a question"));
  }

  TomlEntries entries_;
};

}  // namespace

std::optional<StepCondition> step_condition_from(const std::string& text) {
  using Kind = StepCondition::Kind;
  static const std::map<std::string, Kind> kWithTarget{
      {"rung", Kind::rung},   {"set", Kind::set},       {"break", Kind::broken},   {"tab", Kind::tab},
      {"lower", Kind::lower}, {"chosen", Kind::chosen}, {"finding", Kind::finding}};
  static const std::map<std::string, Kind> kAlone{{"whole", Kind::whole},   {"wrong", Kind::wrong},
                                                  {"passed", Kind::passed}, {"edited", Kind::edited},
                                                  {"played", Kind::played}, {"predicted", Kind::predicted}};
  const size_t colon = text.find(':');
  if (colon == std::string::npos) {
    const auto found = kAlone.find(text);
    return found != kAlone.end() ? std::optional(StepCondition{found->second, {}}) : std::nullopt;
  }
  const auto found = kWithTarget.find(text.substr(0, colon));
  if (found == kWithTarget.end() || colon + 1 == text.size()) return std::nullopt;
  return StepCondition{found->second, text.substr(colon + 1)};
}

Result<LabSteps> read_steps(const std::filesystem::path& file) { return StepReader(file).read(); }

}  // namespace tilescope
