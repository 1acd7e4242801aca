// The dialog that opens a CUDA file: a typed path with completion, above the contents of its folder; recently opened
// files on the left. Up, Down and Enter choose, Tab completes, Escape closes.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/sandbox/folder_listing.hpp"
#include "app/views/context.hpp"

namespace tilescope {

class Screen;

struct FileDialog {
  bool open = false, just_opened = false;
  bool fresh = false;    // nothing was typed into the field yet
  std::string typed;     // "/home/…/kernels/sof": a folder, and the beginning of a name in it
  bool replace = false;  // `typed` was set other than by typing
  int chosen = 0;        // index among the shown rows
  bool scroll = false;   // to the chosen row
  std::unique_ptr<FolderListing> listing;
};

/// The folder of a typed path, and the beginning of a name in it.
struct TypedPath {
  std::filesystem::path folder;
  std::string beginning;
};
TypedPath read_typed_path(const std::string& typed);
/// Entries whose names begin with the typed text, or else contain it; dot files only if a dot is typed.
std::vector<FolderEntry> matching(const std::vector<FolderEntry>& entries, const std::string& beginning);

/// `wake` is called from a thread when the folder has been read.
void open_file_dialog(FileDialog& dialog, const std::filesystem::path& folder, std::function<void()> wake);
void draw_file_dialog(FileDialog& dialog, PanelContext& context, Screen& screen);

}  // namespace tilescope
