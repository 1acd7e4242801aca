// Follows docs/adding-a-lab.md with the code blocks of that page: writes the two files, compiles the new one as the
// build compiles any lab, relinks the program with it, and runs the lab on the simulator.
#include "tests/documents/extended_program.hpp"

namespace tilescope {
namespace {

using ::testing::HasSubstr;
using AddingALab = testing::ExtendedProgram;

TEST_F(AddingALab, TheTwoFilesOfTheDocumentMakeALab) {
  for (const char* folder : {"assets", "docs", "shaders"}) link_folder(folder);
  link_contents("kernels");
  for (const char* file : {"labs/saxpy.cpp", "kernels/saxpy.cu"})
    ASSERT_NO_FATAL_FAILURE(write_file("docs/adding-a-lab.md", file));
  ASSERT_NO_FATAL_FAILURE(build("labs/saxpy.cpp", "labs/vector_add.cpp"));

  const testing::Outcome list = run("list");
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.output, HasSubstr("saxpy"));
  EXPECT_THAT(list.output, HasSubstr("vector-add")) << "the labs that were there are still there";

  const testing::Outcome every_rung = run("run saxpy --rung all --size n=1001");
  if (every_rung.status == 3) GTEST_SKIP() << every_rung.output;  // no NVRTC here
  EXPECT_EQ(every_rung.status, 0) << every_rung.output;

  const testing::Outcome json = run("run saxpy --rung grid-stride --json");
  ASSERT_EQ(json.status, 0) << json.output;
  EXPECT_EQ(nlohmann::json::parse(json.output).at("status"), "ok");

  const testing::Outcome broken = run("run saxpy --rung thread-per-element --size n=1001 --break DROP_MASK");
  EXPECT_EQ(broken.status, 1) << "the planted bug was not noticed:\n" << broken.output;
}

}  // namespace
}  // namespace tilescope
