// The dialog that opens a CUDA file: a path that is typed, with completion, over the folder it leads to; files that
// were open before at the left. Up, Down and Enter choose, Tab completes, Escape closes.
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
  bool fresh = false;    // the field has not been typed into
  std::string typed;     // "/home/…/kernels/sof": a folder, and the beginning of a name in it
  bool replace = false;  // `typed` was set by something else than typing
  int chosen = 0;        // among the rows that are shown
  bool scroll = false;   // to the chosen row
  std::unique_ptr<FolderListing> listing;
};

/// The folder that a typed path leads to, and the beginning of a name in it.
struct TypedPath {
  std::filesystem::path folder;
  std::string beginning;
};
TypedPath read_typed_path(const std::string& typed);
/// Entries whose names begin with what is typed, or else hold it; names with a leading dot only where one is typed.
std::vector<FolderEntry> matching(const std::vector<FolderEntry>& entries, const std::string& beginning);

/// `wake` is called from a thread when the folder has been read.
void open_file_dialog(FileDialog& dialog, const std::filesystem::path& folder, std::function<void()> wake);
void draw_file_dialog(FileDialog& dialog, PanelContext& context, Screen& screen);

}  // namespace tilescope
