// What of a source a kernel is made of: its own lines, and those of the functions, types, constants and macros that it
// names, directly or through each other. Found by names alone, without a compiler: a local variable that has the name
// of a function counts as that function.
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
  std::string name;                        // without what it is qualified by
  uint32_t first_line = 0, last_line = 0;  // 1-based, with the comment above it
  bool operator==(const UsedPart&) const = default;
};

/// In the order of the source; declarations that share a line are one part. `kernels` as a person names them
/// ("scale<float>" is that template); those that the source does not have are passed over.
std::vector<UsedPart> used_parts(std::string_view text, std::span<const std::string> kernels);

}  // namespace tilescope
