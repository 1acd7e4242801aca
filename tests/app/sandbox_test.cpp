// A user's own file in the window: it runs at once, and again when it changes on disk; on errors the last good result
// stays and the error is shown.
#include "app/sandbox/sandbox.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "app/session/session.hpp"
#include "tests/app/sandbox_kernels.hpp"
#include "tests/own_folder.hpp"
#include "tests/run/shared_engine.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using namespace testing;  // NOLINT: the kernels
using Clock = std::chrono::steady_clock;

class SandboxTest : public ::testing::Test {
 protected:
  SandboxTest() : engine(testing::shared_engine()) {
    folder = own_test_folder();
    session = std::make_unique<Session>(engine);
    session->set_device(DeviceKind::sim);
  }
  ~SandboxTest() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  void SetUp() override {
    if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  }

  fs::path write(const std::string& name, const std::string& text) const {
    // As most editors save: the file is replaced by a new one.
    std::ofstream(folder / "new", std::ios::binary) << text;
    fs::rename(folder / "new", folder / name);
    return folder / name;
  }

  /// Draws frames until so() is true; false after half a minute.
  bool until(const std::function<bool()>& so) {
    const auto start = Clock::now();
    do {
      sandbox.poll(*session);
      session->poll();
      if (so()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (Clock::now() - start < std::chrono::seconds(30));
    return false;
  }
  bool settle() {
    return until([&] { return sandbox.is_shown(*session) && !session->busy() && !session->stale(); });
  }
  bool open(const fs::path& file) {
    sandbox.open(file);
    return until([&] { return !sandbox.opening(); }) && settle();
  }
  uint64_t blocks() const { return session->result() ? session->result()->tiles.grid.count() : 0; }

  std::shared_ptr<Engine> engine;
  fs::path folder;
  Sandbox sandbox;
  std::unique_ptr<Session> session;
};

TEST_F(SandboxTest, AFileRunsAtOnceAndIsObserved) {
  ASSERT_TRUE(open(write("saxpy.cu", kSaxpy)));
  ASSERT_NE(session->result(), nullptr) << (session->error() ? session->error()->message : "");
  const RunResult& run = *session->result();
  EXPECT_EQ(session->lab().title.en, "saxpy.cu");
  EXPECT_TRUE(run.findings.empty());
  EXPECT_TRUE(run.observed);
  EXPECT_EQ(run.tiles.grid.count(), 256U);
  EXPECT_GT(run.traffic.counters.global_load_sectors, 0U);
  EXPECT_FALSE(run.traffic.lines.empty());
  EXPECT_TRUE(run.correctness.empty());
  ASSERT_EQ(run.statistics.size(), 1U);
  EXPECT_EQ(run.statistics[0].finite, 65536U);
  EXPECT_TRUE(session->learned.empty());
}

TEST_F(SandboxTest, ChangingTheFormRunsAgain) {
  ASSERT_TRUE(open(write("saxpy.cu", kSaxpy)));
  sandbox.set_field("block.x", "128");
  ASSERT_TRUE(settle());
  EXPECT_EQ(blocks(), 512U);
  session->set_size("n", 1000);  // the slider
  ASSERT_TRUE(settle());
  EXPECT_EQ(blocks(), 8U);
  EXPECT_EQ(sandbox.form().text("n"), "1000");
}

TEST_F(SandboxTest, AChangeOnDiskRunsAgainAndKeepsTheForm) {
  const fs::path file = write("saxpy.cu", kSaxpy);
  ASSERT_TRUE(open(file));
  sandbox.set_field("block.x", "64");
  sandbox.set_field("x.fill", "ones");
  sandbox.set_field("y.fill", "zero");
  sandbox.set_field("a.value", "3");
  ASSERT_TRUE(settle());
  EXPECT_EQ(session->result()->statistics.at(0).high, 3);
  std::string changed = kSaxpy;
  changed.replace(changed.find("a * x[i]"), 8, "a * x[i] + 4");
  write("saxpy.cu", changed);
  ASSERT_TRUE(until([&] { return session->result() && session->result()->statistics.at(0).high == 7; }));
  EXPECT_EQ(session->result()->plan.launches.at(0).block.x, 64U);
}

TEST_F(SandboxTest, AnotherParameterIsAskedForAndTheOthersKeepTheirFields) {
  ASSERT_TRUE(open(write("saxpy.cu", kSaxpy)));
  sandbox.set_field("a.value", "5");
  std::string changed = kSaxpy;
  changed.replace(changed.find("float* y)"), 9, "float* y, float* z)");
  write("saxpy.cu", changed);
  ASSERT_TRUE(until([&] { return sandbox.form().parameters.size() == 5; }));
  ASSERT_TRUE(settle());
  EXPECT_EQ(sandbox.form().text("a.value"), "5");
  EXPECT_EQ(session->result()->plan.buffers.size(), 3U);
}

TEST_F(SandboxTest, AHalfWrittenFileShowsTheCompilersMessageAndKeepsTheResult) {
  ASSERT_TRUE(open(write("saxpy.cu", kSaxpy)));
  const auto good = session->result();
  const std::string whole = kSaxpy;
  write("saxpy.cu", whole.substr(0, whole.find("a * x")));
  ASSERT_TRUE(until([&] { return session->error() && session->error()->id == ErrorId::compile_failed; }));
  EXPECT_NE(session->error()->message.find("saxpy.cu"), std::string::npos);
  EXPECT_EQ(session->result(), good);
  EXPECT_TRUE(session->stale());
  write("saxpy.cu", whole);
  ASSERT_TRUE(settle());
  EXPECT_FALSE(session->error());
}

TEST_F(SandboxTest, AnEmptyFileSaysThatThereIsNoKernelAndRecovers) {
  const fs::path file = write("saxpy.cu", kSaxpy);
  ASSERT_TRUE(open(file));
  write("saxpy.cu", "");
  ASSERT_TRUE(until([&] { return session->error().has_value(); }));
  EXPECT_TRUE(sandbox.filled().problems.contains("kernel"));
  EXPECT_NE(session->result(), nullptr);
  write("saxpy.cu", kSaxpy);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(sandbox.filled().good());
}

TEST_F(SandboxTest, AFileOfZeroBytesOrWithoutAKernelCanBeOpened) {
  for (const char* text : {"", "int main() { return 0; }\n"}) {
    sandbox.open(write("none.cu", text));
    ASSERT_TRUE(until([&] { return sandbox.is_shown(*session) && session->error().has_value(); }));
    EXPECT_EQ(session->error()->id, ErrorId::no_kernel);
    EXPECT_EQ(sandbox.filled().problems.at("kernel").key, "sandbox.no_kernel");
    session->select_lab(labs().front().name);
    ASSERT_TRUE(until([&] { return !session->error(); }));
  }
}

TEST_F(SandboxTest, ADeletedFileIsSaidToBeGoneAndReadWhenItIsBack) {
  const fs::path file = write("saxpy.cu", kSaxpy);
  ASSERT_TRUE(open(file));
  fs::remove(file);
  ASSERT_TRUE(until([&] { return sandbox.problem().has_value(); }));
  EXPECT_EQ(sandbox.problem()->id, ErrorId::file_not_found);
  EXPECT_NE(session->result(), nullptr);
  EXPECT_FALSE(session->stale());
  write("saxpy.cu", std::string(kSaxpy) + "// back\n");
  ASSERT_TRUE(until([&] { return !sandbox.problem(); }));
  ASSERT_TRUE(settle());
}

TEST_F(SandboxTest, WhatCannotBeReadIsAnErrorAndWhatWasOpenStays) {
  ASSERT_TRUE(open(write("saxpy.cu", kSaxpy)));
  for (const fs::path& file : {folder / "absent.cu", folder, write("binary.cu", std::string("a\0b", 3))}) {
    sandbox.open(file);
    ASSERT_TRUE(until([&] { return !sandbox.opening(); }));
    const auto error = sandbox.take_opening_error();
    ASSERT_TRUE(error) << file;
    EXPECT_EQ(error->id, ErrorId::file_not_found);
    EXPECT_EQ(sandbox.file(), folder / "saxpy.cu");
    EXPECT_TRUE(sandbox.is_shown(*session));
  }
}

TEST_F(SandboxTest, AWrongFieldStopsTheRunAndARightOneGoesOn) {
  ASSERT_TRUE(open(write("saxpy.cu", kSaxpy)));
  const auto good = session->result();
  sandbox.set_field("grid.x", "0");
  ASSERT_TRUE(until([&] { return session->error().has_value(); }));
  EXPECT_EQ(session->error()->id, ErrorId::form_incomplete);
  EXPECT_EQ(session->result(), good);
  EXPECT_TRUE(session->stale());
  sandbox.set_field("grid.x", "1");
  ASSERT_TRUE(settle());
  EXPECT_EQ(blocks(), 1U);
}

TEST_F(SandboxTest, KernelsAreChosenAndEachKeepsItsForm) {
  ASSERT_TRUE(open(write("two.cu", std::string(kSaxpy) + kBlockSums)));
  EXPECT_EQ(sandbox.kernel(), "saxpy");
  sandbox.set_field("block.x", "128");
  sandbox.choose_kernel("block_sums");
  ASSERT_TRUE(settle());
  EXPECT_EQ(session->rung().name, "block_sums");
  EXPECT_EQ(session->result()->plan.launches.at(0).block.x, 256U);
  session->select_rung("saxpy");  // as the palette does
  ASSERT_TRUE(until([&] { return sandbox.kernel() == "saxpy"; }));
  ASSERT_TRUE(settle());
  EXPECT_EQ(session->result()->plan.launches.at(0).block.x, 128U);
}

TEST_F(SandboxTest, AnEditInTheWindowChangesTheFormAndIsSavedIntoTheFile) {
  const fs::path file = write("saxpy.cu", kSaxpy);
  ASSERT_TRUE(open(file));
  std::string changed = kSaxpy;
  changed.replace(changed.find("float* y)"), 9, "float* y, float bias)");
  changed.replace(changed.find("a * x[i]"), 8, "a * x[i] + bias");
  session->set_source(changed);
  ASSERT_TRUE(until([&] { return sandbox.form().parameters.size() == 5; }));
  ASSERT_TRUE(settle());
  ASSERT_TRUE(sandbox.save(*session));
  std::ifstream stream(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), changed);
  EXPECT_FALSE(session->request().edited_source);
  ASSERT_TRUE(settle());
}

TEST_F(SandboxTest, AChangeOnDiskLeavesAnEditInTheWindowAlone) {
  ASSERT_TRUE(open(write("saxpy.cu", kSaxpy)));
  session->set_source(std::string(kSaxpy) + "// edited\n");
  ASSERT_TRUE(settle());
  write("saxpy.cu", std::string(kSaxpy) + "// elsewhere\n");
  ASSERT_TRUE(until([&] { return sandbox.changed_beside_edits(); }));
  EXPECT_EQ(session->request().edited_source, std::string(kSaxpy) + "// edited\n");
  session->set_source(std::nullopt);  // reverted
  ASSERT_TRUE(settle());
  EXPECT_FALSE(sandbox.changed_beside_edits());
  EXPECT_NE(session->result()->plan.source_text.find("elsewhere"), std::string::npos);
}

TEST_F(SandboxTest, FormsAreRememberedByFileAndKernel) {
  const fs::path file = write("saxpy.cu", kSaxpy);
  ASSERT_TRUE(open(file));
  sandbox.set_field("block.x", "96");
  sandbox.set_field("n", "5000");
  const auto remembered = sandbox.remembered();
  EXPECT_EQ(remembered.at(file.string()).edits.at("saxpy").at("block.x"), "96");
  const auto recent = sandbox.recent();

  Sandbox later;
  later.restore(recent, remembered);
  Session other(engine);
  other.set_device(DeviceKind::sim);
  later.open(file);
  const auto start = Clock::now();
  while (!later.is_shown(other) && Clock::now() - start < std::chrono::seconds(10)) later.poll(other);
  ASSERT_TRUE(later.is_shown(other));
  EXPECT_EQ(later.form().text("block.x"), "96");
  EXPECT_EQ(other.request().config.size("n"), 5000);
}

TEST_F(SandboxTest, WhatTheSourceDoesNotShowTheRunDoes) {
  const std::string text = R"(
__device__ void put(float* where, float value) { *where = value; }
__global__ void fill(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) put(out + i, 1.0f);
}
)";
  ASSERT_TRUE(open(write("fill.cu", text)));
  ASSERT_TRUE(until([&] { return sandbox.form().text("out.role") == "output"; }));
  ASSERT_TRUE(settle());
  EXPECT_EQ(session->result()->plan.buffers.at(0).role, Role::output);
}

TEST_F(SandboxTest, LeavingForALabAndComingBackKeepsBoth) {
  ASSERT_TRUE(open(write("saxpy.cu", kSaxpy)));
  sandbox.set_field("block.x", "128");
  session->select_lab("vector-add");
  EXPECT_FALSE(sandbox.is_shown(*session));
  EXPECT_FALSE(session->remembered().contains((folder / "saxpy.cu").string()));
  ASSERT_TRUE(open(folder / "saxpy.cu"));
  EXPECT_EQ(sandbox.form().text("block.x"), "128");
}

}  // namespace
}  // namespace tilescope
