// The texture object that a kernel's body seems to want, as `exec --arg tex:…` takes it.
#pragma once

#include <string>

#include "app/sandbox/reading/source_facts.hpp"

namespace tilescope {

/// "tex:f32x4:64x64:uniform" for a body with tex2D<float4>(NAME, x, y); its extents may name n. Where the body does not
/// read it, a function of the file that reads a texture of that name, or any, says what it is.
std::string suggest_texture(const SourceKernel& kernel, const std::string& name, const SourceFacts& facts);

}  // namespace tilescope
