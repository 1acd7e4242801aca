// Unsaved edits of the window: written to disk while the user types, so that closing the window, a crash or a power cut
// loses none of them.
//
//     KeptEdits edits(folder);                          // reads what an earlier start left
//     edits.keep(lab_edit_name("softmax"), {text, sha256_of(original)});
//     edits.drop(lab_edit_name("softmax"));             // reverted or saved
//
// Each is a separate file in the folder, readable only by the user. A thread writes them (replace_file in
// app/session/saved_files.hpp), at most a few times a second, so that fast typing does not keep the disk busy.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "engine/result.hpp"

namespace tilescope {

/// Names of texts: a lab's kernel file (Rung::kernel_file; empty: the lab's own), and a user's own file.
std::string lab_edit_name(std::string_view lab, std::string_view file = {});
std::string file_edit_name(const std::filesystem::path& file);

class KeptEdits {
 public:
  struct Edit {
    std::string text;
    std::string base;  // SHA-256 of the unedited text
    bool operator==(const Edit&) const = default;
  };

  /// Reads the folder; creates it with the first edit. Without a folder, edits live as long as this object.
  explicit KeptEdits(std::filesystem::path folder = {});
  /// Waits until everything is written.
  ~KeptEdits();
  KeptEdits(const KeptEdits&) = delete;
  KeptEdits& operator=(const KeptEdits&) = delete;

  const std::map<std::string, Edit>& all() const { return edits_; }
  const Edit* find(const std::string& name) const;
  void keep(const std::string& name, Edit edit);
  void drop(const std::string& name);

  /// Waits until all changes are on disk.
  void flush();
  /// Why the newest change is not on disk; nothing if it is.
  std::optional<Error> problem() const;

 private:
  void read();
  void write_changes(const std::stop_token& stop);
  void post(const std::string& name);

  std::filesystem::path folder_;
  std::map<std::string, Edit> edits_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::optional<Edit>> due_;  // guarded by mutex_; empty: the file is to be removed
  bool writing_ = false;                            // guarded by mutex_
  bool flushing_ = false;                           // guarded by mutex_: flush() waits, so write at once
  std::optional<Error> problem_;                    // guarded by mutex_
  std::jthread writer_;                             // declared last: ends before the other members
};

}  // namespace tilescope
