// What a folder holds, for the dialog that opens a file: read by a thread, since a folder may lie on a slow disk.
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

/// Folders first, then CUDA sources, each in the order of the alphabet; what begins with a dot is left out unless asked
/// for. `problem` says why the folder cannot be read.
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
  /// Asks for a folder, unless it is the one that was asked for last.
  void ask(const std::filesystem::path& folder);
  /// The newest contents that are known; of another folder while the one that was asked for is being read.
  FolderContents contents() const;
  bool reading() const;

 private:
  // Shared with the threads, which may outlast the dialog when a disk does not answer.
  struct State {
    mutable std::mutex mutex;
    std::filesystem::path asked;
    FolderContents contents;
    std::function<void()> wake;
  };
  std::shared_ptr<State> state_;
};

/// The longest beginning that all entries which begin with `typed` have in common; `typed` itself where none does.
std::string common_completion(const std::vector<FolderEntry>& entries, const std::string& typed);

/// "~/kernels" → "/home/…/kernels"; relative paths are those of the current folder.
std::filesystem::path path_from_typed(const std::string& typed);

}  // namespace tilescope
