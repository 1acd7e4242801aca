#include "app/kept_edits.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "engine/sha256.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// A file: this line, the name, the digest of the base, then the text as it is.
constexpr std::string_view kFormat = "tilescope edit 1";

fs::path file_of(const fs::path& folder, const std::string& name) { return folder / (sha256_of(name) + ".edit"); }

/// Everything of the text, whatever write() takes at once; false with errno set.
bool write_whole(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

/// The folder's entries are on the disk, too, not only the file's bytes.
void flush_folder(const fs::path& folder) {
  const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;
  ::fsync(handle);
  ::close(handle);
}

/// A reason, or nothing.
std::string write_edit(const fs::path& folder, const std::string& name, const KeptEdits::Edit& edit) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  const fs::path target = file_of(folder, name), beside = target.string() + "." + std::to_string(::getpid());
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return std::strerror(errno);
  const std::string head = std::string(kFormat) + "\n" + name + "\n" + edit.base + "\n";
  const bool written = write_whole(file, head) && write_whole(file, edit.text) && ::fsync(file) == 0;
  std::string reason = written ? "" : std::strerror(errno);
  ::close(file);
  if (written) {
    fs::rename(beside, target, failed);
    if (failed) reason = failed.message();
  }
  if (!reason.empty()) fs::remove(beside, failed);
  flush_folder(folder);
  return reason;
}

std::string remove_edit(const fs::path& folder, const std::string& name) {
  std::error_code failed;
  fs::remove(file_of(folder, name), failed);
  flush_folder(folder);
  return failed ? failed.message() : "";
}

}  // namespace

std::string lab_edit_name(std::string_view lab) { return "lab:" + std::string(lab); }
std::string file_edit_name(const fs::path& file) { return "file:" + file.string(); }

KeptEdits::KeptEdits(fs::path folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  read();
  writer_ = std::jthread([this](const std::stop_token& stop) { write_in_turn(stop); });
}

KeptEdits::~KeptEdits() {
  if (writer_.joinable()) flush();
}

void KeptEdits::read() {
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder_, absent)) {
    if (entry.path().extension() != ".edit") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    std::string format, name;
    Edit edit;
    if (!std::getline(stream, format) || format != kFormat) continue;
    if (!std::getline(stream, name) || !std::getline(stream, edit.base)) continue;
    edit.text.assign(std::istreambuf_iterator<char>(stream), {});
    edits_[name] = std::move(edit);
  }
}

const KeptEdits::Edit* KeptEdits::find(const std::string& name) const {
  const auto found = edits_.find(name);
  return found == edits_.end() ? nullptr : &found->second;
}

void KeptEdits::keep(const std::string& name, Edit edit) {
  if (const Edit* known = find(name); known != nullptr && *known == edit) return;
  edits_[name] = std::move(edit);
  post(name);
}

void KeptEdits::drop(const std::string& name) {
  if (edits_.erase(name) > 0) post(name);
}

void KeptEdits::post(const std::string& name) {
  if (!writer_.joinable()) return;
  const Edit* edit = find(name);
  const std::lock_guard lock(mutex_);
  due_[name] = edit != nullptr ? std::optional(*edit) : std::nullopt;
  changed_.notify_all();
}

void KeptEdits::write_in_turn(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !due_.empty(); })) {
    const auto next = due_.extract(due_.begin());
    writing_ = true;
    lock.unlock();
    std::string problem =
        next.mapped() ? write_edit(folder_, next.key(), *next.mapped()) : remove_edit(folder_, next.key());
    lock.lock();
    problem_ = std::move(problem);
    writing_ = false;
    changed_.notify_all();
  }
}

void KeptEdits::flush() {
  std::unique_lock lock(mutex_);
  if (writer_.joinable()) changed_.wait(lock, [this] { return due_.empty() && !writing_; });
}

std::string KeptEdits::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace tilescope
