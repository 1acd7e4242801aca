// tilescope exercise: lists exercises, starts one, judges submissions, and tests the exercises themselves.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "engine/run/engine.hpp"

namespace tilescope {

struct ExerciseOptions {
  enum class Action { list, start, check, test };
  Action action = Action::list;
  std::string name;                // of the exercise
  std::string path;                // start: the folder to write to; check: a file, or a folder of submissions
  std::string csv;                 // check: FILE for one row per submission; "-" is the standard output
  std::string device = "sim";      // check: "sim" | "gpu"
  std::string seed = "1";          // check
  std::vector<std::string> names;  // test: the exercises; empty: all
  bool triton = false;             // start: the Python file instead of the CUDA file
  bool json = false;
};

int exercise_command(const std::shared_ptr<Engine>& engine, const ExerciseOptions& options, std::ostream& out,
                     std::ostream& problems);

}  // namespace tilescope
