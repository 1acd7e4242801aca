// `tilescope interop-trial`, which the window starts: where interop cannot be used it gives the reason and ends.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace tilescope {
namespace {

using testing::HasSubstr;

struct Outcome {
  int status = 0;
  std::string out;
};

Outcome trial(const std::string& environment) {
  // libwayland complains on standard error where a desktop has not set the folder.
  const std::string command =
      "env " + environment + " XDG_RUNTIME_DIR=/tmp '" TILESCOPE_BINARY "/tilescope' interop-trial 2>&1 < /dev/null";
  std::FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> text{};
  while (pipe != nullptr && std::fgets(text.data(), text.size(), pipe) != nullptr) outcome.out += text.data();
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

TEST(InteropTrialProgram, WithoutADisplaySaysSo) {
  const Outcome outcome = trial("--unset=DISPLAY --unset=WAYLAND_DISPLAY");
  EXPECT_EQ(outcome.status, 3) << outcome.out;
  EXPECT_THAT(outcome.out, testing::StartsWith("no window could be opened: "));
  EXPECT_EQ(outcome.out.find('\n'), outcome.out.size() - 1) << "one line: " << outcome.out;
}

TEST(InteropTrialProgram, WithoutAGpuSaysSo) {
  if (std::getenv("DISPLAY") == nullptr) GTEST_SKIP() << "no display";
  const Outcome outcome = trial("TILESCOPE_HIDE=cuda");
  EXPECT_EQ(outcome.status, 3) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("hidden by TILESCOPE_HIDE"));
  EXPECT_EQ(outcome.out.find('\n'), outcome.out.size() - 1) << "one line: " << outcome.out;
}

}  // namespace
}  // namespace tilescope
