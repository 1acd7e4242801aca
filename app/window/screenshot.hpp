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
  ShotWishes wishes;  // if they name a playback position, timed frames start there
  BottomTab bottom = BottomTab::sweep;
  bool speed = false;               // if source and speed share an area: show the speed
  std::optional<std::string> diff;  // the source panel compares with this rung
  std::string header;               // shown instead of the kernel's file
  std::optional<SourcePage> page;   // shown instead of the source
  Language language = Language::en;
  bool light = false;
  int width = 1600, height = 1000;  // unscaled pixels; the picture is larger by `scale`
  std::optional<uint32_t> block;    // selected, as if clicked
  int step_of_lab = 0;              // > 0: the column of steps, with this one unfolded
  bool veils = false;               // numbers are veiled until their questions are answered
  int frames = 0;                   // draws this many more with animations running, and reports their times
  double patience_seconds = 120;    // timeout for the run
};

struct FrameTimes {
  int frames = 0;
  double median_ms = 0, worst_ms = 0;
};

/// Draws until the run has ended and nothing is loading, then writes the picture. The same request gives the same
/// picture, except for the times in it. For a run that ends in an error, the picture shows that error.
Result<FrameTimes> take_screenshot(Shell& shell, const ShotOptions& options, const std::filesystem::path& file);

}  // namespace tilescope
