// The stored PTX of the test kernels is NVRTC's output for their sources. With a different NVRTC release than that of
// the stored files this is skipped; TILESCOPE_REQUIRE_NVRTC=1, which .ci/run sets, makes it fail instead.
#include "kernel_ptx.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <sstream>

namespace tilescope {
namespace {

std::string stored_ptx(const std::string& name) { return text_of_file(kKernelFolder / (name + ".ptx")); }
std::string source_of(const std::string& name) { return text_of_file(kKernelFolder / (name + ".cu")); }

/// The first line that differs; empty if the texts are equal.
std::string difference(const std::string& stored, const std::string& made) {
  if (stored == made) return {};
  std::istringstream stored_lines(stored), made_lines(made);
  std::string stored_line, made_line;
  for (int number = 1;; ++number) {
    const bool stored_ends = !std::getline(stored_lines, stored_line);
    const bool made_ends = !std::getline(made_lines, made_line);
    if (stored_ends != made_ends || stored_line != made_line || stored_ends)
      return fmt::format("line {}: stored\n{}\nand NVRTC makes\n{}", number, stored_ends ? "(the end)" : stored_line,
                         made_ends ? "(the end)" : made_line);
  }
}

/// NVRTC, or the reason why it cannot check the stored files.
struct Nvrtc {
  std::unique_ptr<KernelPtxMaker> maker;
  std::string missing;
};

Nvrtc open_nvrtc() {
  auto library = NvrtcLibrary::open();
  if (!library) return {nullptr, library.error().message};
  auto maker = std::make_unique<KernelPtxMaker>(*library);
  const auto here = maker->release();
  if (!here) return {nullptr, here.error().message};
  const std::string stored = release_of_ptx(stored_ptx("vector_add"));
  if (*here != stored)
    return {nullptr, fmt::format("the stored PTX is of \"{}\", NVRTC here is of \"{}\"", stored, *here)};
  return {std::move(maker), {}};
}

class KernelPtx : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { nvrtc_ = open_nvrtc(); }
  static void TearDownTestSuite() { nvrtc_.reset(); }
  void SetUp() override {
    if (nvrtc_->maker) return;
    if (std::getenv("TILESCOPE_REQUIRE_NVRTC") != nullptr) FAIL() << nvrtc_->missing;
    GTEST_SKIP() << nvrtc_->missing;
  }
  static std::optional<Nvrtc> nvrtc_;
};
std::optional<Nvrtc> KernelPtx::nvrtc_;

TEST_P(KernelPtx, IsWhatNvrtcMakesOfTheSource) {
  const auto made = nvrtc_->maker->make(GetParam(), source_of(GetParam()));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(difference(stored_ptx(GetParam()), *made), "")
      << "tests/sim/kernels/" << GetParam() << ".ptx is stale: run build/release/make_kernel_ptx";
}
INSTANTIATE_TEST_SUITE_P(Files, KernelPtx, testing::ValuesIn(kernel_files(".cu")),
                         [](const auto& test) { return test.param; });

using ChangedKernel = KernelPtx;
TEST_P(ChangedKernel, IsNoticed) {
  std::string source = source_of(GetParam());
  const size_t sum = source.find(" + b[");
  ASSERT_NE(sum, std::string::npos);
  const auto other_operation = nvrtc_->maker->make(GetParam(), std::string(source).replace(sum, 2, " -"));
  ASSERT_TRUE(other_operation) << other_operation.error().message;
  EXPECT_NE(difference(stored_ptx(GetParam()), *other_operation), "");
  const auto other_lines = nvrtc_->maker->make(GetParam(), "\n" + source);
  ASSERT_TRUE(other_lines) << other_lines.error().message;
  EXPECT_NE(difference(stored_ptx(GetParam()), *other_lines), "");
}
INSTANTIATE_TEST_SUITE_P(Files, ChangedKernel, testing::Values("vector_add"));

TEST(KernelPtxFiles, EachHasItsSource) { EXPECT_EQ(kernel_files(".ptx"), kernel_files(".cu")); }

}  // namespace
}  // namespace tilescope
