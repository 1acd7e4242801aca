#include "engine/compile/elf_file.hpp"

namespace tilescope {

std::string text_at(std::span<const std::byte> strings, size_t offset) {
  if (offset >= strings.size()) return {};
  const char* start = reinterpret_cast<const char*>(strings.data()) + offset;
  return {start, strnlen(start, strings.size() - offset)};
}

std::vector<ElfSection> elf_sections(std::span<const std::byte> file) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  std::vector<ElfSection> sections;
  for (size_t i = 0; i < header->e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return {};
    ElfSection entry{"", *section, {}};
    const bool inside = section->sh_offset <= file.size() && section->sh_size <= file.size() - section->sh_offset;
    if (section->sh_type != SHT_NOBITS && inside) entry.bytes = file.subspan(section->sh_offset, section->sh_size);
    sections.push_back(entry);
  }
  if (header->e_shstrndx >= sections.size()) return {};
  const auto names = sections[header->e_shstrndx].bytes;
  for (ElfSection& section : sections) section.name = text_at(names, section.header.sh_name);
  return sections;
}

std::vector<std::string> elf_symbols(const std::vector<ElfSection>& sections) {
  std::vector<std::string> symbols;
  for (const ElfSection& section : sections) {
    if (section.header.sh_type != SHT_SYMTAB || section.header.sh_link >= sections.size()) continue;
    const auto strings = sections[section.header.sh_link].bytes;
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= section.bytes.size(); at += sizeof(Elf64_Sym))
      symbols.push_back(text_at(strings, read_at<Elf64_Sym>(section.bytes, at)->st_name));
  }
  return symbols;
}

}  // namespace tilescope
