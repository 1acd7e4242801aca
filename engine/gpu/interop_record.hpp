// Remembers, from one process to the next, that CUDA-OpenGL interop is not to be relied on until the machine starts
// again: with some drivers it brings nothing once a kernel of any process has faulted, and lets OpenGL wait for many
// seconds.
//
//     const InteropRecord record = InteropRecord::in(user_cache_folder());
//     record.note();                     // a kernel has faulted
//     if (record.doubtful()) …           // also in a program that is started later
//
// One line in one file. What cannot be written or read is as if it had never been.
#pragma once

#include <filesystem>
#include <string>

namespace tilescope {

class InteropRecord {
 public:
  /// Remembers nothing.
  InteropRecord() = default;
  /// `start` names this start of this machine: a line that names another one counts for nothing.
  InteropRecord(std::filesystem::path file, std::string start);
  /// Of the machine that this is; remembers nothing if the folder is empty.
  static InteropRecord in(const std::filesystem::path& folder);

  bool doubtful() const;
  void note() const;
  /// Interop has been seen to work since.
  void forget() const;

 private:
  std::filesystem::path file_;
  std::string start_;
};

/// The machine's start and its driver: both may mend interop. Empty where the system does not tell.
std::string start_of_this_machine();

}  // namespace tilescope
