// Headers are told apart by file, not by the name in the #include directive.
#include <gmock/gmock.h>

#include "engine/compile/device_source.hpp"
#include "tests/compile/compile_fixture.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostFunction = "#include <vector>\ninline std::vector<float> on_host() { return {}; }\n";

class HeaderIdentity : public CompilerTest {
 protected:
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    write_bytes(folder_ / name, text);
  }
  CompileRequest request_of(const std::string& text) const {
    CompileRequest request;
    request.text = text;
    request.file = (folder_ / "k.cu").string();
    return request;
  }
  Result<CompiledModule> compile_here(const std::string& text) { return compiler_->compile(request_of(text), {}); }
};

TEST_F(HeaderIdentity, TwoHeadersOfOneNameInTwoFoldersAreTwo) {
  for (const std::string host : {"", kHostFunction}) {
    write("a/a.h", "#include \"common.h\"\n__device__ inline int fa() { return VALUE; }\n#undef VALUE\n" + host);
    write("b/b.h", "#include \"common.h\"\n__device__ inline int fb() { return VALUE; }\n#undef VALUE\n");
    write("a/common.h", "#define VALUE 1\n");
    write("b/common.h", "#define VALUE 2\n");
    const auto module = compile_here(
        "#include \"a/a.h\"\n#include \"b/b.h\"\n__global__ void k(int* y) { y[0] = fa() + 10 * fb() + 1000; }\n");
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_THAT(module->ptx, HasSubstr("1021"));
  }
}

TEST_F(HeaderIdentity, OneHeaderUnderSeveralNamesIsReadOnce) {
  write("src/utils/util.h", std::string("#pragma once\nstruct Twice { int x; };\n") + kHostFunction);
  fs::create_symlink(folder_ / "src/utils/util.h", folder_ / "linked.h");
  fs::create_directory_symlink(folder_ / "src/utils", folder_ / "utils");
  CompileRequest request = request_of(
      "#include \"src/utils/util.h\"\n#include \"src/../src/utils/util.h\"\n#include <util.h>\n#include \"linked.h\"\n"
      "#include \"utils/util.h\"\n__global__ void k(Twice* y) { y[0].x = 1; }\n");
  request.include_folders = {(folder_ / "src/utils").string()};
  const auto module = compiler_->compile(request, {});
  EXPECT_TRUE(module) << module.error().message;
}

TEST_F(HeaderIdentity, AHeaderWithoutAGuardIsReadEachTime) {
  write("step.inc", "NAME(STEP)\n");
  const auto module = compile_here(
      "#define PASTE(a, b) a##b\n#define NAME(x) __global__ void PASTE(kernel_, x)(int* y) { y[0] = 1; }\n"
      "#define STEP 1\n#include \"step.inc\"\n#undef STEP\n#define STEP 2\n#include \"step.inc\"\n");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->kernels.size(), 2U);
}

TEST_F(HeaderIdentity, ABranchThatIsNotTakenReplacesNoHeaderOfTheToolkit) {
  if (compiler_->origin().include_folders.empty()) GTEST_SKIP() << "no headers of the toolkit";
  write("maybe.h",
        "#ifdef ON_HOST\n#include <cuda/std/limits>\n#include <thrust/device_vector.h>\n#include <cub/cub.cuh>\n#else\n"
        "#include <cub/block/block_reduce.cuh>\n#endif\n");
  const DeviceSource source(request_of("#include \"maybe.h\"\n__global__ void k(int* y) { y[0] = 1; }\n"),
                            compiler_->origin().include_folders);
  EXPECT_FALSE(source.headers().contains("thrust/device_vector.h"));
  EXPECT_FALSE(source.headers().contains("cub/cub.cuh"));
  const auto module = compile_here(
      "#include \"maybe.h\"\n__global__ void k(float* y) {\n  using Sum = cub::BlockReduce<float, 32>;\n"
      "  __shared__ typename Sum::TempStorage storage;\n  y[0] = Sum(storage).Sum(y[threadIdx.x]);\n}\n");
  EXPECT_TRUE(module) << module.error().message;
}

TEST_F(HeaderIdentity, AQuotedNameIsTakenBesideTheIncludingFileAndOneInAnglesIsNot) {
  write("sub/value.h", "#define VALUE 111\n");
  write("given/value.h", "#define VALUE 222\n");
  for (const auto& [directive, value] : {std::pair("\"value.h\"", "111"), std::pair("<value.h>", "222")}) {
    write("sub/outer.h", std::string("#include ") + directive + "\n" + kHostFunction);
    CompileRequest request = request_of("#include \"sub/outer.h\"\n__global__ void k(int* y) { y[0] = VALUE; }\n");
    request.include_folders = {(folder_ / "given").string()};
    const auto module = compiler_->compile(request, {});
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_THAT(module->ptx, HasSubstr(value)) << directive;
  }
}

TEST_F(HeaderIdentity, AMacroOfOneHeaderMarksWhatADifferentOneDeclares) {
  write("marks.h", "#define FI __forceinline__ __device__\n#define INLINE_CONSTANT static constexpr\n");
  write("uses.h", "FI int twice(int x) { return 2 * x; }\nstruct Tag {};\nINLINE_CONSTANT Tag tag{};\n");
  const auto module = compile_here(
      "#include \"marks.h\"\n#include \"uses.h\"\n__device__ int of(Tag) { return 3; }\n"
      "__global__ void k(int* y) { y[0] = twice(of(tag)); }\n");
  EXPECT_TRUE(module) << module.error().message;
}

TEST_F(HeaderIdentity, MessagesAndLineTablesNameTheRealFile) {
  write("sub/inner.h", std::string("__device__ inline float twice(float x) {\n  return 2 * x;\n}\n") + kHostFunction);
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  CompileRequest request =
      request_of("#include \"sub/inner.h\"\n__global__ void k(float* y) { y[0] = twice(y[1]); }\n");
  request.file = "k.cu";
  const auto good = compiler_->compile(request, {});
  write("sub/inner.h", std::string("__device__ inline float twice(float x) {\n  return oops;\n}\n") + kHostFunction);
  const auto bad = compiler_->compile(request, {});
  fs::current_path(before);
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_THAT(good->ptx, HasSubstr("\"sub/inner.h\""));
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("sub/inner.h(2): error: identifier \"oops\" is undefined"));
  EXPECT_THAT(bad.error().message, Not(HasSubstr(folder_.string())));
}

}  // namespace
}  // namespace tilescope
