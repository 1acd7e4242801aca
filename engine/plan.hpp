// The host side of an operator, decided before anything runs: buffers, and launches over them.
//
// A Plan is data. The lab's plan function makes one from a Config; `tilescope exec` makes one from its command line;
// run.hpp executes it on either executor.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/texture.hpp"
#include "engine/types.hpp"

namespace tilescope {

enum class Fill { zero, ones, iota, normal, uniform, poison, file, constant };
enum class Role { input, output, inout, scratch };

/// Scales rows of a matrix (its last dimension): the last of every `every` rows is multiplied by `factor`; 0: none.
struct LargeRows {
  int64_t every = 0;
  double factor = 1;
  bool operator==(const LargeRows&) const = default;
};

struct BufferSpec {
  std::string name = {};  // the kernel's name for it, shown by findings and views
  DType type = DType::f32;
  std::vector<int64_t> shape = {};  // elements, outermost first; one dimension for a vector
  Role role = Role::input;
  Fill fill = Fill::normal;
  std::string file = {};  // for Fill::file
  /// constant: the value. iota: start and step. uniform: bounds [low, high). normal: mean and deviation. Empty: the
  /// defaults.
  std::vector<double> fill_values = {};
  LargeRows large_rows = {};  // applied after the fill, except for Fill::file
  int64_t count() const {
    int64_t total = 1;
    for (int64_t extent : shape) total *= extent;
    return total;
  }
};

/// A triton.tools.tensor_descriptor.TensorDescriptor over a buffer, that is, a tensor of which a Triton kernel loads
/// and stores blocks.
struct TensorDescriptor {
  std::vector<int64_t> shape = {}, strides = {}, block = {};  // elements, outermost first; the last stride is 1
  bool nan_padding = false;                                   // reading outside gives NaN instead of zero
};

struct BufferArgument {
  size_t buffer;  // index into Plan::buffers
  int64_t offset_bytes = 0;
  bool raw = false;  // the kernel reinterprets the bytes: its type is not compared with the parameter's
  /// Instead of a pointer the kernel gets a texture object whose texels the buffer holds: an index into
  /// Launch::textures.
  std::optional<size_t> texture = {};
  std::optional<TensorDescriptor> descriptor = {};  // a Triton kernel: the tensor in place of the pointer
};

/// A scalar or a struct passed by value, as the bytes the kernel receives.
struct ScalarArgument {
  struct Pointer {  // a member of a struct that points to a buffer
    size_t offset;  // into the bytes
    BufferArgument target;
  };
  std::vector<std::byte> bytes = {};
  std::string text = {};  // as the user wrote it, for messages
  std::vector<Pointer> pointers = {};
  enum class Number : uint8_t { unknown, whole, floating } number = Number::unknown;
  std::optional<DType> type = {};  // of one number, if it is known
};

template <class T>
constexpr std::optional<DType> dtype_of() {
  constexpr bool kSigned = std::is_signed_v<T>;
  if (std::is_same_v<T, bool>) return DType::boolean;
  if (std::is_floating_point_v<T>) return sizeof(T) == sizeof(float) ? DType::f32 : DType::f64;
  if (!std::is_integral_v<T>) return std::nullopt;
  switch (sizeof(T)) {
    case sizeof(int8_t):
      return kSigned ? DType::i8 : DType::u8;
    case sizeof(int16_t):
      return kSigned ? DType::i16 : DType::u16;
    case sizeof(int32_t):
      return kSigned ? DType::i32 : DType::u32;
    default:
      return kSigned ? DType::i64 : DType::u64;
  }
}

template <class T>
ScalarArgument scalar(T value) {
  ScalarArgument argument{std::vector<std::byte>(sizeof(T)), std::to_string(value), {}};
  argument.number = std::is_floating_point_v<T> ? ScalarArgument::Number::floating : ScalarArgument::Number::whole;
  argument.type = dtype_of<T>();
  std::memcpy(argument.bytes.data(), &value, sizeof(T));
  return argument;
}

using Argument = std::variant<BufferArgument, ScalarArgument>;

/// The bytes of an argument for the given buffer addresses; `textures` are the texture objects of the launch.
inline std::vector<std::byte> argument_bytes(const Argument& argument, std::span<const uint64_t> addresses,
                                             std::span<const uint64_t> textures = {}) {
  const auto pointer = [&](const BufferArgument& target) {
    if (target.texture) return textures[*target.texture];
    return addresses[target.buffer] + static_cast<uint64_t>(target.offset_bytes);
  };
  if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
    std::vector<std::byte> bytes(sizeof(uint64_t));
    const uint64_t address = pointer(*buffer);
    std::memcpy(bytes.data(), &address, sizeof(address));
    return bytes;
  }
  const auto& by_value = std::get<ScalarArgument>(argument);
  std::vector<std::byte> bytes = by_value.bytes;
  for (const ScalarArgument::Pointer& member : by_value.pointers) {
    const uint64_t address = pointer(member.target);
    std::memcpy(bytes.data() + member.offset, &address, sizeof(address));
  }
  return bytes;
}

/// Stored before a launch: the value of a module variable, or addresses in a buffer of pointers.
struct Preset {
  std::string variable = {};  // its name in the PTX; empty: `buffer` is used
  size_t buffer = 0;          // index into Plan::buffers
  ScalarArgument value = {};
};

struct Define {
  std::string name = {}, value = {};
  bool operator==(const Define&) const = default;
};

/// What a launch of a Triton kernel fixes at compile time: kernel[grid](…, BLOCK=1024, num_warps=4).
struct TritonOptions {
  std::vector<Define> constexprs = {};  // values of the tl.constexpr parameters: "1024", "True", "2.5", "tl.float16"
  int num_warps = 0, num_stages = 0;    // 0: as the kernel's first autotuner configuration says, else Triton's default
  bool operator==(const TritonOptions&) const = default;
};

struct Launch {
  std::string kernel = {};
  Dim3 grid = {}, block = {};
  uint32_t shared_bytes = 0;  // dynamic shared memory
  std::vector<Argument> arguments = {};
  /// Parallel to `arguments` until the kernel is known: the parameter that each is for. Empty: the next one.
  std::vector<std::string> argument_names = {};
  std::vector<Preset> presets = {};
  std::vector<TextureSpec> textures = {};  // texture objects, created before the launch and destroyed after it
  /// A Triton kernel: the compiler chooses block and shared_bytes, known after compilation.
  TritonOptions triton = {};
  /// Instead of block and shared_bytes on a GPU, where the machine code was lowered for it.
  struct OnGpu {
    Dim3 block = {};
    uint32_t shared_bytes = 0;
  };
  std::optional<OnGpu> on_gpu = {};
};

/// The launch with the block and the shared memory that it has on a GPU.
inline Launch as_on_gpu(Launch launch) {
  if (launch.on_gpu) launch.block = launch.on_gpu->block, launch.shared_bytes = launch.on_gpu->shared_bytes;
  return launch;
}

/// A __constant__, __device__ or __managed__ variable that the host sets before the first launch.
struct VariableInput {
  std::string name = {};                    // its name in the source
  ScalarArgument value = {};                // numbers and addresses
  std::optional<BufferSpec> contents = {};  // alternative to `value`: filled like a buffer
  bool may_be_absent = false;               // no error if the compiler removed it
};

/// A source file that is compiled separately and linked with others.
struct SourceFile {
  std::string file = {}, text = {};
};

/// Treatment of a source's kernels that are not launched: omitted, which saves their compile time; required to compile;
/// or omitted only if they do not compile.
enum class OtherKernels : uint8_t { left_out, compiled, may_fail };

struct Plan {
  std::string source_file = {};  // absolute path, or a name for source_text
  std::string source_text = {};  // the source that is compiled; its language follows from the file's name
  std::vector<SourceFile> more_sources = {};
  std::vector<SourceFile> headers = {};  // texts that replace the contents of these files
  std::string standard = {};             // as in CompileRequest
  std::string architecture = {};         // "compute_90": the virtual architecture of the PTX; empty: the default
  std::vector<std::string> include_folders = {};
  std::vector<Define> defines = {};  // sliders and switches, -DNAME=VALUE
  std::vector<BufferSpec> buffers = {};
  std::vector<VariableInput> variables = {};
  bool from_lab = false;  // the lab's author guarantees the types of its buffers
  OtherKernels other_kernels = OtherKernels::may_fail;
  std::vector<Launch> launches = {};  // run in order
  /// The host does not ask for errors of launches. One that is refused runs nothing, and the host continues.
  bool unchecked = false;
};

}  // namespace tilescope
