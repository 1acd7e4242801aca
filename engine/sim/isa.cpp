#include "engine/sim/isa.hpp"

#include <string>
#include <unordered_map>

namespace tilescope {
namespace {

/// Calls `found` with every opcode that a pattern with {x,y} alternatives stands for.
template <class Found>
void expand(const std::string& pattern, const Found& found) {
  const size_t open = pattern.find('{');
  if (open == std::string::npos) {
    found(pattern);
    return;
  }
  const size_t close = pattern.find('}', open);
  for (size_t begin = open + 1; begin <= close;) {
    const size_t end = std::min(pattern.find(',', begin), close);
    expand(pattern.substr(0, open) + pattern.substr(begin, end - begin) + pattern.substr(close + 1), found);
    begin = end + 1;
  }
}

const std::unordered_map<std::string, const IsaRow*>& isa_table() {
  static const std::unordered_map<std::string, const IsaRow*> table = [] {
    std::unordered_map<std::string, const IsaRow*> rows;
    // One a line, so that a new one touches no other.
    // clang-format off
    const std::initializer_list<std::span<const IsaRow>> families = {
        call_rows(),
        library_rows(),
        integer_rows(),
        bit_rows(),
        compare_rows(),
        float_rows(),
        approximate_rows(),
        half_rows(),
        convert_rows(),
        general_convert_rows(),
        packed_convert_rows(),
        move_rows(),
        video_rows(),
        memory_rows(),
        atomic_rows(),
        warp_rows(),
        control_rows(),
        barrier_rows(),
        matrix_rows(),
        matrix_move_rows(),
        wmma_rows(),
        async_copy_rows(),
        async_wait_rows(),
    };
    // clang-format on
    for (const auto& family : families)
      for (const IsaRow& row : family)
        expand(std::string(row.opcode), [&](const std::string& opcode) { rows.emplace(opcode, &row); });
    return rows;
  }();
  return table;
}

}  // namespace

const IsaRow* find_isa_row(std::string_view opcode) {
  const auto& table = isa_table();
  const auto found = table.find(std::string(opcode));
  return found == table.end() ? nullptr : found->second;
}

size_t count_isa_opcodes() { return isa_table().size(); }

}  // namespace tilescope
