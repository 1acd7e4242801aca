// Where the learner's own files are written: results, pictures and copies of edited kernels, in one folder that a file
// manager can find.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/result.hpp"

namespace tilescope {

/// The folder `tilescope` in the user's documents: in XDG_DOCUMENTS_DIR, from the environment or from user-dirs.dirs
/// (freedesktop.org, xdg-user-dirs), else in the home folder; without one, in the working folder. It need not exist.
std::filesystem::path saved_files_folder();

/// The same folder, created if it is missing.
Result<std::filesystem::path> make_saved_files_folder();

/// Writes or replaces a file so that a full disk, a crash or a power cut leaves either the old text or the new one: the
/// text is written to a temporary file in the same folder, flushed to disk, and renamed. A link still points to its
/// file, and a replaced file keeps its permissions. The folder must exist. Error: file_not_written, with the reason;
/// the old text is then still there.
Result<void> replace_file(const std::filesystem::path& file, std::string_view text);

/// Renames a damaged file to NAME.damaged-DATE, or NAME.damaged-DATE-2 …, beside it. Returns the new name. Error:
/// file_not_written, with the reason.
Result<std::filesystem::path> set_aside(const std::filesystem::path& file);

struct SavedCopy {
  std::filesystem::path file;
  /// NAME.cu already exists as a different file, or as a copy that was changed in a different program.
  bool is_new_name = false;
};
/// Writes `text` as NAME.cu, or with a different ending, in the folder. An earlier copy under this name is replaced,
/// unless a different program has changed it; any other file stays, and the copy becomes NAME-2.cu, NAME-3.cu ….
Result<SavedCopy> save_copy(const std::filesystem::path& folder, const std::string& name, const std::string& text,
                            const std::string& ending = ".cu");

}  // namespace tilescope
