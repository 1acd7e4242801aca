// PTX that ships with the program, so that the Triton kernels of the labs run at their default settings where no Triton
// is installed. tools/make_triton_assets.cpp writes it, one file for each specialization:
//
//     assets/triton/KERNEL-KEY.json      the answer of assets/python/triton_child.py, and what ptxas says about it
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/compile/compiler.hpp"
#include "engine/compile/triton/triton_compiler.hpp"

namespace tilescope {

constexpr int kShippedCapability = 80;                // what the PTX is made for, as the simulator runs it
constexpr const char* kShippedMachineCode = "sm_90";  // whose registers ship

/// The question to the Python process that compiles this kernel: everything that its PTX depends on. The values of
/// floating-point arguments, on which only a heuristic may depend, are left out unless the process asked for them.
nlohmann::json compile_question(const CompileRequest& request, const TritonKernel& kernel, int target,
                                bool with_numbers = false);

/// The file of a specialization: its name has a hash of the question.
std::filesystem::path shipped_file(const std::filesystem::path& root, const nlohmann::json& question);
/// Nothing where it does not ship.
std::optional<nlohmann::json> read_shipped(const std::filesystem::path& root, const nlohmann::json& question);
/// What the file holds, made by Triton.
Result<nlohmann::json> make_shipped(TritonCompiler& compiler, const nlohmann::json& question);

}  // namespace tilescope
