#include "app/views/steps/lab_steps.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file) {}

  Result<LabSteps> read() {
    const auto text = read_text(file_);
    if (!text) return bad(phrase("cannot be read"));
    toml::table table;
    try {
      table = toml::parse(*text);
    } catch (const toml::parse_error& error) {
      return bad(phrase("line {}: {}", error.source().begin.line, std::string(error.description())));
    }
    LabSteps all{.minutes = static_cast<int>(table["minutes"].value_or(int64_t{0})), .steps = {}};
    if (all.minutes <= 0) wrong(phrase("'{}' is missing", "minutes"));
    if (const auto* list = table["steps"].as_array(); list != nullptr)
      for (const toml::node& one : *list)
        if (const auto* entry = one.as_table(); entry != nullptr) all.steps.push_back(read_step(*entry));
    if (all.steps.empty()) wrong(phrase("'{}' is missing", "steps"));
    if (!problem_.empty()) return bad(problem_);
    return all;
  }

 private:
  tl::unexpected<Error> bad(const Phrase& what) const { return fail(ErrorId::asset_malformed, file_.string(), what); }
  void wrong(Phrase what) {
    if (problem_.empty()) problem_ = step_.empty() ? std::move(what) : phrase("step '{}': {}", step_, what);
  }

  Text text(const toml::table& table, const char* key, bool needed) {
    Text both;
    if (const auto* languages = table[key].as_table(); languages != nullptr) {
      both.en = (*languages)["en"].value_or(std::string());
      both.zh = (*languages)["zh"].value_or(std::string());
    }
    if (needed && (both.en.empty() || both.zh.empty())) wrong(phrase("'{}' is missing", key));
    return both;
  }

  LabStep read_step(const toml::table& table) {
    LabStep step;
    step.id = step_ = table["id"].value_or(std::string());
    if (step.id.empty()) wrong(phrase("'{}' is missing", "id"));
    if (!ids_.insert(step.id).second) wrong(phrase("a second one has this id"));
    step.title = text(table, "title", true);
    step.to_do = text(table, "do", true);
    step.look = text(table, "look", true);
    step.because = text(table, "because", true);
    step.at = table["at"].value_or(std::string());
    if (const auto* list = table["done"].as_array(); list != nullptr)
      for (const toml::node& one : *list) {
        const std::string word = one.value_or(std::string());
        if (const auto condition = step_condition_from(word))
          step.done.push_back(*condition);
        else
          wrong(phrase("'{}' is no condition", word));
      }
    if (step.done.empty()) wrong(phrase("'{}' is missing", "done"));
    read_question(table, step);
    return step;
  }

  void read_question(const toml::table& table, LabStep& step) {
    step.ask = text(table, "ask", false);
    const auto choices = table["choices"];
    if (const auto* numbers = choices.as_array(); numbers != nullptr) {
      for (const toml::node& one : *numbers) step.numbers.push_back(one.value_or(0.0));
      step.answer = table["answer"].value_or(std::string());
      if (step.answer.empty()) wrong(phrase("'{}' is missing", "answer"));
      if (!std::ranges::is_sorted(step.numbers, std::less_equal<>())) wrong(phrase("its choices do not ascend"));
    } else if (const auto* languages = choices.as_table(); languages != nullptr) {
      const auto *en = (*languages)["en"].as_array(), *zh = (*languages)["zh"].as_array();
      if (en == nullptr || zh == nullptr || en->size() != zh->size())
        return wrong(phrase("its choices differ between the languages"));
      for (size_t one = 0; one < en->size(); ++one)
        step.texts.push_back({(*en)[one].value_or(std::string()), (*zh)[one].value_or(std::string())});
      const int64_t right = table["right"].value_or(int64_t{-1});
      if (right < 0 || static_cast<size_t>(right) >= step.texts.size()) wrong(phrase("'{}' is no choice", "right"));
      step.right = static_cast<size_t>(std::max<int64_t>(right, 0));
    }
    if (step.asks() == step.ask.en.empty()) wrong(phrase("a question needs choices, and choices need a question"));
  }

  fs::path file_;
  std::string step_;
  std::set<std::string> ids_;
  Phrase problem_;
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

Result<LabSteps> read_steps(const std::filesystem::path& file) { return Reader(file).read(); }

}  // namespace tilescope
