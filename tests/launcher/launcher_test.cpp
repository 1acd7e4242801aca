// The launcher script: packages, configuration, build, program. Its behaviour without a CUDA Toolkit is tested in
// nvrtc_test.cpp.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "tests/launcher/launcher_fixture.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

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
  EXPECT_THAT(test.calls, HasSubstr("--output-on-failure --output-junit tests.xml -R sim\n"));
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

TEST_F(Launcher, TheFirstStartSaysHowLongItTakesAndThatItMayBeStopped) {
  stand_in("nproc", "echo 4");
  const Outcome first = launch("");
  EXPECT_THAT(first.output, testing::ContainsRegex("the first build takes about [0-9]+ minutes on 4 cores\n"));
  EXPECT_THAT(first.output, HasSubstr("Ctrl+C stops this at any time; the next start continues from there\n"));
  fs::last_write_time(tree_ / "app/main.cpp", fs::file_time_type::clock::now() + std::chrono::seconds(2));
  EXPECT_THAT(launch("").output, Not(HasSubstr("minutes"))) << "a later build is short";
}

/// The minutes in the sentence that begins like this; 0 if there is none.
int minutes_after(const std::string& beginning, const std::string& output) {
  std::smatch match;
  const std::regex sentence(beginning + " takes about ([0-9]+) minutes? on 1 core\n");
  return std::regex_search(output, match, sentence) ? std::stoi(match[1]) : 0;
}

TEST_F(Launcher, AResumedFirstBuildSaysWhatIsLeftOfIt) {
  stand_in("nproc", "echo 1");
  write("objects", "source.cpp\na.cpp.o\nb.cpp.o\nc.cpp.o\nd.cpp.o\n");
  const std::string ninja = text_of("stand-ins/ninja");
  stand_in_for_ninja("touch $TREE/build/release/{a,b,c}.cpp.o; kill -INT $PPID; exit 130");
  const std::string first = launch("").output;
  const int whole = minutes_after("tilescope: the first build", first);
  EXPECT_GT(whole, 4) << first;
  EXPECT_EQ(minutes_after("tilescope: building; the first build", first), whole) << first;
  write("stand-ins/ninja", ninja);
  const std::string next = launch("").output;
  const int rest = minutes_after("tilescope: the rest of the first build", next);
  EXPECT_GE(rest, whole / 4) << next;
  EXPECT_LE(rest, whole / 4 + 1) << next;
  EXPECT_THAT(next, Not(HasSubstr("tilescope: the first build"))) << "the time of the whole";
}

TEST_F(Launcher, ThePackagesToDownloadAreCountedInMegabytes) {
  write("absent", "libmd4c-dev\nxvfb\n");
  stand_in("apt-get",
           "if [[ $* == *--print-uris* ]]; then echo \"'address/a.deb' a.deb 1200000 SHA256:1\"; "
           "echo \"'address/b.deb' b.deb 34000000 SHA256:2\"; else echo apt-get $* >> $TREE/calls; fi");
  EXPECT_THAT(launch("").output, HasSubstr("2 Debian packages will be installed with apt-get, 35.2 MB to download\n"));
}

TEST_F(Launcher, WithoutANetworkThePackagesAreRefusedInOneSentenceWithTheNextStep) {
  write("absent", "libmd4c-dev\n");
  stand_in("apt-get",
           "echo \"W: Failed to fetch address/InRelease  Temporary failure resolving 'address'\"; "
           "[[ $1 == update ]] || { echo 'E: Unable to locate package libmd4c-dev'; exit 100; }");
  const Outcome start = launch("");
  EXPECT_EQ(start.status, 3);
  EXPECT_THAT(start.output,
              testing::EndsWith("tilescope: the packages could not be downloaded because the network does "
                                "not answer; connect and run ./tilescope again, which continues from "
                                "here\n"));
  EXPECT_THAT(start.output, Not(HasSubstr("E: Unable"))) << "a consequence of it alone";
}

TEST_F(Launcher, AnInstallationThatWasInterruptedIsFinishedFirst) {
  write("absent", "libmd4c-dev\n");
  stand_in("dpkg", "echo dpkg $* >> $TREE/calls; [[ $1 != --audit ]] || echo 'only half configured: g++'");
  const Outcome start = launch("");
  EXPECT_EQ(start.status, 0) << start.output;
  const size_t configured = start.calls.find("dpkg --configure --pending\n");
  const size_t installed = start.calls.find("install --yes --no-install-recommends libmd4c-dev\n");
  ASSERT_NE(configured, std::string::npos) << start.calls;
  ASSERT_NE(installed, std::string::npos) << start.calls;
  EXPECT_LT(configured, installed);
}

TEST_F(Launcher, AnInterruptedBuildSaysThatTheNextStartContinues) {
  const std::string ninja = text_of("stand-ins/ninja");
  stand_in_for_ninja("kill -INT $PPID; exit 130");
  const Outcome stopped = launch("");
  EXPECT_EQ(stopped.status, 130);
  EXPECT_THAT(stopped.output, testing::EndsWith("tilescope: stopped; the next ./tilescope continues from here\n"));
  EXPECT_THAT(stopped.output, Not(HasSubstr("the build failed")));
  write("stand-ins/ninja", ninja);
  EXPECT_EQ(launch("").calls, "ninja tilescope\nprogram\n");
}

TEST_F(Launcher, AnInterruptedConfigurationStartsAnew) {
  const std::string cmake = text_of("stand-ins/cmake");
  stand_in("cmake", "echo half > $TREE/build/release/CMakeCache.txt; kill -INT $PPID; exit 130");
  EXPECT_EQ(launch("").status, 130);
  write("stand-ins/cmake", "#!/bin/bash\n[[ ! -e $TREE/build/release/CMakeCache.txt ]] || exit 1\n" + cmake);
  const Outcome next = launch("");
  EXPECT_EQ(next.calls, "cmake --preset release\nninja tilescope\nprogram\n") << next.output;
}

TEST_F(Launcher, ACudaThatIsGoneIsNotBuiltWith) {
  launch("");
  write("build/release/CMakeCache.txt", "CUDA_INCLUDE:PATH=" + (tree_ / "gone/include").string() + "\n");
  fs::last_write_time(tree_ / "app/main.cpp", fs::file_time_type::clock::now() + std::chrono::seconds(2));
  EXPECT_EQ(launch("").calls, "cmake --preset release\nninja tilescope\nprogram\n");
  write("build/release/CMakeCache.txt", "CUDA_INCLUDE:PATH=" + (tree_ / "toolkit/include").string() + "\n");
  fs::last_write_time(tree_ / "app/main.cpp", fs::file_time_type::clock::now() + std::chrono::seconds(4));
  EXPECT_EQ(launch("").calls, "ninja tilescope\nprogram\n");
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
