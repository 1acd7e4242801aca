// NVRTC in separate processes, so that a compiler that crashes, hangs or takes all memory costs one compilation and not
// the program.
//
//     NvrtcProcesses processes(library, NvrtcProcesses::worker_beside_this_program());
//     NvrtcOutput output = processes.run(input, stop);          // on the calling thread; any number of threads
//     if (!output.failure.empty()) …                            // "it was ended by signal Segmentation fault"
//
// A process is kept for the next compilation: NVRTC's first run in a process takes some 300 ms longer than later runs.
// The process runs `tilescope-worker compile`, found beside the program (serve_nvrtc).
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "engine/child_process.hpp"
#include "engine/compile/nvrtc_program.hpp"

namespace tilescope {

class NvrtcProcesses {
 public:
  /// Without a worker program, or with TILESCOPE_HIDE=worker, NVRTC runs in this process.
  NvrtcProcesses(std::shared_ptr<const NvrtcLibrary> library, std::filesystem::path worker);

  /// tilescope-worker in the folder of the running program.
  static std::filesystem::path worker_beside_this_program();

  /// Whether NVRTC runs in separate processes.
  bool separate() const { return !worker_.empty(); }

  /// Compiles. A stop request ends the compilation at once if NVRTC supports that (12.8 and later); otherwise the
  /// process is killed a few seconds later.
  NvrtcOutput run(const NvrtcInput& input, const std::stop_token& stop);

 private:
  std::unique_ptr<ChildProcess> take_idle();
  void give_back(std::unique_ptr<ChildProcess> child);

  const std::shared_ptr<const NvrtcLibrary> library_;
  std::filesystem::path worker_;  // empty: none
  std::atomic<uint64_t> number_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ChildProcess>> idle_;  // the one used last is taken first, because it is warm
};

/// The worker's side: answers until standard input ends. Returns the exit status.
int serve_nvrtc();

}  // namespace tilescope
