// The keys of the screen, and F1's explanation.
#include <algorithm>

#include "app/palette.hpp"
#include "app/panels/attention_view.hpp"
#include "app/panels/file_dialog.hpp"
#include "app/panels/order_view.hpp"
#include "app/panels/step_view.hpp"
#include "app/panels/tiles_playback.hpp"
#include "app/panels/tiles_zoom.hpp"
#include "app/panels/waves_model.hpp"
#include "app/screen.hpp"
#include "app/shell_keys.hpp"
#include "app/widgets.hpp"

namespace tilescope {
namespace {

void playback_keys(PanelContext& context) {
  if (!context.result || played_blocks(*context.result) == 0) return;
  ViewState& view = context.view;
  const uint64_t blocks = played_blocks(*context.result);
  const WaveSchedule* waves = shown_waves(*context.result);
  const bool by_wave = ImGui::GetIO().KeyShift && waves != nullptr;
  if (key_went_down(ShellKey::space)) toggle_playback(view, blocks);
  for (const int direction : {-1, 1}) {
    if (!key_went_down(direction < 0 ? ShellKey::left : ShellKey::right, true)) continue;
    if (by_wave)
      step_playback_by_wave(view, *waves, direction);
    else
      step_playback(view, blocks, direction);
  }
  if (key_went_down(ShellKey::home)) seek_playback(view, blocks, 0);
  if (key_went_down(ShellKey::end)) seek_playback(view, blocks, static_cast<double>(blocks));
}

}  // namespace

void Screen::handle_keys(PanelContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool command = io.KeyCtrl || io.KeySuper;
  // These also work while typing: they type nothing.
  if (command && key_went_down(ShellKey::p)) {
    open_palette(*palette_);
    return;
  }
  if (command && key_went_down(ShellKey::o)) return open_dialog();
  if (key_went_down(ShellKey::f5) || (command && key_went_down(ShellKey::enter))) session.submit();
  if (key_went_down(ShellKey::f1)) {
    help_open_ = !help_open_;
    help_text_ = view.explained;
  }
  if (command && key_went_down(ShellKey::e)) {  // the source panel starts the editing
    view.bottom_speed = false;
    if (view.tab == Tab::order) view.order_tab = OrderTab::source;
  }
  if (palette_->open || dialog_->open) return;
  if (key_went_down(ShellKey::escape)) {
    if (help_open_)
      help_open_ = false;
    else if (session.busy())
      session.cancel();
    else if (session.bench_running())
      session.cancel_bench();
  }
  if (io.WantTextInput || command || io.KeyAlt) return;
  for (int index = 0; index < static_cast<int>(kTabCount); ++index)
    if (key_went_down(static_cast<ShellKey>(static_cast<int>(ShellKey::digit_1) + index)))
      view.tab = static_cast<Tab>(index);
  if (key_went_down(ShellKey::d)) {
    view.diff = !view.diff;
    view.bottom_speed = false;
    if (view.diff && view.tab == Tab::order) view.order_tab = OrderTab::source;
  }
  if (view.tab == Tab::step || view.tab == Tab::shared)
    step_keys(context);
  else if (view.tab == Tab::order)
    order_keys(context);
  else if (view.tab == Tab::tiles && shows_plane(context))
    return plane_keys(context);
  else
    playback_keys(context);
  if (view.tab == Tab::tiles) zoom_keys(context);
}

void Screen::draw_help(PanelContext& context) {
  if (!help_open_) return;
  static constexpr const char* kKeys[] = {"help.run",  "help.play", "help.step", "help.wave", "help.lines",
                                          "help.zoom", "help.ends", "help.tabs", "help.find", "help.open",
                                          "help.edit", "help.diff", "help.save", "help.help", "help.cancel"};
  const float width = context.px(560), key_column = context.px(150), row = context.px(24);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({(display.x - width) / 2, context.px(96)});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(24), context.px(20)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, context.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.panel);
  ImGui::Begin("help", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
  if (!help_text_.empty()) {
    ImGui::PushTextWrapPos(width - context.px(24));
    ImGui::TextUnformatted(help_text_.c_str());
    ImGui::PopTextWrapPos();
    ImGui::Dummy({0, context.px(16)});
  }
  ImGui::PushFont(fonts.body_semibold);
  ImGui::TextUnformatted(strings("help.title").c_str());
  ImGui::PopFont();
  ImGui::Dummy({0, context.px(8)});
  for (const char* key : kKeys) {
    // "F5, Ctrl+Enter|run": the keys, then what they do.
    const std::string& line = strings(key);
    const size_t bar = std::min(line.find('|'), line.size());
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, fonts.small, {at.x, centred_top(fonts.small, at.y + row / 2)}, theme().text, line.substr(0, bar));
    draw_text(list, fonts.small, {at.x + key_column, centred_top(fonts.small, at.y + row / 2)}, theme().muted,
              bar < line.size() ? line.substr(bar + 1) : "");
    ImGui::Dummy({0, row});
  }
  const bool elsewhere = ImGui::IsMouseClicked(0) && !ImGui::IsWindowHovered();
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(4);
  if (elsewhere) help_open_ = false;
}

}  // namespace tilescope
