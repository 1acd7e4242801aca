// The worker's side of nvrtc_process.hpp.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

#include "engine/compile/nvrtc_process.hpp"
#include "engine/compile/nvrtc_protocol.hpp"

namespace tilescope {
namespace {

/// Makes allocations fail, and NVRTC reject the source, before the machine runs out of memory.
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__)
  constexpr uint64_t kLeast = uint64_t{4} << 30;  // compiling all instances of a large library takes some GB
  const auto physical = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  const rlimit limit{std::max(kLeast, physical / 4 * 3), RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

/// The compilation in flight, for the reading thread.
class Current {
 public:
  std::stop_token begin(uint64_t number) {
    const std::scoped_lock lock(mutex_);
    number_ = number;
    stop_ = std::stop_source();
    return stop_.get_token();
  }
  void stop(uint64_t number) {
    const std::scoped_lock lock(mutex_);
    if (number == number_) stop_.request_stop();
  }

 private:
  std::mutex mutex_;
  uint64_t number_ = 0;
  std::stop_source stop_;
};

void write_line(int to, std::string line) {
  line += '\n';
  for (size_t written = 0; written < line.size();) {
    const ssize_t count = write(to, line.data() + written, line.size() - written);
    if (count <= 0) _exit(0);  // the reader is gone
    written += static_cast<size_t>(count);
  }
}

}  // namespace

int serve_nvrtc() {
  limit_memory();
  const auto library = NvrtcLibrary::open();
  if (!library) {
    std::cerr << library.error().message << '\n';
    return 1;
  }
  // NVRTC's own output must not be mixed with the answers.
  const int answers = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);

  Current current;
  std::jthread compiling;
  for (std::string line; std::getline(std::cin, line);) {
    if (const auto number = stopped_in(line)) {
      current.stop(*number);
      continue;
    }
    auto question = question_in(line);
    if (!question) return 1;
    // The program sends the next request after it has the answer, so the thread has ended or is about to.
    compiling =
        std::jthread([&library, answers, input = std::move(question->input), stop = current.begin(question->number)] {
          write_line(answers, line_of(run_nvrtc(**library, input, stop)));
        });
  }
  _exit(0);  // the program is gone, so the compilation in flight is useless
}

}  // namespace tilescope
