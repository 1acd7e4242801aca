// Facts about the kernels of a file that is not CUDA C++, in the form of a CUDA file's: those of Triton come from the
// process that executed the file, those of PTX from its text.
#pragma once

#include <string>

#include "app/sandbox/reading/source_facts.hpp"
#include "engine/compile/triton/triton_file.hpp"

namespace tilescope {

SourceFacts facts_of_triton(const TritonFile& file, std::string text);

/// Types come from a mangled name, or from the types of the parameters; what a pointer points to may be a guess.
SourceFacts facts_of_ptx(std::string text);

}  // namespace tilescope
