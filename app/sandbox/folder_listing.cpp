#include "app/sandbox/folder_listing.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <thread>

#include "engine/text.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

bool comes_before(const FolderEntry& a, const FolderEntry& b) {
  if (a.is_folder != b.is_folder) return a.is_folder;
  const std::string left = lower_case(a.name), right = lower_case(b.name);
  return left != right ? left < right : a.name < b.name;
}

}  // namespace

bool is_cuda_source(const fs::path& file) {
  const std::string ending = lower_case(file.extension().string());
  return ending == ".cu" || ending == ".cuh" || ending == ".py" || ending == ".ptx";
}

FolderContents read_folder(const fs::path& folder) {
  constexpr size_t kMostEntries = 20000;
  FolderContents contents{folder, {}, {}};
  std::error_code failed, ignored;
  fs::directory_iterator entries(folder, fs::directory_options::skip_permission_denied, failed);
  if (failed) contents.problem = failed.message();
  for (; !failed && entries != fs::directory_iterator() && contents.entries.size() < kMostEntries;
       entries.increment(failed)) {
    const bool is_folder = entries->is_directory(ignored);
    if (is_folder || is_cuda_source(entries->path()))
      contents.entries.push_back({entries->path().filename().string(), is_folder});
  }
  std::sort(contents.entries.begin(), contents.entries.end(), comes_before);
  return contents;
}

FolderListing::FolderListing(std::function<void()> wake) : state_(std::make_shared<State>()) {
  state_->wake = std::move(wake);
}

void FolderListing::ask(const fs::path& folder) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->asked == folder) return;
    state_->asked = folder;
  }
  std::thread([state = state_, folder] {
    FolderContents contents = read_folder(folder);
    const std::lock_guard lock(state->mutex);
    if (state->asked != folder) return;  // a different folder was requested meanwhile
    state->contents = std::move(contents);
    if (state->wake) state->wake();
  }).detach();
}

FolderContents FolderListing::contents() const {
  const std::lock_guard lock(state_->mutex);
  return state_->contents;
}

bool FolderListing::reading() const {
  const std::lock_guard lock(state_->mutex);
  return state_->contents.folder != state_->asked;
}

std::string common_completion(const std::vector<FolderEntry>& entries, const std::string& typed) {
  std::string common;
  bool any = false;
  for (const FolderEntry& entry : entries) {
    if (!entry.name.starts_with(typed)) continue;
    const std::string whole = entry.name + (entry.is_folder ? "/" : "");
    if (!any) common = whole;
    any = true;
    size_t same = 0;
    while (same < common.size() && same < whole.size() && common[same] == whole[same]) ++same;
    common.resize(same);
  }
  return any ? common : typed;
}

fs::path path_from_typed(const std::string& typed) {
  std::error_code ignored;
  fs::path path = typed;
  const char* home = std::getenv("HOME");
  if (home != nullptr && (typed == "~" || typed.starts_with("~/")))
    path = fs::path(home) / typed.substr(std::min<size_t>(typed.size(), 2));
  return fs::absolute(path, ignored).lexically_normal();
}

}  // namespace tilescope
