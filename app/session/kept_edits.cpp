#include "app/session/kept_edits.hpp"

#include <chrono>
#include <fstream>
#include <iterator>

#include "app/session/saved_files.hpp"
#include "engine/sha256.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// A file contains this line, the name, the digest of the base, then the text.
constexpr std::string_view kFormat = "tilescope edit 1";
// Delay between a first change and its writing: further typing in this time is included.
constexpr std::chrono::milliseconds kGather{200};

fs::path file_of(const fs::path& folder, const std::string& name) { return folder / (sha256_of(name) + ".edit"); }

Result<void> write_edit(const fs::path& folder, const std::string& name, const KeptEdits::Edit& edit) {
  std::error_code ignored;  // replace_file reports errors of the folder
  if (fs::create_directories(folder, ignored)) fs::permissions(folder, fs::perms::owner_all, ignored);
  return replace_file(file_of(folder, name), std::string(kFormat) + "\n" + name + "\n" + edit.base + "\n" + edit.text);
}

Result<void> remove_edit(const fs::path& folder, const std::string& name) {
  std::error_code failed;
  const fs::path file = file_of(folder, name);
  fs::remove(file, failed);
  if (failed) return fail(ErrorId::file_not_written, file.string(), Phrase::translatable(failed.message()));
  return {};
}

}  // namespace

std::string lab_edit_name(std::string_view lab, std::string_view file) {
  return "lab:" + std::string(lab) + (file.empty() ? "" : "/") + std::string(file);
}
std::string file_edit_name(const fs::path& file) { return "file:" + file.string(); }

KeptEdits::KeptEdits(fs::path folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  read();
  writer_ = std::jthread([this](const std::stop_token& stop) { write_changes(stop); });
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

void KeptEdits::write_changes(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !due_.empty(); })) {
    changed_.wait_for(lock, stop, kGather, [this] { return flushing_; });
    const auto next = due_.extract(due_.begin());
    writing_ = true;
    lock.unlock();
    const Result<void> done =
        next.mapped() ? write_edit(folder_, next.key(), *next.mapped()) : remove_edit(folder_, next.key());
    lock.lock();
    problem_ = done ? std::nullopt : std::optional(done.error());
    writing_ = false;
    changed_.notify_all();
  }
}

void KeptEdits::flush() {
  std::unique_lock lock(mutex_);
  if (!writer_.joinable()) return;
  flushing_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return due_.empty() && !writing_; });
  flushing_ = false;
}

std::optional<Error> KeptEdits::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

}  // namespace tilescope
