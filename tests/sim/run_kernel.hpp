// Runs kernels of tests/sim/kernels on the simulator, without NVRTC: the PTX is stored beside the source.
// kernel_ptx.hpp explains how it is made.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "engine/sim/simulator.hpp"

namespace tilescope {

inline CompiledModule module_of(const std::string& name) {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/tests/sim/kernels/" + name + ".ptx");
  std::stringstream text;
  text << file.rdbuf();
  CompiledModule module;
  module.ptx = text.str();
  EXPECT_FALSE(module.ptx.empty()) << name;
  return module;
}

/// A line of tests/sim/kernels/NAME.cu by the mark in its trailing comment, "[load]"; the line number if it has none.
/// Tests refer to marks, so that a source can be edited. A mark is unique within its kernel.
inline std::string mark_of(const std::string& name, uint32_t line) {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/tests/sim/kernels/" + name + ".cu");
  std::string text;
  for (uint32_t number = 0; number < line && std::getline(file, text);) ++number;
  std::smatch mark;
  static const std::regex end_of_comment(R"(//.*(\[[^\]]+\])$)");
  return std::regex_search(text, mark, end_of_comment) ? mark[1].str() : std::to_string(line);
}

/// The message of a finding with marks instead of line numbers, as in "kernels/spaces.cu:[write]".
inline std::string with_marks(const std::string& message) {
  static const std::regex file(R"(kernels/(\w+)\.cu:)"), place(R"((\.cu:|\bline )(\d+))");
  std::smatch name;
  if (!std::regex_search(message, name, file)) return message;
  std::string text, rest = message;
  for (std::smatch found; std::regex_search(rest, found, place); rest = found.suffix())
    text += found.prefix().str() + found[1].str() + mark_of(name[1], static_cast<uint32_t>(std::stoul(found[2])));
  return text + rest;
}

/// A simulator with buffers, and one launch at a time.
class Machinery {
 public:
  explicit Machinery(int threads = 1) : executor(make_simulator(threads)) {}

  /// A buffer with these elements, which becomes the next argument of the launch.
  template <class T>
  size_t input(const std::string& name, const std::vector<T>& values) {
    const size_t index = reserve(name, values.size() * sizeof(T));
    EXPECT_TRUE(executor->upload(*buffers[index], std::as_bytes(std::span(values)), false).has_value());
    return index;
  }
  /// An unwritten buffer.
  template <class T>
  size_t output(const std::string& name, size_t count) {
    return reserve(name, count * sizeof(T));
  }
  template <class T>
  void value(T argument) {
    launch.arguments.emplace_back(scalar(argument));
  }

  Result<LaunchReport> try_run(const CompiledModule& module, const std::string& kernel, Dim3 grid, Dim3 block) {
    launch.kernel = kernel;
    launch.grid = grid;
    launch.block = block;
    return executor->launch(module, launch, buffers, options, stop);
  }
  LaunchReport run(const CompiledModule& module, const std::string& kernel, Dim3 grid, Dim3 block) {
    auto report = try_run(module, kernel, grid, block);
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message);
    return report ? *report : LaunchReport{};
  }

  template <class T>
  std::vector<T> download(size_t index) const {
    std::vector<T> values(buffers[index]->bytes() / sizeof(T));
    EXPECT_TRUE(executor->download(*buffers[index], std::as_writable_bytes(std::span(values))).has_value());
    return values;
  }

  std::unique_ptr<Executor> executor;
  std::vector<std::shared_ptr<DeviceBuffer>> buffers;
  Launch launch;
  LaunchOptions options;
  std::stop_token stop;

 private:
  size_t reserve(const std::string& name, size_t bytes) {
    auto buffer = executor->allocate({.name = name, .type = DType::u8, .count = bytes, .index = buffers.size()});
    EXPECT_TRUE(buffer.has_value());
    launch.arguments.emplace_back(BufferArgument{buffers.size(), 0});
    buffers.push_back(*buffer);
    return buffers.size() - 1;
  }
};

}  // namespace tilescope
