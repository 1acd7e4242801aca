// Every instruction that is exact on the GPU gives the same bits on the simulator, including NaNs and rounding.
// conformance_h200.txt holds an H200's results; tools/record_conformance.cpp writes it.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "conformance_run.hpp"
#include "engine/sim/simulator.hpp"

namespace tilescope {
namespace {

TEST(Conformance, GivesTheBitsThatAnH200Gives) {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/tests/ptx/conformance_h200.txt");
  std::map<std::string, std::string> recorded;
  for (std::string line; std::getline(file, line);) {
    const size_t shape = line.find(' ');
    if (!line.empty() && line[0] != '#') recorded[line.substr(0, line.find(' ', shape + 1))] = line;
  }
  ASSERT_GT(recorded.size(), 600U);
  const auto simulator = make_simulator(1);
  const auto cases = conformance_cases();
  size_t compared = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto known = recorded.find(cases[i].opcode + " " + cases[i].shape);
    if (known == recorded.end()) continue;  // ptxas refuses it
    const auto results = run_conformance_case(*simulator, cases[i], i);
    ASSERT_TRUE(results.has_value()) << results.error().message;
    EXPECT_EQ(conformance_line(cases[i], *results), known->second);
    ++compared;
  }
  EXPECT_EQ(compared, recorded.size());
}

}  // namespace
}  // namespace tilescope
