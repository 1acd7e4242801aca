// The keys of the screen, and the help opened by F1.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/draw/keys.hpp"
#include "app/draw/menus.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/playback.hpp"
#include "app/views/view.hpp"
#include "app/window/file_dialog.hpp"
#include "app/window/help_terms.hpp"
#include "app/window/palette.hpp"
#include "app/window/screen.hpp"

namespace tilescope {
namespace {

constexpr const char* kHelpKeys[] = {"help.run",        "help.play",     "help.step",  "help.wave",     "help.lines",
                                     "help.zoom",       "help.ends",     "help.tabs",  "help.find",     "help.open",
                                     "help.edit",       "help.save",     "help.diff",  "help.search",   "help.replace",
                                     "help.go_to_line", "help.maximise", "help.lower", "help.baseline", "help.scale",
                                     "help.help",       "help.cancel"};

/// "F5, Ctrl+Enter|run": the keys, and what they do.
std::pair<std::string_view, std::string_view> help_line(std::string_view line) {
  const size_t bar = std::min(line.find('|'), line.size());
  return {line.substr(0, bar), line.substr(std::min(bar + 1, line.size()))};
}

}  // namespace

/// The source panel handles its keys itself; if it is hidden, it gets a command.
void Screen::source_keys() {
  static constexpr std::pair<Key, SourceWish> kWishes[] = {{Key::e, SourceWish::edit},
                                                           {Key::f, SourceWish::find},
                                                           {Key::g, SourceWish::go_to_line},
                                                           {Key::h, SourceWish::replace},
                                                           {Key::s, SourceWish::save}};
  if (key_went_down(Key::j)) toggle_lower();
  if (ImGui::GetIO().KeyShift && key_went_down(Key::e)) return toggle_source_maximised();
  if (view.source_drawn || ImGui::GetIO().WantTextInput) return;
  for (const auto& [key, wish] : kWishes)
    if (key_went_down(key) && !(wish == SourceWish::find && views_->at(view.tab).finds_text())) ask_source(wish);
}

void Screen::handle_keys(PanelContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool command = io.KeyCtrl || io.KeySuper;
  // These also work while typing, because they type nothing.
  if (command && key_went_down(Key::p)) {
    open_palette(*palette_);
    return;
  }
  if (command && key_went_down(Key::o)) return open_dialog();
  const bool enter = command && key_went_down(Key::enter);
  if (enter && workshop.is_shown(session)) workshop.judge(session);
  if (key_went_down(Key::f5) || (enter && !workshop.is_shown(session))) session.submit();
  if (key_went_down(Key::f1)) {
    help_open_ = !help_open_;
    help_page_ = Help::keys;
    help_text_ = view.explained;
  }
  if (command) {
    if (key_went_down(Key::plus) || key_went_down(Key::keypad_plus)) zoom(1);
    if (key_went_down(Key::minus) || key_went_down(Key::keypad_minus)) zoom(-1);
    if (key_went_down(Key::digit_0)) zoom(0);
  }
  if (palette_->open || dialog_->open || any_menu_open() || escape_used_) return;
  if (command && !io.KeyAlt) source_keys();
  if (key_went_down(Key::escape)) {
    if (help_open_)
      help_open_ = false;
    else if (workshop.judging())
      workshop.cancel();
    else if (session.busy())
      session.cancel();
    else if (session.bench_running())
      session.cancel_bench();
  }
  if (io.WantTextInput || command || io.KeyAlt) return;
  constexpr size_t kDigits = 9;
  for (size_t index = 0; index < std::min(tilescope::views().size(), kDigits); ++index)
    if (key_went_down(static_cast<Key>(static_cast<size_t>(Key::digit_1) + index))) {
      const std::string_view name = tilescope::views()[index].name;
      if (!views_->at(name).concerns(session)) continue;
      view.tab = name;
      view.source_maximised = false;
    }
  if (key_went_down(Key::b)) pin_baseline(context);
  if (key_went_down(Key::d)) toggle_diff();
  if (!views_->at(view.tab).keys(context)) playback_keys(context);
}

void Screen::draw_help_page(PanelContext& context, float width, float key_column) {
  if (!help_text_.empty()) {
    ImGui::PushTextWrapPos(width - context.px(24));
    ImGui::TextUnformatted(help_text_.c_str());
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, context.px(16)});
  }
  if (help_page_ == Help::terms) return draw_terms(context, width - context.px(48));
  ImGui::PushFont(fonts.body_semibold);
  ImGui::TextUnformatted(strings("help.title").c_str());
  ImGui::PopFont();
  ImGui::Dummy({0, context.px(8)});
  const float row = context.px(24);
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const char* key : kHelpKeys) {
    const auto [keys, what] = help_line(strings(key));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float top = centred_top(fonts.small, at.y + row / 2);
    draw_text(list, fonts.small, {at.x, top}, theme().text, keys);
    draw_text(list, fonts.small, {at.x + key_column, top}, theme().muted, what);
    ImGui::Dummy({0, row});
  }
}

void Screen::draw_help(PanelContext& context) {
  if (!help_open_) return;
  // The widest keys determine where the descriptions begin, in each language.
  float key_column = 0, what_column = context.px(360);
  for (const char* key : kHelpKeys) {
    const auto [keys, what] = help_line(strings(key));
    key_column = std::max(key_column, text_size(fonts.small, keys).x + context.px(24));
    what_column = std::max(what_column, text_size(fonts.small, what).x);
  }
  const bool terms = help_page_ == Help::terms;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width =
      terms ? context.px(720) : std::min(key_column + what_column + context.px(2 * 24 + 8), display.x - context.px(16));
  ImGui::SetNextWindowPos({std::round((display.x - width) / 2), context.px(terms ? 40 : 96)});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, display.y - context.px(80)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(24), context.px(20)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, context.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.panel);
  ImGui::Begin("help", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
  draw_help_page(context, width, key_column);
  const ImVec2 low = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  mark(context, terms ? "help.terms" : "help.keys", low, {low.x + size.x, low.y + size.y});
  const bool elsewhere = ImGui::IsMouseClicked(0) && !ImGui::IsWindowHovered();
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(4);
  if (elsewhere) help_open_ = false;
}

}  // namespace tilescope
