#include "engine/compile/cubin.hpp"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace tilescope {
namespace {

template <class T>
std::optional<T> read_at(std::span<const std::byte> bytes, size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string text_at(std::span<const std::byte> strings, size_t offset) {
  if (offset >= strings.size()) return {};
  const char* start = reinterpret_cast<const char*>(strings.data()) + offset;
  return {start, strnlen(start, strings.size() - offset)};
}

struct Section {
  std::string name;
  Elf64_Shdr header = {};
  std::span<const std::byte> bytes;  // empty for a section without bytes in the file
};

std::vector<Section> sections_of(std::span<const std::byte> cubin) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  std::vector<Section> sections;
  for (size_t i = 0; i < header->e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(cubin, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return {};
    Section entry{"", *section, {}};
    const bool inside = section->sh_offset <= cubin.size() && section->sh_size <= cubin.size() - section->sh_offset;
    if (section->sh_type != SHT_NOBITS && inside) entry.bytes = cubin.subspan(section->sh_offset, section->sh_size);
    sections.push_back(entry);
  }
  if (header->e_shstrndx >= sections.size()) return {};
  const auto names = sections[header->e_shstrndx].bytes;
  for (Section& section : sections) section.name = text_at(names, section.header.sh_name);
  return sections;
}

// Records of .nv.info: a format byte, an attribute byte, a 16-bit value or length, then that many bytes.
constexpr uint8_t kFormatWithPayload = 4;
constexpr uint8_t kAttributeFrameSize = 0x11;
constexpr uint8_t kAttributeRegisterCount = 0x2f;

void read_info(std::span<const std::byte> info, const std::vector<std::string>& symbols,
               std::map<std::string, CubinKernel>& kernels) {
  for (size_t at = 0; at + 4 <= info.size();) {
    const auto format = std::to_integer<uint8_t>(info[at]);
    const auto attribute = std::to_integer<uint8_t>(info[at + 1]);
    const size_t length = *read_at<uint16_t>(info, at + 2);
    at += 4;
    if (format != kFormatWithPayload) continue;
    const auto symbol = read_at<uint32_t>(info, at);
    const auto value = read_at<uint32_t>(info, at + 4);
    at += length;
    if (!symbol || !value || length < 8 || *symbol >= symbols.size()) continue;
    const auto kernel = kernels.find(symbols[*symbol]);
    if (kernel == kernels.end()) continue;
    if (attribute == kAttributeFrameSize) kernel->second.frame_bytes = *value;
    if (attribute == kAttributeRegisterCount) kernel->second.registers = *value;
  }
}

constexpr std::string_view kTextPrefix = ".text.";
// Bank 0 holds the parameters and bank 4 addresses that the compiler needs.
constexpr std::string_view kUserConstantBank = ".nv.constant3";

}  // namespace

std::map<std::string, CubinKernel> read_cubin(std::span<const std::byte> cubin) {
  const std::vector<Section> sections = sections_of(cubin);
  std::map<std::string, CubinKernel> kernels;
  std::vector<std::string> symbols;
  for (const Section& section : sections) {
    if (section.name.starts_with(kTextPrefix)) kernels[section.name.substr(kTextPrefix.size())];
    if (section.header.sh_type != SHT_SYMTAB || section.header.sh_link >= sections.size()) continue;
    const auto strings = sections[section.header.sh_link].bytes;
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= section.bytes.size(); at += sizeof(Elf64_Sym))
      symbols.push_back(text_at(strings, read_at<Elf64_Sym>(section.bytes, at)->st_name));
  }
  for (const Section& section : sections) {
    if (section.name == ".nv.info") read_info(section.bytes, symbols, kernels);
    if (section.name == kUserConstantBank)
      for (auto& [name, kernel] : kernels) kernel.constant_bytes = static_cast<uint32_t>(section.header.sh_size);
  }
  return kernels;
}

}  // namespace tilescope
