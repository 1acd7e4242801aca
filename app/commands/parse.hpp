// argv → what to do. Bad usage is one sentence.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/commands/commands.hpp"

namespace tilescope {

/// Open the window, perhaps on a lab.
struct WindowOptions {
  std::string file;  // a CUDA source for the Sandbox
  std::string lab, rung, language;
  bool light = false;
  std::string state_file;  // hidden: where the screen writes its state for tests that click in a real window
};

/// One picture of the window.
struct ShotCommandOptions {
  RunOptions run;               // lab, rung, set, size, device, broken
  std::string panel = "tiles";  // the name of a view
  std::string bottom;  // sweep | ladder | roofline | fusion | map | small | memory, of order also bytes | groups |
                       // waves | source; empty: the usual
  std::string diff;    // a rung that the source is compared with
  std::string header;  // that is shown instead of the kernel's file
  std::string language = "en";       // en | zh
  std::string zoom = "grid";         // of the tile view
  std::string extent = "1600x1000";  // pixels
  std::string scale = "1";
  bool light = false;
  int64_t warp = -1, step = -1;  // that the views step and shared show; −1: where they begin by themselves
  int64_t issued = -1;           // blocks that have been issued at the moment that is shown; −1: everything
  int frames = 0;                // > 0: draw this many more frames and print their times
  bool order = false;            // the block-order model, also where the lab does not ask for it
  std::string out;               // FILE.png
};

struct TourOptions {
  std::string out = "out";  // folder for the pictures
};

/// Hidden: try CUDA-OpenGL interop out for the window (app/draw/gl/interop_trial.hpp).
struct InteropTrialOptions {};

/// Print a text and leave: --help, --version.
struct PrintText {
  std::string text;
};

using Invocation = std::variant<WindowOptions, ListOptions, RunOptions, ExecOptions, BenchOptions, SpeedOptions,
                                ShotCommandOptions, TourOptions, InteropTrialOptions, PrintText>;

/// `views`: the names that --panel takes.
Result<Invocation> parse_command_line(int count, const char* const* words, const std::vector<std::string>& views);

}  // namespace tilescope
