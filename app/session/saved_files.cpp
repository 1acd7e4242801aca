#include "app/session/saved_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>

#include "engine/clock.hpp"
#include "engine/sha256.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndex = ".copies";  // in the folder: the copies written there, with their digests

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

/// XDG_DOCUMENTS_DIR="$HOME/Documents" in user-dirs.dirs; empty if it is not set.
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

/// Writes the whole text, in as many write() calls as needed; false with errno set.
bool write_whole(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

/// Writes a new file and flushes it to disk. `permissions`: those of the file that it replaces, if there is one.
/// Returns 0 or the error number.
int write_flushed(const fs::path& file, std::string_view text, std::optional<mode_t> permissions) {
  // Until it has the permissions of the file that it replaces, only its owner can read it.
  const int handle = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, permissions ? 0600 : 0666);
  if (handle < 0) return errno;
  const bool written =
      write_whole(handle, text) && (!permissions || ::fchmod(handle, *permissions) == 0) && ::fsync(handle) == 0;
  const int error = written ? 0 : errno;
  const bool closed = ::close(handle) == 0;
  return error != 0 ? error : closed ? 0 : errno;
}

/// Flushes the new name to disk. On a file system that cannot do so, the file still exists.
void flush_folder(const fs::path& folder) {
  const int handle = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;
  ::fsync(handle);
  ::close(handle);
}

/// Lines of a SHA-256 digest, a blank and a file name.
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
  if (failed) return fail(ErrorId::file_not_written, folder.string(), Phrase::translatable(failed.message()));
  return folder;
}

Result<void> replace_file(const fs::path& file, std::string_view text) {
  std::error_code failed;
  fs::path target = fs::canonical(file, failed);
  if (failed) target = file;
  struct stat old = {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  const fs::path temporary = target.string() + "." + std::to_string(::getpid()) + ".new";
  int error = write_flushed(temporary, text, exists ? std::optional<mode_t>(old.st_mode & 07777) : std::nullopt);
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) {
    flush_folder(target.parent_path());
    return {};
  }
  fs::remove(temporary, failed);
  return fail(ErrorId::file_not_written, target.string(), Phrase::translatable(std::strerror(error)));
}

Result<fs::path> set_aside(const fs::path& file) {
  std::string date = utc_now();
  std::ranges::replace(date, ':', '-');
  const std::string name = file.string() + ".damaged-" + date;
  std::error_code failed;
  fs::path aside = name;
  for (int number = 2; fs::exists(aside, failed); ++number) aside = fmt::format("{}-{}", name, number);
  fs::rename(file, aside, failed);
  if (failed) return fail(ErrorId::file_not_written, aside.string(), Phrase::translatable(failed.message()));
  return aside;
}

Result<SavedCopy> save_copy(const fs::path& folder, const std::string& name, const std::string& text,
                            const std::string& ending) {
  std::map<std::string, std::string> index = read_index(folder);
  std::error_code ignored;
  for (int number = 1;; ++number) {
    const std::string file = number == 1 ? name + ending : fmt::format("{}-{}{}", name, number, ending);
    const fs::path path = folder / file;
    if (fs::exists(path, ignored)) {
      const auto written = index.find(file);
      const bool ours = written != index.end() && written->second == sha256_of(read_text(path).value_or(""));
      if (!ours) continue;
    }
    if (auto done = replace_file(path, text); !done) return tl::unexpected(done.error());
    index[file] = sha256_of(text);
    std::string lines;
    for (const auto& [one, hash] : index) lines.append(hash).append(" ").append(one).append("\n");
    // Without the index, the next copy gets a new name: nothing is lost.
    (void)replace_file(folder / kIndex, lines);
    return SavedCopy{path, number > 1};
  }
}

}  // namespace tilescope
