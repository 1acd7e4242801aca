// How the CUB reference builds its library, with a stand-in compiler that records its calls. CUB's results are compared
// with the rungs' before it is timed, where there is a GPU.
#include "engine/reference/cub.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder with a toolkit whose nvcc is a shell script, a source file, and an empty cache.
class CubLibrary : public testing::Test {
 protected:
  CubLibrary() : folder_(fs::path(testing::TempDir()) / ("cub_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "toolkit" / "bin");
    std::ofstream(folder_ / "sum.cu") << "a source\n";
    setenv("CUDA_PATH", (folder_ / "toolkit").c_str(), 1);
  }
  ~CubLibrary() override {
    unsetenv("CUDA_PATH");
    fs::remove_all(folder_);
  }
  void write_nvcc(const std::string& body) const {
    const fs::path nvcc = folder_ / "toolkit" / "bin" / "nvcc";
    std::ofstream(nvcc) << "#!/bin/sh\n" << body;
    fs::permissions(nvcc, fs::perms::owner_all);
  }
  /// Records its arguments, and writes the file that -o names.
  void write_working_nvcc() const {
    write_nvcc("echo \"$@\" >> " + (folder_ / "calls").string() +
               "\nwhile [ \"$1\" != -o ]; do shift; done\necho library > \"$2\"\n");
  }
  long calls() const {
    const std::string text = text_of(folder_ / "calls");
    return std::count(text.begin(), text.end(), '\n');
  }
  CubSource source() const { return {.source = folder_ / "sum.cu", .cache_folder = folder_ / "cache"}; }

  fs::path folder_;
};

TEST_F(CubLibrary, IsCompiledForTheArchitectureAndFoundAgainTheNextTime) {
  write_working_nvcc();
  EXPECT_EQ(find_nvcc(), folder_ / "toolkit" / "bin" / "nvcc");
  const auto first = build_cub_library(source(), "sm_90", {});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(text_of(*first), "library\n");
  EXPECT_NE(text_of(folder_ / "calls").find("-arch=sm_90"), std::string::npos);
  const auto second = build_cub_library(source(), "sm_90", {});
  ASSERT_TRUE(second);
  EXPECT_EQ(*second, *first);
  EXPECT_EQ(calls(), 1);
}

TEST_F(CubLibrary, IsCompiledAnewForAnotherArchitectureSourceOrCompiler) {
  write_working_nvcc();
  const auto first = build_cub_library(source(), "sm_90", {});
  const auto other_architecture = build_cub_library(source(), "sm_80", {});
  std::ofstream(folder_ / "sum.cu") << "another source\n";
  const auto other_source = build_cub_library(source(), "sm_90", {});
  write_nvcc("# newer\n" + text_of(folder_ / "toolkit" / "bin" / "nvcc"));
  const auto other_compiler = build_cub_library(source(), "sm_90", {});
  ASSERT_TRUE(first && other_architecture && other_source && other_compiler);
  EXPECT_EQ(calls(), 4);
  EXPECT_NE(*first, *other_architecture);
  EXPECT_NE(*first, *other_source);
  EXPECT_NE(*other_source, *other_compiler);
}

TEST_F(CubLibrary, SaysWhatTheCompilerSaidWhereItFailsAndLeavesNothingBehind) {
  write_nvcc("echo 'sum.cu(1): error: no such header' >&2\nexit 2\n");
  const auto library = build_cub_library(source(), "sm_90", {});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().id, ErrorId::reference_unavailable);
  EXPECT_NE(library.error().message.find("no such header"), std::string::npos) << library.error().message;
  EXPECT_TRUE(fs::is_empty(folder_ / "cache" / "libraries"));
}

TEST_F(CubLibrary, IsNotThereWithoutASourceOrAFolder) {
  write_working_nvcc();
  CubSource without_source = source(), without_folder = source();
  without_source.source = folder_ / "none.cu";
  without_folder.cache_folder.clear();
  EXPECT_FALSE(build_cub_library(without_source, "sm_90", {}));
  EXPECT_FALSE(build_cub_library(without_folder, "sm_90", {}));
}

TEST_F(CubLibrary, StopsCompilingWhenAsked) {
  write_nvcc("sleep 60\n");
  std::stop_source stop;
  stop.request_stop();
  const auto library = build_cub_library(source(), "sm_90", stop.get_token());
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().id, ErrorId::cancelled);
}

/// Kept from one run of the tests to the next, as in the user's cache folder.
TEST(CubSourceFile, CompilesWithTheToolkitThatIsHere) {
  const fs::path nvcc = find_nvcc();
  if (nvcc.empty()) GTEST_SKIP() << "no nvcc";
  const fs::path cache = TILESCOPE_BINARY "/cub";
  const char* root = std::getenv("TILESCOPE_ROOT");
  const fs::path source = fs::path(root != nullptr ? root : ".") / "assets" / "cub" / "device_sum.cu";
  const auto library = build_cub_library({.source = source, .cache_folder = cache}, "sm_90", {});
  EXPECT_TRUE(library) << library.error().message;
  if (library) {
    EXPECT_GT(fs::file_size(*library), 100'000U);
  }
}

}  // namespace
}  // namespace tilescope
