// Remembers across processes that CUDA-OpenGL interop is unreliable until the machine restarts: with some drivers,
// after a kernel of any process has faulted, it delivers no data and blocks OpenGL for many seconds.
//
//     const InteropRecord record = InteropRecord::in(user_cache_folder());
//     record.note();                     // a kernel has faulted
//     if (record.doubtful()) …           // also in programs started later
//
// One line in one file. If it cannot be written or read, nothing is remembered.
#pragma once

#include <filesystem>
#include <string>

namespace tilescope {

class InteropRecord {
 public:
  /// Remembers nothing.
  InteropRecord() = default;
  /// `start` identifies this start of this machine: a line with a different one is ignored.
  InteropRecord(std::filesystem::path file, std::string start);
  /// The record for this machine; remembers nothing if the folder is empty.
  static InteropRecord in(const std::filesystem::path& folder);

  bool doubtful() const;
  void note() const;
  /// Called after interop has worked again.
  void forget() const;

 private:
  std::filesystem::path file_;
  std::string start_;
};

/// Identifies the machine's start and its driver version: a change of either may repair interop. Empty if unknown.
std::string start_of_this_machine();

}  // namespace tilescope
