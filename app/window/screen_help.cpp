// The help: its pages, and the window over the screen that shows one of them.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "app/draw/widgets.hpp"
#include "app/window/help_glossary.hpp"
#include "app/window/help_terms.hpp"
#include "app/window/screen.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kTabs = 32, kSideX = 24, kSideY = 20, kHelpTop = 40, kTerms = 720, kGlossary = 800;

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

const char* name_of(Screen::Help page) {
  switch (page) {
    case Screen::Help::terms:
      return "terms";
    case Screen::Help::glossary:
      return "glossary";
    case Screen::Help::keys:
      break;
  }
  return "keys";
}

}  // namespace

void Screen::draw_help_keys(PanelContext& context, float key_column) {
  if (!help_text_.empty()) {
    ImGui::PushTextWrapPos(ImGui::GetWindowWidth() - context.px(kSideX));
    ImGui::TextUnformatted(help_text_.c_str());
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, context.px(16)});
  }
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

/// `size`: the room for the page, below the names of the pages.
void Screen::draw_help_page(PanelContext& context, ImVec2 size, float key_column) {
  const std::string names[] = {strings("help.title"), strings("terms.title"), strings("terms.glossary")};
  const int chosen = tab_row(context, "help", names, static_cast<int>(help_page_), context.px(kTabs));
  if (chosen != static_cast<int>(help_page_)) show_help(static_cast<Help>(chosen));
  ImGui::Dummy({0, context.px(12)});
  switch (help_page_) {
    case Help::keys:
      return draw_help_keys(context, key_column);
    case Help::terms:
      return draw_terms(context, size.x);
    case Help::glossary:
      if (glossary_->draw(context, size)) help_open_ = false;
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
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float widest = display.x - context.px(16), height = display.y - context.px(2 * kHelpTop);
  float width = key_column + what_column + context.px(2 * kSideX + 8);
  if (help_page_ == Help::terms) width = context.px(kTerms);
  if (help_page_ == Help::glossary) width = context.px(kGlossary);
  width = std::min(width, widest);
  ImGui::SetNextWindowPos({std::round((display.x - width) / 2), context.px(kHelpTop)});
  ImGui::SetNextWindowSize({width, help_page_ == Help::glossary ? height : 0});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(kSideX), context.px(kSideY)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, context.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.panel);
  ImGui::Begin("help", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoMove);
  const Help shown = help_page_;
  draw_help_page(context, {width - context.px(2 * kSideX), height - context.px(2 * kSideY + kTabs + 12)}, key_column);
  const ImVec2 low = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  mark(context, std::string("help.") + name_of(shown), low, {low.x + size.x, low.y + size.y});
  const bool inside =
      ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  const bool elsewhere = ImGui::IsMouseClicked(0) && !inside;
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(4);
  if (elsewhere) help_open_ = false;
}

}  // namespace tilescope
