// The parts of a source that a kernel uses: its own lines, and those of the functions, types, constants and macros that
// it names, directly or indirectly. Found by names alone, without a compiler: a local variable with the name of a
// function counts as that function.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

struct UsedPart {
  enum class Kind : uint8_t { kernel, function, type, constant };
  Kind kind = Kind::function;
  std::string name;                        // without its qualifiers
  uint32_t first_line = 0, last_line = 0;  // 1-based, with the comment above it
  bool operator==(const UsedPart&) const = default;
};

/// In source order; declarations that share a line are one part. `kernels` are named as a user does ("scale<float>"
/// means that template); names that the source does not have are skipped.
std::vector<UsedPart> used_parts(std::string_view text, std::span<const std::string> kernels);

}  // namespace tilescope
