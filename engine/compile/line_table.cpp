#include "engine/compile/line_table.hpp"

#include <algorithm>

#include "engine/compile/elf_file.hpp"

namespace tilescope {
namespace {

/// Constants of the DWARF standard, version 2, "Line Number Information".
enum StandardOpcode : uint8_t {
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
};
enum ExtendedOpcode : uint8_t {
  kEndSequence = 1,
  kSetAddress = 2,
  kInlinedCall = 0x90,  // ptxas's own: the row, from 1, with the call at which the following code was inlined; 0: none
};

/// Reads forwards; everything past the end is 0.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes, size_t at = 0) : bytes_(bytes), at_(at) {}

  template <class T>
  T next() {
    const auto value = read_at<T>(bytes_, at_);
    at_ = value ? at_ + sizeof(T) : bytes_.size();
    return value.value_or(T{});
  }
  uint64_t next_unsigned() {
    uint64_t value = 0;
    for (unsigned shift = 0; at_ < bytes_.size(); shift += 7) {
      const auto byte = next<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  int64_t next_signed() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while ((byte & 0x80) != 0 && at_ < bytes_.size()) {
      byte = next<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fU} << shift;
      shift += 7;
    }
    if ((byte & 0x40) != 0 && shift < 64) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }
  std::string next_text() {
    std::string text = text_at(bytes_, at_);
    at_ = std::min(bytes_.size(), at_ + text.size() + 1);
    return text;
  }
  size_t at() const { return at_; }
  void move_to(size_t at) { at_ = std::min(at, bytes_.size()); }
  bool ended() const { return at_ >= bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  size_t at_;
};

/// Kernel symbols by address: a relocation of .debug_line names the kernel's symbol.
std::map<uint64_t, std::string> relocated_symbols(const std::vector<ElfSection>& sections) {
  const auto symbols = elf_symbols(sections);
  std::map<uint64_t, std::string> found;
  for (const ElfSection& section : sections) {
    const bool addends = section.name == ".rela.debug_line";
    if (!addends && section.name != ".rel.debug_line") continue;
    const size_t entry = addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (size_t at = 0; at + entry <= section.bytes.size(); at += entry) {
      const auto relocation = read_at<Elf64_Rel>(section.bytes, at);
      const uint64_t symbol = ELF64_R_SYM(relocation->r_info);
      if (symbol < symbols.size()) found[relocation->r_offset] = symbols[symbol];
    }
  }
  return found;
}

/// One unit of the table: its header, then a program that produces rows.
class LineProgram {
 public:
  LineProgram(Cursor& cursor, const std::map<uint64_t, std::string>& symbols, LineTable& table)
      : cursor_(cursor), symbols_(symbols), table_(table) {}

  /// False: an unknown form.
  bool run() {
    const auto length = cursor_.next<uint32_t>();
    const size_t end = cursor_.at() + length;
    if (length >= 0xfffffff0 || !read_header()) return false;
    while (cursor_.at() < end && !cursor_.ended()) step();
    cursor_.move_to(end);
    return true;
  }

 private:
  bool read_header() {
    const auto version = cursor_.next<uint16_t>();
    if (version < 2 || version > 4) return false;
    const auto header_length = cursor_.next<uint32_t>();
    const size_t program = cursor_.at() + header_length;
    instruction_length_ = cursor_.next<uint8_t>();
    if (version == 4) cursor_.next<uint8_t>();
    cursor_.next<uint8_t>();  // whether rows begin as statements
    line_base_ = cursor_.next<int8_t>();
    line_range_ = cursor_.next<uint8_t>();
    opcode_base_ = cursor_.next<uint8_t>();
    if (line_range_ == 0) return false;
    operands_.assign(1, 0);
    for (int opcode = 1; opcode < opcode_base_; ++opcode) operands_.push_back(cursor_.next<uint8_t>());
    read_files();
    cursor_.move_to(program);
    return true;
  }

  void read_files() {
    std::vector<std::string> folders{""};
    while (!cursor_.ended()) {
      std::string folder = cursor_.next_text();
      if (folder.empty()) break;
      folders.push_back(std::move(folder));
    }
    first_file_ = static_cast<uint32_t>(table_.files.size());
    while (!cursor_.ended()) {
      const std::string name = cursor_.next_text();
      if (name.empty()) break;
      const uint64_t folder = cursor_.next_unsigned();
      cursor_.next_unsigned();  // time
      cursor_.next_unsigned();  // length
      const bool inside = folder < folders.size() && !folders[folder].empty() && !name.starts_with("/");
      table_.files.push_back(inside ? folders[folder] + "/" + name : name);
    }
  }

  void step() {
    const auto opcode = cursor_.next<uint8_t>();
    if (opcode >= opcode_base_) {
      const int adjusted = opcode - opcode_base_;
      address_ += static_cast<uint64_t>(adjusted / line_range_) * instruction_length_;
      line_ += line_base_ + adjusted % line_range_;
      add_row();
      return;
    }
    switch (opcode) {
      case 0:
        extended_step();
        break;
      case kCopy:
        add_row();
        break;
      case kAdvancePc:
        address_ += cursor_.next_unsigned() * instruction_length_;
        break;
      case kAdvanceLine:
        line_ += cursor_.next_signed();
        break;
      case kSetFile:
        file_ = cursor_.next_unsigned();
        break;
      case kConstAddPc:
        address_ += static_cast<uint64_t>((255 - opcode_base_) / line_range_) * instruction_length_;
        break;
      case kFixedAdvancePc:
        address_ += cursor_.next<uint16_t>();
        break;
      default:
        for (int i = 0; i < operands_[opcode]; ++i) cursor_.next_unsigned();
    }
  }

  /// Skips operations that are not needed, such as ptxas's own for function names, by their length.
  void extended_step() {
    const uint64_t length = cursor_.next_unsigned();
    const size_t begin = cursor_.at();
    const auto opcode = cursor_.next<uint8_t>();
    if (opcode == kSetAddress) {
      const auto symbol = symbols_.find(cursor_.at());
      kernel_ = symbol != symbols_.end() ? symbol->second : std::string();
      address_ = cursor_.next<uint64_t>();
    } else if (opcode == kInlinedCall) {
      caller_ = cursor_.next_unsigned();
    } else if (opcode == kEndSequence) {
      add_row();
      kernel_.clear();
      address_ = caller_ = own_file_ = 0;
      file_ = line_ = 1;
      places_.clear();
      inlined_.clear();
    }
    cursor_.move_to(begin + length);
  }

  void add_row() {
    places_.push_back({file_, line_, caller_});
    if (own_file_ == 0) own_file_ = file_;
    if (caller_ != 0) inlined_[{file_, line_}] = caller_;
    if (kernel_.empty()) return;
    const Place place = own_place();
    const uint64_t file = first_file_ + place.file - 1;
    const bool known = file < table_.files.size() && place.line > 0;
    table_.kernels[kernel_].push_back(
        {address_, known ? static_cast<uint32_t>(file) : 0, known ? static_cast<uint32_t>(place.line) : 0});
  }

  /// A row of the table.
  struct Place {
    uint64_t file;
    int64_t line;
    uint64_t caller;
  };

  /// The location of the newest row in the file in which the kernel begins: its innermost line there. Code from a
  /// header is attributed to the line at which it was inlined. A caller's row precedes the rows of its callees.
  Place own_place() const {
    size_t index = places_.size() - 1;
    while (places_[index].file != own_file_) {
      uint64_t caller = places_[index].caller;
      // If the compiler has omitted the caller, an earlier row of the same line has it.
      if (const auto earlier = inlined_.find({places_[index].file, places_[index].line});
          caller == 0 && earlier != inlined_.end())
        caller = earlier->second;
      if (caller == 0 || caller > index) return places_.back();
      index = caller - 1;
    }
    return places_[index];
  }

  Cursor& cursor_;
  const std::map<uint64_t, std::string>& symbols_;
  LineTable& table_;
  uint32_t first_file_ = 0;
  uint8_t instruction_length_ = 1, line_range_ = 1, opcode_base_ = 1;
  int8_t line_base_ = 0;
  std::vector<uint8_t> operands_;  // by standard opcode
  std::string kernel_;
  uint64_t address_ = 0, file_ = 1, caller_ = 0;
  uint64_t own_file_ = 0;                                     // file of the kernel's first row; 0: it has none yet
  std::vector<Place> places_;                                 // all rows so far
  std::map<std::pair<uint64_t, int64_t>, uint64_t> inlined_;  // file and line → the newest caller
  int64_t line_ = 1;
};

}  // namespace

LineTable read_line_table(std::span<const std::byte> cubin) {
  const auto sections = elf_sections(cubin);
  const auto symbols = relocated_symbols(sections);
  LineTable table;
  for (const ElfSection& section : sections) {
    if (section.name != ".debug_line") continue;
    Cursor cursor(section.bytes);
    while (!cursor.ended())
      if (!LineProgram(cursor, symbols, table).run()) return {};
  }
  for (auto& [kernel, rows] : table.kernels) std::ranges::stable_sort(rows, {}, &LineRow::address);
  return table;
}

const LineRow* find_row(const std::vector<LineRow>& rows, uint64_t address) {
  const auto above = std::ranges::upper_bound(rows, address, {}, &LineRow::address);
  return above == rows.begin() ? nullptr : &*std::prev(above);
}

}  // namespace tilescope
