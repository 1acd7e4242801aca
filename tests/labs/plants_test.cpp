// The bugs that labs plant: the kernel files do not contain them, and each is a text change that applies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "engine/lab.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::string kernel_text(const std::string& file) {
  return read_text(fs::path(TILESCOPE_SOURCE) / "kernels" / file).value_or("");
}

TEST(PlantedBugs, EveryChangeIsOfATextThatIsThereOnce) {
  size_t changes = 0;
  for (const Lab& lab : labs())
    for (const BreakIt& one : lab.break_it) {
      EXPECT_TRUE(!one.plants.empty() || one.relaunch) << lab.name << " " << one.name;
      for (const Plant& change : one.plants) {
        const std::string file = change.file.empty() ? lab.kernel_file : change.file;
        const auto planted = plant(kernel_text(file), std::vector<Plant>{change}, one.name);
        EXPECT_TRUE(planted) << lab.name << ": " << planted.error().message;
        ++changes;
      }
    }
  EXPECT_GT(changes, 100U);
}

TEST(PlantedBugs, KeepTheNumberOfLines) {
  for (const Lab& lab : labs())
    for (const BreakIt& one : lab.break_it)
      for (const Plant& change : one.plants)
        EXPECT_EQ(std::ranges::count(change.replace, '\n'), std::ranges::count(change.by, '\n'))
            << lab.name << " " << one.name << ": " << change.replace;
}

TEST(PlantedBugs, OfALabCanBePlantedTogether) {
  for (const Lab& lab : labs()) {
    std::vector<std::string> all;
    for (const BreakIt& one : lab.break_it) all.push_back(one.name);
    const auto text = with_bugs(kernel_text(lab.kernel_file), lab.break_it, all);
    EXPECT_TRUE(text) << lab.name << ": " << text.error().message;
    std::set<std::string> others = headers_with_bugs(lab.break_it, all);
    for (const Rung& rung : lab.rungs)
      if (!rung.kernel_file.empty()) others.insert(rung.kernel_file);
    for (const std::string& file : others) {
      const auto changed = with_bugs(kernel_text(file), lab.break_it, all, file);
      EXPECT_TRUE(changed) << lab.name << ", " << file << ": " << changed.error().message;
    }
  }
}

TEST(PlantedBugs, AreInAFileOfARungThatTheyConcernOrInAHeader) {
  for (const Lab& lab : labs())
    for (const BreakIt& one : lab.break_it)
      for (const Plant& change : one.plants) {
        const auto is_in = [&](const Rung& rung) { return one.concerns(rung.name) && rung.kernel_file == change.file; };
        EXPECT_TRUE(change.file.ends_with(".cuh") || std::ranges::any_of(lab.rungs, is_in))
            << lab.name << " " << one.name << ": " << change.file;
      }
}

/// Whether the switch gives the rung a different grid at the defaults of the simulator.
bool changes_the_grid(const Lab& lab, const Rung& rung, const BreakIt& one) {
  if (!one.relaunch) return false;
  const Config config = default_config(lab, DeviceKind::sim);
  const std::vector<Launch> usual = rung.launches(config);
  std::vector<Launch> broken = usual;
  one.relaunch(config, broken);
  return !std::ranges::equal(usual, broken, {}, &Launch::grid, &Launch::grid);
}

/// Without it, the switch would be offered and do nothing.
TEST(PlantedBugs, ThatConcernARungInTritonChangeOneOfItsKernelsOrItsGrid) {
  size_t checked = 0;
  for (const Lab& lab : labs())
    for (const Rung& rung : lab.rungs)
      for (const BreakIt& one : lab.break_it) {
        if (rung.kernel_file.empty() || !one.concerns(rung.name)) continue;
        const auto changes = [&](const Plant& change) { return change.file == rung.kernel_file; };
        EXPECT_TRUE(std::ranges::any_of(one.plants, changes) || changes_the_grid(lab, rung, one))
            << lab.name << " " << rung.name << ": " << one.name;
        ++checked;
      }
  EXPECT_GT(checked, 10U);
}

TEST(PlantedBugs, AreNotNamedInAnyKernelFile) {
  std::set<std::string> names;
  for (const Lab& lab : labs())
    for (const BreakIt& one : lab.break_it) names.insert(one.name);
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(TILESCOPE_SOURCE) / "kernels")) {
    const std::string text = kernel_text(entry.path().filename());
    for (const std::string& name : names)
      EXPECT_FALSE(std::regex_search(text, std::regex("\\b" + name + "\\b"))) << entry.path() << " names " << name;
    ++files;
  }
  EXPECT_GT(files, 20U);
}

}  // namespace
}  // namespace tilescope
