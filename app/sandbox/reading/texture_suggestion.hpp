// Suggests the texture object that a kernel's body expects, in the form of `exec --arg tex:…`.
#pragma once

#include <string>

#include "app/sandbox/reading/source_facts.hpp"

namespace tilescope {

/// "tex:f32x4:64x64:uniform" for a body with tex2D<float4>(NAME, x, y); its extents may refer to n. If the body does
/// not read the texture, a function in the file that reads one of that name, or any, is used instead.
std::string suggest_texture(const SourceKernel& kernel, const std::string& name, const SourceFacts& facts);

}  // namespace tilescope
