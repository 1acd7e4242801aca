// One file of the user's, read again whenever it changes on disk, by a thread of its own: the window never waits for a
// disk.
//
//     FileWatch watch(path, wake);
//     if (auto news = watch.take()) …          // once a frame
//
// A file that is being written is read when it has come to rest, so that an editor that empties it first, or puts
// another in its place, is not caught half-way; what is at rest half-way is what there is.
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
  /// What the file holds now, or why it cannot be read.
  using News = Result<std::string>;

  /// `wake` is called from the thread when there are news.
  FileWatch(std::filesystem::path file, std::function<void()> wake);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  const std::filesystem::path& file() const { return file_; }
  /// The newest news that were not taken yet; the first come soon after the start.
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
  std::jthread thread_;  // last: ends before what it uses
};

/// A text file at once, for those who may wait. Folders, pipes, binaries and files of more than 8 MiB are errors.
Result<std::string> read_source_file(const std::filesystem::path& file);

}  // namespace tilescope
