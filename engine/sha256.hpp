// SHA-256 of a byte sequence, as lower-case hexadecimal digits.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tilescope {

std::string sha256_of(std::span<const std::byte> bytes);
inline std::string sha256_of(std::string_view text) { return sha256_of(std::as_bytes(std::span(text))); }

}  // namespace tilescope
