// The launcher script in a temporary tree, with stand-ins for the package manager, the build and the program that
// record how they were called.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

namespace tilescope {

struct Outcome {
  int status = -1;
  std::string output;  // both streams
  std::string calls;   // what the stand-ins wrote, one line per call
};

class Launcher : public testing::Test {
 protected:
  Launcher() {
    std::string name = (std::filesystem::temp_directory_path() / "tilescope-launcher-XXXXXX").string();
    tree_ = mkdtemp(name.data());
    const std::filesystem::path source = TILESCOPE_SOURCE;
    std::filesystem::copy_file(source / "tilescope", tree_ / "tilescope");
    std::filesystem::copy(source / "launcher", tree_ / "launcher");
    // Hides toolkits installed on this machine: only the tree's own folder counts as an installation folder.
    const std::string script = text_of("launcher/nvrtc.sh");
    static const std::regex places(R"(\ninstalled_toolkits=\([^)]*\)\n)");
    EXPECT_TRUE(std::regex_search(script, places));
    write("launcher/nvrtc.sh", std::regex_replace(script, places, "\ninstalled_toolkits=(\"$$TREE/installed\")\n"));
    for (const std::string folder : {"app", "assets", "engine", "labs", "cmake", "stand-ins", "build/release"})
      std::filesystem::create_directories(tree_ / folder);
    for (const std::string file : {"CMakeLists.txt", "CMakePresets.json", "app/main.cpp", "assets/gpus.toml"})
      write(file, "");
    put_toolkit("toolkit", "13000");
    // Every package is installed unless the file "absent" names it.
    stand_in("dpkg-query",
             "shift 2; for p; do grep -qxs \"$p\" \"$TREE/absent\" || echo \"installed $p\"; done; "
             "test ! -s \"$TREE/absent\"");
    stand_in("apt-get", "echo apt-get $* >> $TREE/calls");
    stand_in("dpkg", "exit 0");
    stand_in("sudo", "echo sudo >> $TREE/calls; exec \"$@\"");
    stand_in("cmake", "echo cmake $* >> $TREE/calls; touch $TREE/build/release/build.ninja");
    stand_in_for_ninja("cp $TREE/program $TREE/build/release/tilescope");
    stand_in("ctest", "echo ctest $* >> $TREE/calls; echo '100% tests passed'");
    stand_in("xvfb-run", "echo xvfb-run >> $TREE/calls; while [[ $1 == --* ]]; do shift; done; exec \"$@\"");
    write("program", "#!/bin/bash\necho program $* >> $TREE/calls\nexit ${PROGRAM_STATUS:-0}\n");
    make_executable("program");
  }
  ~Launcher() override { std::filesystem::remove_all(tree_); }

  void write(const std::string& file, const std::string& text) { std::ofstream(tree_ / file) << text; }
  std::string text_of(const std::string& file) const {
    std::ostringstream text;
    text << std::ifstream(tree_ / file).rdbuf();
    return text.str();
  }
  /// The headers that identify a toolkit; `version` as in cuda.h: "12040".
  void put_toolkit(const std::string& folder, const std::string& version) {
    std::filesystem::create_directories(tree_ / folder / "include");
    write(folder + "/include/nvrtc.h", "");
    write(folder + "/include/cuda.h", "#define CUDA_VERSION " + version + "\n");
  }
  void make_executable(const std::string& file) {
    std::filesystem::permissions(tree_ / file, std::filesystem::perms::all);
  }
  void stand_in(const std::string& command, const std::string& body) {
    write("stand-ins/" + command, "#!/bin/bash\n" + body + "\n");
    make_executable("stand-ins/" + command);
  }

  /// `build` is the action for a target. The objects of a target are the lines of the file "objects", if it exists.
  void stand_in_for_ninja(const std::string& build) {
    stand_in("ninja",
             "if [[ $* == *'-t inputs'* ]]; then cat $TREE/objects 2>/dev/null; exit; fi\n"
             "echo ninja \"${@: -1}\" >> $TREE/calls\n" +
                 build);
  }

  /// `environment` precedes the call, e.g. "DISPLAY=:1".
  Outcome launch(const std::string& words, const std::string& environment = "DISPLAY=:1",
                 const std::filesystem::path& program = "./tilescope") {
    std::filesystem::remove(tree_ / "calls");
    Outcome outcome;
    FILE* pipe = popen((command_of(words, environment, program) + " 2>&1").c_str(), "r");
    char buffer[4096];
    for (size_t count = 0; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.output.append(buffer, count);
    const int status = pclose(pipe);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.calls = text_of("calls");
    return outcome;
  }

  std::string command_of(const std::string& words, const std::string& environment,
                         const std::filesystem::path& program = "./tilescope") const {
    return "cd '" + (tree_ / program.parent_path()).string() + "' && env -u DISPLAY -u WAYLAND_DISPLAY TREE='" +
           tree_.string() + "' PATH='" + tree_.string() + "/stand-ins:/usr/bin:/bin' CUDA_PATH='" + tree_.string() +
           "/toolkit' " + environment + " ./" + program.filename().string() + " " + words;
  }

  std::filesystem::path tree_;
};

}  // namespace tilescope
