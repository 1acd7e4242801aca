#include "app/screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/header.hpp"
#include "app/palette.hpp"
#include "app/panels/attention_view.hpp"
#include "app/panels/file_dialog.hpp"
#include "app/panels/order_view.hpp"
#include "app/shell_keys.hpp"
#include "app/widgets.hpp"

namespace tilescope {
namespace {

constexpr float kLower = 64;            // by which the bottom of the order view begins lower than elsewhere
constexpr double kRestSeconds = 0.35;   // before a tooltip
constexpr double kBriefSeconds = 0.15;  // that a stale result is not dimmed
constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;

void begin_area(const char* id, const Area& area, ImGuiWindowFlags flags) {
  ImGui::SetCursorScreenPos({area.left, area.top});
  ImGui::BeginChild(id, {area.width(), area.height()}, false,
                    flags | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground);
}

/// A line between two areas, drawn by the area that it ends.
void edge(const Theme& theme, float left, float top, float right, float bottom) {
  ImGui::GetWindowDrawList()->AddRectFilled({left, top}, {right, bottom}, theme.separator);
}

/// A line that is dragged; a small child of its own, above the areas. Returns how far it moved along its axis.
float splitter(PanelContext& context, const char* id, ImVec2 low, ImVec2 high, bool* reset) {
  const bool vertical = high.y - low.y > high.x - low.x;
  const float reach = context.px(4), line = std::max(1.0F, std::round(context.view.scale));
  const ImVec2 corner = vertical ? ImVec2(low.x - reach, low.y) : ImVec2(low.x, low.y - reach);
  const ImVec2 size = vertical ? ImVec2(2 * reach + line, high.y - low.y) : ImVec2(high.x - low.x, 2 * reach + line);
  begin_area(id, {corner.x, corner.y, corner.x + size.x, corner.y + size.y}, kFixed);
  ImGui::SetCursorScreenPos(corner);
  ImGui::InvisibleButton(id, size);
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  mark(context, id, corner, {corner.x + size.x, corner.y + size.y});
  const ImU32 colour = active || hovered ? context.theme.accent : context.theme.separator;
  ImGui::GetWindowDrawList()->AddRectFilled(low, vertical ? ImVec2(low.x + line, high.y) : ImVec2(high.x, low.y + line),
                                            colour);
  if (active || hovered) ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  *reset = hovered && ImGui::IsMouseDoubleClicked(0);
  const float moved = vertical ? ImGui::GetIO().MouseDelta.x : ImGui::GetIO().MouseDelta.y;
  ImGui::EndChild();
  return active ? moved / context.view.scale : 0;
}

/// The order view has its own bars and plots in the place of source and speed.
bool shows_order(const PanelContext& context) { return context.view.tab == Tab::order && has_order(context.result); }

bool shows_steps(Tab tab) { return tab == Tab::step || tab == Tab::shared; }

/// So that the view above need not be scrolled: maps are high, and a small window has little room for the traffic view.
bool bottom_is_lower(const PanelContext& context, const Layout& layout) {
  return shows_order(context) || (context.view.tab == Tab::traffic && layout.stacked);
}

constexpr std::array<const char*, kTabCount> kTabKeys{
    "header.tab_lesson", "header.tab_tiles",  "header.tab_traffic", "header.tab_order",
    "header.tab_step",   "header.tab_shared", "header.tab_waves",   "header.tab_correctness"};

}  // namespace

Screen::Screen(std::shared_ptr<Engine> engine, Strings texts)
    : session(std::move(engine)),
      strings(std::move(texts)),
      palette_(std::make_unique<Palette>()),
      dialog_(std::make_unique<FileDialog>()) {}
Screen::~Screen() = default;

void Screen::show_message(std::string text) {
  message = std::move(text);
  message_until = ImGui::GetTime() + 8;
}

void Screen::open_file(const std::filesystem::path& file) { sandbox.open(file); }

void Screen::open_dialog() {
  const auto& recent = sandbox.recent();
  std::error_code ignored;
  open_file_dialog(*dialog_, recent.empty() ? std::filesystem::current_path(ignored) : recent.front().parent_path(),
                   sandbox.wake());
}

void Screen::reset_layout() {
  const ViewState fresh;
  view.rail_width = fresh.rail_width;
  view.controls_width = fresh.controls_width;
  view.bottom_height = fresh.bottom_height;
  view.source_width = fresh.source_width;
}

bool Screen::moving() const {
  const bool tooltip_pending = view.animate && !view.explained.empty() && !view.explanation_due;
  return (view.playback.playing && (view.tab == Tab::tiles || view.tab == Tab::order || view.tab == Tab::waves)) ||
         (view.tab == Tab::tiles && (view.zoom.moving || view.plane.playing || plane_working())) || session.busy() ||
         session.bench_running() || (shows_steps(view.tab) && (view.step.playing || session.recording_steps())) ||
         tooltip_pending;
}

void Screen::draw(float width, float height) {
  sandbox.poll(session);
  if (std::exchange(view.asks_for_file, false)) open_dialog();
  if (const auto error = sandbox.take_opening_error()) show_message(as_sentence(*error));
  session.poll();
  const std::string explained = std::exchange(view.explained, {});
  view.marks.clear();
  // A result that is replaced within a moment is not dimmed: a drag would flicker.
  stale_for_ = session.stale() ? stale_for_ + static_cast<double>(ImGui::GetIO().DeltaTime) : 0;
  const bool stale = session.stale() && (stale_for_ > kBriefSeconds || !session.busy());
  PanelContext context{session, view, strings, theme(), fonts, heat_maps, session.result(), stale, &sandbox};

  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushFont(fonts.small);
  ImGui::Begin("tilescope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground |
                   kFixed);
  Layout layout = lay_out(view, width, height);
  if (bottom_is_lower(context, layout))
    for (float* edge : {&layout.view.bottom, &layout.source.top, &layout.speed.top, &layout.bottom_tabs.top,
                        &layout.bottom_tabs.bottom})
      *edge += std::round(kLower * view.scale);
  if (shows_order(context)) {
    // Maps are high, bars and plots need less than source and speed; these two share the width evenly.
    layout.source.right = layout.speed.left = std::round((layout.view.left + layout.view.right) / 2);
    layout.speed.right = layout.view.right;
    if (layout.stacked)
      layout.source =
          layout.speed = {layout.view.left, layout.bottom_tabs.bottom, layout.view.right, layout.status.top};
  } else if (session.shows_own() || ((view.tab == Tab::traffic || view.diff) && !layout.stacked)) {
    // Nothing to compare an own file's speed with; beside the traffic view the source's margin grows to a ledger; two
    // rungs want to stand beside each other.
    layout.source.right = layout.speed.right;
    layout.speed = {};
    view.bottom_speed = false;
  }
  draw_areas(context, layout);
  ImGui::End();
  handle_keys(context);
  draw_palette(*palette_, context, *this);
  draw_file_dialog(*dialog_, context, *this);
  draw_help(context);
  ImGui::PopFont();
  // A tooltip comes after a moment of rest, and goes at once.
  const bool resting = !view.explained.empty() && view.explained == explained;
  view.explained_for = resting ? view.explained_for + static_cast<double>(ImGui::GetIO().DeltaTime) : 0;
  view.explanation_due = view.explained_for > kRestSeconds;
}

void Screen::draw_areas(PanelContext& context, const Layout& layout) {
  const Theme& colours = context.theme;
  surfaces_ = {{{0, 0, layout.header.right, layout.header.bottom}, colours.panel},
               {layout.rail, colours.panel},
               {layout.controls, colours.panel},
               {layout.status, colours.panel}};
  begin_area("header", {layout.logo.left, layout.logo.top, layout.header.right, layout.header.bottom}, kFixed);
  draw_header(context, strings, layout.header.left);
  const float line = std::max(1.0F, std::round(view.scale));
  edge(colours, 0, layout.header.bottom - line, layout.header.right, layout.header.bottom);
  ImGui::EndChild();
  begin_area("rail", layout.rail, kFixed);
  draw_rail(context);
  ImGui::EndChild();
  draw_tabs(context, layout);
  // What is pointed at in a lower area was noted in the last frame; the view above it shows it in this one.
  const bool pointed_below = ImGui::GetIO().MousePos.y >= layout.view.bottom;
  if (!pointed_below) view.hover = {};
  draw_view(context, layout);
  if (pointed_below) view.hover = {};
  draw_bottom(context, layout);
  begin_area("controls", layout.controls, 0);
  draw_controls(context);
  ImGui::EndChild();
  begin_area("status", layout.status, kFixed);
  draw_status(context);
  edge(colours, 0, layout.status.top, layout.status.right, layout.status.top + line);
  if (!message.empty() && ImGui::GetTime() < message_until) {
    const ImVec2 low = ImGui::GetWindowPos();
    const ImVec2 size = text_size(fonts.small, message);
    const float right = low.x + layout.status.width() - context.px(16);
    ImGui::GetWindowDrawList()->AddRectFilled({right - size.x - context.px(16), low.y + context.px(1)},
                                              {right, layout.status.bottom}, colours.panel);
    draw_text_right(ImGui::GetWindowDrawList(), fonts.small,
                    {right, centred_top(fonts.small, low.y + layout.status.height() / 2)}, colours.text, message);
  }
  ImGui::EndChild();
  draw_splitters(context, layout);
}

void Screen::draw_tabs(PanelContext& context, const Layout& layout) {
  begin_area("tabs", layout.tabs, kFixed);
  const float line = std::max(1.0F, std::round(view.scale));
  ImGui::SetCursorScreenPos({layout.tabs.left + context.px(24), layout.tabs.top});
  std::array<std::string, kTabCount> names;
  std::transform(kTabKeys.begin(), kTabKeys.end(), names.begin(), [&](const char* key) { return strings(key); });
  const int chosen = tab_row(context, "tab", names, static_cast<int>(view.tab), layout.tabs.height() - line);
  view.tab = static_cast<Tab>(chosen);
  edge(context.theme, layout.tabs.left, layout.tabs.bottom - line, layout.tabs.right, layout.tabs.bottom);
  ImGui::EndChild();
}

void Screen::draw_view(PanelContext& context, const Layout& layout) {
  // One child per tab, so that each keeps its own scroll position.
  const std::string id = std::string("view ") + kTabKeys[static_cast<size_t>(view.tab)];
  begin_area(id.c_str(), layout.view, 0);
  switch (view.tab) {
    case Tab::lesson:
      draw_lesson(context);
      break;
    case Tab::tiles:
      draw_tiles(context);
      break;
    case Tab::traffic:
      draw_traffic(context);
      break;
    case Tab::order:
      draw_order(context);
      break;
    case Tab::step:
      draw_step(context);
      break;
    case Tab::shared:
      draw_shared(context);
      break;
    case Tab::waves:
      draw_waves(context);
      break;
    case Tab::correctness:
      draw_correctness(context);
      break;
  }
  ImGui::EndChild();
}

/// Bars beside plots where there is room for both, else everything as tabs.
void Screen::draw_order_bottom(PanelContext& context, const Layout& layout) {
  if (layout.stacked) {
    begin_area("order tabs", {layout.source.left, layout.bottom_tabs.top, layout.source.right, layout.source.bottom},
               kFixed);
    draw_order_tabs(context, /*with_bytes=*/true);
    ImGui::EndChild();
    return;
  }
  begin_area("order bytes", layout.source, kFixed);
  draw_order_bytes(context);
  ImGui::EndChild();
  begin_area("order plots", layout.speed, kFixed);
  draw_order_tabs(context, /*with_bytes=*/false);
  edge(context.theme, layout.speed.left, layout.speed.top, layout.speed.left + std::max(1.0F, std::round(view.scale)),
       layout.speed.bottom);
  ImGui::EndChild();
}

void Screen::draw_bottom(PanelContext& context, const Layout& layout) {
  if (shows_order(context)) return draw_order_bottom(context, layout);
  if (layout.stacked) {
    begin_area("bottom tabs", layout.bottom_tabs, kFixed);
    ImGui::SetCursorScreenPos({layout.bottom_tabs.left + context.px(24), layout.bottom_tabs.top});
    std::vector<std::string> names{strings("header.tab_source"), strings("header.tab_speed")};
    if (session.shows_own()) names.pop_back();
    view.bottom_speed = tab_row(context, "bottom", names, view.bottom_speed ? 1 : 0, layout.bottom_tabs.height()) == 1;
    ImGui::EndChild();
  }
  if (!layout.stacked || !view.bottom_speed) {
    begin_area("source", layout.source, kFixed);
    draw_source(context);
    ImGui::EndChild();
  }
  if (layout.speed.width() > 0 && (!layout.stacked || view.bottom_speed)) {
    begin_area("speed", layout.speed, kFixed);
    draw_speed(context);
    ImGui::EndChild();
  }
}

void Screen::draw_splitters(PanelContext& context, const Layout& layout) {
  const ViewState fresh;
  const float line = std::max(1.0F, std::round(view.scale));
  // `shown` is what the window had room for; a drag starts from there, not from what is remembered.
  const auto drag = [&](const char* id, ImVec2 low, ImVec2 high, float& extent, float shown, float initial,
                        float direction) {
    bool reset = false;
    const float moved = splitter(context, id, low, high, &reset);
    if (moved != 0) extent = shown + direction * moved;
    if (reset) extent = initial;
  };
  drag("splitter.rail", {layout.rail.right - line, 0}, {layout.rail.right - line, layout.status.top}, view.rail_width,
       view.rail_width, fresh.rail_width, 1);
  drag("splitter.controls", {layout.controls.left, layout.controls.top}, {layout.controls.left, layout.controls.bottom},
       view.controls_width, view.controls_width, fresh.controls_width, -1);
  drag("splitter.bottom", {layout.view.left, layout.view.bottom}, {layout.view.right, layout.view.bottom},
       view.bottom_height,
       (layout.status.top - layout.view.bottom) / view.scale + (bottom_is_lower(context, layout) ? kLower : 0),
       fresh.bottom_height, -1);
  if (layout.stacked || layout.speed.width() <= 0 || shows_order(context)) return;
  drag("splitter.source", {layout.source.right, layout.source.top}, {layout.source.right, layout.source.bottom},
       view.source_width, view.source_width, fresh.source_width, 1);
}

}  // namespace tilescope
