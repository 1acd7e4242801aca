#include "engine/compile/module_cache.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <functional>
#include <set>

#include "engine/compile/source_key.hpp"
#include "tests/compile/compile_fixture.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

CompiledModule example_module(const std::string& ptx = ".version 9.0\n") {
  CompiledModule module;
  module.ptx = ptx;
  module.cubin = {std::byte{0}, std::byte{255}, std::byte{10}};
  module.cubin_target = "sm_90";
  module.kernels = {{"k", 32, 4096, 16, 8, 4, 256, {8, 8, 4}}};
  module.messages = {{CompileMessage::Severity::warning, "x.cu", 3, "unused \"x\""}};
  module.log = "log \xff not UTF-8";
  return module;
}

// The compiler with its cache

TEST_F(CompilerTest, TheSecondCompileComesFromTheCache) {
  const auto first = compile(vector_add);
  const auto second = compile(vector_add);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->from_cache);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(second->ptx, first->ptx);
}

TEST_F(CompilerTest, AnotherProgramTakesItFromDiskUnchanged) {
  const auto first = compile(vector_add, {{"BLOCK", "256"}});
  ASSERT_TRUE(first);
  compiler_ = *Compiler::open(folder_ / "cache");
  const auto second = compile(vector_add, {{"BLOCK", "256"}});
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(second->ptx, first->ptx);
  EXPECT_EQ(second->log, first->log);
  EXPECT_EQ(second->find("vector_add")->registers, first->find("vector_add")->registers);
  EXPECT_EQ(second->find("vector_add")->parameter_bytes, first->find("vector_add")->parameter_bytes);
}

TEST_F(CompilerTest, AnotherDefineIsAnotherModule) {
  ASSERT_TRUE(compile(vector_add, {{"BLOCK", "256"}}));
  const auto other = compile(vector_add, {{"BLOCK", "128"}});
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->from_cache);
}

TEST_F(CompilerTest, ThePtxAloneComesWithTheMachineCode) {
  CompileRequest request{.text = vector_add, .file = "x.cu"};
  const auto whole = compiler_->compile(request, {});
  request.machine_code = false;
  const auto cached = compiler_->compile(request, {});
  const auto compiled = (*Compiler::open(folder_ / "other"))->compile(request, {});
  ASSERT_TRUE(whole && cached && compiled);
  EXPECT_TRUE(cached->from_cache);
  EXPECT_FALSE(compiled->from_cache);
  EXPECT_GT(whole->find("vector_add")->registers, 0U);
  EXPECT_EQ(cached->find("vector_add")->registers, 0U);
  EXPECT_EQ(cached->find("vector_add")->parameter_bytes, compiled->find("vector_add")->parameter_bytes);
  EXPECT_EQ(cached->ptx, compiled->ptx);
  EXPECT_EQ(cached->log, compiled->log);
  EXPECT_EQ(cached->cubin_target, compiled->cubin_target);
}

TEST_F(CompilerTest, ThePtxAloneIsTheSameForEveryGpu) {
  CompileRequest request{.text = vector_add, .file = "x.cu", .cubin_target = "sm_90", .machine_code = false};
  const auto first = compiler_->compile(request, {});
  request.cubin_target = "sm_89";
  const auto second = compiler_->compile(request, {});
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(second->cubin_target, "sm_89");
  request.machine_code = true;
  EXPECT_FALSE(compiler_->compile(request, {})->from_cache);
}

TEST_F(CompilerTest, AnErrorIsNotCached) {
  ASSERT_FALSE(compile("not CUDA"));
  EXPECT_TRUE(fs::is_empty(folder_ / "cache"));
}

TEST_F(CompilerTest, AnEditedHeaderIsCompiledAgain) {
  CompileRequest request;
  request.text = "#include \"outer.cuh\"\nextern \"C\" __global__ void k(float* p) { p[0] = VALUE; }\n";
  request.file = "x.cu";
  request.include_folders = {folder_.string()};
  write_bytes(folder_ / "outer.cuh", "  #  include \"inner.cuh\"\n");
  write_bytes(folder_ / "inner.cuh", "#define VALUE 1.0f\n");
  const auto first = compiler_->compile(request, {});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(compiler_->compile(request, {})->from_cache);
  write_bytes(folder_ / "inner.cuh", "#define VALUE 2.0f\n");
  const auto second = compiler_->compile(request, {});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE(second->from_cache);
  EXPECT_NE(second->ptx, first->ptx);
}

TEST_F(CompilerTest, AHeaderNamedByAMacroIsNeverCached) {
  CompileRequest request;
  request.text = "#include HEADER\nextern \"C\" __global__ void k(float* p) { p[0] = VALUE; }\n";
  request.file = "x.cu";
  request.defines = {{"HEADER", "\"value.cuh\""}};
  request.include_folders = {folder_.string()};
  write_bytes(folder_ / "value.cuh", "#define VALUE 1.0f\n");
  ASSERT_TRUE(compiler_->compile(request, {}));
  EXPECT_FALSE(compiler_->compile(request, {})->from_cache);
}

/// Damages the one cached file, then compiles with a new compiler, which must detect that and write the file again.
class DamagedCacheTest : public CompilerTest {
 protected:
  void expect_rewritten(const std::function<std::string(std::string)>& damage) {
    const auto first = compile(vector_add);
    ASSERT_TRUE(first);
    const std::string whole = read_bytes(cached_file());
    const std::string damaged = damage(whole);
    ASSERT_NE(damaged, whole);
    write_bytes(cached_file(), damaged);
    compiler_ = *Compiler::open(folder_ / "cache");
    const auto second = compile(vector_add);
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_FALSE(second->from_cache);
    EXPECT_EQ(second->ptx, first->ptx);
    compiler_ = *Compiler::open(folder_ / "cache");
    EXPECT_TRUE(compile(vector_add)->from_cache) << "it was not written again";
  }
};

TEST_F(DamagedCacheTest, ATruncatedFileIsIgnored) {
  expect_rewritten([](const std::string& whole) { return whole.substr(0, whole.size() - 1); });
}
TEST_F(DamagedCacheTest, AnEmptyFileIsIgnored) {
  expect_rewritten([](const std::string&) { return std::string(); });
}
TEST_F(DamagedCacheTest, ACorruptedByteIsIgnored) {
  expect_rewritten([](std::string whole) {
    whole[whole.size() / 2] = static_cast<char>(whole[whole.size() / 2] ^ 1);
    return whole;
  });
}
TEST_F(DamagedCacheTest, AForeignFileIsIgnored) {
  expect_rewritten([](const std::string&) { return std::string(5000, 'x'); });
}

TEST_F(CompilerTest, TwoProcessesMayShareACache) {
  compiler_.reset();  // threads do not survive a fork
  std::vector<pid_t> children;
  for (int child = 0; child < 2; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      bool good = true;
      const auto own = Compiler::open(folder_ / "cache");
      for (int i = 0; i < 8 && own; ++i) {
        CompileRequest request{.text = vector_add, .file = "x.cu", .defines = {{"N", std::to_string(i)}}};
        const auto module = (*own)->compile(request, {});
        good = good && module && module->kernels.size() == 1 && module->find("vector_add")->registers > 0;
      }
      _exit(own && good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  size_t modules = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "cache")) {
    EXPECT_EQ(entry.path().extension(), ".module") << "left behind: " << entry.path();
    EXPECT_TRUE(decode_module(entry.path().stem().string(), read_bytes(entry.path())));
    ++modules;
  }
  EXPECT_EQ(modules, 16U) << "each of the eight with its machine code, and its PTX alone";
}

TEST_F(CompilerTest, AFolderThatCannotBeWrittenTurnsTheCacheOff) {
  write_bytes(folder_ / "file", "");
  const auto compiler = Compiler::open(folder_ / "file" / "cache");
  ASSERT_TRUE(compiler);
  EXPECT_TRUE((*compiler)->compile({.text = vector_add, .file = "x.cu", .defines = {}}, {}));
}

// The cache alone

using ModuleCacheTest = FolderTest;

TEST_F(ModuleCacheTest, AModuleSurvivesTheDisk) {
  const CompiledModule module = example_module();
  ModuleCache(folder_).store("key", module);
  const auto found = ModuleCache(folder_).find("key");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ptx, module.ptx);
  EXPECT_EQ(found->cubin, module.cubin);
  EXPECT_EQ(found->cubin_target, module.cubin_target);
  EXPECT_EQ(found->log, module.log);
  ASSERT_EQ(found->kernels.size(), 1U);
  const KernelInfo& kernel = found->kernels[0];
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.registers, 32U);
  EXPECT_EQ(kernel.static_shared_bytes, 4096U);
  EXPECT_EQ(kernel.local_bytes, 16U);
  EXPECT_EQ(kernel.spill_store_bytes, 8U);
  EXPECT_EQ(kernel.spill_load_bytes, 4U);
  EXPECT_EQ(kernel.constant_bytes, 256U);
  EXPECT_EQ(kernel.parameter_bytes, (std::vector<uint32_t>{8, 8, 4}));
  ASSERT_EQ(found->messages.size(), 1U);
  EXPECT_EQ(found->messages[0].severity, CompileMessage::Severity::warning);
  EXPECT_EQ(found->messages[0].line, 3U);
  EXPECT_EQ(found->messages[0].text, "unused \"x\"");
}

TEST_F(ModuleCacheTest, AFileOfAnotherKeyIsIgnored) {
  ModuleCache cache(folder_);
  cache.store("key", example_module());
  fs::copy_file(cache.path_of("key"), cache.path_of("other"));
  EXPECT_FALSE(ModuleCache(folder_).find("other"));
}

TEST_F(ModuleCacheTest, EveryTruncationAndEveryFlippedByteIsRefused) {
  const std::vector<std::byte> bytes = encode_module("key", example_module());
  const std::string whole(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  ASSERT_TRUE(decode_module("key", whole));
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_FALSE(decode_module("key", whole.substr(0, i))) << i;
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x20);
    EXPECT_FALSE(decode_module("key", flipped)) << i;
  }
}

TEST_F(ModuleCacheTest, MemoryIsBoundedAndKeepsTheNewest) {
  ModuleCache cache({}, ModuleCache::kDefaultDiskBytes, 10000);
  for (int i = 0; i < 20; ++i) cache.store(std::to_string(i), example_module(std::string(1000, 'x')));
  EXPECT_FALSE(cache.find("0"));
  EXPECT_TRUE(cache.find("19"));
}

TEST_F(ModuleCacheTest, TrimDeletesWhatWasUsedLongestAgo) {
  constexpr size_t limit = 50000;
  ModuleCache cache(folder_, limit);
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 10; ++i) {
    cache.store(std::to_string(i), example_module(std::string(10000, 'x')));
    fs::last_write_time(cache.path_of(std::to_string(i)), now - std::chrono::hours(10 - i));
  }
  write_bytes(folder_ / "abandoned.temporary", "x");
  fs::last_write_time(folder_ / "abandoned.temporary", now - std::chrono::hours(2));
  write_bytes(folder_ / "in-use.temporary", "x");
  write_bytes(folder_ / "not-ours.txt", std::string(100000, 'x'));
  cache.trim();
  uintmax_t total = 0;
  for (const auto& entry : fs::directory_iterator(folder_))
    if (entry.path().extension() == ".module") total += entry.file_size();
  EXPECT_LE(total, limit);
  EXPECT_GT(total, limit / 2) << "it deletes no more than it needs to";
  EXPECT_FALSE(fs::exists(cache.path_of("0")));
  EXPECT_TRUE(fs::exists(cache.path_of("9")));
  EXPECT_FALSE(fs::exists(folder_ / "abandoned.temporary"));
  EXPECT_TRUE(fs::exists(folder_ / "in-use.temporary"));
  EXPECT_TRUE(fs::exists(folder_ / "not-ours.txt"));
}

TEST(SourceKeyTest, EveryFieldOfTheRequestCounts) {
  const CompileRequest base{.text = "text", .file = "file", .defines = {{"A", "1"}}};
  std::set<std::string> keys = {cache_key_of(base, "13.0"), cache_key_of(base, "12.9")};
  const auto with = [&](auto change) {
    CompileRequest request = base;
    change(request);
    keys.insert(cache_key_of(request, "13.0"));
  };
  with([](CompileRequest& request) { request.text = "texts"; });
  with([](CompileRequest& request) { request.file = "other"; });
  with([](CompileRequest& request) { request.defines = {{"A", "2"}}; });
  with([](CompileRequest& request) { request.defines = {{"A1", ""}}; });
  with([](CompileRequest& request) { request.defines.push_back({"B", "1"}); });
  with([](CompileRequest& request) { request.include_folders = {"a"}; });
  with([](CompileRequest& request) { request.ptx_target = "compute_90"; });
  with([](CompileRequest& request) { request.cubin_target = "sm_89"; });
  with([](CompileRequest& request) { request.want_cubin = true; });
  with([](CompileRequest& request) { request.assembler_level = 0; });
  with([](CompileRequest& request) { request.standard = "c++20"; });
  with([](CompileRequest& request) { request.wanted_kernels = {"k"}; });
  with([](CompileRequest& request) { request.relocatable = true; });
  EXPECT_EQ(keys.size(), 15U);
}

}  // namespace
}  // namespace tilescope
