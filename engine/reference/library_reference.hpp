// A reference that is a library called in this process: its calls are queued and timed like kernels, on copies of the
// rungs' buffers. A subclass says which calls compute the operation; everything else is here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/reference/reference.hpp"

namespace tilescope {

/// One way to compute an operation.
struct LibraryCall {
  EnqueueCall call;
  std::string name = {};  // of the algorithm, where there are several
};

class LibraryReference : public Reference {
 public:
  Result<PreparedReference> prepare(const ReferenceTask& task, const std::stop_token& stop) final;

 protected:
  /// At least one way to compute the operation. Of several, each is timed a few times, and the fastest whose result is
  /// that of the rungs counts.
  virtual Result<std::vector<LibraryCall>> calls(const ReferenceTask& task, const std::shared_ptr<GpuContext>& context,
                                                 const std::stop_token& stop) = 0;
};

/// The library that is open, of a class with `context()`; opened by `open` first, or again for a new context.
template <class Library, class Open>
Result<std::shared_ptr<Library>> keep_open(std::shared_ptr<Library>& library,
                                           const std::shared_ptr<GpuContext>& context, const Open& open) {
  if (library && library->context() == context) return library;
  auto opened = open();
  if (opened) library = *opened;
  return opened;
}

/// Samples of work that is queued in this process. `memory` is what it works on, and stays as long as the sampler.
Result<PreparedReference> prepare_work(const ReferenceTask& task, TimedWork work, std::shared_ptr<const void> memory);

}  // namespace tilescope
