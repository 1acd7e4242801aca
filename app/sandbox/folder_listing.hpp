// The contents of a folder, for the dialog that opens a file; read by a thread, since a folder may be on a slow disk.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilescope {

struct FolderEntry {
  std::string name;
  bool is_folder = false;
  bool operator==(const FolderEntry&) const = default;
};

/// Folders first, then CUDA sources, each in alphabetical order; dot files are omitted unless asked for. `problem` says
/// why the folder cannot be read.
struct FolderContents {
  std::filesystem::path folder;
  std::vector<FolderEntry> entries;
  std::string problem;
};
FolderContents read_folder(const std::filesystem::path& folder);
bool is_cuda_source(const std::filesystem::path& file);

class FolderListing {
 public:
  explicit FolderListing(std::function<void()> wake);
  /// Requests a folder, unless it is already the one requested last.
  void ask(const std::filesystem::path& folder);
  /// The newest known contents; those of a different folder while the requested one is being read.
  FolderContents contents() const;
  bool reading() const;

 private:
  // Shared with the threads, which may outlive the dialog if a disk does not respond.
  struct State {
    mutable std::mutex mutex;
    std::filesystem::path asked;
    FolderContents contents;
    std::function<void()> wake;
  };
  std::shared_ptr<State> state_;
};

/// The longest common prefix of all entries that begin with `typed`; `typed` itself if none does.
std::string common_completion(const std::vector<FolderEntry>& entries, const std::string& typed);

/// "~/kernels" → "/home/…/kernels"; relative paths refer to the current folder.
std::filesystem::path path_from_typed(const std::string& typed);

}  // namespace tilescope
