// `tilescope exec` started as a user does, in a folder that the test fills with files.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/own_folder.hpp"

namespace tilescope {

inline std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct ExecOutcome {
  int status = 0;
  std::string out, problems;
};

/// Each test has its own folder, in which the program is started.
class ExecFolder : public testing::Test {
 protected:
  ExecFolder() : folder_(own_test_folder()) {}
  ~ExecFolder() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  /// `environment`: "NAME=value", set for the program.
  ExecOutcome exec(const std::string& words, const std::string& environment = {}) const {
    const std::string command = "cd '" + folder_.string() + "' && " + environment +
                                " '" TILESCOPE_BINARY "/tilescope' exec " + words + " > out.txt 2> problems.txt";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder_ / "out.txt"),
            read_file(folder_ / "problems.txt")};
  }

  std::filesystem::path folder_;
};

}  // namespace tilescope
