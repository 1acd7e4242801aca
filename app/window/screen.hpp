// Everything inside the window, without the window: the layout of areas, splitters, tabs, header, keys and palette. The
// shell provides a GLFW window, the tests only ImGui's input.
//
//     Screen screen(engine, std::move(*strings));
//     screen.fonts = load_fonts(…);
//     ImGui::NewFrame(); screen.draw({1600, 1000}); ImGui::Render();
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/draw/areas.hpp"
#include "app/draw/marks.hpp"
#include "app/recall/recall.hpp"
#include "app/sandbox/sandbox.hpp"
#include "app/session/kept_edits.hpp"
#include "app/views/context.hpp"
#include "app/workshop/workshop.hpp"

namespace tilescope {

struct Palette;
struct FileDialog;
class GlossaryPage;
struct Panels;
class StepsColumn;
class WindowViews;

/// Areas of the window in pixels.
struct Layout {
  Area logo, header, rail, tabs, view, source, speed, controls, status;
  Area bottom_tabs;      // only if speed is a tab beside source
  Area strip;            // replaces the lower part if that is hidden
  Area steps;            // between rail and view, or in a narrow window in the place of the rail; empty: not shown
  bool stacked = false;  // too narrow for source and speed side by side
};
/// Height of Layout::strip, unscaled.
constexpr float kLowerStrip = 22;
/// The areas for a window of this size; widths in `view` are clamped to what fits. `steps`: their column is shown.
Layout lay_out(ViewState& view, float width, float height, bool steps = false);

class Screen {
 public:
  /// `recordings`: as in Session.
  Screen(std::shared_ptr<Engine> engine, Strings texts, std::shared_ptr<const Recordings> recordings = nullptr);
  ~Screen();

  Session session;
  Sandbox sandbox;
  Workshop workshop;
  Recall recall;
  ViewState view;
  Strings strings;
  Fonts fonts;
  HeatMaps* heat_maps = nullptr;
  std::string message;       // one line for the status bar: "saved to …"
  double message_until = 0;  // ImGui time at which it disappears

  const Theme& theme() const { return view.light ? light_theme() : dark_theme(); }
  /// Draws one frame into the current ImGui frame, and handles this frame's input.
  void draw(float width, float height);
  /// Whether the next frame differs from this one without any input.
  bool moving() const;
  const Marks& marks() const { return view.marks; }
  /// The areas of this frame whose background differs from the window's. The shell clears them with their colour, which
  /// costs nothing; drawing them as rectangles would take half of a frame under software OpenGL.
  struct Surface {
    Area area;
    ImU32 colour;
  };
  const std::vector<Surface>& surfaces() const { return surfaces_; }
  WindowViews& views() { return *views_; }

  /// The exercise that was shown when the window was closed; opened when its edits are known (restore_edits).
  std::string exercise_to_open;
  /// Set by a key or the palette; after the frame the shell writes
  /// the file.
  bool wants_picture = false, wants_certificate = false;

  void show_message(std::string text);
  /// A user's own CUDA file, from the command line, a drop, the rail or the dialog.
  void open_file(const std::filesystem::path& file);
  void open_dialog();
  void reset_layout();
  // Commands of keys and of the palette.
  /// Sends a command to the source panel, and shows the panel if the effect is visible there.
  void ask_source(SourceWish wish);
  /// Brings the source panel into view.
  void show_source();
  void toggle_source_maximised();
  void toggle_lower();  // source and speed, below the view
  void toggle_diff();   // two rungs side by side in the source panel
  void toggle_steps();  // the lab's steps beside the view
  /// The column of steps with this one unfolded, from 0; nothing if the lab has no such step.
  void show_step(size_t number);
  /// The pages of the help: the keys (F1), badges and colours, and the glossary.
  enum class Help { keys, terms, glossary };
  void show_help(Help page);
  /// The glossary at a term, by its English name.
  void show_term(std::string term);
  /// A cheat sheet, by its name (app/views/sheets/sheets.cpp).
  void show_sheet(std::string name);
  /// Ctrl+P.
  void open_finder();
  /// Restores the edits that an earlier start left in the folder, and stores new edits there. Call once, before own
  /// files are opened and after the labs' values are known.
  void restore_edits(std::filesystem::path folder);
  const KeptEdits& edits() const { return *edits_; }
  /// Zooms in or out by this many steps of ViewState::kScaleStep; 0: back to the monitor's scale.
  void zoom(int steps);

 private:
  Layout arrange(PanelContext& context, float width, float height);
  void draw_areas(PanelContext& context, const Layout& layout);
  void draw_tabs(PanelContext& context, const Layout& layout);
  /// The button at the right of the tabs that shows the steps; 0: there is none.
  float steps_switch_width(const PanelContext& context, const Layout& layout);
  void draw_steps_switch(PanelContext& context, const Area& area);
  void draw_view(PanelContext& context, const Layout& layout);
  void draw_bottom(PanelContext& context, const Layout& layout);
  void draw_splitters(PanelContext& context, const Layout& layout);
  // Hiding and showing the area below the view (screen_lower.cpp).
  void drag_lower(PanelContext& context, const Layout& layout, float lowered);
  void draw_lower_strip(PanelContext& context, const Layout& layout);
  void draw_lower_chevron(PanelContext& context, const Layout& layout);
  void source_keys();
  void draw_help(PanelContext& context);
  void draw_help_page(PanelContext& context, ImVec2 size, float key_column);
  void draw_help_keys(PanelContext& context, float key_column);
  void handle_keys(PanelContext& context);
  void keep_edits();
  void follow_exercise();
  void follow_lab();
  std::string base_of_edit(bool own);

  std::unique_ptr<WindowViews> views_;
  std::unique_ptr<Panels> panels_;
  std::unique_ptr<StepsColumn> steps_;
  std::unique_ptr<KeptEdits> edits_;
  std::string exercise_;                  // whose task was shown last; empty: none
  std::string lab_;                       // the shown one; empty before the first frame
  std::string edit_name_;                 // the shown text's
  std::optional<std::string> edit_kept_;  // its edit, as last stored
  std::string edit_problem_;              // the last reported reason why it is not on disk
  bool escape_used_ = false;              // a menu consumed it in this frame
  std::vector<Surface> surfaces_;
  std::unique_ptr<Palette> palette_;
  std::unique_ptr<FileDialog> dialog_;
  double stale_for_ = 0;        // seconds
  int explanation_frames_ = 0;  // drawn since a tooltip became due
  std::string quiet_about_;     // no tooltip explains this until a different thing has been explained
  bool source_asked_ = false;   // a view wants a page or lines of the source shown
  bool help_open_ = false;
  Help help_page_ = Help::keys;
  std::string help_text_;
  std::unique_ptr<GlossaryPage> glossary_;
};

}  // namespace tilescope
