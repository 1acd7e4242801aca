// Dispatches the command line to a window or a headless command.
#include <iostream>
#include <variant>

#include "app/commands/parse.hpp"
#include "app/views/view.hpp"
#include "app/window/progress_command.hpp"
#include "app/window/review_command.hpp"
#include "app/window/window_commands.hpp"

namespace tilescope {
namespace {

/// One overload per command.
struct Commands {
  std::shared_ptr<Engine> engine;

  int operator()(const WindowOptions& options) const { return window_command(engine, options, std::cerr); }
  int operator()(const ListOptions& options) const { return list_command(*engine, options, std::cout); }
  int operator()(const RunOptions& options) const { return run_command(*engine, options, std::cout, std::cerr); }
  int operator()(const HostOptions& options) const { return host_command(*engine, options, std::cout, std::cerr); }
  int operator()(const ExportOpOptions& options) const {
    return export_op_command(*engine, options, std::cout, std::cerr);
  }
  int operator()(const ExecOptions& options) const { return exec_command(*engine, options, std::cout, std::cerr); }
  int operator()(const BenchOptions& options) const { return bench_command(*engine, options, std::cout, std::cerr); }
  int operator()(const SpeedOptions& options) const { return speed_command(*engine, options, std::cout, std::cerr); }
  int operator()(const TuneOptions& options) const { return tune_command(*engine, options, std::cout, std::cerr); }
  int operator()(const ExerciseOptions& options) const {
    return exercise_command(engine, options, std::cout, std::cerr);
  }
  int operator()(const GraphOptions& options) const { return graph_command(*engine, options, std::cout, std::cerr); }
  int operator()(const GradcheckOptions& options) const {
    return gradcheck_command(engine, options, std::cout, std::cerr);
  }
  int operator()(const ProgressOptions& options) const {
    return progress_command(engine, options, std::cout, std::cerr);
  }
  int operator()(const ReviewOptions& options) const { return review_command(*engine, options, std::cout, std::cerr); }
  int operator()(const ShotCommandOptions& options) const {
    return shot_command(engine, options, std::cout, std::cerr);
  }
  int operator()(const TourOptions& options) const { return tour_command(engine, options, std::cout, std::cerr); }
  int operator()(const InteropTrialOptions&) const { return interop_trial_command(std::cout); }
  int operator()(const PrintText& text) const {
    std::cout << text.text;
    return 0;
  }
};

}  // namespace
}  // namespace tilescope

int main(int count, char** words) {
  using namespace tilescope;
  const auto invocation = parse_command_line(count, words, view_names());
  if (!invocation) return report_error(invocation.error(), false, std::cout, std::cerr);
  // These need no engine.
  if (const auto* text = std::get_if<PrintText>(&*invocation)) return Commands{nullptr}(*text);
  if (const auto* trial = std::get_if<InteropTrialOptions>(&*invocation)) return Commands{nullptr}(*trial);
  return std::visit(Commands{Engine::open({})}, *invocation);
}
