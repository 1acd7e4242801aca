// `tilescope export-op`: what it writes and says, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands/commands.hpp"
#include "app/commands/parse.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Exported {
  int status;
  std::string out, problems;
};

class ExportOp : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  Exported run(const std::vector<std::string>& words) {
    static const std::shared_ptr<Engine> engine = Engine::open({});
    std::vector<const char*> all{"tilescope", "export-op"};
    for (const std::string& word : words) all.push_back(word.c_str());
    const auto invocation = parse_command_line(static_cast<int>(all.size()), all.data(), {});
    if (!invocation) return {2, "", invocation.error().message};
    std::ostringstream out, problems;
    const int status = export_op_command(*engine, std::get<ExportOpOptions>(*invocation), out, problems);
    return {status, out.str(), problems.str()};
  }
  bool has_compiler() { return Engine::open({})->compiler().has_value(); }
  std::string folder() const { return folder_.string(); }

  fs::path folder_ = fs::temp_directory_path() / ("tilescope-export-op-" + std::to_string(::getpid()));
};

TEST_F(ExportOp, WritesAFolderAndSaysWhatItTakes) {
  if (!has_compiler()) GTEST_SKIP();
  const Exported exported = run({"gelu", folder(), "--rung", "fused", "--way", "library"});
  EXPECT_EQ(exported.status, 0) << exported.problems;
  EXPECT_THAT(exported.out, HasSubstr("tilescope::gelu(Tensor x) -> Tensor, by library"));
  EXPECT_THAT(exported.out, HasSubstr("n from 1 to 1073741824"));
  for (const char* file : {"torch_op.py", "kernel.cu", "kernel.ptx", "test_operator.py", "measure.py", "README.md"})
    EXPECT_TRUE(fs::exists(folder_ / file)) << file;
}

TEST_F(ExportOp, SaysTheSameAsJson) {
  const Exported exported = run({"rmsnorm", folder(), "--rung", "triton-scheme-1", "--way", "triton_op", "--json"});
  ASSERT_EQ(exported.status, 0) << exported.problems;
  const auto object = nlohmann::json::parse(exported.out);
  EXPECT_EQ(object["schema"], "tilescope::rmsnorm(Tensor x, Tensor gamma) -> Tensor");
  EXPECT_EQ(object["way"], "triton_op");
  EXPECT_EQ(object["sizes"].size(), 2U);
  EXPECT_GT(object["compared_at"].get<int>(), 100);
}

TEST_F(ExportOp, SettingsBecomeConstants) {
  if (!has_compiler()) GTEST_SKIP();
  ASSERT_EQ(run({"vector-add", folder(), "--rung", "vector-loads", "--set", "BLOCK=512", "--set", "VEC=2"}).status, 0);
  std::ifstream file(folder_ / "torch_op.py");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(text, HasSubstr("(cdiv(n, 1024), 1, 1), (512, 1, 1)"));
}

TEST_F(ExportOp, RefusesInASentence) {
  for (const auto& [words, sentence] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"nothing", folder()}, "there is no lab 'nothing'"},
           {{"vector-add", folder(), "--rung", "nothing"}, "has no rung 'nothing'"},
           {{"attention", folder()}, "is not exported"},
           {{"vector-add", folder(), "--way", "triton_op"}, "is CUDA C++"},
           {{"vector-add", folder(), "--way", "pybind"}, "pybind"},
           {{"vector-add", folder(), "--set", "BLOCK=33"}, "BLOCK = 33"},
           {{"vector-add"}, "folder"}}) {
    const Exported refused = run(words);
    EXPECT_EQ(refused.status, 2) << sentence;
    EXPECT_THAT(refused.problems, HasSubstr(sentence));
    EXPECT_FALSE(fs::exists(folder_)) << sentence;
  }
}

}  // namespace
}  // namespace tilescope
