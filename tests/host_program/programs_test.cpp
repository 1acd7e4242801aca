// What the programs say: every lab has one, the switches are in it, and what cannot be written gets a sentence.
#include "tests/host_program/programs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <regex>

#include "tests/testing.hpp"

namespace tilescope {
namespace testing {

Engine& shared_engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({.root = TILESCOPE_SOURCE});
  return *shared;
}

Request default_request(const Lab& lab, const Rung& rung, std::vector<std::string> broken) {
  Request request;
  request.lab = lab.name;
  request.rung = rung.name;
  request.config = default_config(lab, DeviceKind::sim);
  request.broken = std::move(broken);
  return request;
}

HostProgram program_of(const Request& request) {
  const auto plan = shared_engine().plan(request);
  EXPECT_TRUE(plan) << request.lab << " " << request.rung << ": " << plan.error().message;
  if (!plan) return {};
  auto program = host_program_of(shared_engine(), request, *plan, "tilescope run " + request.lab);
  EXPECT_TRUE(program) << request.lab << " " << request.rung << ": " << program.error();
  return program ? std::move(*program) : HostProgram{};
}

std::vector<NamedRung> rungs_in(KernelLanguage language) {
  std::vector<NamedRung> rungs;
  for (const Lab& lab : labs())
    for (const Rung& rung : lab.rungs)
      if (!rung.pick && language_of(source_file_of(lab, rung)) == language) rungs.push_back({&lab, &rung});
  return rungs;
}

CommandOutcome run_command(const std::string& command) {
  CommandOutcome outcome;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "it does not start"};
  std::array<char, 4096> part{};
  for (size_t count = 0; (count = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
    outcome.output.append(part.data(), count);
  const int status = ::pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tilescope-programs-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}
ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path ScratchFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
  return path_ / name;
}

std::string checksum_in(const std::string& output, const std::string& name) {
  std::smatch match;
  const std::regex line("(^|\n)" + name + ": [0-9]+ elements, checksum ([0-9a-f]{16}), begins with");
  return std::regex_search(output, match, line) ? match[2].str() : std::string();
}

}  // namespace testing

namespace {

using testing::default_request;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::program_of;
using testing::rungs_in;

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

TEST(HostPrograms, EveryRungHasOneThatLaunchesItsKernels) {
  size_t programs = 0;
  for (const Lab& lab : labs())
    for (const Rung& rung : lab.rungs) {
      SCOPED_TRACE(lab.name + " " + rung.name);
      const Request request = default_request(lab, rung);
      const auto plan = testing::shared_engine().plan(request);
      ASSERT_TRUE(plan) << plan.error().message;
      const HostProgram program = program_of(request);
      const bool python = program.language == KernelLanguage::triton;
      EXPECT_EQ(program.file_name(), python ? "program.py" : "program.cu");
      for (const Launch& launch : plan->launches)
        EXPECT_THAT(program.text,
                    HasSubstr("\n" + std::string(python ? "" : "  ") + launch.kernel + (python ? "[(" : "<<<")));
      const auto reported = static_cast<size_t>(std::ranges::count_if(plan->buffers, [](const BufferSpec& buffer) {
        return buffer.role == Role::output || buffer.role == Role::inout;
      }));
      EXPECT_LE(count_of(program.text, python ? "\nreport(\"" : "  host::report(\""), reported);
      EXPECT_GE(count_of(program.text, python ? "\nreport(\"" : "  host::report(\""), 1U);
      ++programs;
    }
  EXPECT_GE(programs, labs().size());
}

/// CUDA: every call of the runtime is checked, and a check follows each launch.
TEST(HostPrograms, CheckEveryCallOfTheRuntime) {
  for (const auto& [lab, rung] : rungs_in(KernelLanguage::cuda)) {
    SCOPED_TRACE(lab->name + " " + rung->name);
    const std::string text = program_of(default_request(*lab, *rung)).text;
    const std::string body = text.substr(text.find("int main() {"));
    for (const char* call : {"cudaMalloc(", "cudaMemcpy(", "cudaMemset(", "cudaFree(", "cudaDeviceSynchronize("})
      EXPECT_EQ(count_of(body, call), count_of(body, std::string("CHECK(") + call)) << call;
    EXPECT_EQ(count_of(body, ">>>("), count_of(body, "CHECK(cudaGetLastError());"));
    EXPECT_EQ(count_of(body, "cudaMalloc("), count_of(body, "cudaFree("));
  }
}

TEST(HostPrograms, HaveTheBugsOfTheSwitches) {
  size_t switches = 0;
  for (const auto& [lab, rung] : rungs_in(KernelLanguage::cuda)) {
    const std::string sound = program_of(default_request(*lab, *rung)).text;
    for (const BreakIt& one : lab->break_it) {
      if (!one.concerns(rung->name)) continue;
      EXPECT_NE(program_of(default_request(*lab, *rung, {one.name})).text, sound)
          << lab->name << " " << rung->name << ": " << one.name;
      ++switches;
    }
  }
  EXPECT_GT(switches, 100U);
}

TEST(HostPrograms, HaveTheBugsOfTheHostInTheirLaunch) {
  const Lab& hello = *find_lab("hello");
  const Rung& grid = *find_rung(hello, "grid");
  const auto text = [&](std::vector<std::string> broken) {
    return program_of(default_request(hello, grid, std::move(broken))).text;
  };
  EXPECT_THAT(text({}), HasSubstr("// Blocks: ⌈10,000 / 256⌉ = 40.\n  const dim3 grid(40);\n  const dim3 block(256);"));
  EXPECT_THAT(text({"TOO_FEW_BLOCKS"}), HasSubstr("  const dim3 grid(39);"));
  EXPECT_THAT(text({"TOO_FEW_BLOCKS"}), Not(HasSubstr("= 40")));
  EXPECT_THAT(text({"TOO_MANY_THREADS"}), HasSubstr("const dim3 block(2048);"));
  EXPECT_THAT(text({"TOO_MANY_THREADS"}), HasSubstr("CHECK(cudaGetLastError());"));
  EXPECT_THAT(text({"NO_CHECK"}), HasSubstr("const dim3 block(2048);"));
  EXPECT_THAT(text({"NO_CHECK"}), Not(HasSubstr("CHECK(cudaGetLastError());")));
  EXPECT_THAT(text({"DROP_MASK"}), Not(HasSubstr("if (i < n) out[i]")));
}

TEST(HostPrograms, FollowTheSliders) {
  const Lab& hello = *find_lab("hello");
  Request request = default_request(hello, *find_rung(hello, "grid"));
  request.config.sizes["n"] = 1000;
  request.config.params["BLOCK"] = 128;
  const std::string text = program_of(request).text;
  EXPECT_THAT(text, HasSubstr("std::vector<float> h_a(1000);"));
  EXPECT_THAT(text, HasSubstr("const dim3 grid(8);\n  const dim3 block(128);"));
}

TEST(HostPrograms, OfARungThatPicksLaunchWhatItPicked) {
  size_t picking = 0;
  for (const Lab& lab : labs())
    for (const Rung& rung : lab.rungs) {
      if (!rung.pick) continue;
      const Request request = default_request(lab, rung);
      const auto resolved = testing::shared_engine().resolve(request);
      ASSERT_TRUE(resolved) << resolved.error().message;
      EXPECT_THAT(program_of(request).text, HasSubstr(", " + resolved->rung->name + ": the whole program"));
      ++picking;
    }
  EXPECT_GT(picking, 0U);
}

/// A kernel may take num_stages as a constexpr; Python refuses a call that names an argument twice.
TEST(HostPrograms, InPythonNameEachArgumentOnce) {
  for (const auto& [lab, rung] : rungs_in(KernelLanguage::triton)) {
    const std::string text = program_of(default_request(*lab, *rung)).text;
    for (size_t at = text.find("[("); at != std::string::npos; at = text.find("[(", at + 1)) {
      const std::string line = text.substr(at, text.find('\n', at) - at);
      EXPECT_LE(count_of(line, " num_stages="), 1U) << lab->name << " " << rung->name << ": " << line;
      EXPECT_LE(count_of(line, " num_warps="), 1U) << lab->name << " " << rung->name << ": " << line;
    }
  }
}

TEST(HostPrograms, InPythonAreReadByPython) {
  if (testing::run_command("python3 --version").status != 0) GTEST_SKIP() << "no python3";
  const testing::ScratchFolder folder;
  std::string files;
  for (const testing::NamedRung& one : rungs_in(KernelLanguage::triton))
    files += " " + folder.write(one.name() + ".py", program_of(default_request(*one.lab, *one.rung)).text).string();
  ASSERT_FALSE(files.empty());
  const auto read = testing::run_command(
      "python3 -c 'import ast, sys\nfor file in sys.argv[1:]: ast.parse(open(file).read(), file)'" + files);
  EXPECT_EQ(read.status, 0) << read.output;
}

// ---- What cannot be written

Plan plan_of_one_launch() {
  Plan plan;
  plan.source_file = "scale.cu";
  plan.source_text =
      "extern \"C\" __global__ void scale(float* x, int n) {\n  if (threadIdx.x < n) x[threadIdx.x] *= 2;\n}\n";
  plan.buffers = {{.name = "x", .shape = {8}, .role = Role::inout}};
  plan.launches = {{.kernel = "scale", .grid = {1, 1, 1}, .block = {32, 1, 1}}};
  plan.launches[0].arguments = {BufferArgument{0}, scalar(int32_t{8})};
  return plan;
}

std::string refusal_of(const Plan& plan) {
  const auto program = host_program({.plan = plan, .title = "scale"});
  return program ? std::string() : program.error().english();
}

TEST(HostPrograms, OfAnOwnFileNeedNoLab) {
  const Plan plan = plan_of_one_launch();
  const auto program = host_program({.plan = plan, .title = "scale"});
  ASSERT_TRUE(program) << program.error();
  EXPECT_THAT(program->text, HasSubstr("scale<<<grid, block>>>(d_x, n);"));
}

TEST(HostPrograms, ThatCannotBeWrittenGetASentence) {
  Plan ptx = plan_of_one_launch();
  ptx.source_file = "scale.ptx";
  EXPECT_THAT(refusal_of(ptx), HasSubstr("PTX"));

  Plan several = plan_of_one_launch();
  several.more_sources = {{.file = "more.cu", .text = ""}};
  EXPECT_THAT(refusal_of(several), HasSubstr("several files"));

  Plan none = plan_of_one_launch();
  none.launches.clear();
  EXPECT_THAT(refusal_of(none), HasSubstr("launches no kernel"));

  Plan file = plan_of_one_launch();
  file.buffers[0].fill = Fill::file;
  EXPECT_THAT(refusal_of(file), HasSubstr("'x' is read from a file"));

  Plan texture = plan_of_one_launch();
  texture.launches[0].textures.emplace_back();
  EXPECT_THAT(refusal_of(texture), HasSubstr("texture"));

  Plan pointers = plan_of_one_launch();
  ScalarArgument argument = scalar(uint64_t{0});
  argument.pointers = {{.offset = 0, .target = {0}}};
  pointers.launches[0].arguments[1] = argument;
  EXPECT_THAT(refusal_of(pointers), HasSubstr("struct with pointers"));

  Plan missing = plan_of_one_launch();
  missing.launches[0].arguments.pop_back();
  EXPECT_THAT(refusal_of(missing), HasSubstr("parameters of scale are not known"));
}

}  // namespace
}  // namespace tilescope
