// NVRTC in processes of its own, so that a compiler that crashes, hangs or takes all memory costs one compilation and
// not the program.
//
//     NvrtcProcesses processes(library, NvrtcProcesses::worker_beside_this_program());
//     NvrtcOutput output = processes.run(input, stop);          // on the calling thread; any number of threads
//     if (!output.failure.empty()) …                            // "it was ended by signal Segmentation fault"
//
// A process stays for the next compilation: NVRTC's first run in a process takes some 300 ms longer than the next.
// `tilescope-worker compile`, beside the program, is what runs there (serve_nvrtc).
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

  /// Whether NVRTC runs in processes of its own.
  bool separate() const { return !worker_.empty(); }

  /// Compiles. A stop request ends the compilation at once where NVRTC can be asked to (12.8 and later), and its
  /// process a few seconds later where it does not listen.
  NvrtcOutput run(const NvrtcInput& input, const std::stop_token& stop);

 private:
  std::unique_ptr<ChildProcess> take_idle();
  void give_back(std::unique_ptr<ChildProcess> child);

  const std::shared_ptr<const NvrtcLibrary> library_;
  std::filesystem::path worker_;  // empty: none
  std::atomic<uint64_t> number_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ChildProcess>> idle_;  // the one used last is taken first: it is warm
};

/// The worker's side: answers until its standard input ends. Returns the exit status.
int serve_nvrtc();

}  // namespace tilescope
