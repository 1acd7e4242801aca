// Reads one of the user's files again whenever it changes on disk, on a separate thread: the window never waits for a
// disk.
//
//     FileWatch watch(path, wake);
//     if (auto news = watch.take()) …          // once a frame
//
// A file that is being written is read once it no longer changes, so that an editor that first empties or replaces it
// is not caught midway; a file that stays incomplete is read as it is.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/result.hpp"

namespace tilescope {

class FileWatch {
 public:
  /// The file's current contents, or why it cannot be read.
  using News = Result<std::string>;

  /// `wake` is called from the thread when there is news.
  FileWatch(std::filesystem::path file, std::function<void()> wake);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  const std::filesystem::path& file() const { return file_; }
  /// The newest news not taken yet; the first arrives soon after the start.
  std::optional<News> take();

  static constexpr std::chrono::milliseconds kInterval{200}, kRest{60};
  static constexpr uintmax_t kMostBytes = uintmax_t{8} << 20;

 private:
  void work(const std::stop_token& stop);

  std::filesystem::path file_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::optional<News> news_;
  std::jthread thread_;  // declared last: ends before the members that it uses
};

/// Reads a text file synchronously. Folders, pipes, binaries and files larger than 8 MiB are errors.
Result<std::string> read_source_file(const std::filesystem::path& file);

}  // namespace tilescope
