// The column beside the heat map: which axes it shows, what the others are held at, what can be done, and one
// configuration in words.
#include <algorithm>

#include "app/draw/sentences.hpp"
#include "app/draw/small_button.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/tune/tune_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kSideRow = 24, kGap = 6, kText = 20;

/// A title, and buttons in rows after it.
class ButtonRow {
 public:
  ButtonRow(PanelContext& context, ImVec2 low, float right, const std::string& title)
      : context_(context), low_(low), right_(right), at_(low) {
    ImFont* font = context.fonts.small;
    draw_text(ImGui::GetWindowDrawList(), font, {low.x, centred_top(font, low.y + context.px(kSideRow) / 2)},
              context.theme.muted, title);
    at_.x += std::max(context.px(64), text_size(font, title).x + context.px(10));
    indent_ = at_.x;
  }
  bool add(const std::string& id, const std::string& text, const std::string& meaning, bool lit) {
    const float width = small_button_width(context_, text);
    if (at_.x > indent_ && at_.x + width > right_) at_ = {indent_, at_.y + context_.px(kSideRow + 4)};
    bool pressed = false;
    at_.x = small_button(context_, id.c_str(), text, meaning, at_, lit, &pressed) + context_.px(4);
    return pressed;
  }
  float end() const { return at_.y + context_.px(kSideRow + kGap); }

 private:
  PanelContext& context_;
  ImVec2 low_;
  float right_;
  ImVec2 at_;
  float indent_ = 0;
};

}  // namespace

float TuneView::draw_side(PanelContext& context, ImVec2 low, float right) {
  float y = draw_axes(context, low, right);
  y = draw_held(context, {low.x, y}, right) + context.px(6);
  y = draw_actions(context, {low.x, y}, right) + context.px(6);
  return draw_entry(context, {low.x, y}, right);
}

float TuneView::draw_axes(PanelContext& context, ImVec2 low, float right) {
  const TuneMap& map = *shown_map();
  const Strings& strings = context.strings;
  if (map.axes.size() < 2) return low.y;
  float y = low.y;
  for (const bool is_down : {true, false}) {
    ButtonRow row(context, {low.x, y}, right, strings(is_down ? "view.tune.down" : "view.tune.across"));
    size_t &mine = is_down ? slice_.down : slice_.across, &other = is_down ? slice_.across : slice_.down;
    for (size_t axis = 0; axis < map.axes.size(); ++axis) {
      const std::string id = fmt::format("tune.{}.{}", is_down ? "down" : "across", map.axes[axis].name);
      if (!row.add(id, map.axes[axis].name, strings("view.tune.axis_meaning"), mine == axis)) continue;
      if (other == axis) other = mine;
      mine = axis;
      cut(map, slice_);
    }
    y = row.end();
  }
  return y;
}

float TuneView::draw_held(PanelContext& context, ImVec2 low, float right) {
  const TuneMap& map = *shown_map();
  const Strings& strings = context.strings;
  float y = low.y;
  for (size_t axis = 0; axis < map.axes.size(); ++axis) {
    if (axis == slice_.down || axis == slice_.across) continue;
    ButtonRow row(context, {low.x, y}, right, map.axes[axis].name);
    const std::string id = "tune.held." + map.axes[axis].name;
    std::optional<int64_t>& held = slice_.held[axis];
    const auto before = held;
    if (row.add(id + ".best", strings("view.tune.held_best"), strings("view.tune.held_best_meaning"), !held))
      held.reset();
    for (const int64_t value : map.axes[axis].values)
      if (row.add(fmt::format("{}.{}", id, value), std::to_string(value), strings("view.tune.held_meaning"),
                  held == value))
        held = value;
    if (held != before) cut(map, slice_);
    y = row.end();
  }
  return y;
}

float TuneView::draw_actions(PanelContext& context, ImVec2 low, float right) {
  const Strings& strings = context.strings;
  TuneWorker& worker = context.session.tuning();
  float y = low.y;
  {
    ButtonRow row(context, {low.x, y}, right, strings("view.tune.actions"));
    if (best_ && row.add("tune.use", strings("view.tune.use"), strings("view.tune.use_meaning"), false))
      use_entry(context, *best_);
    const bool gpu = context.session.engine().gpu().has_value() && context.session.request().device == DeviceKind::gpu;
    if (worker.running()) {
      if (row.add("tune.stop", strings("view.tune.stop"), strings("view.tune.stop_meaning"), true)) worker.cancel();
    } else if (content_.live) {
      if (gpu && row.add("tune.start", strings("view.tune.start"), strings("view.tune.start_meaning"), false))
        worker.start({.space = content_.space, .search = {.kind = search_, .seconds = budget_}});
      if (row.add("tune.compile", strings("view.tune.compile"), strings("view.tune.compile_meaning"), false)) {
        chosen_by_hand_ = false;
        worker.compile(content_.space);
        choose_map(0);
      }
    }
    y = row.end();
    if (gpu) {
      ButtonRow kinds(context, {low.x, y}, right, strings("view.tune.search"));
      for (const SearchKind kind : kSearchKinds)
        if (kinds.add(fmt::format("tune.search.{}", name_of(kind)), strings(fmt::format("view.tune.{}", name_of(kind))),
                      strings(fmt::format("view.tune.{}_meaning", name_of(kind))), search_ == kind))
          search_ = kind;
      y = kinds.end();
      ButtonRow budgets(context, {low.x, y}, right, strings("view.tune.budget"));
      for (const double seconds : {10.0, 60.0, 600.0})
        if (budgets.add(fmt::format("tune.budget.{}", seconds), fmt::format("{} s", seconds),
                        strings("view.tune.budget_meaning"), budget_ == seconds))
          budget_ = seconds;
      y = budgets.end();
    }
  }
  std::string says;
  const auto snapshot = worker.snapshot();
  if (worker.running() && snapshot && snapshot->space == content_.space)
    says = strings.format(snapshot->finals  ? "view.tune.progress_finals"
                          : snapshot->timed ? "view.tune.progress_timed"
                                            : "view.tune.progress_compiled",
                          fmt::arg("done", snapshot->done), fmt::arg("of", snapshot->of));
  else if (worker.running())
    says = strings("view.tune.progress_begins");
  else if (const auto error = worker.error())
    says = as_sentence(strings, *error);
  if (says.empty()) return y;
  const bool failed = !worker.running();
  const TextRun runs[] = {{context.fonts.small, failed ? context.theme.error : context.theme.muted, says}};
  const float height = flow_text(ImGui::GetWindowDrawList(), {low.x, y}, right - low.x, context.px(kText), runs);
  mark(context, "tune.progress", {low.x, y}, {right, y + height});
  return y + height + context.px(kGap);
}

/// The configuration under the pointer, else the fastest.
float TuneView::draw_entry(PanelContext& context, ImVec2 low, float right) {
  const TuneMap& map = *shown_map();
  const Strings& strings = context.strings;
  const std::optional<size_t> index = pointed_ ? pointed_ : best_;
  std::string text = index ? sentence_of_entry(context, *index) : strings("view.tune.point");
  std::string facts;
  if (index && map.entries[*index].facts) {
    const TuneFacts& of = *map.entries[*index].facts;
    facts = tune_gap(strings) + strings.format("view.tune.facts", fmt::arg("registers", of.registers),
                                               fmt::arg("shared", with_separators(of.shared_bytes)),
                                               fmt::arg("ctas", of.ctas_per_multiprocessor),
                                               fmt::arg("occupancy", fmt::format("{:.0f}", of.occupancy * 100)));
    if (of.spill_bytes > 0)
      facts +=
          tune_gap(strings) + strings.format("view.tune.spills", fmt::arg("bytes", with_separators(of.spill_bytes)));
    if (of.requested_bytes > 0 && context.lab().flops) {
      Config config = context.session.request().config;
      for (const auto& [name, value] : map.sizes) config.sizes[name] = value;
      facts += tune_gap(strings) +
               strings.format(
                   "view.tune.intensity",
                   fmt::arg("intensity", fmt::format("{:.0f}", context.lab().flops(config) / of.requested_bytes)));
    }
  }
  const TextRun runs[] = {{context.fonts.small, context.theme.text, text},
                          {context.fonts.small, context.theme.muted, facts}};
  const float height = flow_text(ImGui::GetWindowDrawList(), low, right - low.x, context.px(kText), runs);
  mark(context, "tune.entry", low, {right, low.y + height});
  return low.y + height;
}

}  // namespace tilescope
