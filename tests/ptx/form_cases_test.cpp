// Every form whose result is the same on every GPU runs on the simulator, and gives the bits that an H200 gave.
// forms_h200.txt holds those; bench/record_conformance.cpp writes it.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "engine/sim/simulator.hpp"
#include "form_run.hpp"

namespace tilescope {
namespace {

TEST(FormCases, GiveTheBitsThatAnH200Gives) {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/tests/ptx/forms_h200.txt");
  std::map<std::string, std::string> recorded;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') recorded[line.substr(line.find(' ') + 1)] = line.substr(0, line.find(' '));
  const auto simulator = make_simulator(1);
  const auto cases = form_cases();
  ASSERT_GT(cases.size(), 6000U);
  size_t compared = 0;
  FormRunner(*simulator)
      .run(
          cases,
          [&](const FormCase& test, const FormRunner::Values& results) {
            const auto known = recorded.find(test.name);
            if (known == recorded.end()) return;  // the driver refused it
            ++compared;
            EXPECT_EQ(FormRunner::hash(results), known->second) << test.name;
          },
          [](const FormCase& test, const std::string& message) { ADD_FAILURE() << test.name << ": " << message; });
  EXPECT_EQ(compared, recorded.size());
}

}  // namespace
}  // namespace tilescope
