#include "engine/sim/isa.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/sim/ast.hpp"

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
        mbarrier_rows(),
    };
    // clang-format on
    for (const auto& family : families)
      for (const IsaRow& row : family)
        expand(std::string(row.opcode), [&](const std::string& opcode) { rows.emplace(opcode, &row); });
    return rows;
  }();
  return table;
}

/// An opcode with its types in their order, and in front of them what else it says in alphabetical order; nothing for
/// instructions in which that order means something.
std::string in_standard_order(std::string_view opcode) {
  static constexpr std::array<std::string_view, 16> kHeads = {"abs",  "add",  "cvt", "div", "ex2", "fma",
                                                              "mad",  "max",  "min", "mul", "neg", "rcp",
                                                              "setp", "sqrt", "sub", "tanh"};
  const std::string_view head = opcode.substr(0, opcode.find('.'));
  if (std::find(kHeads.begin(), kHeads.end(), head) == kHeads.end()) return {};
  std::vector<std::string_view> others;
  std::string types;
  for (size_t begin = head.size() + 1; begin <= opcode.size();) {
    const size_t end = std::min(opcode.find('.', begin), opcode.size());
    const std::string_view part = opcode.substr(begin, end - begin);
    if (find_ptx_type(part) != nullptr)
      types.append(".").append(part);
    else
      others.push_back(part);
    begin = end + 1;
  }
  std::sort(others.begin(), others.end());
  std::string result(head);
  for (std::string_view other : others) result.append(".").append(other);
  return result + types;
}

/// Compilers write some modifiers in another order than the ISA does: max.s32.relu for max.relu.s32.
const std::unordered_map<std::string, const IsaRow*>& reordered_table() {
  static const std::unordered_map<std::string, const IsaRow*> table = [] {
    std::unordered_map<std::string, const IsaRow*> rows;
    for (const auto& [opcode, row] : isa_table())
      if (std::string key = in_standard_order(opcode); !key.empty()) rows.emplace(std::move(key), row);
    return rows;
  }();
  return table;
}

}  // namespace

const IsaRow* find_isa_row(std::string_view opcode) {
  const auto& table = isa_table();
  const auto found = table.find(std::string(opcode));
  if (found != table.end()) return found->second;
  const std::string reordered = in_standard_order(opcode);
  if (reordered.empty()) return nullptr;
  const auto other = reordered_table().find(reordered);
  return other == reordered_table().end() ? nullptr : other->second;
}

size_t count_isa_opcodes() { return isa_table().size(); }

}  // namespace tilescope
