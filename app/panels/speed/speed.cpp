// Speed: the size sweep or the ladder, measured live on a GPU, recorded elsewhere.
//
//   Size sweep  Ladder                    Measure  [RECORDED]
//   (plot)
//   H200, 1,980 MHz, CUDA 13.0, BLOCK 128; 2026-11-20, median, L2 flushed
//   Not available: Triton (…)
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/speed_model.hpp"
#include "app/panels/speed/speed_plot.hpp"
#include "app/panels/speed/speed_views.hpp"
#include "app/views/context.hpp"
#include "app/views/questions.hpp"
#include "engine/bench/roofline.hpp"
#include "engine/bench/timed_place.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kPadding = 24, kTabs = 32, kButtons = 26, kSpeedLine = 18, kBottom = 8, kLeastPlot = 150,
                kLowestPlot = 72, kLowPanel = 240;

bool shows_map(const PanelContext& context) { return shown_tab(context.lab(), context.view.bottom) == BottomTab::map; }

/// Prefers a sweep of this machine to a recording of a different one; for the map view, reports of the map.
ShownSpeed choose_report(const PanelContext& context) {
  if (shows_map(context)) {
    ShownSpeed shown{context.session.live_map(), nullptr};
    if (shown.live && sizes_of(*shown.live)) shown.report = shown.live.get();
    if (shown.report == nullptr) shown.report = context.session.map_recording();
    return shown;
  }
  ShownSpeed shown{context.session.live_speed(), nullptr};
  if (shown.live && sizes_of(*shown.live)) shown.report = shown.live.get();
  if (shown.report == nullptr) shown.report = context.session.recording();
  return shown;
}

/// A button without a fill, with its right edge at the position. Returns its left edge.
float text_button(PanelContext& context, const char* id, ImVec2 top_right, const std::string& text, bool* pressed) {
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  const float width = std::round(text_size(font, text).x) + context.px(16), height = context.px(20);
  const ImVec2 low{std::round(top_right.x - width), std::round(top_right.y)};
  ImGui::SetCursorScreenPos(low);
  *pressed = hit_area(id, {width, height});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  mark(context, id, low, {low.x + width, low.y + height});
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRect({low.x + 0.5F, low.y + 0.5F}, {low.x + width - 0.5F, low.y + height - 0.5F},
                hovered ? theme.accent : theme.separator, context.px(4), 0, context.px(1));
  draw_text_centred(list, font, {low.x + width / 2, low.y + height / 2}, hovered ? theme.accent : theme.text, text);
  return low.x;
}

/// While the sweep runs: its progress, and a button to stop it.
float draw_running(PanelContext& context, float right, float centre) {
  const Theme& theme = context.theme;
  bool stop = false;
  float x =
      text_button(context, "speed.cancel", {right, centre - context.px(10)}, context.strings("speed.cancel"), &stop);
  if (stop) context.session.cancel_bench();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const double fraction = std::clamp(context.session.bench_fraction(), 0.0, 1.0);
  const std::string percent = fmt::format("{:.0f}%", 100 * fraction);
  draw_text_right(list, context.fonts.small, {x - context.px(10), centred_top(context.fonts.small, centre)},
                  theme.muted, percent);
  x -= context.px(16) + text_size(context.fonts.small, "100%").x;
  const float width = context.px(56), thickness = context.px(4), top = std::round(centre - thickness / 2);
  list->AddRectFilled({x - width, top}, {x, top + thickness}, theme.separator, thickness / 2);
  list->AddRectFilled({x - width, top}, {x - width + width * static_cast<float>(fraction), top + thickness},
                      theme.accent, thickness / 2);
  return x - width;
}

const char* tab_key(BottomTab tab) {
  constexpr std::array<const char*, 7> kKeys{"speed.sweep", "speed.ladder", "speed.roofline", "speed.fusion",
                                             "speed.map",   "speed.small",  "speed.memory"};
  return kKeys[static_cast<size_t>(tab)];
}

/// The explanation of a tab.
const char* tab_meaning(BottomTab tab) {
  constexpr std::array<const char*, 7> kKeys{
      "speed.tab_sweep_meaning", "speed.tab_ladder_meaning", "speed.tab_roofline_meaning", "speed.tab_fusion_meaning",
      "speed.tab_map_meaning",   "speed.tab_small_meaning",  "speed.tab_memory_meaning"};
  return kKeys[static_cast<size_t>(tab)];
}

/// The width that draw_speed_buttons needs.
float buttons_width(const PanelContext& context, const SpeedReport* report) {
  const auto text = [&](const char* key) {
    return text_size(context.fonts.small, context.strings(key)).x + context.px(16);
  };
  const float badge = report != nullptr ? badge_width(context, report->badge) + context.px(12) : 0;
  if (context.session.bench_running())
    return badge + text("speed.cancel") + context.px(10 + 16 + 56) + text_size(context.fonts.small, "100%").x;
  return context.session.engine().gpu() ? badge + text("speed.measure") : badge;
}

/// Returns its height: if tabs and buttons are too wide for one row, the buttons get a separate one.
float draw_tabs_and_badge(PanelContext& context, const SpeedReport* report, ImVec2 origin, float right) {
  const std::vector<BottomTab> tabs = speed_tabs(context.lab());
  const BottomTab shown = shown_tab(context.lab(), context.view.bottom);
  std::vector<std::string> names;
  std::vector<TabNote> notes;
  for (const BottomTab tab : tabs) {
    names.push_back(context.strings(tab_key(tab)));
    notes.push_back({.meaning = context.strings(tab_meaning(tab))});
  }
  const auto current = static_cast<int>(std::find(tabs.begin(), tabs.end(), shown) - tabs.begin());
  ImGui::SetCursorScreenPos(origin);
  const int chosen = tab_row(context, "speed", names, current, context.px(kTabs), notes);
  const float tabs_end = ImGui::GetItemRectMax().x;
  // A view that this lab does not have stays selected for the next lab.
  if (chosen != current) context.view.bottom = tabs[static_cast<size_t>(chosen)];
  // Fusion and roofline have a badge for each of their numbers.
  const BottomTab now = shown_tab(context.lab(), context.view.bottom);
  const bool mixed = now == BottomTab::fusion || now == BottomTab::roofline;
  const SpeedReport* badged = mixed ? nullptr : report;
  if (now == BottomTab::memory) {  // derived from the shapes: there is nothing to measure
    draw_badge(context, ImGui::GetWindowDrawList(), {right, origin.y + context.px(kTabs) / 2 - context.px(10)},
               Badge::modelled);
    return context.px(kTabs);
  }
  const float width = buttons_width(context, badged);
  const bool fits = width <= 0 || tabs_end + context.px(12) + width <= right;
  const float centre = origin.y + (fits ? context.px(kTabs) / 2 : context.px(kTabs + kButtons / 2 + 4));
  draw_speed_buttons(context, badged, right, centre);
  return context.px(kTabs) + (fits ? 0 : context.px(kButtons));
}

struct Note {
  std::string text, explanation;
  ImU32 colour;
};

/// Rejected recordings, and why a measurement failed.
void add_errors(const PanelContext& context, std::vector<Note>& notes) {
  const auto add = [&](const Error& error) {
    notes.push_back({sentence(context.strings, error), as_sentence(context.strings, error), context.theme.error});
  };
  for (const Error& refused : context.session.recordings().refused) add(refused);
  if (const auto& error = context.session.bench_error()) add(*error);
}

/// Why points of a series are missing, without its name, which precedes it.
std::string reason_missing(const TimingSeries& series, const std::string& reason) {
  const std::string known = series.name + " is not available: ";
  return reason.starts_with(known) ? reason.substr(known.size()) : reason;
}

/// Position of the sliders relative to a sweep over shapes: nothing is at their sizes unless they match a timed shape.
std::string sliders_note(const PanelContext& context, const SpeedReport& report) {
  const Config& config = context.session.request().config;
  if (const auto here = exact_place(context.lab(), report, config))
    return context.strings.format("speed.shapes_here", fmt::arg("shape", place_text(report, *here)));
  std::string sizes;
  for (const Size& size : context.lab().sizes)
    sizes += (sizes.empty() ? "" : " × ") + std::to_string(config.size(size.name));
  return context.strings.format("speed.shapes_elsewhere", fmt::arg("sizes", sizes));
}

/// The lines under the plot: the source of the numbers, what is missing, what failed.
std::vector<Note> notes_of(const PanelContext& context, const SpeedReport& report, float width) {
  const Strings& strings = context.strings;
  std::vector<Note> notes;
  std::string where = provenance_text(report, strings), how = method_text(report, strings);
  if (report.is_map) {
    // Each point has its own parameters, shown in the cells.
    where = machine_text(report, strings);
    how = strings.format("speed.map_method", fmt::arg("date", report.date.substr(0, 10)));
  }
  const std::string both = where + strings("speed.semicolon") + how, more = provenance_sentence(report, strings);
  if (text_size(context.fonts.small, both).x <= width) {
    notes.push_back({both, more, context.theme.muted});
  } else {
    notes.push_back({where, more, context.theme.muted});
    notes.push_back({how, more, context.theme.muted});
  }
  if (shown_tab(context.lab(), context.view.bottom) == BottomTab::sweep && !report.shapes.empty())
    notes.insert(notes.begin() + 1,
                 {sliders_note(context, report), strings("speed.shapes_meaning"), context.theme.muted});
  std::string missing, reasons;
  // A library's own message is shown on hover; the line under the plot has its meaning.
  const auto tell = [&](const TimingSeries& series, const std::string& place, const std::string& reason) {
    const std::string own = reason_missing(series, reason), name = place.empty() ? series.name : series.name + place;
    const Phrase meaning = meaning_of(name, own);
    missing += (missing.empty() ? "" : strings("speed.semicolon")) +
               (meaning.empty() ? name + ": " + strings.note(own) : strings.say(meaning));
    reasons += (reasons.empty() ? "" : "\n") + name + ": " + strings.note(own);
  };
  for (const auto& series : report.series) {
    if (!series.unavailable.empty()) tell(series, {}, series.unavailable);
    for (const auto& [size, reason] : series.gaps) tell(series, " (" + place_text(report, size) + ")", reason);
  }
  if (!missing.empty())
    notes.push_back({strings.format("speed.not_available", fmt::arg("what", missing)), reasons, context.theme.muted});
  add_errors(context, notes);
  return notes;
}

/// Draws a note on at most two lines if `list` is not null. Returns its height.
float draw_note(const PanelContext& context, ImDrawList* list, const Note& note, ImVec2 position, float width) {
  ImFont* font = context.fonts.small;
  // Slightly less than two lines, because lines break between words.
  const std::string text = fit_text(font, note.text, 1.8F * width);
  const TextRun runs[] = {{font, note.colour, text}};
  return flow_text(list, position, width, context.px(kSpeedLine), runs);
}

float notes_height(const PanelContext& context, const std::vector<Note>& notes, float width) {
  float height = 0;
  for (const Note& note : notes) height += draw_note(context, nullptr, note, {0, 0}, width);
  return height;
}

void draw_notes(PanelContext& context, const std::vector<Note>& notes, ImVec2 position, float width) {
  for (const Note& note : notes) {
    const float height = draw_note(context, ImGui::GetWindowDrawList(), note, position, width);
    explain_rect(context, position, {position.x + width, position.y + height}, note.explanation);
    position.y += height;
  }
}

/// Problem parameters that differ from the nearest of the lab's recordings, "Head dimension = 128"; empty if there is
/// none.
std::string missing_choices(const PanelContext& context) {
  const Lab& lab = context.lab();
  const Config& wanted = context.session.request().config;
  std::vector<std::string> fewest;
  for (const SpeedReport& report : context.session.recordings().reports) {
    if (report.lab != lab.name || report.is_map != shows_map(context)) continue;
    std::vector<std::string> different;
    for (const Param& param : lab.params) {
      const auto recorded = report.config.params.find(param.name);
      const bool of_problem = !param.choices.empty() || param.of_problem;
      if (!of_problem || recorded == report.config.params.end()) continue;
      if (recorded->second != wanted.param(param.name))
        different.push_back(context.strings(param.title) + " = " + param_text(param, recorded->second));
    }
    if (!different.empty() && (fewest.empty() || different.size() < fewest.size())) fewest = std::move(different);
  }
  std::string text;
  for (const std::string& one : fewest) text += (text.empty() ? "" : context.strings("speed.comma")) + one;
  return text;
}

/// What to do if there is nothing to show.
void draw_nothing(PanelContext& context) {
  const Strings& strings = context.strings;
  const auto lab = fmt::arg("lab", context.lab().name);
  const bool small = shown_tab(context.lab(), context.view.bottom) == BottomTab::small;
  std::string hint;
  if (context.session.bench_running())
    hint = strings("speed.empty_running");
  else if (context.session.shows_own())
    hint = strings("speed.empty_own");
  else if (context.session.engine().gpu())
    hint = strings("speed.empty_measure");
  else if (const std::string params = missing_choices(context); !small && !params.empty())
    hint = strings.format("speed.empty_other", fmt::arg("params", params));
  else
    hint = strings.format(small ? "speed.small_record" : "speed.empty_record", lab);
  empty_state(context, strings(small ? "speed.small_empty" : "speed.empty"), hint);
}

}  // namespace

std::vector<BottomTab> speed_tabs(const Lab& lab) {
  std::vector<BottomTab> tabs{BottomTab::sweep, BottomTab::ladder};
  if (has_roofline(lab)) tabs.push_back(BottomTab::roofline);
  if (lab.fusion) tabs.push_back(BottomTab::fusion);
  if (lab.scheme_map) tabs.push_back(BottomTab::map);
  if (!lab.small_sizes.empty()) tabs.push_back(BottomTab::small);
  if (lab.plane) tabs.push_back(BottomTab::memory);
  return tabs;
}

BottomTab shown_tab(const Lab& lab, BottomTab wanted) {
  const std::vector<BottomTab> tabs = speed_tabs(lab);
  return std::find(tabs.begin(), tabs.end(), wanted) != tabs.end() ? wanted : BottomTab::sweep;
}

ShownSpeed shown_speed(const PanelContext& context) { return choose_report(context); }

void draw_speed_buttons(PanelContext& context, const SpeedReport* report, float right, float centre) {
  if (report != nullptr) {
    const ImVec2 corner{right, centre - context.px(10)};
    right -= draw_badge(context, ImGui::GetWindowDrawList(), corner, report->badge) + context.px(12);
  }
  if (context.session.bench_running()) {
    draw_running(context, right, centre);
  } else if (context.session.engine().gpu() && !context.session.shows_own()) {
    bool start = false;
    text_button(context, "speed.measure", {right, centre - context.px(10)}, context.strings("speed.measure"), &start);
    explain(context, context.strings(shows_map(context) ? "speed.measure_map_meaning" : "speed.measure_meaning"));
    if (start) context.session.start_bench(shows_map(context));
  }
}

void draw_speed_body(PanelContext& context, const SpeedReport* report, ImVec2 low, ImVec2 size) {
  const float left = low.x, width = size.x;
  std::vector<Note> notes;
  if (report != nullptr)
    notes = notes_of(context, *report, width);
  else
    add_errors(context, notes);
  // The roofline needs height: a short panel gives its notes only one line.
  const bool roofline = shown_tab(context.lab(), context.view.bottom) == BottomTab::roofline;
  if (roofline && size.y < context.px(kLowPanel) && !notes.empty()) {
    notes.resize(1);
    notes[0].text = fit_text(context.fonts.small, notes[0].text, width);
  }
  // A short panel keeps its plot and drops notes from the end; the first explains the numbers and stays. Each bar of
  // the ladder, and each row of the shapes, must be labelled: there the notes, which hovering shows in full, are
  // shortened first.
  const float top = low.y, bottom = low.y + size.y;
  const BottomTab tab = shown_tab(context.lab(), context.view.bottom);
  const bool ladder = report != nullptr && tab == BottomTab::ladder;
  const bool shapes = report != nullptr && tab == BottomTab::sweep && !report->shapes.empty();
  const float wanted = ladder   ? ladder_height(context, *report)
                       : shapes ? shape_sweep_height(context, *report, width) + context.px(8)
                                : 0;
  const float least = std::max(context.px(kLeastPlot), wanted);
  const auto too_low = [&] { return bottom - notes_height(context, notes, width) - top < least; };
  if ((ladder || shapes) && too_low())
    for (Note& note : notes) note.text = fit_text(context.fonts.small, note.text, width);
  while (notes.size() > 1 && too_low()) notes.pop_back();
  // If there is hardly room for a plot, the first note is dropped too: the plot would be drawn over it.
  const float gap = context.px(8);
  if (bottom - notes_height(context, notes, width) - gap - top < context.px(kLowestPlot)) notes.clear();
  const float below = bottom - notes_height(context, notes, width);
  if (!notes.empty()) {
    draw_notes(context, notes, {left, below}, width);
    mark(context, "speed.notes", {left, below}, {left + width, bottom});
  }
  ImGui::SetCursorScreenPos({left, top});
  const ImVec2 plot{width, std::max(below - (notes.empty() ? 0 : gap) - top, 1.0F)};
  if (report != nullptr && context.view.hides(ShownNumber::speed))
    return draw_veil(context, ImGui::GetWindowDrawList(), {left, top}, {left + plot.x, top + plot.y});
  if (tab == BottomTab::roofline) return draw_roofline(context, report, {left, top}, plot);
  if (tab == BottomTab::map) return draw_scheme_map(context, report, {left, top}, plot);
  const bool nothing = report == nullptr || (tab == BottomTab::small && !has_small_sizes(context.lab(), *report));
  if (nothing) return draw_nothing(context);
  if (tab == BottomTab::small)
    draw_small_sizes(context, *report, {left, top}, plot);
  else if (tab == BottomTab::ladder)
    draw_speed_ladder(context, *report, plot);
  else if (!report->shapes.empty())
    draw_shape_sweep(context, *report, {left, top}, plot);
  else
    draw_size_sweep(context, *report, plot);
}

void draw_speed(PanelContext& context) {
  const ShownSpeed shown = choose_report(context);
  const ImVec2 low = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  const float padding = context.px(kPadding), left = low.x + padding, width = size.x - 2 * padding;
  const float tabs = draw_tabs_and_badge(context, shown.report, {left, low.y + context.px(2)}, left + width);
  const float top = tabs + context.px(10);
  if (shown_tab(context.lab(), context.view.bottom) == BottomTab::fusion)
    return draw_fusion(context, shown.report, {left, low.y + top}, {width, size.y - context.px(kBottom) - top});
  if (shown_tab(context.lab(), context.view.bottom) == BottomTab::memory)
    return draw_memory(context, {left, low.y + top}, {width, size.y - context.px(kBottom) - top});
  draw_speed_body(context, shown.report, {left, low.y + top}, {width, size.y - context.px(kBottom) - top});
}

}  // namespace tilescope
