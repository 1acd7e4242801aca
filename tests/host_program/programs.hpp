// What the tests of the host programs share: the engine, the programs of all labs, and commands.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/host_program/host_program.hpp"
#include "engine/kernel_language.hpp"
#include "engine/run/engine.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {

Engine& shared_engine();

/// A lab's rung at its defaults, with these switches on.
Request default_request(const Lab& lab, const Rung& rung, std::vector<std::string> broken = {});
/// Its program; a failure of the test, and an empty text, if there is none.
HostProgram program_of(const Request& request);

struct NamedRung {
  const Lab* lab;
  const Rung* rung;
  std::string name() const { return lab->name + "-" + rung->name; }
};
/// The rungs of this language that do not pick one of the others.
std::vector<NamedRung> rungs_in(KernelLanguage language);

struct CommandOutcome {
  int status = 0;
  std::string output;  // of both streams
};
CommandOutcome run_command(const std::string& command);

/// A folder that is removed with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  /// Writes a file of it and returns the path.
  std::filesystem::path write(const std::string& name, const std::string& text) const;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// "checksum 00…" of the line "NAME: 10 elements, checksum 00…, begins with …"; empty if there is no such line.
std::string checksum_in(const std::string& output, const std::string& name);

}  // namespace tilescope::testing
