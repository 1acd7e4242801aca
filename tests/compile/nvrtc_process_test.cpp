// NVRTC in separate processes: the messages between the two sides, and what happens when the compiler crashes.
#include "engine/compile/nvrtc_process.hpp"

#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "engine/compile/nvrtc_library.hpp"
#include "engine/compile/nvrtc_protocol.hpp"
#include "tests/compile/compile_fixture.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

const std::string kAwkward = std::string("tab\t, end of line\n, \\n, \\, zero ") + '\0' + "\xff.";

TEST(NvrtcProtocol, AQuestionArrivesAsItWasSent) {
  const NvrtcQuestion sent{7,
                           {.text = kAwkward,
                            .file = "a\tb.cu",
                            .headers = {{"one.h", kAwkward}, {"", ""}},
                            .name_expressions = {"add<float>"},
                            .options = {"-DTEXT=\"\\n\"", ""}}};
  const std::string line = line_of(sent);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto read = question_in(line);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->number, sent.number);
  EXPECT_EQ(read->input.text, sent.input.text);
  EXPECT_EQ(read->input.file, sent.input.file);
  EXPECT_EQ(read->input.headers, sent.input.headers);
  EXPECT_EQ(read->input.name_expressions, sent.input.name_expressions);
  EXPECT_EQ(read->input.options, sent.input.options);
}

TEST(NvrtcProtocol, AnAnswerArrivesAsItWasSent) {
  NvrtcOutput sent;
  sent.result = NVRTC_ERROR_COMPILATION;
  sent.log = kAwkward;
  sent.ptx = "ld.global\t%r1;\n";
  for (int i = 0; i < 256; ++i) sent.cubin.push_back(static_cast<std::byte>(i));
  sent.lowered_names = {{"add<float>", "_Z3addIfE"}};
  const auto read = output_in(line_of(sent));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->result, sent.result);
  EXPECT_EQ(read->log, sent.log);
  EXPECT_EQ(read->ptx, sent.ptx);
  EXPECT_EQ(read->cubin, sent.cubin);
  EXPECT_EQ(read->lowered_names, sent.lowered_names);
}

TEST(NvrtcProtocol, ALineThatIsCutShortIsNotRead) {
  NvrtcOutput output;
  output.log = kAwkward;
  output.lowered_names = {{"a", "b"}};
  const std::string line = line_of(output);
  for (size_t length = 0; length < line.size(); ++length)
    EXPECT_FALSE(output_in(std::string_view(line).substr(0, length))) << length;
  EXPECT_FALSE(output_in(line + "more\t"));
  EXPECT_FALSE(question_in(line));
  EXPECT_EQ(stopped_in(stop_line_of(12)), 12U);
  EXPECT_FALSE(stopped_in("stop\tsoon\t"));
}

/// A compiler whose processes run a script of the test.
class NvrtcProcessTest : public FolderTest {
 protected:
  void SetUp() override {
    real_ = NvrtcProcesses::worker_beside_this_program();
    ASSERT_TRUE(std::filesystem::exists(real_)) << "build tilescope-worker";
  }

  /// `lines` run in place of tilescope-worker; $real is its path.
  void open(const std::string& lines) {
    const std::filesystem::path script = folder_ / "worker";
    write_bytes(script, "#!/bin/sh\ncd '" + folder_.string() + "'\nreal='" + real_.string() + "'\n" + lines);
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    auto opened = Compiler::open({}, script);
    if (!opened) GTEST_SKIP() << opened.error().message;
    compiler_ = *opened;
  }

  Result<CompiledModule> compile(const std::string& text, std::stop_token stop = {}) {
    CompileRequest request;
    request.text = text;
    request.file = "x.cu";
    return compiler_->compile(request, std::move(stop));
  }

  /// Lines of a file that the script writes.
  std::vector<std::string> lines_of(const std::string& name) const {
    std::ifstream file(folder_ / name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  std::filesystem::path real_;
  std::shared_ptr<Compiler> compiler_;
};

TEST_F(NvrtcProcessTest, ItRunsInAProcessThatStaysForTheNext) {
  open("echo $$ >> started\nexec \"$real\" compile\n");
  EXPECT_TRUE(compiler_->origin().separate);
  for (int i = 0; i < 4; ++i) {
    const auto module = compile(vector_add);
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_THAT(module->ptx, HasSubstr(".visible .entry vector_add("));
  }
  EXPECT_LE(lines_of("started").size(), 2U) << "one for the PTX and one for the machine code";
}

TEST_F(NvrtcProcessTest, ACrashIsOneSentenceAndTheNextCompilationIsGood) {
  open("if [ ! -e crashed ]; then touch crashed; read line; kill -SEGV $$; fi\nexec \"$real\" compile\n");
  const auto crashed = compile(vector_add);
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().id, ErrorId::compiler_ended);
  EXPECT_THAT(crashed.error().message, HasSubstr("x.cu"));
  EXPECT_THAT(crashed.error().message, HasSubstr("Segmentation fault"));
  const auto next = compile(vector_add);
  EXPECT_TRUE(next) << next.error().message;
}

TEST_F(NvrtcProcessTest, AnAnswerThatIsNoneIsOneSentence) {
  open("read line; echo what; sleep 100\n");
  const auto module = compile(vector_add);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().id, ErrorId::compiler_ended);
}

TEST_F(NvrtcProcessTest, ACompilerThatHangsIsLeftAtOnceAndKilled) {
  open("echo $$ >> started\nsleep 1000\n");
  std::stop_source stop;
  std::jthread escape([&stop] {
    std::this_thread::sleep_for(200ms);
    stop.request_stop();
  });
  const auto start = Clock::now();
  const auto module = compile(vector_add, stop.get_token());
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().id, ErrorId::cancelled);
  EXPECT_LT(Clock::now() - start, 2s) << "the caller waited for the compiler";
  compiler_.reset();
  ASSERT_FALSE(lines_of("started").empty());
  for (const std::string& process : lines_of("started"))
    EXPECT_NE(kill(std::stoi(process), 0), 0) << process << " still runs";
}

TEST_F(NvrtcProcessTest, AStopLeavesTheProcessForTheNext) {
  const auto library = NvrtcLibrary::open();
  if (!library || (*library)->set_flow_callback == nullptr) GTEST_SKIP() << "this NVRTC cannot be asked to stop";
  open("echo $$ >> started\nexec \"$real\" compile\n");
  ASSERT_TRUE(compile(vector_add));
  std::string slow = "extern \"C\" __global__ void slow(float* x) {\n";
  for (int i = 0; i < 20'000; ++i)
    slow += "  x[threadIdx.x * " + std::to_string(i) + "] += sinf(x[" + std::to_string(i) + "]);\n";
  std::stop_source stop;
  std::jthread escape([&stop] {
    std::this_thread::sleep_for(100ms);
    stop.request_stop();
  });
  const auto stopped = compile(slow + "}\n", stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().id, ErrorId::cancelled);
  // The next compilation starts a second process if the first has not stopped yet; the one after that finds both idle.
  ASSERT_TRUE(compile(vector_add));
  EXPECT_LE(lines_of("started").size(), 2U);
}

TEST_F(NvrtcProcessTest, WhatCrashesNvrtcItselfLeavesTheProgramAlive) {
  open("exec \"$real\" compile\n");
  // NVRTC's parser recurses; 13.0 overflows its stack here.
  constexpr size_t kDeep = 300'000;
  const auto deep = compile("extern \"C\" __global__ void deep(int* x) { *x = " + std::string(kDeep, '(') + "1" +
                            std::string(kDeep, ')') + "; }\n");
  if (!deep) {
    EXPECT_THAT(deep.error().id, testing::AnyOf(ErrorId::compiler_ended, ErrorId::compile_failed));
  }
  const auto next = compile(vector_add);
  EXPECT_TRUE(next) << next.error().message;
}

TEST_F(NvrtcProcessTest, WithoutAWorkerItRunsInThisProcess) {
  auto opened = Compiler::open({}, folder_ / "none");
  if (!opened) GTEST_SKIP() << opened.error().message;
  compiler_ = *opened;
  EXPECT_FALSE(compiler_->origin().separate);
  EXPECT_TRUE(compile(vector_add));
}

}  // namespace
}  // namespace tilescope
