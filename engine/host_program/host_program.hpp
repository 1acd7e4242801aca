// The whole program around a run's kernels: what an engineer would write to do on a GPU what the run did. It allocates,
// makes the same inputs, copies, launches, checks errors, copies back, and prints a checksum of each output.
//
//     auto program = host_program({.plan = plan, .seed = 1, .kernels_folder = root / "kernels", .title = "…"});
//     if (program) file << program->text;      // nvcc -o program program.cu && ./program
//
// A CUDA kernel gives CUDA C++ for nvcc, a Triton kernel a Python program for torch and triton.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "engine/kernel_language.hpp"
#include "engine/plan.hpp"
#include "engine/request.hpp"

namespace tilescope {

class Engine;

struct HostProgramSubject {
  const Plan& plan;  // before or after its run
  uint64_t seed = 1;
  std::filesystem::path root = {};            // the folder that Plan::source_file is relative to
  std::filesystem::path kernels_folder = {};  // headers that all kernels may include
  std::string title = {};                     // "vector-add, rung thread-per-element"
  std::string command = {};                   // the same run on the command line; empty: none
  std::string grid_formula = {};              // of a plan with one launch: "⌈98,432 / 256⌉ = 385"; empty: none
  std::map<std::string, std::string> meaning = {};  // of a define: "Block, threads"
};

struct HostProgram {
  std::string text = {};
  KernelLanguage language = KernelLanguage::cuda;  // never ptx
  bool needs_sm_80 = false;                        // the kernel uses instructions that nvcc's default target lacks
  std::string file_name() const { return language == KernelLanguage::triton ? "program.py" : "program.cu"; }
};

/// Why there is none, as one sentence: PTX sources, textures, inputs from files, structs that point to buffers.
using HostProgramResult = tl::expected<HostProgram, Phrase>;
HostProgramResult host_program(const HostProgramSubject& subject);

/// The program of a request's plan. `command` is the same run on the command line; empty: none.
HostProgramResult host_program_of(const Engine& engine, const Request& request, const Plan& plan,
                                  const std::string& command);

}  // namespace tilescope
