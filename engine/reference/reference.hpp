// The implementations that a lab's rungs are timed against.
//
// A reference is one file in engine/reference/ that derives from Reference and registers it under the names that labs
// use for it (ReferenceSpec::implementation):
//
//     const bool registered =
//         register_reference({.names = {"cublas"}, .make = [](const ReferenceFolders&) {
//                               return std::make_unique<Cublas>();
//                             }});
//
// The programs link all of tilescope_reference (CMakeLists.txt), including files that nothing refers to. References
// called in this process derive from LibraryReference instead (library_reference.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/gpu/context.hpp"
#include "engine/gpu/timing_method.hpp"
#include "engine/lab.hpp"
#include "engine/reference/registry.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// The operation to compute at one size of a sweep, and how to time it there.
struct ReferenceTask {
  std::string name;            // "PyTorch", as plots label it
  std::string implementation;  // one of the names that the reference is registered under
  std::string operation;       // "matmul_bf16"
  Config config;
  int64_t n = 0;            // value of the lab's sweep size
  double useful_bytes = 0;  // bytes that the operation must move at least
  /// The rungs' buffers with inputs and correct outputs, parallel to Plan::buffers. Read-only.
  std::span<const std::shared_ptr<DeviceBuffer>> buffers;
  GpuTimer& timer;
  TimingMethod method;
  /// Whether the work, on copies of the buffers at these addresses, computes the same as the rungs.
  std::function<Result<bool>(const TimedWork&, const AddressSet&)> agrees;
};

/// Ready to be timed at one size.
struct PreparedReference {
  Sampler take;  // keeps its memory alive
  std::string note = {};
  double host_us = 0;  // microseconds of the caller for one call, where that is known
};

/// Created for one benchmark and used by one thread. Anything missing is an Error reference_unavailable with the
/// reason.
class Reference {
 public:
  virtual ~Reference() = default;
  /// Why an implementation is unavailable, in one sentence; asked once, before timing starts. Empty: it is available,
  /// or prepare will find out.
  virtual std::string missing(const std::string& implementation, const std::stop_token& stop);
  virtual Result<PreparedReference> prepare(const ReferenceTask& task, const std::stop_token& stop) = 0;
  /// Frees what is kept for the size that was timed.
  virtual void release(const std::stop_token& stop);
  /// Fills in the versions of its libraries that the report records.
  virtual void note_versions(SpeedReport& report) const;
};

/// The references of one benchmark, each created on first use.
class OpenReferences {
 public:
  explicit OpenReferences(ReferenceFolders folders) : folders_(std::move(folders)) {}

  /// As Reference::missing; a name that is not registered is missing too.
  std::string missing(const std::string& implementation, const std::stop_token& stop);
  /// The implementation must not be missing.
  Result<PreparedReference> prepare(const ReferenceTask& task, const std::stop_token& stop);
  void release(const std::stop_token& stop);
  void note_versions(SpeedReport& report) const;

 private:
  Reference* find(const std::string& implementation);

  ReferenceFolders folders_;
  std::vector<std::pair<const ReferenceRegistration*, std::unique_ptr<Reference>>> open_;
};

}  // namespace tilescope
