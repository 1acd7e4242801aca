// A Python file in the window: it is executed only after the user said so, and shown when its kernels are known.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "app/sandbox/sandbox.hpp"
#include "app/session/session.hpp"
#include "tests/own_folder.hpp"
#include "tests/run/shared_engine.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kText = "import triton\n\n\n@triton.jit\ndef add(x, n, BLOCK: tl.constexpr):\n    pass\n";

class SandboxPython : public testing::Test {
 protected:
  SandboxPython() : engine(testing::shared_engine()) {
    folder = own_test_folder();
    file = folder / "add.py";
    std::ofstream(file) << kText;
    session = std::make_unique<Session>(engine);
    session->auto_run = false;
    start_anew();
  }
  ~SandboxPython() override {
    sandbox.reset();
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }

  void start_anew() {
    sandbox = std::make_unique<Sandbox>();
    sandbox->set_python(
        [this](const std::string&, const std::string&, const std::stop_token&) -> Result<TritonFile> {
          ++executed;
          if (missing) return fail(ErrorId::triton_missing, "there is none");
          TritonFunction add{.name = "add", .line = 5};
          add.parameters = {{.name = "x", .is_pointer = true, .type = "f16", .shape = "n"},
                            {.name = "n", .number = "n"},
                            {.name = "BLOCK", .is_constexpr = true, .value = "2^ceil(log2(n))"}};
          add.grid = {"ceil(n/BLOCK)", "1", "1"};
          TritonFile all;
          all.kernels = {add};
          return all;
        },
        folder / "state" / "python-files");
  }

  bool until(const std::function<bool()>& so) {
    for (int i = 0; i < 5000; ++i) {
      sandbox->poll(*session);
      if (so()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }
  bool asks() {
    sandbox->open(file);
    EXPECT_TRUE(until([&] { return sandbox->question() || !sandbox->opening(); }));
    return sandbox->question() == file;
  }
  bool is_shown() {
    return until([&] { return !sandbox->opening(); }) && sandbox->is_shown(*session);
  }

  std::shared_ptr<Engine> engine;
  fs::path folder, file;
  std::unique_ptr<Session> session;
  std::unique_ptr<Sandbox> sandbox;
  std::atomic<int> executed = 0;
  bool missing = false;
};

TEST_F(SandboxPython, IsNotExecutedBeforeTheAnswer) {
  ASSERT_TRUE(asks());
  EXPECT_EQ(executed, 0);
  sandbox->answer(false);
  EXPECT_FALSE(sandbox->question());
  EXPECT_FALSE(is_shown());
  EXPECT_EQ(executed, 0);
}

TEST_F(SandboxPython, ShowsItsKernelsWithAForm) {
  ASSERT_TRUE(asks());
  sandbox->answer(true);
  ASSERT_TRUE(is_shown());
  EXPECT_EQ(sandbox->kernel(), "add");
  const Launch& launch = sandbox->filled().launch;
  EXPECT_TRUE(sandbox->filled().good());
  ASSERT_EQ(launch.triton.constexprs.size(), 1U);
  EXPECT_EQ(launch.triton.constexprs[0].value, "4096");
  EXPECT_EQ(launch.triton.num_warps, 4);
  EXPECT_EQ(launch.arguments.size(), 2U);
  sandbox->set_field("defines", "BLOCK=1024");
  EXPECT_EQ(sandbox->filled().launch.grid.x, 4U);
}

TEST_F(SandboxPython, TheAnswerIsRememberedForThisText) {
  ASSERT_TRUE(asks());
  sandbox->answer(true);
  ASSERT_TRUE(is_shown());
  start_anew();
  EXPECT_FALSE(asks());
  EXPECT_TRUE(is_shown());
  std::ofstream(file, std::ios::app) << "print(1)\n";
  start_anew();
  EXPECT_TRUE(asks());
}

TEST_F(SandboxPython, WithoutTritonTheFileIsNotOpened) {
  missing = true;
  ASSERT_TRUE(asks());
  sandbox->answer(true);
  EXPECT_FALSE(is_shown());
  const auto error = sandbox->take_opening_error();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->id, ErrorId::triton_missing);
}

TEST_F(SandboxPython, PtxNeedsNoAnswer) {
  file = fs::path(TILESCOPE_SOURCE) / "docs/exec/scale.ptx";
  EXPECT_FALSE(asks());
  ASSERT_TRUE(is_shown());
  EXPECT_EQ(sandbox->kernel(), "scale");
  EXPECT_EQ(sandbox->filled().buffers.size(), 2U);
}

}  // namespace
}  // namespace tilescope
