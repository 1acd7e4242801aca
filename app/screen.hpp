// Everything inside the window, without the window: the frame of areas, splitters, tabs, header, keys and palette. The
// shell gives it a GLFW window, the tests ImGui's input alone.
//
//     Screen screen(engine, std::move(*strings));
//     screen.fonts = load_fonts(…);
//     ImGui::NewFrame(); screen.draw({1600, 1000}); ImGui::Render();
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/marks.hpp"
#include "app/panel_context.hpp"
#include "app/sandbox/sandbox.hpp"

namespace tilescope {

struct Palette;
struct FileDialog;

constexpr size_t kTabCount = 8;

/// Areas of the window in pixels.
struct Area {
  float left = 0, top = 0, right = 0, bottom = 0;
  float width() const { return right - left; }
  float height() const { return bottom - top; }
};
struct Layout {
  Area logo, header, rail, tabs, view, source, speed, controls, status;
  Area bottom_tabs;      // only where speed is a tab beside source
  bool stacked = false;  // too narrow for source and speed side by side
};
/// The areas for a window of this size; widths in `view` are brought into what fits.
Layout lay_out(ViewState& view, float width, float height);

class Screen {
 public:
  Screen(std::shared_ptr<Engine> engine, Strings texts);
  ~Screen();

  Session session;
  Sandbox sandbox;
  ViewState view;
  Strings strings;
  Fonts fonts;
  HeatMaps* heat_maps = nullptr;
  std::string message;       // one line for the status bar: "saved to …"
  double message_until = 0;  // ImGui time at which it goes

  const Theme& theme() const { return view.light ? light_theme() : dark_theme(); }
  /// Draws one frame into the current ImGui frame, and acts on this frame's input.
  void draw(float width, float height);
  /// Whether the next frame differs from this one although nobody touches anything.
  bool moving() const;
  const Marks& marks() const { return view.marks; }
  /// The areas of this frame that have another surface than the window. The shell clears them with their colour, which
  /// costs nothing; as rectangles they would be half of a frame under software OpenGL.
  struct Surface {
    Area area;
    ImU32 colour;
  };
  const std::vector<Surface>& surfaces() const { return surfaces_; }

  /// Asked for by a key or the palette; carried out by the shell after the frame, with a file written.
  bool wants_picture = false;

  void show_message(std::string text);
  /// A CUDA file of the user's own, from the command line, a drop, the rail or the dialog.
  void open_file(const std::filesystem::path& file);
  void open_dialog();
  void reset_layout();

 private:
  void draw_areas(PanelContext& context, const Layout& layout);
  void draw_tabs(PanelContext& context, const Layout& layout);
  void draw_view(PanelContext& context, const Layout& layout);
  void draw_bottom(PanelContext& context, const Layout& layout);
  void draw_order_bottom(PanelContext& context, const Layout& layout);
  void draw_splitters(PanelContext& context, const Layout& layout);
  void draw_help(PanelContext& context);
  void handle_keys(PanelContext& context);

  std::vector<Surface> surfaces_;
  std::unique_ptr<Palette> palette_;
  std::unique_ptr<FileDialog> dialog_;
  double stale_for_ = 0;  // seconds
  bool help_open_ = false;
  std::string help_text_;
};

}  // namespace tilescope
