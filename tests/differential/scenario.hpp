// One run of a kernel as the differential corpus draws it: buffers with their contents, launches over them, and the
// expected results.
//
//   s.input("a", values)             a buffer that the kernel reads
//   s.output<float>("out", n)        a buffer that it writes; compared between executors, bit for bit by default
//   s.launch("kernel", grid, block, shared_bytes, a, out, n)
//   s.expect(out, values, near(…))   what a plain C++ program computes from the same input
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/plan.hpp"
#include "engine/types.hpp"
#include "tests/differential/random.hpp"

namespace tilescope::differential {

/// How two results of the same kernel may differ.
struct Agreement {
  enum class Kind {
    equal,         // bit for bit
    near,          // each element within relative * |expected| + absolute
    same_elements  // equal after sorting: the order is not defined
  } kind = Kind::equal;
  double relative = 0, absolute = 0;
  std::string why = {};
};
inline Agreement near(double relative, double absolute, std::string why) {
  return {Agreement::Kind::near, relative, absolute, std::move(why)};
}
/// The GPU's assembler may fuse a product and a sum that PTX leaves without a rounding modifier (mul, add); the
/// simulator does not: PTX ISA 9.0, 9.7.3.
inline Agreement near_if_fused(double relative, double absolute) {
  return near(relative, absolute, "the assembler may fuse a product and a sum");
}
inline Agreement same_elements(std::string why) { return {Agreement::Kind::same_elements, 0, 0, std::move(why)}; }

/// IEEE binary16 as bits.
struct Half {
  uint16_t bits = 0;
};
Half half_of(float value);  ///< rounded to nearest even
float float_of(Half value);

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  if constexpr (std::is_same_v<T, double>) return DType::f64;
  if constexpr (std::is_same_v<T, Half>) return DType::f16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::i32;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::u32;
  if constexpr (std::is_same_v<T, int8_t>) return DType::i8;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) return DType::u64;
  return DType::u8;
}

struct BufferHandle {
  size_t index = 0;
};
struct AtElement {  // a pointer into a buffer
  BufferHandle buffer;
  int64_t offset_bytes = 0;
};

struct ScenarioBuffer {
  std::string name = {};
  DType type = DType::u8;
  size_t element_bytes = 1;
  std::vector<std::byte> initial = {};
  bool defined = false;   // false: reading it before the kernel has written it is an error
  bool compared = false;  // between executors
  Agreement between_executors = {};
};

struct Expectation {
  size_t buffer = 0;
  std::vector<std::byte> bytes = {};
  Agreement agreement = {};
};

class Scenario {
 public:
  template <class T>
  BufferHandle input(const std::string& name, const std::vector<T>& values) {
    return add<T>(name, values, true, false, {});
  }
  template <class T>
  BufferHandle inout(const std::string& name, const std::vector<T>& values, Agreement agreement = {}) {
    return add<T>(name, values, true, true, std::move(agreement));
  }
  template <class T>
  BufferHandle output(const std::string& name, size_t count, Agreement agreement = {}) {
    std::vector<T> values(count);
    if (count != 0) std::memset(static_cast<void*>(values.data()), 0x7f, count * sizeof(T));
    return add<T>(name, values, false, true, std::move(agreement));
  }
  /// Written and read by the kernels; its final contents are not compared.
  template <class T>
  BufferHandle scratch(const std::string& name, size_t count) {
    return add<T>(name, std::vector<T>(count), false, false, {});
  }

  template <class... Arguments>
  void launch(const std::string& kernel, Dim3 grid, Dim3 block, uint32_t shared_bytes, const Arguments&... arguments) {
    Launch one{kernel, grid, block, shared_bytes, {}};
    (one.arguments.push_back(argument(arguments)), ...);
    launches.push_back(std::move(one));
  }

  template <class T>
  void expect(BufferHandle buffer, const std::vector<T>& values, Agreement agreement = {}) {
    expectations.push_back({buffer.index, bytes_of(values), std::move(agreement)});
  }

  std::vector<ScenarioBuffer> buffers;
  std::vector<Launch> launches;
  std::vector<Expectation> expectations;

 private:
  template <class T>
  static std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  template <class T>
  BufferHandle add(const std::string& name, const std::vector<T>& values, bool defined, bool compared,
                   Agreement agreement) {
    buffers.push_back({name, dtype_of<T>(), sizeof(T), bytes_of(values), defined, compared, std::move(agreement)});
    return {buffers.size() - 1};
  }
  static Argument argument(BufferHandle buffer) { return BufferArgument{buffer.index, 0}; }
  static Argument argument(const AtElement& place) { return BufferArgument{place.buffer.index, place.offset_bytes}; }
  template <class T>
  static Argument argument(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    ScalarArgument made{std::vector<std::byte>(sizeof(T)), "a value"};
    std::memcpy(made.bytes.data(), &value, sizeof(T));
    return made;
  }
};

/// Number of blocks of `per_block` that cover `count`.
inline uint32_t blocks_for(int64_t count, int64_t per_block) {
  return static_cast<uint32_t>(std::max<int64_t>(1, (count + per_block - 1) / per_block));
}
inline uint32_t u32(int64_t value) { return static_cast<uint32_t>(value); }

}  // namespace tilescope::differential
