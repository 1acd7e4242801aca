#include "app/session/file_watch.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "engine/text_file.hpp"

namespace tilescope {
namespace {

/// Changes whenever the file does. A missing file has no inode.
struct Stamp {
  ino_t inode = 0;
  off_t size = 0;
  time_t seconds = 0;
  long nanoseconds = 0;
  int problem = 0;  // errno
  bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {.problem = errno};
  return {status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, 0};
}

}  // namespace

Result<std::string> read_source_file(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return fail(ErrorId::file_not_found, file.string(), std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return fail(ErrorId::file_not_found, file.string(), "it is a folder");
  if (!S_ISREG(status.st_mode)) return fail(ErrorId::file_not_found, file.string(), "it is not a regular file");
  if (static_cast<uintmax_t>(status.st_size) > FileWatch::kMostBytes)
    return fail(ErrorId::file_not_found, file.string(), "it is larger than 8 MiB");
  auto text = read_text(file);
  if (!text)
    return fail(ErrorId::file_not_found, file.string(),
                errno != 0 ? std::string(std::strerror(errno)) : Phrase("it cannot be opened"));
  if (text->find('\0') != std::string::npos) return fail(ErrorId::file_not_found, file.string(), "it is not text");
  return std::move(*text);
}

FileWatch::FileWatch(std::filesystem::path file, std::function<void()> wake)
    : file_(std::move(file)), wake_(std::move(wake)), thread_([this](const std::stop_token& stop) { work(stop); }) {}

FileWatch::~FileWatch() = default;

std::optional<FileWatch::News> FileWatch::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, std::nullopt);
}

void FileWatch::work(const std::stop_token& stop) {
  std::optional<Stamp> read;  // of the last read
  std::optional<std::string> text;
  for (Stamp before = stamp_of(file_); !stop.stop_requested();) {
    const bool first = !read;
    if (first || before != *read) {
      auto news = read_source_file(file_);
      const Stamp after = stamp_of(file_);
      // Touched, but with the same text: nothing to report.
      const bool same = news && text && *news == *text;
      if (after == before || first) {
        read = before;
        text = news ? std::optional(*news) : std::nullopt;
        if (!same) {
          const std::lock_guard lock(mutex_);
          news_ = std::move(news);
        }
        if (!same && wake_) wake_();
      }
    }
    std::unique_lock lock(mutex_);
    stopped_.wait_for(lock, stop, kInterval, [] { return false; });
    lock.unlock();
    // Stable: the same twice, a moment apart.
    Stamp now = stamp_of(file_);
    while (read && now != *read && !stop.stop_requested()) {
      lock.lock();
      stopped_.wait_for(lock, stop, kRest, [] { return false; });
      lock.unlock();
      const Stamp later = stamp_of(file_);
      if (later == now) break;
      now = later;
    }
    before = now;
  }
}

}  // namespace tilescope
