// Reads ELF files such as cubins from memory, never outside the given bytes.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilescope {

template <class T>
std::optional<T> read_at(std::span<const std::byte> bytes, size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// The text up to a zero byte or the end of the bytes.
std::string text_at(std::span<const std::byte> strings, size_t offset);

struct ElfSection {
  std::string name;
  Elf64_Shdr header = {};
  std::span<const std::byte> bytes;  // empty for a section without bytes in the file
};

/// In file order; empty if the bytes are not a 64-bit ELF file.
std::vector<ElfSection> elf_sections(std::span<const std::byte> file);

/// The names of the file's symbols, by index.
std::vector<std::string> elf_symbols(const std::vector<ElfSection>& sections);

}  // namespace tilescope
