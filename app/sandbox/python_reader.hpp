// Executes Python files to learn their kernels, in a thread: the newest wish replaces those before it. A file of which
// the user has not said that it may run is never executed.
//
//     reader.is_trusted(text) || ask the user, then reader.trust(text)
//     reader.start(file, text);     … once a frame: if (auto facts = reader.take()) …
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "engine/compile/triton/triton_file.hpp"

namespace tilescope {

class PythonReader {
 public:
  using Ask = std::function<Result<TritonFile>(const std::string& file, const std::string& text, std::stop_token stop)>;
  /// `trust_file` keeps the SHA-256 of the texts that may run, one on each line; empty: it is forgotten at the end.
  PythonReader(Ask ask, std::filesystem::path trust_file, std::function<void()> wake);

  bool is_trusted(const std::string& text) const;
  void trust(const std::string& text);

  void start(const std::string& file, const std::string& text);
  void stop() { thread_ = {}; }
  struct Answer {
    std::string text;  // that was read
    Result<TritonFile> file;
  };
  /// The answer to the last start(), once.
  std::optional<Answer> take();

 private:
  Ask ask_;
  std::filesystem::path trust_file_;
  std::function<void()> wake_;
  std::set<std::string> trusted_;
  std::mutex mutex_;
  std::optional<Answer> answer_;
  std::jthread thread_;  // declared last: joined before the members that it uses are destroyed
};

}  // namespace tilescope
