// What the host side of an operator decides before anything runs: buffers, and launches over them.
//
// A Plan is data. The lab's plan function makes one from a Config; `tilescope exec` makes one from its command line;
// run.hpp carries it out on either executor.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/types.hpp"

namespace tilescope {

enum class Fill { zero, ones, iota, normal, uniform, poison, file };
enum class Role { input, output, inout, scratch };

struct BufferSpec {
  std::string name = {};  // as the kernel calls it, and as findings and views show it
  DType type = DType::f32;
  std::vector<int64_t> shape = {};  // elements, outermost first; one dimension for a vector
  Role role = Role::input;
  Fill fill = Fill::normal;
  std::string file = {};  // with Fill::file
  int64_t count() const {
    int64_t total = 1;
    for (int64_t extent : shape) total *= extent;
    return total;
  }
};

struct BufferArgument {
  size_t buffer;  // index into Plan::buffers
  int64_t offset_bytes = 0;
};

/// A scalar passed by value, as the bytes the kernel receives.
struct ScalarArgument {
  std::vector<std::byte> bytes = {};
  std::string text = {};  // as the user wrote it, for messages
};

template <class T>
ScalarArgument scalar(T value) {
  ScalarArgument argument{std::vector<std::byte>(sizeof(T)), std::to_string(value)};
  std::memcpy(argument.bytes.data(), &value, sizeof(T));
  return argument;
}

using Argument = std::variant<BufferArgument, ScalarArgument>;

struct Launch {
  std::string kernel = {};
  Dim3 grid = {}, block = {};
  uint32_t shared_bytes = 0;  // dynamic shared memory
  std::vector<Argument> arguments = {};
};

struct Define {
  std::string name = {}, value = {};
};

struct Plan {
  std::string source_file = {};      // absolute path, or a name for source_text
  std::string source_text = {};      // the CUDA source that is compiled
  std::vector<Define> defines = {};  // sliders and switches, -DNAME=VALUE
  std::vector<BufferSpec> buffers = {};
  std::vector<Launch> launches = {};  // run in order
};

}  // namespace tilescope
