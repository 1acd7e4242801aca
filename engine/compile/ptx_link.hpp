// Several PTX modules made into one, as nvlink does with machine code: what one declares .extern is what another one
// defines .visible; of .weak definitions (inline functions, templates) the first counts; what has no linkage (static,
// unnamed namespaces) stays its module's own.
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
