#include "engine/specs.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace tilescope {
namespace {

std::filesystem::path write_temporary(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / "tilescope_gpus.toml";
  std::ofstream(file) << text;
  return file;
}

TEST(Specs, TheShippedTableHasTheH200) {
  const auto specs = read_gpu_specs(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "gpus.toml");
  ASSERT_TRUE(specs) << specs.error().message;
  EXPECT_EQ(specs->front().id, "h200");
  EXPECT_EQ(specs->front().multiprocessors, 132U);
}

TEST(Specs, AMissingValueIsNamed) {
  const auto specs = read_gpu_specs(write_temporary("[x]\nname = \"X\"\n"));
  ASSERT_FALSE(specs);
  EXPECT_NE(specs.error().message.find("'architecture'"), std::string::npos) << specs.error().message;
}

TEST(Specs, BrokenFilesAreRefusedWithASentence) {
  EXPECT_FALSE(read_gpu_specs(write_temporary("[x\n")));
  EXPECT_FALSE(read_gpu_specs(write_temporary("")));
  EXPECT_FALSE(read_gpu_specs(write_temporary("x = 3\n")));
  EXPECT_FALSE(read_gpu_specs("absent.toml"));
}

}  // namespace
}  // namespace tilescope
