#include "engine/compile/machine_access.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "engine/compile/elf_file.hpp"
#include "engine/compile/line_table.hpp"

namespace tilescope {
namespace {

/// Position of the width in the upper 64 bits.
enum class Width : uint8_t { of_bits_9, of_copy, matrices, whole_256, none };

struct Operation {
  uint16_t code;  // the lowest nine bits
  const char* name;
  Space space;
  AccessKind kind;
  Width width;
};

constexpr std::array kOperations{
    Operation{0x17e, "LDG", Space::global, AccessKind::load, Width::whole_256},
    Operation{0x17f, "STG", Space::global, AccessKind::store, Width::whole_256},
    Operation{0x180, "LD", Space::global, AccessKind::load, Width::of_bits_9},  // generic
    Operation{0x181, "LDG", Space::global, AccessKind::load, Width::of_bits_9},
    Operation{0x184, "LDS", Space::shared, AccessKind::load, Width::of_bits_9},
    Operation{0x03b, "LDSM", Space::shared, AccessKind::load, Width::matrices},
    Operation{0x185, "ST", Space::global, AccessKind::store, Width::of_bits_9},
    Operation{0x186, "STG", Space::global, AccessKind::store, Width::of_bits_9},
    Operation{0x188, "STS", Space::shared, AccessKind::store, Width::of_bits_9},
    Operation{0x044, "STSM", Space::shared, AccessKind::store, Width::matrices},
    Operation{0x1ae, "LDGSTS", Space::global, AccessKind::async_copy, Width::of_copy},
    Operation{0x18a, "ATOM", Space::global, AccessKind::atomic, Width::none},
    Operation{0x18b, "ATOM.CAS", Space::global, AccessKind::atomic, Width::none},
    Operation{0x1a2, "ATOM", Space::global, AccessKind::atomic, Width::none},
    Operation{0x1a3, "ATOMG", Space::global, AccessKind::atomic, Width::none},
    Operation{0x1a8, "ATOMG", Space::global, AccessKind::atomic, Width::none},
    Operation{0x1a9, "ATOMG.CAS", Space::global, AccessKind::atomic, Width::none},
    Operation{0x18c, "ATOMS", Space::shared, AccessKind::atomic, Width::none},
    Operation{0x18d, "ATOMS.CAS", Space::shared, AccessKind::atomic, Width::none},
    Operation{0x18e, "RED", Space::global, AccessKind::reduction, Width::none},
    Operation{0x1a6, "RED", Space::global, AccessKind::reduction, Width::none},
};

/// U8, S8, U16, S16, 32, 64 and 128 bits.
uint32_t bytes_of_width(uint64_t width) {
  constexpr std::array<uint32_t, 8> kBytes{1, 1, 2, 2, 4, 8, 16, 0};
  return kBytes[width & 7];
}

uint32_t bytes_of(const Operation& operation, uint64_t upper, uint32_t architecture) {
  switch (operation.width) {
    case Width::of_bits_9:
      return bytes_of_width(upper >> 9);
    case Width::of_copy:  // 4, 8 or 16 bytes
      return architecture >= 100 ? 4U << (upper >> 10 & 3) : bytes_of_width(upper >> 9);
    case Width::matrices:  // 1, 2 or 4 matrices, one word of each per lane
      return 4U << (upper >> 8 & 3);
    case Width::whole_256:
      return 32;
    case Width::none:
      break;
  }
  return 0;
}

/// The architecture of a cubin: 90 for sm_90. ptxas up to 12.x writes it into the lowest byte of the flags, 13.0 into
/// the second.
uint32_t elf_architecture(std::span<const std::byte> cubin) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  if (!header) return 0;
  constexpr uint8_t kNewForm = 8;  // of the ABI version
  return header->e_ident[EI_ABIVERSION] >= kNewForm ? header->e_flags >> 8 & 0xff : header->e_flags & 0xff;
}

std::string name_with_width(const Operation& operation, uint32_t bytes) {
  std::string name = operation.name;
  if (operation.width == Width::matrices) return bytes == 4 ? name : fmt::format("{}.{}", name, bytes / 4);
  if (bytes == 0 || bytes == 4) return name;
  return fmt::format("{}.{}", name, bytes * 8);
}

}  // namespace

std::vector<MachineAccess> machine_accesses(std::span<const std::byte> cubin, const std::string& kernel) {
  constexpr size_t kInstructionBytes = 16;
  std::vector<MachineAccess> accesses;
  const uint32_t architecture = elf_architecture(cubin);
  for (const ElfSection& section : elf_sections(cubin)) {
    if (section.name != ".text." + kernel) continue;
    const LineTable table = read_line_table(cubin);
    const auto rows = table.kernels.find(kernel);
    for (size_t at = 0; at + kInstructionBytes <= section.bytes.size(); at += kInstructionBytes) {
      const auto code = static_cast<uint16_t>(*read_at<uint16_t>(section.bytes, at) & 0x1ff);
      const auto* operation = std::ranges::find(kOperations, code, &Operation::code);
      if (operation == kOperations.end()) continue;
      MachineAccess access;
      access.address = at;
      access.space = operation->space;
      access.kind = operation->kind;
      access.bytes_per_lane = bytes_of(*operation, *read_at<uint64_t>(section.bytes, at + 8), architecture);
      access.name = name_with_width(*operation, access.bytes_per_lane);
      if (const LineRow* row = rows != table.kernels.end() ? find_row(rows->second, at) : nullptr; row != nullptr) {
        access.line = row->line;
        if (row->file < table.files.size()) access.file = table.files[row->file];
      }
      accesses.push_back(std::move(access));
    }
  }
  return accesses;
}

}  // namespace tilescope
