// Links several PTX modules into one, as nvlink does with machine code: an .extern declaration refers to the .visible
// definition of another module; of several .weak definitions (inline functions, templates) the first is used; symbols
// without linkage (static, unnamed namespaces) stay local to their module.
//
// The sources are linked rather than concatenated, so that macros, static functions and types of one name in two files
// do not collide.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/result.hpp"

namespace tilescope {

struct LinkInput {
  std::string file;  // for messages
  std::string ptx;   // relocatable device code
};

struct LinkedPtx {
  std::string ptx;
  std::vector<std::string> undefined;  // names that the kernels need but no module defines
};

/// `kernels`: bare names of the kernels whose needs count; empty: all. The Error names symbols defined twice.
Result<LinkedPtx> link_ptx(std::span<const LinkInput> modules, const std::vector<std::string>& kernels);

}  // namespace tilescope
