// Every form whose result is the same on every GPU runs on the simulator, with the same bits as on an H200.
// forms_h200.txt holds those; tools/record_conformance.cpp writes it. forms_h200_differ.txt lists the forms that
// differ.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include "engine/sim/simulator.hpp"
#include "form_run.hpp"

namespace tilescope {
namespace {

/// Cases without a line in forms_h200.txt: those of ld.global.nc and ldu, and fns.
constexpr size_t kMostUnrecorded = 0;

std::set<std::string> known_to_differ() {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/tests/ptx/forms_h200_differ.txt");
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') names.insert(line);
  return names;
}

TEST(FormCases, GiveTheBitsThatAnH200Gives) {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/tests/ptx/forms_h200.txt");
  std::map<std::string, std::string> recorded;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') recorded[line.substr(line.find(' ') + 1)] = line.substr(0, line.find(' '));
  const auto simulator = make_simulator(1);
  const auto cases = form_cases();
  ASSERT_GT(cases.size(), 6000U);
  const auto differing = known_to_differ();
  size_t compared = 0, unrecorded = 0, differed = 0;
  FormRunner(*simulator)
      .run(
          cases,
          [&](const FormCase& test, const FormRunner::Values& results) {
            const auto known = recorded.find(test.name);
            if (known == recorded.end()) {
              ++unrecorded;
              return;
            }
            ++compared;
            if (differing.contains(test.name)) {
              ++differed;
              EXPECT_NE(FormRunner::hash(results), known->second) << test.name << " differs no more";
              return;
            }
            EXPECT_EQ(FormRunner::hash(results), known->second) << test.name;
          },
          [](const FormCase& test, const std::string& message) { ADD_FAILURE() << test.name << ": " << message; });
  std::printf("%zu forms give the bits of an H200, %zu differ, %zu are not recorded\n", compared - differed, differed,
              unrecorded);
  EXPECT_EQ(compared, recorded.size());
  EXPECT_EQ(differed, differing.size());
  EXPECT_LE(unrecorded, kMostUnrecorded);
}

}  // namespace
}  // namespace tilescope
