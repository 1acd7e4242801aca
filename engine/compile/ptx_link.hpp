// Links several PTX modules into one, as nvlink does with machine code: an .extern declaration refers to the .visible
// definition of another module; the first of several .weak definitions (inline functions, templates) is taken; what has
// no linkage (static, unnamed namespaces) stays local to its module.
//
// The sources are linked and not pasted together, so that macros, static functions and types of one name in two files
// stay apart.
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
  std::vector<std::string> undefined;  // names that the kernels need and no module defines
};

/// `kernels`: bare names of those whose needs count; empty: all. The Error names what is defined twice.
Result<LinkedPtx> link_ptx(std::span<const LinkInput> modules, const std::vector<std::string>& kernels);

}  // namespace tilescope
