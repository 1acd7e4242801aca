#include "engine/gpu/interop_record.hpp"

#include <unistd.h>

#include <fstream>
#include <system_error>
#include <utility>

namespace tilescope {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  return line;
}

}  // namespace

InteropRecord::InteropRecord(std::filesystem::path file, std::string start)
    : file_(std::move(file)), start_(std::move(start)) {}

InteropRecord InteropRecord::in(const std::filesystem::path& folder) {
  if (folder.empty()) return {};
  return {folder / "interop-doubtful", start_of_this_machine()};
}

bool InteropRecord::doubtful() const { return !start_.empty() && !file_.empty() && first_line(file_) == start_; }

void InteropRecord::note() const {
  if (start_.empty() || file_.empty() || doubtful()) return;
  std::error_code ignored;
  std::filesystem::create_directories(file_.parent_path(), ignored);
  // Written under a temporary name and renamed, so that a process that reads it meanwhile finds the whole line.
  const std::filesystem::path beside = file_.string() + "." + std::to_string(getpid());
  std::ofstream(beside) << start_ << '\n';
  std::filesystem::rename(beside, file_, ignored);
  if (ignored) std::filesystem::remove(beside, ignored);
}

void InteropRecord::forget() const {
  std::error_code ignored;
  if (!file_.empty()) std::filesystem::remove(file_, ignored);
}

std::string start_of_this_machine() {
  const std::string start = first_line("/proc/sys/kernel/random/boot_id");
  if (start.empty()) return {};
  return start + " " + first_line("/sys/module/nvidia/version");
}

}  // namespace tilescope
