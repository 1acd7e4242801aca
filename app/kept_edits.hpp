// Texts that were edited in the window and stand in no file yet: kept on disk while they are typed, so that closing the
// window, a crash or a power cut loses none of them.
//
//     KeptEdits edits(folder);                          // reads what an earlier start left
//     edits.keep(lab_edit_name("softmax"), {text, sha256_of(original)});
//     edits.drop(lab_edit_name("softmax"));             // reverted or saved
//
// Each is a file of its own in the folder, written beside and renamed, and flushed to the disk, by a thread of its own.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace tilescope {

/// Names of texts: a lab's kernel file, and a file of the user's own.
std::string lab_edit_name(std::string_view lab);
std::string file_edit_name(const std::filesystem::path& file);

class KeptEdits {
 public:
  struct Edit {
    std::string text;
    std::string base;  // SHA-256 of the text that it was made from
    bool operator==(const Edit&) const = default;
  };

  /// Without a folder they are kept only while the program runs.
  explicit KeptEdits(std::filesystem::path folder = {});
  /// Ends once everything is written.
  ~KeptEdits();
  KeptEdits(const KeptEdits&) = delete;
  KeptEdits& operator=(const KeptEdits&) = delete;

  const std::map<std::string, Edit>& all() const { return edits_; }
  const Edit* find(const std::string& name) const;
  void keep(const std::string& name, Edit edit);
  void drop(const std::string& name);

  /// Waits until what was kept and dropped is on the disk.
  void flush();
  /// Why the newest edit is not on the disk, one sentence; empty if it is.
  std::string problem() const;

 private:
  void read();
  void write_in_turn(const std::stop_token& stop);
  void post(const std::string& name);

  std::filesystem::path folder_;
  std::map<std::string, Edit> edits_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::optional<Edit>> due_;  // guarded by mutex_; nothing: to be removed
  bool writing_ = false;                            // guarded by mutex_
  std::string problem_;                             // guarded by mutex_
  std::jthread writer_;                             // last: ends before the rest
};

}  // namespace tilescope
