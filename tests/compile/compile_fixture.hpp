// What the compiler tests share: a temporary folder and a compiler that caches in it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine/compile/compiler.hpp"

namespace tilescope {

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Each test has an empty folder, which is deleted after it.
class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    std::string name = (std::filesystem::temp_directory_path() / "tilescope-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~FolderTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path folder_;
};

/// Skips, with the reason, where NVRTC is not installed.
class CompilerTest : public FolderTest {
 protected:
  void SetUp() override {
    auto opened = Compiler::open(folder_ / "cache");
    if (!opened) GTEST_SKIP() << opened.error().message;
    compiler_ = *opened;
  }

  Result<CompiledModule> compile(const std::string& text, std::vector<Define> defines = {}) {
    CompileRequest request;
    request.text = text;
    request.file = "kernels/x.cu";
    request.defines = std::move(defines);
    return compiler_->compile(request, {});
  }

  /// Path of the module in the cache folder. Its PTX alone, which is smaller, may lie beside it.
  std::filesystem::path cached_file() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "cache")) found.push_back(entry.path());
    EXPECT_TRUE(found.size() == 1 || found.size() == 2) << found.size() << " files in the cache";
    return *std::ranges::max_element(found, {}, [](const auto& file) { return std::filesystem::file_size(file); });
  }

  std::shared_ptr<Compiler> compiler_;
};

inline const std::string vector_add = R"(
extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
)";

}  // namespace tilescope
