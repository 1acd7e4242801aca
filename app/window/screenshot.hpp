// One picture of the window, without showing it. Needs a display (Xvfb will do) for OpenGL.
//
//     auto shell = Shell::open(engine, {.visible = false, .scale = 1});
//     take_screenshot(**shell, {.request = request, .view = "tiles"}, "tiles.png");
#pragma once

#include <filesystem>
#include <optional>

#include "app/views/view.hpp"
#include "app/window/shell.hpp"

namespace tilescope {

struct ShotOptions {
  Request request;
  std::string view = "tiles";
  ShotWishes wishes;  // where they name a moment of the playback, timed frames play on from there
  BottomTab bottom = BottomTab::sweep;
  bool speed = false;               // where source and speed share a place: the speed
  std::optional<std::string> diff;  // the source panel compares with this rung
  std::string header;               // that it shows instead of the kernel's file
  Language language = Language::en;
  bool light = false;
  int width = 1600, height = 1000;  // unscaled pixels; the picture is scale times as large
  std::optional<uint32_t> block;    // selected, as if clicked
  int frames = 0;                   // draw this many more with animations running, and report their times
  double patience_seconds = 120;    // for the run
};

struct FrameTimes {
  int frames = 0;
  double median_ms = 0, worst_ms = 0;
};

/// Draws until the run has ended and nothing is loading, then writes the picture. The same request gives the same
/// picture, but for the times in it. A run that ends in an error is a picture too: of that error.
Result<FrameTimes> take_screenshot(Shell& shell, const ShotOptions& options, const std::filesystem::path& file);

}  // namespace tilescope
