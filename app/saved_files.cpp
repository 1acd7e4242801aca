#include "app/saved_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include "engine/sha256.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndex = ".copies";  // of a folder: which copies were written here, and what they held

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

/// XDG_DOCUMENTS_DIR="$HOME/Documents" in user-dirs.dirs; empty where it is not set.
fs::path documents_of_user_dirs(const fs::path& home) {
  const std::string config = environment("XDG_CONFIG_HOME");
  std::ifstream stream((config.empty() ? home / ".config" : fs::path(config)) / "user-dirs.dirs");
  constexpr std::string_view kKey = "XDG_DOCUMENTS_DIR=\"";
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(kKey)) continue;
    std::string value = line.substr(kKey.size(), line.find('"', kKey.size()) - kKey.size());
    if (value.starts_with("$HOME")) value = home.string() + value.substr(5);
    if (value.starts_with('/')) return value;
  }
  return {};
}

std::string read_all(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Tells whether a text is the one that was written.
std::string digest(const std::string& text) { return sha256_of(text); }

/// Lines "digest name".
std::map<std::string, std::string> read_index(const fs::path& folder) {
  std::map<std::string, std::string> index;
  std::ifstream stream(folder / kIndex);
  for (std::string line; std::getline(stream, line);)
    if (const size_t blank = line.find(' '); blank != std::string::npos)
      index[line.substr(blank + 1)] = line.substr(0, blank);
  return index;
}

}  // namespace

fs::path saved_files_folder() {
  const std::string home = environment("HOME");
  fs::path documents = environment("XDG_DOCUMENTS_DIR");
  if (!documents.is_absolute() && !home.empty()) documents = documents_of_user_dirs(home);
  if (documents.empty() || !documents.is_absolute()) documents = home;
  std::error_code ignored;
  if (documents.empty()) documents = fs::current_path(ignored);
  return documents / "tilescope";
}

Result<fs::path> make_saved_files_folder() {
  const fs::path folder = saved_files_folder();
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return fail(ErrorId::file_not_written, folder.string(), failed.message());
  return folder;
}

Result<void> replace_file(const fs::path& file, const std::string& text) {
  std::error_code failed;
  fs::path target = fs::canonical(file, failed);
  const bool exists = !failed;
  if (failed) target = file;
  const fs::path beside = target.string() + "." + std::to_string(::getpid()) + ".new";
  errno = 0;
  {
    std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
    stream << text;
    stream.close();
    if (!stream) {
      const std::string reason = errno != 0 ? std::strerror(errno) : "the folder cannot be written";
      fs::remove(beside, failed);
      return fail(ErrorId::file_not_written, target.string(), reason);
    }
  }
  if (exists) fs::permissions(beside, fs::status(target, failed).permissions(), failed);
  fs::rename(beside, target, failed);
  if (!failed) return {};
  const std::string reason = failed.message();
  fs::remove(beside, failed);
  return fail(ErrorId::file_not_written, target.string(), reason);
}

Result<SavedCopy> save_copy(const fs::path& folder, const std::string& name, const std::string& text) {
  std::map<std::string, std::string> index = read_index(folder);
  std::error_code ignored;
  for (int number = 1;; ++number) {
    const std::string file = number == 1 ? name + ".cu" : fmt::format("{}-{}.cu", name, number);
    const fs::path path = folder / file;
    if (fs::exists(path, ignored)) {
      const auto written = index.find(file);
      const bool ours = written != index.end() && written->second == digest(read_all(path));
      if (!ours) continue;
    }
    if (auto done = replace_file(path, text); !done) return tl::unexpected(done.error());
    index[file] = digest(text);
    std::string lines;
    for (const auto& [one, hash] : index) lines.append(hash).append(" ").append(one).append("\n");
    // Without the index, the next copy gets a name of its own: nothing is lost.
    (void)replace_file(folder / kIndex, lines);
    return SavedCopy{path, number > 1};
  }
}

}  // namespace tilescope
