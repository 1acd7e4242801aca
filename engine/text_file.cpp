#include "engine/text_file.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>

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
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) return std::nullopt;
  return text;
}

}  // namespace tilescope
