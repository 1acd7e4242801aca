// The Python process that runs Triton's compiler (assets/python/triton_child.py). It is started with the first request,
// kept, and started again if it dies or hangs.
//
//     TritonChild child({.script = root / "assets/python/triton_child.py"});
//     Result<nlohmann::json> answer = child.ask({{"do", "kernels"}, {"file", file}, {"text", text}}, stop);
//
// The Python is the first of these that has Triton: TILESCOPE_PYTHON, the environment that `./tilescope triton` makes
// in the user's data folder, python3 on PATH. TILESCOPE_HIDE=triton makes it absent (for tests). The process gets none
// of the program's environment but PATH, HOME and the like, because it executes the user's file.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engine/child_process.hpp"
#include "engine/result.hpp"

namespace tilescope {

struct TritonOrigin {
  std::string python, triton;  // versions
  std::string executable;
};

class TritonChild {
 public:
  struct Options {
    std::filesystem::path script;
    std::filesystem::path folder = {};  // the process's working folder: the program's root
    std::chrono::milliseconds start_timeout = std::chrono::seconds(60);     // importing Triton
    std::chrono::milliseconds request_timeout = std::chrono::seconds(120);  // a file that is executed, a compilation
    /// After a stop request a compilation may end by itself: starting Python anew takes as long as many compilations.
    std::chrono::milliseconds grace = std::chrono::seconds(1);
  };
  explicit TritonChild(Options options);
  ~TritonChild();
  TritonChild(const TritonChild&) = delete;
  TritonChild& operator=(const TritonChild&) = delete;

  /// Thread-safe; the questions are answered one after the other. After a stop request the caller gets `cancelled` at
  /// once, and the process some seconds to finish. The Error of an answer that refuses names the line of the file.
  Result<nlohmann::json> ask(nlohmann::json question, std::stop_token stop);
  /// Starts the process, or returns why there is none.
  Result<TritonOrigin> origin(std::stop_token stop);
  /// Starts the process in the background, if none runs.
  void warm_up();

 private:
  struct Question;
  void work(const std::stop_token& stop);
  Result<nlohmann::json> answer(const Question& question, const std::stop_token& stop);
  Result<void> start(const std::stop_token& stop);

  Options options_;
  std::unique_ptr<ChildProcess> child_;  // used by the thread
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::shared_ptr<Question>> waiting_;
  std::optional<TritonOrigin> origin_;
  std::jthread thread_;  // declared last: joined before the members that it uses are destroyed
};

/// The folder of the environment that `./tilescope triton` makes.
std::filesystem::path triton_environment();
/// The version of Triton there, read from its files. Nothing if it is missing or a different Python is to be used.
std::optional<std::string> triton_in_environment();

}  // namespace tilescope
