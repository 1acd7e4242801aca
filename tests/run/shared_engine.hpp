// One engine for all tests of a program that need no engine of their own: NVRTC and Triton take most of a second to
// start, and what one test has compiled the next need not.
#pragma once

#include <memory>

#include "engine/run/engine.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {

/// Its simulator uses one thread.
inline const std::shared_ptr<Engine>& shared_engine() {
  static const std::shared_ptr<Engine> engine =
      Engine::open({.root = TILESCOPE_SOURCE, .cache_folder = {}, .simulator_threads = 1});
  return engine;
}

}  // namespace tilescope::testing
