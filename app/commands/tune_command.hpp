// tilescope tune: the configurations of a rung, which of them are possible, and the fastest one for the given sizes.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/run/engine.hpp"

namespace tilescope {

struct TuneOptions {
  std::string lab, rung;               // rung empty: the lab's usual one
  std::vector<std::string> set, size;  // NAME=VALUE; GPU=NAME selects the modelled GPU
  std::vector<std::string> tried;      // NAME=VALUE,VALUE: only these values
  std::string search = "exhaustive";   // "exhaustive" | "random" | "halving"
  double budget = 0;                   // seconds; 0: no limit
  size_t trials = 0;                   // configurations timed in full, or as many samples; 0: no limit
  std::string seed = "1";
  bool only_static = false;  // nothing is timed: what fits, and what the compiler says
  bool replay = false;       // nothing is timed: the newest known map, and the three searches over it
  bool again = false;        // the cache's times do not count
  std::string save;          // FILE.json: the map as a recording
  size_t rows = 10;          // configurations in the table
  bool json = false;
};

int tune_command(Engine& engine, const TuneOptions& options, std::ostream& out, std::ostream& problems);

}  // namespace tilescope
