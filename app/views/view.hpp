// A view of the window: what one of its tabs shows. Each registers itself, as labs do, and nothing else lists them: the
// tabs, the keys 1 to 9, the palette, the links of lessons, --panel, the tour and the tests go through views().
//
//     class Histogram final : public View { void draw(PanelContext& context) override { … } };
//     const ViewRegistration registered{{"histogram", 90, make_view<Histogram>}};
//
// Its texts are the section [view.histogram] of assets/strings/*.toml: title and meaning, and whatever it draws.
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

/// What `tilescope shot` asks of the views; each takes what concerns it.
struct ShotWishes {
  std::string zoom;                // "grid", "block", "warp", "lane"
  std::string bottom;              // a tab of the lower part; empty: the usual one
  std::optional<uint64_t> issued;  // the moment of the playback
  std::optional<uint32_t> warp;    // the step that is shown: its warp,
  std::optional<uint64_t> step;    // and its number among the warp's
};

/// What is below a view.
struct Lower {
  enum class Areas {
    source_and_speed,
    source,  // in the whole width, its traffic in columns
    own      // what draw_lower() draws
  };
  Areas areas = Areas::source_and_speed;
  float lowered = 0;  // how much lower it begins than usual, unscaled pixels
};

/// It owns what it keeps between frames, and reads a RunResult; it never launches, allocates or computes counts.
class View {
 public:
  View() = default;
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  virtual ~View() = default;

  /// Fills the current ImGui window, a child whose size the screen has set.
  virtual void draw(PanelContext& context) = 0;
  /// Acts on this frame's keys. False: the keys of the playback apply.
  virtual bool keys(PanelContext&) { return false; }
  /// Whether the next frame differs from this one without any input. Asked of the view that is shown.
  virtual bool moving(const Session&, const ViewState&) const { return false; }
  /// The text that says why there is nothing to see of a result; null if there is something.
  virtual const char* empty_reason(const std::shared_ptr<const RunResult>&) const { return nullptr; }
  /// Whether it has something to show where nothing can run.
  virtual bool needs_no_run() const { return false; }
  /// Whether Ctrl+F finds text in it rather than in the source.
  virtual bool finds_text() const { return false; }
  /// Whether it speaks of lines of the source: the source panel then goes to the selected one whenever it is shown.
  virtual bool speaks_of_lines() const { return false; }

  /// `stacked`: the window is too narrow for two areas beside each other.
  virtual Lower lower(const PanelContext&, [[maybe_unused]] bool stacked) const { return {}; }
  /// Lower::Areas::own: fills the two areas, or the one where they are stacked.
  virtual void draw_lower(PanelContext&, [[maybe_unused]] const Area& left, [[maybe_unused]] const Area& right) {}
  virtual void draw_lower_stacked(PanelContext&, [[maybe_unused]] const Area& whole) {}
  /// Somebody wants to see the source: brings it into sight where draw_lower() draws it.
  virtual void show_source() {}

  /// Before the first frame of a picture, and after the frame in which the result is there.
  virtual void apply(ViewState&, const ShotWishes&) {}
  virtual void apply_to_result(ViewState&, const ShotWishes&) {}
  /// Before a frame that is timed: everything that can move does.
  virtual void play(ViewState&, [[maybe_unused]] int frame) {}
};

struct ViewSpec {
  std::string_view name;  // as in --panel NAME and [text](tab:NAME), and of its section of the texts
  int order = 0;          // where its tab stands, from the left
  std::unique_ptr<View> (*make)() = nullptr;

  std::string text(std::string_view key) const;  // "view.NAME.KEY"
};

template <class T>
std::unique_ptr<View> make_view() {
  return std::make_unique<T>();
}

struct ViewRegistration {
  explicit ViewRegistration(ViewSpec spec);
};

/// All views that the program has, in the order of the tabs.
const std::vector<ViewSpec>& views();
/// Null where no view has the name.
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
