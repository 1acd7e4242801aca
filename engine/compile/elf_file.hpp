// Reads ELF files, such as cubins, from memory; nothing outside the bytes that are given.
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

/// The text that ends with a zero, or with the bytes.
std::string text_at(std::span<const std::byte> strings, size_t offset);

struct ElfSection {
  std::string name;
  Elf64_Shdr header = {};
  std::span<const std::byte> bytes;  // empty for a section without bytes in the file
};

/// In their order; empty where the bytes are no ELF file of 64 bits.
std::vector<ElfSection> elf_sections(std::span<const std::byte> file);

/// The names of the symbols of the file, by index.
std::vector<std::string> elf_symbols(const std::vector<ElfSection>& sections);

}  // namespace tilescope
