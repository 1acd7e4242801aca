// The C library's libm stands in for a toolkit library: it is on every machine.
#include "engine/reference/toolkit_library.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// A toolkit whose only library is libm under the name libstandin.so.12; CUDA_PATH points there.
class ToolkitLibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "toolkit_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    void* mathematics = dlopen("libm.so.6", RTLD_NOW);
    link_map* map = nullptr;
    ASSERT_TRUE(mathematics != nullptr && dlinfo(mathematics, RTLD_DI_LINKMAP, &map) == 0);
    fs::create_directories(folder_ / "lib64");
    fs::create_symlink(map->l_name, folder_ / "lib64" / "libstandin.so.12");
    dlclose(mathematics);
    if (const char* before = std::getenv("CUDA_PATH")) before_ = before;
    setenv("CUDA_PATH", folder_.c_str(), 1);
  }
  void TearDown() override {
    before_.empty() ? unsetenv("CUDA_PATH") : setenv("CUDA_PATH", before_.c_str(), 1);
    fs::remove_all(folder_);
  }

  fs::path folder_;
  std::string before_;
};

TEST_F(ToolkitLibraryTest, FunctionsOfALibraryWhereCudaPathSaysCanBeCalled) {
  ToolkitLibrary library("libstandin");
  double (*square_root)(double) = nullptr;
  library.resolve("sqrt", square_root);
  ASSERT_EQ(library.reason(), "");
  ASSERT_NE(square_root, nullptr);
  EXPECT_EQ(square_root(9), 3);
}

TEST_F(ToolkitLibraryTest, AFunctionThatTheLibraryLacksIsNamed) {
  ToolkitLibrary library("libstandin");
  int (*missing)(int) = [](int value) { return value; };
  double (*square_root)(double) = nullptr;
  library.resolve("cublasNotYetInvented", missing);
  library.resolve("sqrt", square_root);
  EXPECT_EQ(missing, nullptr);
  EXPECT_EQ(library.reason(), "libstandin lacks cublasNotYetInvented");
}

TEST_F(ToolkitLibraryTest, ALibraryThatIsNotThereIsNamed) {
  ToolkitLibrary library("libnowhere");
  int (*function)(int) = [](int value) { return value; };
  library.resolve("sqrt", function);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(library.reason(), "libnowhere was not found");
}

}  // namespace
}  // namespace tilescope
