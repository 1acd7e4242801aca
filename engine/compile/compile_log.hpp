// Reads what NVRTC and ptxas print: diagnostics with their lines, and the resource usage of `--ptxas-options=-v`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/compile/ptx_text.hpp"

namespace tilescope {

/// The diagnostics of a log in printed order. "kernels/x.cu(3): error: …" gives file and line; ptxas's own messages
/// give neither unless place_ptxas_errors has added them.
std::vector<CompileMessage> parse_compile_messages(std::string_view log);

/// An error with all text that NVRTC prints about it.
struct CompileError {
  CompileMessage message;
  std::string text;                               // its line and the lines below it: the source line, a caret
  std::vector<SourcePlace> instantiated_at = {};  // where templates were instantiated, innermost first
};
std::vector<CompileError> compile_errors(std::string_view log);

/// "kernels/x.cu(3): identifier "oops" is undefined".
std::string line_of(const CompileError& error);

/// The errors of a log with the source line and caret that NVRTC prints below each, without its warnings.
std::string error_text(std::string_view log);

/// ptxas names a line of the PTX. This prepends the source line, taken from the `.loc` directives of that PTX: "ptxas
/// application ptx input, line 25; error   : …" becomes "kernels/x.cu(2): error: ptxas: …".
std::string place_ptxas_errors(std::string_view log, std::string_view ptx);

/// The lines of a log that ptxas printed.
std::string ptxas_lines(std::string_view log);

/// Registers, static shared memory, stack and spills of each kernel, from the text of `--ptxas-options=-v`.
std::map<std::string, KernelInfo> parse_resource_usage(std::string_view log);

}  // namespace tilescope
