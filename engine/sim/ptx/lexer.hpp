// PTX text → tokens (PTX ISA 9.0, section 4).
//
// A word is an identifier, a directive or a whole opcode: "add.rn.f32", ".reg", "%tid.x" and "$L__BB0_2" are one token
// each. Comments and white space are dropped. Text that is not PTX becomes one token of kind bad.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope {

enum class PtxTokenKind : uint8_t { word, integer, float32, float64, string, punctuation, end, bad };

struct PtxToken {
  PtxTokenKind kind = PtxTokenKind::end;
  std::string_view text;  // as written; a string without its quotes
  uint32_t line = 0;      // 1-based line of the PTX text
  uint64_t bits = 0;      // value of an integer; bit pattern of a floating-point literal
};

/// All tokens of a text; the last one has kind end. The views point into `text`.
std::vector<PtxToken> lex_ptx(std::string_view text);

}  // namespace tilescope
