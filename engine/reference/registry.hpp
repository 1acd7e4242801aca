// The references that labs can name, with the facts known without a GPU. References register themselves
// (engine/reference/reference.hpp).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

class Reference;

struct ReferenceFolders {
  std::filesystem::path assets;  // the program's
  std::filesystem::path cache;   // the user's
};

struct ReferenceRegistration {
  /// The names that labs use (ReferenceSpec::implementation). Several names if one object serves them all: PyTorch and
  /// Triton share one child process.
  std::vector<std::string> names;
  std::function<std::unique_ptr<Reference>(const ReferenceFolders&)> make;
  /// True for a reference that computes nothing and only moves as many bytes as the operation must. It has no point
  /// under a roofline, and the rungs' speeds are given as a percentage of its speed.
  bool only_moves_bytes = false;
  /// False for a reference that needs nothing but the GPU: its errors end the benchmark.
  bool optional = true;
};

/// Called before main by each reference's file. Returns true.
bool register_reference(ReferenceRegistration registration);
/// Null if there is none of that name.
const ReferenceRegistration* find_reference(const std::string& name);
/// False for a name that is not registered.
bool only_moves_bytes(const ReferenceSpec& spec);

}  // namespace tilescope
