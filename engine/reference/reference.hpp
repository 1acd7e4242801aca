// What the rungs of a lab are timed against.
//
// A reference is one file in engine/reference/ that derives from Reference and registers it under the names by which
// labs ask for it (ReferenceSpec::implementation):
//
//     const bool registered =
//         register_reference({.names = {"cublas"}, .make = [](const ReferenceFolders&) {
//                               return std::make_unique<Cublas>();
//                             }});
//
// The programs link the whole of tilescope_reference (CMakeLists.txt), also what nothing refers to. What is called in
// this process derives from LibraryReference instead (library_reference.hpp).
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

/// What is computed at one size of a sweep, and how it is timed there.
struct ReferenceTask {
  std::string name;            // "PyTorch", as plots label it
  std::string implementation;  // one of the names that the reference is registered under
  std::string operation;       // "matmul_bf16"
  Config config;
  int64_t n = 0;            // the value of the lab's sweep size
  double useful_bytes = 0;  // that the operation must move
  /// The rungs' buffers with inputs and right outputs, parallel to Plan::buffers. Not to be written.
  std::span<const std::shared_ptr<DeviceBuffer>> buffers;
  GpuTimer& timer;
  TimingMethod method;
  /// Whether the work on copies of the buffers at these addresses computes what the rungs did.
  std::function<Result<bool>(const TimedWork&, const AddressSet&)> agrees;
};

/// Ready to be timed at one size.
struct PreparedReference {
  Sampler take;  // keeps the memory that it works on
  std::string note = {};
};

/// Made for one benchmark and used by one thread. What is missing is an Error of reference_unavailable that says why.
class Reference {
 public:
  virtual ~Reference() = default;
  /// Why an implementation cannot be had at all, in one sentence; asked once, before anything is timed. Empty: it can,
  /// or that shows when it is prepared.
  virtual std::string missing(const std::string& implementation, const std::stop_token& stop);
  virtual Result<PreparedReference> prepare(const ReferenceTask& task, const std::stop_token& stop) = 0;
  /// Frees what is kept for the size that was timed.
  virtual void release(const std::stop_token& stop);
  /// Enters the versions of its libraries for which the report has a place.
  virtual void note_versions(SpeedReport& report) const;
};

/// The references of one benchmark, each made when it is first asked for.
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
