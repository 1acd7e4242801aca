// Where the learner's own things are written: results, pictures and copies of edited kernels, in one folder that a file
// manager shows.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/result.hpp"

namespace tilescope {

/// The folder `tilescope` in the user's documents: of XDG_DOCUMENTS_DIR, from the environment or from user-dirs.dirs
/// (freedesktop.org, xdg-user-dirs), else of the home folder; without one, of the working folder. It need not exist.
std::filesystem::path saved_files_folder();

/// The same folder, made if it is missing.
Result<std::filesystem::path> make_saved_files_folder();

/// Writes a file, new or in place of the one that is there, so that a full disk, a crash or a power cut leaves either
/// the old text or the new one. The text goes into a temporary file in the same folder, is flushed to the disk, and
/// takes the file's name. A link still points to its file, and a file that is replaced keeps its permissions. The
/// folder must exist. Error: file_not_written, with the reason; the old text is still there.
Result<void> replace_file(const std::filesystem::path& file, std::string_view text);

struct SavedCopy {
  std::filesystem::path file;
  /// NAME.cu is a different file, or a copy that was changed in another program.
  bool is_new_name = false;
};
/// Writes `text` as NAME.cu in the folder. A copy that was written under this name before is replaced, unless it was
/// changed in another program; any other file stays, and the copy becomes NAME-2.cu, NAME-3.cu ….
Result<SavedCopy> save_copy(const std::filesystem::path& folder, const std::string& name, const std::string& text);

}  // namespace tilescope
