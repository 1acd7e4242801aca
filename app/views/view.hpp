// A view of the window: the content of one of its tabs. Each registers itself, as labs do, and there is no other list:
// the tabs, the keys 1 to 9, the palette, the links of lessons, --panel, the tour and the tests go through views().
//
//     class Histogram final : public View { void draw(PanelContext& context) override { … } };
//     const ViewRegistration registered{{"histogram", 90, make_view<Histogram>}};
//
// Its texts are in the section [view.histogram] of assets/strings/*.toml: title and meaning, and any text it draws.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/areas.hpp"
#include "app/views/context.hpp"

namespace tilescope {

/// The options of `tilescope shot`; each view uses those that concern it.
struct ShotWishes {
  std::string zoom;                // "grid", "block", "warp", "lane"
  std::string bottom;              // a tab of the lower part; empty: the default
  std::optional<uint64_t> issued;  // the playback position
  std::optional<uint32_t> warp;    // the shown step: its warp,
  std::optional<uint64_t> step;    // and its index among the warp's steps
  std::optional<uint32_t> tensor;  // a tensor of a Triton program, from 0
};

/// The area below a view.
struct Lower {
  enum class Areas {
    source_and_speed,
    source,  // at full width, with its traffic in columns
    own      // drawn by draw_lower()
  };
  Areas areas = Areas::source_and_speed;
  float lowered = 0;  // offset of its start from the default, unscaled pixels
};

/// Owns its state between frames, and reads a RunResult; it never launches, allocates or computes counts.
class View {
 public:
  View() = default;
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  virtual ~View() = default;

  /// Fills the current ImGui window, a child whose size the screen has set.
  virtual void draw(PanelContext& context) = 0;
  /// Whether the digits answer a question of the view, and choose no tab.
  virtual bool takes_digits() const { return false; }
  /// Handles this frame's keys. False: the playback keys apply.
  virtual bool keys(PanelContext&) { return false; }
  /// Whether the next frame differs from this one without any input. Called for the shown view.
  virtual bool moving(const Session&, const ViewState&) const { return false; }
  /// The text that says why a result has nothing to show here; null if it has something.
  virtual const char* empty_reason(const std::shared_ptr<const RunResult>&) const { return nullptr; }
  /// Whether the chosen rung can have something to show here; if not, the view has no tab.
  virtual bool concerns(const Session&) const { return true; }
  /// Whether it has content even if nothing can run.
  virtual bool needs_no_run() const { return false; }
  /// Whether Ctrl+F searches it instead of the source.
  virtual bool finds_text() const { return false; }
  /// Whether it refers to source lines: the source panel then scrolls to the selected one whenever it is shown.
  virtual bool speaks_of_lines() const { return false; }

  /// `stacked`: the window is too narrow for two areas side by side.
  virtual Lower lower(const PanelContext&, [[maybe_unused]] bool stacked) const { return {}; }
  /// For Lower::Areas::own: fills the two areas, or the single one if they are stacked.
  virtual void draw_lower(PanelContext&, [[maybe_unused]] const Area& left, [[maybe_unused]] const Area& right) {}
  virtual void draw_lower_stacked(PanelContext&, [[maybe_unused]] const Area& whole) {}
  /// The source was requested: brings it into view if draw_lower() draws it.
  virtual void show_source() {}

  /// Called before the first frame of a picture, and after the frame in which the result is available.
  virtual void apply(ViewState&, const ShotWishes&) {}
  virtual void apply_to_result(ViewState&, const ShotWishes&) {}
  /// Called before a timed frame: everything that can move does.
  virtual void play(ViewState&, [[maybe_unused]] int frame) {}
};

/// Whether an exercise is shown, and not a lab or a file of the user's own.
bool shows_exercise(const Session& session);

struct ViewSpec {
  std::string_view name;  // as in --panel NAME and [text](tab:NAME); also the name of its section of the texts
  int order = 0;          // position of its tab, from the left
  std::unique_ptr<View> (*make)() = nullptr;
  bool leads = false;  // its tab stands before all others, wherever it is shown; the keys 1 to 9 follow `order`

  std::string text(std::string_view key) const;  // "view.NAME.KEY"
};

template <class T>
std::unique_ptr<View> make_view() {
  return std::make_unique<T>();
}

struct ViewRegistration {
  explicit ViewRegistration(ViewSpec spec);
};

/// All views of the program, in tab order.
const std::vector<ViewSpec>& views();
/// Null if no view has the name.
const ViewSpec* find_view(std::string_view name);
std::vector<std::string> view_names();

/// The views of one window.
class WindowViews {
 public:
  WindowViews();
  /// The view of that name, or the first one.
  View& at(std::string_view name) { return *views_[index_of(name)]; }
  const View& at(std::string_view name) const { return *views_[index_of(name)]; }
  /// Calls `act` with each.
  template <class Act>
  void each(Act act) {
    for (const auto& view : views_) act(*view);
  }
  static size_t index_of(std::string_view name);

 private:
  std::vector<std::unique_ptr<View>> views_;
};

}  // namespace tilescope
