// The learner's progress on disk: progress.json, beside settings.json.
//
//     {"format": 1, "labs": {"softmax": {"lesson_read": true, "predictions": [0, 2], …}}}
//
// The file outlives versions of the program: whatever this version does not know stays in it, labs, cards, steps and
// keys. A file that cannot be understood is renamed, never overwritten. No ImGui.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/session/progress.hpp"
#include "engine/result.hpp"

namespace tilescope {

/// What this version understands of the file's text; nothing if it is no progress of any version.
std::optional<ProgressByLab> progress_from(std::string_view text);
/// Versions before progress.json kept the progress in settings.json.
ProgressByLab progress_from_settings(std::string_view text);
/// The text to write in place of `kept`, the file's text so far; empty if there is none.
std::string progress_text(const ProgressByLab& progress, std::string_view kept);

/// The progress that is kept beside this settings file; changes nothing on disk.
ProgressByLab read_progress(const std::filesystem::path& settings_file);

/// Keeps the progress of an open window.
class ProgressFile {
 public:
  /// Reads the file beside the settings file, or takes the progress over from the settings. A damaged file is renamed
  /// to progress.json.damaged-DATE.
  explicit ProgressFile(std::filesystem::path settings_file);

  const ProgressByLab& learned() const { return kept_progress_; }
  /// The new name of a damaged file; empty: the file was good, or there was none.
  const std::filesystem::path& damaged() const { return damaged_; }
  /// The settings file may be written: it no longer is the only place of the progress.
  bool settings_may_go() const { return !taken_over_; }

  /// The file has all of it.
  bool is_kept(const ProgressByLab& progress) const;
  /// Writes the file (replace_file, app/session/saved_files.hpp). What a second window has written since is added to
  /// `progress` first. Error: file_not_written.
  Result<void> keep(ProgressByLab& progress);

 private:
  std::filesystem::path file_, damaged_;
  std::string kept_text_;  // of the file, as this window has read or written it
  ProgressByLab kept_progress_;
  bool taken_over_ = false;  // from the settings, and not written yet
  bool blocked_ = false;     // a damaged file could not be renamed
};

}  // namespace tilescope
