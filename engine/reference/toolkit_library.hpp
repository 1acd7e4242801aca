// A CUDA Toolkit library that is loaded at run time, and its functions.
#pragma once

#include <string>

#include "engine/phrase.hpp"

namespace tilescope {

class ToolkitLibrary {
 public:
  /// Searches CUDA_PATH, the loader's path, and the usual toolkit folders: "libcublas" of versions 13 and 12, then of
  /// any version.
  explicit ToolkitLibrary(const std::string& stem);

  /// Sets a pointer to the exported function; null if it does not exist.
  template <class Function>
  void resolve(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(find(name));
  }
  /// Why the library cannot be used: it is missing, or lacks a requested function. Empty: it can be used.
  const Phrase& reason() const { return reason_; }

 private:
  void* find(const char* name);

  std::string stem_;
  Phrase reason_;
  void* file_ = nullptr;  // never closed: callers may keep its functions for as long as the program runs
};

}  // namespace tilescope
