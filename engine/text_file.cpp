#include "engine/text_file.hpp"

#include <array>
#include <cerrno>
#include <fstream>

namespace tilescope {

std::optional<std::string> read_text(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    errno = EISDIR;
    return std::nullopt;
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::string text;
  std::array<char, 1 << 16> block;
  do {
    stream.read(block.data(), block.size());
    text.append(block.data(), static_cast<size_t>(stream.gcount()));
  } while (stream);
  if (stream.bad()) return std::nullopt;
  return text;
}

}  // namespace tilescope
