// A folder for the files of one test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace tilescope {

/// An empty folder of the running test's own. It is the same one each time, because the cache of compiled modules knows
/// a kernel by its path as well: a kernel in a temporary folder would be compiled in every run of the tests.
inline std::filesystem::path own_test_folder() {
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test.test_suite_name()) + "." + test.name();
  std::ranges::replace(name, '/', '-');
  std::filesystem::path folder = std::filesystem::path(TILESCOPE_BINARY) / "tests" / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

}  // namespace tilescope
