#include "engine/compile/cubin.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "engine/compile/elf_file.hpp"

namespace tilescope {
namespace {

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
// Bank 0 holds the parameters, and bank 4 addresses that the compiler needs.
constexpr std::string_view kUserConstantBank = ".nv.constant3";

}  // namespace

std::map<std::string, CubinKernel> read_cubin(std::span<const std::byte> cubin) {
  const std::vector<ElfSection> sections = elf_sections(cubin);
  const std::vector<std::string> symbols = elf_symbols(sections);
  std::map<std::string, CubinKernel> kernels;
  for (const ElfSection& section : sections)
    if (section.name.starts_with(kTextPrefix)) kernels[section.name.substr(kTextPrefix.size())];
  for (const ElfSection& section : sections) {
    if (section.name == ".nv.info") read_info(section.bytes, symbols, kernels);
    if (section.name == kUserConstantBank)
      for (auto& [name, kernel] : kernels) kernel.constant_bytes = static_cast<uint32_t>(section.header.sh_size);
  }
  return kernels;
}

std::string without_process(const std::string& symbol) {
  constexpr std::array<std::string_view, 2> kOwnOfFile{"_GLOBAL__N_", "_INTERNAL_"};
  std::string plain;
  size_t done = 0;
  const auto next = [&] {
    size_t first = std::string::npos;
    for (const std::string_view own : kOwnOfFile) first = std::min(first, symbol.find(own, done));
    return first;
  };
  for (size_t at = next(); at != std::string::npos; at = next()) {
    size_t digits = at;  // preceded by the length of the mangled name
    while (digits > done && symbol[digits - 1] >= '0' && symbol[digits - 1] <= '9') --digits;
    const size_t length = at - digits > 0 && at - digits < 6 ? std::stoul(symbol.substr(digits, at - digits)) : 0;
    if (length < kOwnOfFile.front().size() || at + length > symbol.size()) return symbol;
    plain.append(symbol, done, digits - done).append("_");
    done = at + length;
  }
  return plain.append(symbol, done);
}

std::string name_in_cubin(std::span<const std::byte> cubin, const std::string& symbol) {
  const std::string plain = without_process(symbol);
  if (plain == symbol) return symbol;
  const std::vector<std::string> symbols = elf_symbols(elf_sections(cubin));
  const auto found = std::ranges::find(symbols, plain, without_process);
  return found == symbols.end() || std::ranges::find(symbols, symbol) != symbols.end() ? symbol : *found;
}

}  // namespace tilescope
