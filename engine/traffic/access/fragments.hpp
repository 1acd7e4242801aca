// Which lane holds which element of the matrices of mma.sync and ldmatrix (PTX ISA 9.0, sections 9.7.14.5 and
// 9.7.14.6). A fragment is one lane's part of a matrix: some 32-bit registers, each with one or more elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

struct FragmentPlace {
  uint32_t lane = 0, reg = 0;  // the lane's register of the fragment, from 0
  uint32_t part = 0;           // element within the register
  bool operator==(const FragmentPlace&) const = default;
};

/// One matrix of an instruction.
struct FragmentMatrix {
  enum class Role : uint8_t { a, b, accumulator, loaded };
  std::string name;  // "A", "B", "C"; for ldmatrix "0" … "3"
  Role role = Role::a;
  uint32_t rows = 0, columns = 0;
  uint32_t per_register = 1;  // elements per register
  bool transposed = false;    // ldmatrix.trans: a lane gets elements of a column
  uint32_t first_register = 0;
  FragmentPlace place(uint32_t row, uint32_t column) const;
};

/// The matrices of an instruction, by its PTX text; nothing for other instructions or unknown shapes. Known are
/// mma.sync.m16n8k{4,8,16,32} with elements of 8 to 32 bits, and ldmatrix and stmatrix .m8n8 of 16 bits.
std::optional<std::vector<FragmentMatrix>> fragments_of(std::string_view ptx);

}  // namespace tilescope
