// A child process that answers lines with lines.
//
// Nothing here blocks for longer than its timeout or survives a stop request: a child that does not answer is killed
// with everything it started.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/result.hpp"

namespace tilescope {

class ChildProcess {
 public:
  /// Starts `arguments[0]`, found on PATH, with a socket as its standard input and output. The text of the exit
  /// reasons calls the process `name`. Errors: reference_unavailable.
  static Result<std::unique_ptr<ChildProcess>> start(std::string name, const std::vector<std::string>& arguments);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Sends a line and returns the next line. After an error the child is dead. Errors: reference_unavailable with how
  /// it died or that it did not answer in time; cancelled.
  Result<std::string> ask(const std::string& line, std::chrono::milliseconds timeout, std::stop_token stop);
  bool alive() const { return process_ > 0; }

 private:
  ChildProcess(std::string name, pid_t process, int socket, int errors)
      : name_(std::move(name)), process_(process), socket_(socket), errors_(errors) {}
  void kill();
  tl::unexpected<Error> died();
  std::string last_error_line() const;

  std::string name_;
  pid_t process_;
  int socket_;
  int errors_;            // a file in memory that holds its standard error
  std::string received_;  // bytes after the last line
};

}  // namespace tilescope
