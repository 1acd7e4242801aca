// A library of the CUDA Toolkit that is opened at run time, and the functions that are called of it.
#pragma once

#include <string>

#include "engine/phrase.hpp"

namespace tilescope {

class ToolkitLibrary {
 public:
  /// Looked for where CUDA_PATH says, on the loader's path, and where the toolkit is usually installed: "libcublas" of
  /// versions 13 and 12, then of any.
  explicit ToolkitLibrary(const std::string& stem);

  /// Sets a pointer to the exported function, to null where there is none.
  template <class Function>
  void resolve(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(find(name));
  }
  /// Why it cannot be used: it is not there, or lacks functions that were asked for. Empty: it can.
  const Phrase& reason() const { return reason_; }

 private:
  void* find(const char* name);

  std::string stem_;
  Phrase reason_;
  void* file_ = nullptr;  // never closed: calls of it may be kept as long as the program runs
};

}  // namespace tilescope
