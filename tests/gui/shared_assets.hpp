// What every test of the window reads from the assets, read once for all tests of a program.
#pragma once

#include <filesystem>
#include <memory>

#include "app/draw/strings.hpp"
#include "engine/bench/recording.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {

inline const std::shared_ptr<const Recordings>& shared_recordings() {
  static const auto recordings = std::make_shared<const Recordings>(
      read_recordings(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "recordings"));
  return recordings;
}

inline const Strings& shared_strings() {
  static const Strings strings = Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "strings").value();
  return strings;
}

}  // namespace tilescope::testing
