// Where the learner's own things are written: results, pictures and copies of edited kernels, in one folder that a file
// manager shows.
#pragma once

#include <filesystem>
#include <string>

#include "engine/result.hpp"

namespace tilescope {

/// The folder `tilescope` in the user's documents: of XDG_DOCUMENTS_DIR, from the environment or from user-dirs.dirs
/// (freedesktop.org, xdg-user-dirs), else of the home folder; without one, of the working folder. It need not exist.
std::filesystem::path saved_files_folder();

/// The same folder, made if it is missing.
Result<std::filesystem::path> make_saved_files_folder();

/// Writes a file in place of another: beside it first, so that a full disk or a crash leaves what was there. Links and
/// permissions are kept.
Result<void> replace_file(const std::filesystem::path& file, const std::string& text);

struct SavedCopy {
  std::filesystem::path file;
  bool is_new_name =
      false;  // since a file of the wanted name is not a copy that was written here, or was changed since
};
/// Writes `text` as NAME.cu in the folder. A copy that was written under this name before is replaced, unless somebody
/// has changed it since; what else is there stays, and the copy becomes NAME-2.cu, NAME-3.cu ….
Result<SavedCopy> save_copy(const std::filesystem::path& folder, const std::string& name, const std::string& text);

}  // namespace tilescope
