// The plain value types that all parts of the engine exchange: extents, element types, host buffers, device kinds and
// the provenance badge that every number carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// CUDA's dim3. Linear indices are x fastest, as blockIdx and threadIdx are numbered in hardware.
struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

/// The index of the linear-th block (or thread) of an extent, x fastest.
Dim3 unflatten(uint64_t linear, const Dim3& extent);

/// boolean: a byte that is 0 or 1. f8e4m3 and f8e5m2: the floating-point numbers of 8 bits with that many bits of
/// exponent and mantissa (PTX ISA, "Alternate Floating-Point Data Formats"), fp8e4nv and fp8e5 in Triton.
enum class DType { f32, f16, bf16, f64, i32, u32, i8, u8, u64, i16, u16, i64, boolean, f8e4m3, f8e5m2 };
size_t size_of(DType type);  ///< bytes
bool is_floating(DType type);
bool is_signed_integer(DType type);
std::string_view name_of(DType type);  ///< "f32"
/// Also by Triton's names for the types of 8 bits. Nothing if there is no such type.
std::optional<DType> dtype_from(std::string_view name);

enum class DeviceKind { sim, gpu };
std::string_view name_of(DeviceKind kind);  ///< "sim", "gpu"

/// Indices of the rates of PeakRates (engine/specs.hpp). tf32 and narrower ones, and fp64_tensor, are those of the
/// tensor cores.
enum class PeakRate { fp64, fp64_tensor, fp32, tf32, fp16, bf16, fp8, int8 };
constexpr size_t kPeakRates = 8;
std::string_view name_of(PeakRate rate);  ///< "fp16"

/// Where a number comes from. See README, "What the badges mean".
enum class Badge { measured, simulated, modelled, recorded };
std::string_view name_of(Badge badge);  ///< "MEASURED" …

/// Text in the two languages of the interface.
struct Text {
  std::string en, zh;
};

/// An array in host memory, typed at run time.
struct HostBuffer {
  DType type = DType::f32;
  std::vector<std::byte> bytes;

  HostBuffer() = default;
  HostBuffer(DType element, size_t count) : type(element), bytes(count * size_of(element)) {}

  size_t count() const { return bytes.size() / size_of(type); }
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// An element as a double, converted like value_at().
double value_of(DType type, const void* element);
/// Element i of a buffer as a double (half types and integers converted; 64-bit integers lose what double cannot hold).
double value_at(const HostBuffer& buffer, size_t index);

}  // namespace tilescope
