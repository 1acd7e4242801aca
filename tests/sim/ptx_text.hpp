// Small PTX modules written by tests.
#pragma once

#include <string>

namespace tilescope {

/// A kernel without parameters, with a few registers of each width.
inline std::string kernel_around(const std::string& body, const std::string& before = "") {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + before +
         ".visible .entry k()\n{\n.reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n" +
         ".reg .f32 %f<9>;\n.reg .f64 %fd<9>;\n" + body + "\n}\n";
}

}  // namespace tilescope
