// PyTorch and Triton as references, in a Python child process (assets/python/reference_child.py).
//
//     auto python = PythonReference::open({.script = root / "assets/python/reference_child.py"}, stop);
//     if (auto why = (*python)->missing("triton"); !why.empty()) …
//     (*python)->prepare({.implementation = "torch", .operation = "add", .n = n, …}, stop);
//     (*python)->time("torch", "add", 10, stop);
//
// Any failure (no Python, no PyTorch, a wrong result, a child that hangs, dies or answers garbage) is an Error
// reference_unavailable with the reason; no call waits longer than its timeout.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/child_process.hpp"
#include "engine/lab.hpp"
#include "engine/result.hpp"

namespace tilescope {

struct PythonOptions {
  std::filesystem::path script;
  std::string interpreter = {};                                        // empty: TILESCOPE_PYTHON, then python3 on PATH
  std::chrono::milliseconds start_timeout = std::chrono::seconds(90);  // importing PyTorch
  std::chrono::milliseconds request_timeout = std::chrono::seconds(120);  // making inputs, compiling, a timed turn
};

/// The child's versions; an empty version has its reason in the member beside it.
struct PythonVersions {
  std::string python, torch, triton, gpu;
  std::string torch_reason, triton_reason, cudnn_reason;
};

class PythonReference {
 public:
  struct Work {
    std::string implementation = "torch";  // or "torch_compile", "triton", "cudnn"
    std::string operation;                 // "add", "mul"
    int64_t n = 0;
    std::map<std::string, int64_t> sizes = {};   // the lab's sizes, which operations on matrices use
    std::map<std::string, int64_t> params = {};  // the lab's parameters: DTYPE 1 requests bf16
    uint64_t seed = 1;
    int sets = 1;        // buffer sets that a graph rotates over
    int executions = 0;  // 0: cold samples; otherwise the executions of one graph
    size_t flush_bytes = 0;
  };

  static Result<std::unique_ptr<PythonReference>> open(const PythonOptions& options, std::stop_token stop);

  const PythonVersions& versions() const { return versions_; }
  /// Why an implementation is unavailable; empty if it is available.
  std::string missing(const std::string& implementation) const;

  /// Makes the inputs, checks the result against float64, and captures the graph if there is one. Returns the
  /// microseconds for which a call occupies the Python program.
  Result<double> prepare(const Work& work, std::stop_token stop);
  /// Samples of a prepared operation, in milliseconds per execution.
  Result<std::vector<double>> time(const std::string& implementation, const std::string& operation, int samples,
                                   std::stop_token stop);
  /// Frees the child's device memory.
  Result<void> release(std::stop_token stop);

 private:
  PythonReference(std::unique_ptr<ChildProcess> child, const PythonOptions& options)
      : child_(std::move(child)), options_(options) {}
  Result<nlohmann::json> ask(const std::string& who, nlohmann::json request, std::chrono::milliseconds timeout,
                             std::stop_token stop);

  std::unique_ptr<ChildProcess> child_;
  PythonOptions options_;
  PythonVersions versions_;
  int64_t last_id_ = 0;
};

}  // namespace tilescope
