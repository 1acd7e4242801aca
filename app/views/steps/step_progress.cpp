#include "app/views/steps/step_progress.hpp"

#include <algorithm>
#include <cmath>

#include "app/observed/run_values.hpp"
#include "app/sandbox/reading/expression.hpp"
#include "app/views/lesson/lesson_document.hpp"

namespace tilescope {
namespace {

constexpr std::pair<std::string_view, BottomTab> kBottomTabs[] = {
    {"sweep", BottomTab::sweep},   {"ladder", BottomTab::ladder}, {"roofline", BottomTab::roofline},
    {"fusion", BottomTab::fusion}, {"map", BottomTab::map},       {"small", BottomTab::small},
    {"memory", BottomTab::memory}};

bool is_current(const PanelContext& context) {
  return context.result != nullptr && !context.session.stale() && !context.session.busy() && !context.session.error();
}

bool has_value(const Config& config, const std::string& target) {
  const auto wanted = assignment_from(target);
  if (!wanted) return false;
  const auto equals = [&](const std::map<std::string, int64_t>& values) {
    const auto found = values.find(wanted->first);
    return found != values.end() && found->second == wanted->second;
  };
  return equals(config.sizes) || equals(config.params);
}

/// Something of this kind is selected that the program did not select by itself.
bool is_chosen(const ViewState& view, const std::string& kind) {
  const Selection &now = view.selection, &suggested = view.suggested;
  if (kind == "block") return now.block && now.block != suggested.block;
  if (kind == "access") return now.access && now.access != suggested.access;
  if (kind == "lane") return now.lane && now.lane != suggested.lane;
  if (kind == "line") return now.line && now.line != suggested.line;
  return kind == "element" && now.element && now.element != suggested.element;
}

bool was_played(const PanelContext& context) {
  const ViewState& view = context.view;
  if (view.playback.playing || view.plane.playing) return false;
  const auto blocks = static_cast<double>(context.result->tiles.grid.count());
  return view.playback.position >= blocks || (context.lab().plane && view.plane.step > 0);
}

bool holds_for_result(const StepCondition& condition, const PanelContext& context) {
  if (!is_current(context)) return false;
  const RunResult& result = *context.result;
  switch (condition.kind) {
    case StepCondition::Kind::finding:
      return std::ranges::any_of(result.findings, [&](const Finding& one) { return one.id == condition.target; });
    case StepCondition::Kind::wrong:
      return !result.correctness.empty() && !result.passed();
    case StepCondition::Kind::passed:
      return result.passed();
    case StepCondition::Kind::edited:
      return result.request.edited_source.has_value();
    case StepCondition::Kind::played:
      return was_played(context);
    default:
      return false;
  }
}

}  // namespace

bool holds(const StepCondition& condition, const PanelContext& context) {
  const Request& request = context.session.request();
  switch (condition.kind) {
    case StepCondition::Kind::rung:
      return request.rung == condition.target;
    case StepCondition::Kind::set:
      return has_value(request.config, condition.target);
    case StepCondition::Kind::broken:
      return std::ranges::find(request.broken, condition.target) != request.broken.end();
    case StepCondition::Kind::whole:
      return request.broken.empty();
    case StepCondition::Kind::tab:
      return context.view.tab == condition.target;
    case StepCondition::Kind::lower:
      return context.view.bottom == bottom_tab_named(condition.target);
    case StepCondition::Kind::chosen:
      return is_chosen(context.view, condition.target);
    case StepCondition::Kind::predicted: {
      const auto learned = context.session.learned.find(context.lab().name);
      return learned != context.session.learned.end() && !learned->second.guesses.empty();
    }
    default:
      return holds_for_result(condition, context);
  }
}

bool is_done(const LabStep& step, const PanelContext& context) {
  return is_current(context) &&
         std::ranges::all_of(step.done, [&](const StepCondition& one) { return holds(one, context); });
}

std::optional<size_t> right_choice(const LabStep& step, const RunResult* result) {
  if (!step.texts.empty()) return step.right;
  if (result == nullptr) return std::nullopt;
  const auto value = evaluate(step.answer, [&](std::string_view name) -> std::optional<Checked<long double>> {
    const auto found = run_value(name, *result);
    return found ? std::optional<Checked<long double>>(static_cast<long double>(*found)) : std::nullopt;
  });
  if (!value) return std::nullopt;
  for (size_t choice = 0; choice < step.numbers.size(); ++choice)
    if (std::abs(static_cast<double>(*value) - step.numbers[choice]) < 1e-9) return choice;
  return std::nullopt;
}

std::vector<std::string> choice_labels(const LabStep& step, const Strings& strings) {
  std::vector<std::string> labels;
  for (const Text& text : step.texts) labels.push_back(strings(text));
  for (const double number : step.numbers) labels.push_back(value_as_text(static_cast<long double>(number)));
  return labels;
}

std::optional<BottomTab> bottom_tab_named(std::string_view name) {
  for (const auto& [known, tab] : kBottomTabs)
    if (known == name) return tab;
  return std::nullopt;
}

}  // namespace tilescope
