// Parses argv into a command. Bad usage is reported in one sentence.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/commands/commands.hpp"
#include "app/commands/exercise_command.hpp"
#include "app/commands/gradcheck_command.hpp"
#include "app/commands/graph_command.hpp"
#include "app/commands/tune_command.hpp"

namespace tilescope {

/// Opens the window, optionally on a lab.
struct WindowOptions {
  std::string file;  // a CUDA source for the Sandbox
  std::string lab, rung, language;
  bool light = false;
  std::string state_file;  // hidden option: file to which the screen writes its state, for tests that click in a real
                           // window
};

/// One picture of the window.
struct ShotCommandOptions {
  RunOptions run;               // lab, rung, set, size, device, broken
  std::string panel = "tiles";  // the name of a view
  std::string bottom;  // sweep | ladder | roofline | fusion | map | small | memory; for order also bytes | groups |
                       // waves | source; empty: the default
  std::string diff;    // a rung to compare the source with
  std::string header;  // header to show instead of the kernel's file
  std::string page;    // what the compiler made of the kernel, to show instead of its source
  std::string language = "en";       // en | zh
  std::string zoom = "grid";         // for the tile view
  std::string extent = "1600x1000";  // pixels
  std::string scale = "1";
  bool light = false;
  int64_t warp = -1, step = -1;  // warp and step shown by the step and shared views; −1: their default
  int64_t tensor = -1;           // shown by the layout view; −1: its default
  int64_t issued = -1;           // number of issued blocks at the moment that is shown; −1: all
  int steps = 0;                 // > 0: the lab's steps beside the view, this one unfolded
  bool veil = false;             // with the first question open
  int frames = 0;                // > 0: draws this many more frames and prints their times
  bool order = false;            // run the block-order model even if the lab does not ask for it
  std::string out;               // FILE.png
};

struct ProgressOptions {
  bool json = false;
  std::string verify;           // FILE.json, as --json printed it: judge its accepted texts again
  std::string certificate;      // FILE.png
  std::string name;             // on the certificate; may be empty
  std::string language = "en";  // of the certificate: en | zh
};

struct ReviewOptions {
  bool json = false;
};

struct TourOptions {
  std::string out = "out";  // folder for the pictures
};

/// Hidden option: tests CUDA-OpenGL interop for the window (app/draw/gl/interop_trial.hpp).
struct InteropTrialOptions {};

/// Prints a text and exits: --help, --version.
struct PrintText {
  std::string text;
};

using Invocation =
    std::variant<WindowOptions, ListOptions, RunOptions, HostOptions, ExportOpOptions, ExecOptions, BenchOptions,
                 SpeedOptions, TuneOptions, ExerciseOptions, GraphOptions, GradcheckOptions, ProgressOptions,
                 ReviewOptions, ShotCommandOptions, TourOptions, InteropTrialOptions, PrintText>;

/// `views`: the names that --panel accepts.
Result<Invocation> parse_command_line(int count, const char* const* words, const std::vector<std::string>& views);

}  // namespace tilescope
