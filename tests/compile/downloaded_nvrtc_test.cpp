// NVRTC from the user's data folder, where the launcher stores its download: a copy of this machine's own NVRTC.
#include <gmock/gmock.h>

#include <map>

#include "tests/compile/compile_fixture.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class DownloadedNvrtc : public CompilerTest {
 protected:
  void SetUp() override {
    CompilerTest::SetUp();
    if (IsSkipped()) return;
    here_ = compiler_->origin();
    if (here_.include_folders.empty()) GTEST_SKIP() << "the toolkit's headers are not installed";
    set("XDG_DATA_HOME", folder_.string());
  }
  ~DownloadedNvrtc() override {
    for (const auto& [name, value] : before_)
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
  }
  void set(const std::string& name, const std::string& value) {
    const char* before = std::getenv(name.c_str());
    before_.try_emplace(name, before != nullptr ? before : "");
    setenv(name.c_str(), value.c_str(), 1);
  }

  fs::path put_toolkit(const std::string& name) const {
    const fs::path toolkit = folder_ / "tilescope" / name;
    fs::create_directories(toolkit / "lib");
    // Copies, not links: the loader treats two names of one file as one library.
    fs::copy_file(here_.library, toolkit / "lib/libnvrtc.so.13");
    fs::copy_file(here_.builtins, toolkit / "lib" / fs::path(here_.builtins).filename());
    fs::create_directory_symlink(here_.include_folders.front(), toolkit / "include");
    return toolkit;
  }

  CompilerOrigin here_;
  std::map<std::string, std::string> before_;
};

TEST_F(DownloadedNvrtc, IsFoundWithItsBuiltinsAndItsHeaders) {
  const fs::path toolkit = put_toolkit("cuda-13.0.88");
  set("TILESCOPE_HIDE", "toolkit");
  const auto compiler = Compiler::open({});
  ASSERT_TRUE(compiler) << compiler.error().message;
  const CompilerOrigin origin = (*compiler)->origin();
  EXPECT_EQ(origin.source, "download");
  EXPECT_EQ(origin.version, here_.version);
  EXPECT_EQ(origin.library, toolkit / "lib/libnvrtc.so.13");
  EXPECT_EQ(origin.builtins, toolkit / "lib" / fs::path(here_.builtins).filename());
  ASSERT_FALSE(origin.include_folders.empty());
  EXPECT_EQ(origin.include_folders.front(), toolkit / "include");

  CompileRequest request;
  request.text =
      "#include <cuda_fp16.h>\n#include <cub/cub.cuh>\nextern \"C\" __global__ void twice(__half* x) "
      "{ x[threadIdx.x] = __hadd(x[threadIdx.x], x[threadIdx.x]); }\n";
  request.file = "twice.cu";
  const auto module = (*compiler)->compile(request, {});
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_NE(module->find("twice"), nullptr);
}

TEST_F(DownloadedNvrtc, AnInstalledOneTakesPrecedence) {
  if (here_.source == "download") GTEST_SKIP() << "none is installed";
  put_toolkit("cuda-13.0.88");
  const auto compiler = Compiler::open({});
  ASSERT_TRUE(compiler) << compiler.error().message;
  EXPECT_EQ((*compiler)->origin().source, here_.source);
  EXPECT_EQ((*compiler)->origin().library, here_.library);
}

TEST_F(DownloadedNvrtc, TheNewestOfSeveralIsTaken) {
  fs::create_directories(folder_ / "tilescope/cuda-9.2/lib");
  const fs::path newest = put_toolkit("cuda-13.0.100");
  fs::create_directories(folder_ / "tilescope/cuda-13.0.88/lib");
  std::ofstream(folder_ / "tilescope/cuda-13.0.88/lib/libnvrtc.so.13") << "not a library\n";
  set("TILESCOPE_HIDE", "toolkit");
  const auto compiler = Compiler::open({});
  ASSERT_TRUE(compiler) << compiler.error().message;
  EXPECT_EQ((*compiler)->origin().library, newest / "lib/libnvrtc.so.13");
}

TEST_F(DownloadedNvrtc, ADownloadThatIsNotFinishedIsNotTaken) {
  put_toolkit("download/tree");
  set("TILESCOPE_HIDE", "toolkit");
  const auto compiler = Compiler::open({});
  ASSERT_FALSE(compiler);
  EXPECT_EQ(compiler.error().id, ErrorId::nvrtc_missing);
  EXPECT_THAT(compiler.error().hint, testing::HasSubstr("./tilescope"));
}

}  // namespace
}  // namespace tilescope
