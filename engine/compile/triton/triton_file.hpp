// The kernels of a Python file, as assets/python/triton_child.py describes them: it executes the file and reads the
// source of its @triton.jit functions. What it guesses about a launch are texts in the language of the Sandbox's
// fields, where n is the size that the others follow.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/compile/triton/triton_compiler.hpp"

namespace tilescope {

struct TritonParameter {
  std::string name;
  bool is_constexpr = false;
  bool is_given = false;  // a constexpr that needs no value: by a default, a configuration or a heuristic
  std::string value;      // a constexpr: what it is given, or a guess; empty: unknown, or by a heuristic
  bool is_pointer = false;
  std::string type = "i32";                                  // "f32": of the number, or of what the pointer points to
  std::string spec = {};                                     // a tensor descriptor, as in exec --arg; empty: it is none
  std::string number = "1";                                  // a number: "n"
  std::string shape = "n", role = "inout", fill = "normal";  // a pointer
};

struct TritonFunction {
  std::string name;
  uint32_t line = 0;  // of its def
  std::vector<TritonParameter> parameters;
  int num_warps = 0, num_stages = 0;  // those of the first configuration; 0: none
  std::string n = "4096";
  std::array<std::string, 3> grid = {"1", "1", "1"};
};

struct TritonFile {
  std::vector<TritonFunction> kernels;  // in the order of the file, without the functions that only others call
  struct Skipped {
    uint32_t line = 0;
    std::string why;
  };
  std::vector<Skipped> skipped;  // statements that raised
};

/// Executes the file. The Error names the line, or says why there is no Triton.
Result<TritonFile> read_triton_file(TritonCompiler& triton, const std::string& file, const std::string& text,
                                    std::stop_token stop);
/// The answer of the process.
TritonFile triton_file_from(const nlohmann::json& answer);

}  // namespace tilescope
