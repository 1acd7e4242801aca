// The launcher script in a tree of its own, with stand-ins for the package manager, the build and the program that
// write down how they were called.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

struct Outcome {
  int status = -1;
  std::string output;  // both streams
  std::string calls;   // what the stand-ins wrote, one line per call
};

class Launcher : public testing::Test {
 protected:
  Launcher() {
    std::string name = (fs::temp_directory_path() / "tilescope-launcher-XXXXXX").string();
    tree_ = mkdtemp(name.data());
    fs::copy_file(fs::path(TILESCOPE_SOURCE) / "tilescope", tree_ / "tilescope");
    for (const std::string folder : {"app", "engine", "labs", "cmake", "stand-ins", "toolkit/include", "build/release"})
      fs::create_directories(tree_ / folder);
    for (const std::string file : {"CMakeLists.txt", "CMakePresets.json", "app/main.cpp", "toolkit/include/nvrtc.h"})
      write(file, "");
    // Every package is there, unless the file "absent" names it.
    stand_in("dpkg-query",
             "shift 2; for p; do grep -qxs \"$p\" \"$TREE/absent\" || echo \"installed $p\"; done; "
             "test ! -s \"$TREE/absent\"");
    stand_in("apt-get", "echo apt-get $* >> $TREE/calls");
    stand_in("sudo", "echo sudo >> $TREE/calls; exec \"$@\"");
    stand_in("cmake", "echo cmake $* >> $TREE/calls; touch $TREE/build/release/build.ninja");
    stand_in("ninja", "echo ninja \"${@: -1}\" >> $TREE/calls; cp $TREE/program $TREE/build/release/tilescope");
    stand_in("ctest", "echo ctest $* >> $TREE/calls; echo '100% tests passed'");
    stand_in("xvfb-run", "echo xvfb-run >> $TREE/calls; while [[ $1 == --* ]]; do shift; done; exec \"$@\"");
    write("program", "#!/bin/bash\necho program $* >> $TREE/calls\nexit ${PROGRAM_STATUS:-0}\n");
    make_executable("program");
  }
  ~Launcher() override { fs::remove_all(tree_); }

  void write(const std::string& file, const std::string& text) { std::ofstream(tree_ / file) << text; }
  void make_executable(const std::string& file) { fs::permissions(tree_ / file, fs::perms::all); }
  void stand_in(const std::string& command, const std::string& body) {
    write("stand-ins/" + command, "#!/bin/bash\n" + body + "\n");
    make_executable("stand-ins/" + command);
  }

  /// `environment` is put before the call, for example "DISPLAY=:1".
  Outcome launch(const std::string& words, const std::string& environment = "DISPLAY=:1",
                 const fs::path& program = "./tilescope") {
    fs::remove(tree_ / "calls");
    const std::string command =
        "cd '" + (tree_ / program.parent_path()).string() + "' && env -u DISPLAY -u WAYLAND_DISPLAY TREE='" +
        tree_.string() + "' PATH='" + tree_.string() + "/stand-ins:/usr/bin:/bin' CUDA_PATH='" + tree_.string() +
        "/toolkit' " + environment + " ./" + program.filename().string() + " " + words + " 2>&1";
    Outcome outcome;
    FILE* pipe = popen(command.c_str(), "r");
    char buffer[4096];
    for (size_t count = 0; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.output.append(buffer, count);
    const int status = pclose(pipe);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ostringstream calls;
    calls << std::ifstream(tree_ / "calls").rdbuf();
    outcome.calls = calls.str();
    return outcome;
  }

  fs::path tree_;
};

TEST_F(Launcher, TheFirstStartConfiguresBuildsAndOpensTheWindow) {
  const Outcome first = launch("");
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_EQ(first.calls, "cmake --preset release\nninja tilescope\nprogram\n");
}

TEST_F(Launcher, TheSecondStartRunsTheProgramAlone) {
  launch("");
  stand_in("dpkg-query", "echo dpkg-query >> $TREE/calls");
  const Outcome second = launch("");
  EXPECT_EQ(second.status, 0) << second.output;
  EXPECT_EQ(second.calls, "program\n");
  EXPECT_EQ(second.output, "");
}

TEST_F(Launcher, AnEditedSourceIsBuiltAgain) {
  launch("");
  fs::last_write_time(tree_ / "app/main.cpp", fs::file_time_type::clock::now() + std::chrono::seconds(2));
  EXPECT_EQ(launch("").calls, "ninja tilescope\nprogram\n");
}

TEST_F(Launcher, ARemovedSourceIsBuiltAgain) {
  write("engine/old.cpp", "");
  launch("");
  fs::remove(tree_ / "engine/old.cpp");
  fs::last_write_time(tree_ / "engine", fs::file_time_type::clock::now() + std::chrono::seconds(2));
  EXPECT_EQ(launch("").calls, "ninja tilescope\nprogram\n");
}

TEST_F(Launcher, WordsAndExitStatusArePassedOn) {
  const Outcome run = launch("run vector-add --rung all", "DISPLAY=:1 PROGRAM_STATUS=1");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.calls, HasSubstr("program run vector-add --rung all\n"));
}

TEST_F(Launcher, WithoutADisplayItSaysSoAndRunsTheTour) {
  const Outcome tour = launch("", "");
  EXPECT_EQ(tour.status, 0);
  EXPECT_THAT(tour.output, HasSubstr("there is no display"));
  EXPECT_THAT(tour.calls, HasSubstr("xvfb-run\nprogram tour --out out\n"));
}

TEST_F(Launcher, CommandsNeedNoDisplay) {
  const Outcome list = launch("list", "");
  EXPECT_THAT(list.calls, HasSubstr("program list\n"));
  EXPECT_THAT(list.calls, Not(HasSubstr("xvfb-run")));
}

TEST_F(Launcher, WaylandAloneIsADisplay) {
  EXPECT_THAT(launch("", "WAYLAND_DISPLAY=wayland-0").calls, Not(HasSubstr("tour")));
}

TEST_F(Launcher, TestBuildsEverythingAndRunsCtest) {
  const Outcome test = launch("test -R sim");
  EXPECT_EQ(test.status, 0);
  EXPECT_THAT(test.calls, HasSubstr("ninja all\nctest "));
  EXPECT_THAT(test.calls, HasSubstr("--output-on-failure -R sim\n"));
  EXPECT_THAT(test.output, HasSubstr("100% tests passed"));
  EXPECT_THAT(test.output, HasSubstr("tilescope: all tests passed in "));
}

TEST_F(Launcher, FailedTestsGiveTheirStatusAndASentence) {
  stand_in("ctest", "exit 8");
  const Outcome test = launch("test");
  EXPECT_EQ(test.status, 8);
  EXPECT_THAT(test.output, HasSubstr("tilescope: tests failed"));
}

TEST_F(Launcher, TestsRunUnderAVirtualDisplayWhereThereIsNone) {
  EXPECT_THAT(launch("test", "").calls, HasSubstr("xvfb-run\nctest "));
  EXPECT_THAT(launch("test").calls, Not(HasSubstr("xvfb-run")));
}

TEST_F(Launcher, MissingPackagesAreNamedAndInstalled) {
  write("absent", "libmd4c-dev\nxvfb\n");
  const Outcome start = launch("");
  EXPECT_THAT(start.output, HasSubstr("installing 2 packages with apt-get: libmd4c-dev xvfb\n"));
  EXPECT_THAT(start.calls, HasSubstr("apt-get update -qq\n"));
  EXPECT_THAT(start.calls, HasSubstr("apt-get install --yes --no-install-recommends libmd4c-dev xvfb\n"));
  const bool is_root = geteuid() == 0;
  EXPECT_EQ(start.calls.find("sudo") == std::string::npos, is_root) << "sudo is for those who are not root";
  EXPECT_EQ(start.status, 0) << start.output;
}

TEST_F(Launcher, NothingMissingAsksForNothing) {
  const Outcome start = launch("");
  EXPECT_THAT(start.calls, Not(HasSubstr("apt-get")));
  EXPECT_THAT(start.calls, Not(HasSubstr("sudo")));
}

TEST_F(Launcher, AFailedInstallationShowsAptsMessageAndASentence) {
  write("absent", "libmd4c-dev\n");
  stand_in("apt-get", "echo noise; echo 'E: Unable to locate package libmd4c-dev'; exit 100");
  const Outcome start = launch("");
  EXPECT_EQ(start.status, 3);
  EXPECT_THAT(start.output, HasSubstr("E: Unable to locate package libmd4c-dev\n"));
  EXPECT_THAT(start.output, HasSubstr("the packages could not be installed"));
  EXPECT_THAT(start.calls, Not(HasSubstr("cmake"))) << "it went on";
}

TEST_F(Launcher, AnUnreachableNetworkIsNoReasonToStopIfThePackagesAreAtHand) {
  write("absent", "libmd4c-dev\n");
  stand_in("apt-get", "echo apt-get $1 >> $TREE/calls; [[ $1 == install ]]");
  const Outcome start = launch("");
  EXPECT_EQ(start.status, 0) << start.output;
  EXPECT_THAT(start.output, HasSubstr("the package lists could not be fetched"));
  EXPECT_THAT(start.calls, HasSubstr("program\n"));
}

TEST_F(Launcher, WithoutAToolkitItSaysWhatItIsForAndHowToGetIt) {
  if (fs::exists("/usr/local/cuda/include/nvrtc.h") || fs::exists("/usr/include/nvrtc.h")) {
    // One is installed here, so look where a system would have none: the function, with its list of places cut short.
    const std::string script = "sed -i 's#/usr/local/cuda /usr;#/nowhere;#' '" + (tree_ / "tilescope").string() + "'";
    ASSERT_EQ(std::system(script.c_str()), 0);
  }
  fs::remove(tree_ / "toolkit/include/nvrtc.h");
  const Outcome start = launch("");
  EXPECT_EQ(start.status, 3);
  EXPECT_THAT(start.output, HasSubstr("no CUDA Toolkit was found"));
  EXPECT_THAT(start.output, HasSubstr("NVRTC"));
  EXPECT_THAT(start.output, HasSubstr("CUDA_PATH"));
  EXPECT_EQ(std::count(start.output.begin(), start.output.end(), '\n'), 1) << "one sentence:\n" << start.output;
}

TEST_F(Launcher, AFailedBuildIsNotTakenForAGoodOne) {
  launch("");
  fs::last_write_time(tree_ / "app/main.cpp", fs::file_time_type::clock::now() + std::chrono::seconds(2));
  stand_in("ninja", "echo 'main.cpp:1: error'; exit 1");
  const Outcome failed = launch("");
  EXPECT_EQ(failed.status, 3);
  EXPECT_THAT(failed.output, HasSubstr("main.cpp:1: error\ntilescope: the build failed"));
  EXPECT_THAT(failed.calls, Not(HasSubstr("program"))) << "it started the old program";
  EXPECT_EQ(launch("").status, 3) << "the second start took the failed build for good";
}

TEST_F(Launcher, AFailedConfigurationShowsCmakesMessage) {
  stand_in("cmake", "echo 'CMake Error: no generator'; exit 1");
  const Outcome start = launch("");
  EXPECT_EQ(start.status, 3);
  EXPECT_THAT(start.output, HasSubstr("CMake Error: no generator\n"));
  EXPECT_THAT(start.output, HasSubstr("CMake could not configure the build"));
}

TEST_F(Launcher, ItMayBeStartedFromAnywhereAndThroughALink) {
  fs::create_directory(tree_ / "elsewhere");
  fs::create_symlink(tree_ / "tilescope", tree_ / "elsewhere/linked");
  const Outcome start = launch("list", "DISPLAY=:1", "elsewhere/linked");
  EXPECT_EQ(start.status, 0) << start.output;
  EXPECT_THAT(start.calls, HasSubstr("program list\n"));
}

}  // namespace
}  // namespace tilescope
