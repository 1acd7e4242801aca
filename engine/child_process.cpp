#include "engine/child_process.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

/// Closes a descriptor unless ownership was passed on.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

int spawn(const std::vector<std::string>& arguments, int channel, int errors, pid_t* process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, channel, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A separate process group, so that killing it also kills the processes that it started (compilers, say).
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  std::vector<char*> argument_list;
  argument_list.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argument_list.push_back(const_cast<char*>(argument.c_str()));
  argument_list.push_back(nullptr);
  const int status = posix_spawnp(process, argument_list[0], &actions, &attributes, argument_list.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

}  // namespace

tl::expected<std::unique_ptr<ChildProcess>, ChildFailure> ChildProcess::start(
    const std::vector<std::string>& arguments) {
  const auto failed = [](Phrase reason) { return tl::unexpected(ChildFailure{std::move(reason)}); };
  std::array<int, 2> pair{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    return failed(std::string(std::strerror(errno)));
  Descriptor ours(pair[0]), theirs(pair[1]);
  Descriptor errors(memfd_create("child-errors", MFD_CLOEXEC));
  if (errors.get() < 0) return failed(std::string(std::strerror(errno)));
  pid_t process = 0;
  if (int status = spawn(arguments, theirs.get(), errors.get(), &process); status != 0) {
    return failed(phrase("{} cannot be started: {}", arguments[0], std::strerror(status)));
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(process, ours.release(), errors.release()));
}

ChildProcess::~ChildProcess() {
  kill();
  close(socket_);
  close(errors_);
}

void ChildProcess::kill() {
  if (process_ <= 0) return;
  const pid_t process = std::exchange(process_, -1);
  ::kill(-process, SIGKILL);
  ::kill(process, SIGKILL);  // in case it is not the leader of its group yet
  for (int i = 0; i < 10; ++i) {
    if (waitpid(process, nullptr, WNOHANG) != 0) return;
    poll(nullptr, 0, 10);
  }
  // A process that holds a busy device can take seconds to exit; nothing needs to wait for that.
  std::thread([process] {
    while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
  }).detach();
}

tl::expected<std::string, ChildFailure> ChildProcess::ask(const std::string& line, std::chrono::milliseconds timeout,
                                                          std::stop_token stop, std::chrono::milliseconds grace,
                                                          const std::string& stop_line) {
  const auto give_up = [this](Phrase reason, bool cancelled) {
    kill();
    return tl::unexpected(ChildFailure{std::move(reason), cancelled});
  };
  if (!alive()) return give_up(Phrase("its process has ended"), false);
  std::string request = line + '\n';
  const Clock::time_point deadline = Clock::now() + timeout;
  std::optional<Clock::time_point> stopped;
  size_t sent = 0;
  bool listens = true;  // a child may answer and exit before it has read the whole request
  std::array<char, 65536> bytes;
  while (true) {
    const bool sending = listens && sent < request.size();
    if (const size_t end = received_.find('\n'); !sending && end != std::string::npos) {
      std::string answer = received_.substr(0, end);
      received_.erase(0, end + 1);
      return answer;
    }
    if (received_.size() > longest_line_) return give_up(Phrase("it sends no end of line"), false);
    const Clock::time_point now = Clock::now();
    if (stop.stop_requested() && !stopped) {
      stopped = now;
      if (!stop_line.empty()) request += stop_line + '\n';
    }
    if (stopped && now >= *stopped + grace) return give_up(Phrase("cancelled"), true);
    if (now >= deadline) {
      return give_up(
          phrase("it did not answer within {} s", fmt::format("{:.3g}", static_cast<double>(timeout.count()) / 1000)),
          false);
    }
    // Short waits, so that a stop request is noticed soon.
    pollfd ready{socket_, static_cast<short>(POLLIN | (sending ? POLLOUT : 0)), 0};
    if (poll(&ready, 1, 20) <= 0) continue;
    if (ready.revents & POLLOUT) {
      const ssize_t count = send(socket_, request.data() + sent, request.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count > 0) sent += static_cast<size_t>(count);
      if (count < 0 && errno != EAGAIN && errno != EINTR) listens = false;
    }
    if (ready.revents & (POLLIN | POLLHUP | POLLERR)) {
      const ssize_t count = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (count > 0) received_.append(bytes.data(), static_cast<size_t>(count));
      if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return died();
    }
  }
}

bool ChildProcess::has_ended() {
  if (process_ > 0 && waitpid(process_, nullptr, WNOHANG) == process_) {
    ::kill(-process_, SIGKILL);  // kills leftover processes of its group
    process_ = -1;
  }
  return process_ <= 0;
}

uint64_t ChildProcess::resident_bytes() const {
  std::ifstream file("/proc/" + std::to_string(process_) + "/statm");
  uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return file ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

/// The socket was closed: reports how the process ended. A process that closed it but still runs is killed.
tl::unexpected<ChildFailure> ChildProcess::died() {
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < 100 && ended == 0; ++i) {
    ended = waitpid(process_, &status, WNOHANG);
    if (ended == 0) poll(nullptr, 0, 10);
  }
  Phrase reason("it closed its output");
  if (ended == process_) {
    ::kill(-process_, SIGKILL);  // kills leftover processes of its group
    process_ = -1;
    if (WIFSIGNALED(status)) reason = phrase("it was ended by signal {}", strsignal(WTERMSIG(status)));
    if (WIFEXITED(status)) reason = phrase("it ended with status {}", WEXITSTATUS(status));
  } else {
    kill();
  }
  if (std::string last = last_error_line(); !last.empty()) reason = phrase("{}: {}", reason, last);
  return tl::unexpected(ChildFailure{std::move(reason)});
}

/// The last line of its standard error, in which a Python program reports its error.
std::string ChildProcess::last_error_line() const {
  const off_t size = lseek(errors_, 0, SEEK_END);
  std::string text(static_cast<size_t>(std::min<off_t>(std::max<off_t>(size, 0), 4096)), '\0');
  const ssize_t count = pread(errors_, text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const size_t line = text.rfind('\n');
  if (line != std::string::npos) text.erase(0, line + 1);
  return text.substr(0, 300);
}

}  // namespace tilescope
