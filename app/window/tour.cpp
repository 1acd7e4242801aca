#include "app/window/tour.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/tooltip.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/view.hpp"
#include "app/window/screen.hpp"

namespace tilescope {
namespace {

constexpr const char* kTourLab = "hello";
constexpr const char* kRung = "one-block";  // the next one has the whole grid
constexpr const char* kParam = "BLOCK";
// Unscaled pixels.
constexpr float kTourWidth = 300, kTourPadding = 16, kTourRow = 24, kTourLine = 19, kTip = 9, kAway = 14, kMargin = 8;
constexpr float kHeader = 48, kTourTabs = 40, kStatus = 24;  // heights of these areas

constexpr std::array<const char*, Tour::kSteps> kTitles{"tour.slider", "tour.rung", "tour.break", "tour.look"};
constexpr std::array<const char*, Tour::kSteps> kHints{"tour.slider_hint", "tour.rung_hint", "tour.break_hint",
                                                       "tour.look_hint"};

size_t current_step(const Tour& tour) {
  return static_cast<size_t>(std::find(tour.done.begin(), tour.done.end(), false) - tour.done.begin());
}

/// The mark of a step's target; empty if it has none.
std::string target_of(const PanelContext& context, size_t step) {
  const Lab& lab = context.lab();
  switch (step) {
    case 0:
      return std::string("slider.") + kParam;
    case 1: {
      const auto here = std::find_if(lab.rungs.begin(), lab.rungs.end(),
                                     [&](const Rung& rung) { return rung.name == context.rung().name; });
      const auto next = here != lab.rungs.end() && here + 1 != lab.rungs.end() ? here + 1 : lab.rungs.begin();
      return "rung." + next->name;
    }
    case 2: {
      const auto here =
          std::ranges::find_if(lab.break_it, [&](const BreakIt& one) { return one.concerns(context.rung().name); });
      return here == lab.break_it.end() ? std::string() : "break." + here->name;
    }
    case 3:
      return "tab." + std::to_string(WindowViews::index_of("step"));
    default:
      return {};
  }
}

bool shows_a_planted_bug(const PanelContext& context) {
  const auto& error = context.session.error();  // a bug of the host may have the launch refused
  if (error && error->id == ErrorId::bad_launch && !context.session.request().broken.empty()) return true;
  if (!context.result || context.result->request.broken.empty()) return false;
  return !context.result->findings.empty() || !context.result->passed();
}

/// The target's area; a slider's includes its label and number above the track.
std::optional<Mark> place_of_target(const PanelContext& context, size_t step) {
  const Marks& marks = context.view.marks;
  const auto found = marks.find(target_of(context, step));
  if (found == marks.end()) return std::nullopt;
  Mark place = found->second;
  if (const auto number = marks.find(std::string("value.") + kParam); step == 0 && number != marks.end())
    place.low.y = std::min(place.low.y, number->second.low.y);
  return place;
}

struct Card {
  Mark place;
  std::optional<Mark> target;
};

/// Whether all of it is between the header and the status bar: the controls column may be scrolled.
bool is_in_sight(const PanelContext& context, const Mark& target) {
  const float rounded = 1;  // areas begin at whole pixels
  const float bottom = ImGui::GetIO().DisplaySize.y - context.px(kStatus);
  return target.low.y >= context.px(kHeader) - rounded && target.high.y <= bottom + rounded;
}

/// Left of a control, below a tab; at the foot of the column if there is no target.
Card place_card(const PanelContext& context, float height) {
  const ViewState& view = context.view;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = context.px(kTourWidth), away = context.px(kAway), margin = context.px(kMargin);
  const auto found = place_of_target(context, current_step(view.tour));
  const float right = view.column_left - away;
  if (!found || !is_in_sight(context, *found)) {
    const ImVec2 low{right - width, display.y - height - context.px(kStatus + kMargin)};
    return {{low, {low.x + width, low.y + height}}, std::nullopt};
  }
  const Mark& target = *found;
  ImVec2 low{right - width, target.centre().y - height / 2};
  if (target.low.x < view.column_left) low = {target.centre().x - width / 2, target.high.y + away};
  const float top = context.px(kHeader + kTourTabs + kMargin);  // the tabs stay visible
  low.x = std::round(std::clamp(low.x, margin, std::max(margin, display.x - width - margin)));
  low.y = std::round(std::clamp(low.y, top, std::max(top, display.y - height - context.px(kStatus + kMargin))));
  return {{low, {low.x + width, low.y + height}}, target};
}

/// The card's pointer, and a ring around its target.
void draw_pointer(const PanelContext& context, const Card& card) {
  if (!card.target) return;
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const Mark& target = *card.target;
  const float out = context.px(4), tip = context.px(kTip);
  list->AddRect({target.low.x - out, target.low.y - out}, {target.high.x + out, target.high.y + out}, theme.accent,
                context.px(6), 0, context.px(2));
  if (target.low.x >= card.place.high.x) {
    const float y = std::clamp(target.centre().y, card.place.low.y + 2 * tip, card.place.high.y - 2 * tip);
    const float x = card.place.high.x - 1;
    list->AddTriangleFilled({x, y - tip}, {x + tip, y}, {x, y + tip}, theme.accent);
  } else if (target.high.y <= card.place.low.y) {
    const float x = std::clamp(target.centre().x, card.place.low.x + 2 * tip, card.place.high.x - 2 * tip);
    const float y = card.place.low.y + 1;
    list->AddTriangleFilled({x - tip, y}, {x, y - tip}, {x + tip, y}, theme.accent);
  }
}

/// One step: ticked, current with its hint, or pending. Returns its height; draws if `list` is not null.
float draw_step(const PanelContext& context, ImDrawList* list, ImVec2 low, float width, size_t step) {
  const Theme& theme = context.theme;
  const Tour& tour = context.view.tour;
  const bool done = tour.done[step], current = step == current_step(tour);
  ImFont* font = current ? context.fonts.small_semibold : context.fonts.small;
  const float middle = low.y + context.px(kTourRow) / 2, indent = context.px(24);
  if (list != nullptr) {
    const ImVec2 centre{low.x + context.px(7), middle};
    if (done)
      draw_check(list, centre, context.px(11), theme.ok, context.px(1.75F));
    else
      list->AddCircle(centre, context.px(5), current ? theme.accent : theme.muted, 20, context.px(1.5F));
    draw_text(list, font, {low.x + indent, centred_top(font, middle)}, done || !current ? theme.muted : theme.text,
              context.strings(kTitles[step]));
  }
  float height = context.px(kTourRow);
  if (!current) return height;
  const TextRun run[] = {{context.fonts.small, theme.text, context.strings(kHints[step])}};
  height +=
      flow_text(list, {low.x + indent, low.y + height - context.px(2)}, width - indent, context.px(kTourLine), run);
  return height + context.px(4);
}

/// Everything below the title row. Returns its height.
float draw_body(const PanelContext& context, ImDrawList* list, ImVec2 low, float width) {
  float y = low.y;
  for (size_t step = 0; step < Tour::kSteps; ++step) y += draw_step(context, list, {low.x, y}, width, step);
  if (current_step(context.view.tour) == Tour::kSteps) {
    const TextRun run[] = {{context.fonts.small, context.theme.text, context.strings("tour.done")}};
    y += context.px(6);
    y += flow_text(list, {low.x, y}, width, context.px(kTourLine), run);
  }
  return y - low.y;
}

/// A pressable word with its right edge at x.
bool draw_link(PanelContext& context, const char* name, const std::string& text, float x, float middle) {
  ImFont* font = context.fonts.small_semibold;
  const float width = text_size(font, text).x, half = context.px(12);
  ImGui::SetCursorScreenPos({x - width, middle - half});
  const bool pressed = hit_area(name, {width, 2 * half});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  mark(context, name, {x - width, middle - half}, {x, middle + half});
  explain(context, context.strings("tour.skip_meaning"));
  draw_text(ImGui::GetWindowDrawList(), font, {x - width, centred_top(font, middle)},
            hovered ? context.theme.text : context.theme.accent, text);
  return pressed;
}

}  // namespace

void start_tour(Screen& screen) {
  Session& session = screen.session;
  session.select_lab(kTourLab);
  session.select_rung(kRung);
  for (const BreakIt& one : session.lab().break_it) session.set_broken(one.name, false);
  screen.view.tab = "lesson";
  screen.view.tour = {.running = true};
}

void follow_tour(PanelContext& context) {
  ViewState& view = context.view;
  Tour& tour = view.tour;
  if (!tour.running || context.lab().name != kTourLab) return;
  const int64_t block = context.session.request().config.param(kParam);
  if (tour.rung.empty()) {  // the initial state, now or after a restart of the program
    tour.block = block;
    tour.rung = context.rung().name;
    tour.guesses = score_of(context.session.learned).all;
  }
  tour.done[0] = tour.done[0] || block != tour.block;
  tour.done[1] = tour.done[1] || context.rung().name != tour.rung;
  tour.done[2] = tour.done[2] || shows_a_planted_bug(context);
  tour.done[3] = tour.done[3] || view.tab == "step" || score_of(context.session.learned).all > tour.guesses;
}

void draw_tour(PanelContext& context) {
  ViewState& view = context.view;
  if (!view.tour.running || context.lab().name != kTourLab) return;
  const Theme& theme = context.theme;
  const float padding = context.px(kTourPadding), width = context.px(kTourWidth), inside = width - 2 * padding;
  const float title = context.px(34), foot = context.px(32);
  const float height = title + draw_body(context, nullptr, {0, 0}, inside) + foot + context.px(6);
  const Card card = place_card(context, height);
  ImGui::SetNextWindowPos(card.place.low);
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, context.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0F, std::round(context.px(1.5F))));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, theme.raised);
  ImGui::PushStyleColor(ImGuiCol_Border, theme.accent);
  ImGui::Begin("first steps", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoFocusOnAppearing);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 low = card.place.low;
  const float left = low.x + padding, right = low.x + width - padding, middle = low.y + context.px(20);
  draw_text(list, context.fonts.body_semibold, {left, centred_top(context.fonts.body_semibold, middle)}, theme.text,
            context.strings("tour.title"));
  const auto done = std::count(view.tour.done.begin(), view.tour.done.end(), true);
  draw_text_right(list, context.fonts.small, {right - context.px(26), centred_top(context.fonts.small, middle)},
                  theme.muted,
                  context.strings.format("controls.of", fmt::arg("some", done), fmt::arg("all", Tour::kSteps)));
  const float half = context.px(11);
  ImGui::SetCursorScreenPos({right - 2 * half + context.px(4), middle - half});
  bool closed = hit_area("tour close", {2 * half, 2 * half});
  const ImVec2 centre{right - half + context.px(4), middle};
  draw_cross(list, centre, context.px(10), ImGui::IsItemHovered() ? theme.text : theme.muted, context.px(1.5F));
  mark(context, "tour close", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  explain(context, context.strings("tour.skip_meaning"));
  draw_body(context, list, {left, low.y + title}, inside);
  const bool all = current_step(view.tour) == Tour::kSteps;
  closed = draw_link(context, "tour skip", context.strings(all ? "tour.close" : "tour.skip"), right,
                     low.y + height - context.px(20)) ||
           closed;
  mark(context, "tour card", card.place.low, card.place.high);
  ImGui::End();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
  draw_pointer(context, card);
  if (closed) view.tour.running = false;
}

}  // namespace tilescope
