// A child process that answers each line with a line.
//
// No call blocks past its timeout or ignores a stop request: a child that does not answer is killed together with all
// processes that it started.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "engine/phrase.hpp"

namespace tilescope {

/// Why a child gave no answer.
struct ChildFailure {
  Phrase reason;           // "it ended with status 1: …"
  bool cancelled = false;  // by a stop request
};

class ChildProcess {
 public:
  /// Starts `arguments[0]`, found on PATH, with a socket as its standard input and output.
  static tl::expected<std::unique_ptr<ChildProcess>, ChildFailure> start(const std::vector<std::string>& arguments);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Sends a line and returns the next line. After a failure the child is dead. After a stop request the child gets
  /// `stop_line`, unless that is empty, and has `grace` to answer.
  tl::expected<std::string, ChildFailure> ask(const std::string& line, std::chrono::milliseconds timeout,
                                              std::stop_token stop, std::chrono::milliseconds grace = {},
                                              const std::string& stop_line = {});
  /// A longer answer counts as garbage.
  void set_longest_line(size_t bytes) { longest_line_ = bytes; }
  bool alive() const { return process_ > 0; }
  /// Whether it has exited by itself since the last call of ask.
  bool has_ended();
  /// Memory that it occupies now; 0 if that cannot be read.
  uint64_t resident_bytes() const;

 private:
  ChildProcess(pid_t process, int socket, int errors) : process_(process), socket_(socket), errors_(errors) {}
  void kill();
  tl::unexpected<ChildFailure> died();
  std::string last_error_line() const;

  pid_t process_;
  int socket_;
  int errors_;            // in-memory file that receives its standard error
  std::string received_;  // bytes after the last line
  size_t longest_line_ = size_t{1} << 24;
};

}  // namespace tilescope
