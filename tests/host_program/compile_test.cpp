// The programs compile with nvcc as they are, and where there is a GPU they give the outputs of our run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "engine/checksum.hpp"
#include "engine/reference/cub.hpp"
#include "tests/host_program/programs.hpp"
#include "tests/thorough.hpp"

namespace tilescope {
namespace {

using testing::default_request;
using testing::NamedRung;

/// One rung of every third lab, a different one from lab to lab; all of them with TILESCOPE_THOROUGH.
std::vector<NamedRung> rungs_in_turn() {
  std::vector<NamedRung> taken;
  const std::vector<NamedRung> all = testing::rungs_in(KernelLanguage::cuda);
  size_t turn = 0;
  for (size_t i = 0; i < labs().size(); i += is_thorough() ? 1 : 3) {
    const Lab& lab = labs()[i];
    std::vector<NamedRung> own;
    for (const NamedRung& one : all)
      if (one.lab == &lab) own.push_back(one);
    const auto some = values_in_turn(own, turn++, std::max<size_t>(own.size(), 1));
    taken.insert(taken.end(), some.begin(), some.end());
  }
  return taken;
}

struct Compiled {
  NamedRung rung;
  testing::CommandOutcome outcome;
};

/// Several at a time. `options` are those of nvcc for a program.
std::vector<Compiled> compile_all(const std::vector<NamedRung>& rungs, const testing::ScratchFolder& folder,
                                  const std::function<std::string(const HostProgram&)>& options) {
  std::vector<std::string> commands;
  for (const NamedRung& one : rungs) {
    const HostProgram program = testing::program_of(default_request(*one.lab, *one.rung));
    const auto source = folder.write(one.name() + ".cu", program.text);
    commands.push_back(fmt::format("{} {} -o {} {}", find_nvcc().string(), options(program),
                                   (folder / one.name()).string(), source.string()));
  }
  std::vector<Compiled> compiled(rungs.size());
  std::atomic<size_t> next = 0;
  std::vector<std::future<void>> workers;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
    workers.push_back(std::async(std::launch::async, [&] {
      for (size_t at = next++; at < rungs.size(); at = next++)
        compiled[at] = {rungs[at], testing::run_command(commands[at])};
    }));
  workers.clear();
  return compiled;
}

/// Host and device side, down to PTX: machine code would take most of the time, and tells nothing about the program.
TEST(CompiledHostPrograms, CompileWithoutAWarning) {
  if (find_nvcc().empty()) GTEST_SKIP() << "no nvcc";
  const testing::ScratchFolder folder;
  const auto compiled = compile_all(rungs_in_turn(), folder, [](const HostProgram& program) {
    const int virtual_architecture = program.needs_sm_80 ? 80 : 75;
    return fmt::format(
        "-c -gencode arch=compute_{0},code=compute_{0} -Werror all-warnings -Xcompiler -O0,-Wall,-Werror",
        virtual_architecture);
  });
  EXPECT_GE(compiled.size(), is_thorough() ? labs().size() : (labs().size() + 2) / 3);
  for (const Compiled& one : compiled)
    EXPECT_EQ(one.outcome.status, 0) << one.rung.name() << ":\n" << one.outcome.output.substr(0, 3000);
}

/// The checksums of the outputs of a run; empty if there is no result.
std::map<std::string, std::string> checksums_of(const Request& request) {
  std::map<std::string, std::string> checksums;
  const auto run = testing::shared_engine().run(request);
  EXPECT_TRUE(run) << run.error().message;
  if (!run) return checksums;
  for (size_t i = 0; i < run->plan.buffers.size(); ++i) {
    const BufferSpec& buffer = run->plan.buffers[i];
    if (buffer.role == Role::output || buffer.role == Role::inout)
      checksums[buffer.name] = fmt::format("{:016x}", checksum_of(run->buffers[i]->bytes));
  }
  return checksums;
}

TEST(CompiledHostPrograms, GiveTheOutputsOfOurRunOnAGpu) {
  Engine& engine = testing::shared_engine();
  if (!engine.gpu()) GTEST_SKIP() << engine.gpu().error().message;
  if (find_nvcc().empty()) GTEST_SKIP() << "no nvcc";
  const testing::ScratchFolder folder;
  size_t compared = 0;
  for (const Compiled& one : compile_all(rungs_in_turn(), folder, [](const HostProgram&) { return "-arch=native"; })) {
    SCOPED_TRACE(one.rung.name());
    EXPECT_EQ(one.outcome.status, 0) << one.outcome.output.substr(0, 3000);
    Request request = default_request(*one.rung.lab, *one.rung.rung);
    request.device = DeviceKind::gpu;
    request.observe = false;
    const auto first = checksums_of(request), second = checksums_of(request);
    if (first != second) continue;  // atomics whose order is not fixed
    const auto ran = testing::run_command((folder / one.rung.name()).string());
    EXPECT_EQ(ran.status, 0) << ran.output;
    for (const auto& [name, checksum] : first) EXPECT_EQ(testing::checksum_in(ran.output, name), checksum) << name;
    ++compared;
  }
  EXPECT_GE(compared, labs().size() / 2);
}

/// The launch of the first lab is refused or fails as its lesson says.
TEST(CompiledHostPrograms, OnAGpuTellOfARefusedLaunchIfTheyCheck) {
  if (!testing::shared_engine().gpu()) GTEST_SKIP() << testing::shared_engine().gpu().error().message;
  if (find_nvcc().empty()) GTEST_SKIP() << "no nvcc";
  const testing::ScratchFolder folder;
  const Lab& hello = *find_lab("hello");
  const auto run_broken = [&](const std::string& bug) {
    const auto source =
        folder.write(bug + ".cu", testing::program_of(default_request(hello, *find_rung(hello, "grid"), {bug})).text);
    const std::string program = (folder / bug).string();
    const auto compiled =
        testing::run_command(fmt::format("{} -o {} {}", find_nvcc().string(), program, source.string()));
    EXPECT_EQ(compiled.status, 0) << compiled.output;
    return testing::run_command(program);
  };
  const auto checked = run_broken("TOO_MANY_THREADS");
  EXPECT_EQ(checked.status, 1);
  // "cudaErrorInvalidValue" with CUDA 13 on an H100, "cudaErrorInvalidConfiguration" in other versions.
  EXPECT_NE(checked.output.find("cudaErrorInvalid"), std::string::npos) << checked.output;
  EXPECT_NE(checked.output.find("cudaGetLastError"), std::string::npos) << "the check after the launch ended it";
  const auto unchecked = run_broken("NO_CHECK");
  EXPECT_EQ(unchecked.status, 0) << unchecked.output;
  EXPECT_NE(unchecked.output.find("begins with nan"), std::string::npos) << unchecked.output;
}

}  // namespace
}  // namespace tilescope
