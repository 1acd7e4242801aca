// The texture object that a kernel's body seems to want, as `exec --arg tex:…` takes it.
#pragma once

#include <string>

#include "app/sandbox/source_facts.hpp"

namespace tilescope {

/// Whether a parameter or a member is a cudaTextureObject_t by its declaration.
bool is_texture_object(const ParameterType& parameter);

/// "tex:f32x4:64x64:uniform" for a body with tex2D<float4>(NAME, x, y); its extents may name n. A body that does not
/// read it gives the usual one.
std::string suggest_texture(const SourceKernel& kernel, const std::string& name, const TypeNames& types);

}  // namespace tilescope
