// The keys of the screen.
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
#include "app/window/palette.hpp"
#include "app/window/screen.hpp"

namespace tilescope {

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
  const size_t digits = views_->at(view.tab).takes_digits() ? 0 : kDigits;
  for (size_t index = 0; index < std::min(tilescope::views().size(), digits); ++index)
    if (key_went_down(static_cast<Key>(static_cast<size_t>(Key::digit_1) + index))) {
      const std::string_view name = tilescope::views()[index].name;
      if (!views_->at(name).concerns(session)) continue;
      view.tab = name;
      view.source_maximised = false;
    }
  if (key_went_down(Key::b)) pin_baseline(context);
  if (key_went_down(Key::d)) toggle_diff();
  if (key_went_down(Key::s)) toggle_steps();
  if (!views_->at(view.tab).keys(context)) playback_keys(context);
}

}  // namespace tilescope
