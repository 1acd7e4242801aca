// Regret against trials: the three searches replayed over the shown map, the median of many seeds.
#include <algorithm>

#include "app/draw/plots/plot.hpp"
#include "app/draw/small_button.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/tune/tune_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kPlotHeight = 190, kButtons = 24, kNote = 20;
constexpr double kMostRegret = 100;  // percent

ImU32 search_colour(const Theme& theme, SearchKind kind) {
  return kind == SearchKind::exhaustive ? theme.muted : kind == SearchKind::random ? theme.write : theme.accent;
}

}  // namespace

float TuneView::draw_curves(PanelContext& context, ImVec2 low, float right) {
  using plots::Axis_X1, plots::Axis_Y1;
  const TuneMap& map = *shown_map();
  const Strings& strings = context.strings;
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (!map.complete() || map.count(TuneState::timed) < 2) {
    if (!best_) return low.y;
    const TextRun runs[] = {{context.fonts.small, context.theme.muted, strings("view.tune.incomplete")}};
    return low.y + flow_text(list, low, right - low.x, context.px(kNote), runs);
  }
  const std::pair<size_t, std::string> wanted{trials_, map.date + map.key};
  if (replayed_ != wanted) {
    replays_ = tune_replays(map, trials_);
    replayed_ = wanted;
  }
  float x = low.x;
  ImFont* font = context.fonts.small;
  const std::string& title = strings("view.tune.trials");
  draw_text(list, font, {x, centred_top(font, low.y + context.px(kButtons) / 2)}, context.theme.muted, title);
  x += text_size(font, title).x + context.px(10);
  for (const size_t trials : {size_t{8}, size_t{16}, size_t{32}, size_t{64}}) {
    bool pressed = false;
    x = small_button(context, fmt::format("tune.trials.{}", trials).c_str(), std::to_string(trials),
                     strings("view.tune.trials_meaning"), {x, low.y}, trials_ == trials, &pressed) +
        context.px(4);
    if (pressed) trials_ = trials;
  }
  const float top = low.y + context.px(kButtons + 6);
  double most = 10, cost = 1;
  for (const RegretOfSeeds& one : replays_) {
    for (const double regret : one.median_by_step) most = std::max(most, std::min(regret * 100, kMostRegret));
    if (!one.cost_by_step.empty()) cost = std::max(cost, one.cost_by_step.back());
  }
  ImGui::SetCursorScreenPos({low.x, top});
  plots::SetStyle({context.theme, context.fonts, context.screen.scale});
  if (plots::BeginPlot("tune regret", {right - low.x, context.px(kPlotHeight)})) {
    plots::SetupAxis(Axis_X1, strings("view.tune.axis_trials").c_str());
    plots::SetupAxisLimits(Axis_X1, 0, cost);
    plots::SetupAxis(Axis_Y1, strings("view.tune.axis_regret").c_str());
    plots::SetupAxisLimits(Axis_Y1, 0, most);
    for (const RegretOfSeeds& one : replays_) {
      std::vector<double> ys;
      for (const double regret : one.median_by_step) ys.push_back(std::min(regret * 100, most));
      const auto points = static_cast<int>(std::min(ys.size(), one.cost_by_step.size()));
      if (points == 0) continue;
      plots::LabelStyle label;
      label.value = fmt::format("{:.1f}%", one.median * 100);
      label.emphasis = one.kind == SearchKind::halving;
      plots::SetNextLabel(label);
      plots::SetNextLineStyle(search_colour(context.theme, one.kind), 2);
      plots::PlotLine(strings(fmt::format("view.tune.{}", name_of(one.kind))).c_str(), one.cost_by_step.data(),
                      ys.data(), points);
    }
    plots::EndPlot();
  }
  mark(context, "tune.curves", {low.x, top}, {right, top + context.px(kPlotHeight)});
  explain_rect(context, {low.x, top}, {right, top + context.px(kPlotHeight)}, strings("view.tune.curves_meaning"));
  return top + context.px(kPlotHeight);
}

}  // namespace tilescope
