// A reference that is a library called in this process: its calls are queued and timed like kernels, on copies of the
// rungs' buffers. A subclass provides the calls that compute the operation; everything else is here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/reference/reference.hpp"

namespace tilescope {

/// One way to compute an operation.
struct LibraryCall {
  EnqueueCall call;
  std::string name = {};  // name of the algorithm, if there are several
};

class LibraryReference : public Reference {
 public:
  Result<PreparedReference> prepare(const ReferenceTask& task, const std::stop_token& stop) final;

 protected:
  /// At least one way to compute the operation. If there are several, each is timed a few times, and the fastest one
  /// whose result agrees with the rungs' is used.
  virtual Result<std::vector<LibraryCall>> calls(const ReferenceTask& task, const std::shared_ptr<GpuContext>& context,
                                                 const std::stop_token& stop) = 0;
};

/// Returns the open library (a class with `context()`); calls `open` first if none is open or the context changed.
template <class Library, class Open>
Result<std::shared_ptr<Library>> keep_open(std::shared_ptr<Library>& library,
                                           const std::shared_ptr<GpuContext>& context, const Open& open) {
  if (library && library->context() == context) return library;
  auto opened = open();
  if (opened) library = *opened;
  return opened;
}

/// Samples of work queued in this process. `memory` is the memory that it works on, kept alive by the sampler.
Result<PreparedReference> prepare_work(const ReferenceTask& task, TimedWork work, std::shared_ptr<const void> memory);

}  // namespace tilescope
