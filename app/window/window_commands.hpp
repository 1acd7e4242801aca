// The commands that draw: the window itself, one picture of it, and the tour.
#pragma once

#include <iosfwd>
#include <memory>

#include "app/commands/parse.hpp"

namespace tilescope {

int window_command(std::shared_ptr<Engine> engine, const WindowOptions& options, std::ostream& problems);
int shot_command(std::shared_ptr<Engine> engine, const ShotCommandOptions& options, std::ostream& out,
                 std::ostream& problems);
/// Prints the table of every rung of every lab, then writes pictures of every view of every lab, in both languages.
/// Without a display only the table, with the reason.
int tour_command(std::shared_ptr<Engine> engine, const TourOptions& options, std::ostream& out, std::ostream& problems);
/// Draws heat maps through CUDA-OpenGL interop and through host memory, and prints one line: kInteropWorks, or why
/// interop does not work. See app/draw/gl/interop_trial.hpp.
int interop_trial_command(std::ostream& out);

}  // namespace tilescope
