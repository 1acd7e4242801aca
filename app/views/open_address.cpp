#include "app/views/open_address.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace tilescope {
namespace {

bool hand_over(const std::string& what) {
  // setsid forks, so the opener is not a child of this process and leaves no zombie; no shell interprets the address.
  std::string program = "setsid", fork = "--fork", opener = "xdg-open", argument = what;
  std::array<char*, 5> arguments{program.data(), fork.data(), opener.data(), argument.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) != 0) return false;
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool open_address(const std::string& address) {
  return (address.starts_with("https://") || address.starts_with("http://")) && hand_over(address);
}

bool open_document(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) &&
         hand_over(std::filesystem::absolute(file, ignored).string());
}

}  // namespace tilescope
