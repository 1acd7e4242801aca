#include "engine/sim/program/isa.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/sim/ptx/ast.hpp"

namespace tilescope {
namespace {

/// Calls `found` with every opcode that a pattern with {x,y} alternatives expands to.
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
    // One per line, so that a new one changes no other line.
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
        texture_rows(),
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

/// Parts whose order matters: the types of several operands, the layouts of a matrix product's two sides; in the
/// table's own opcodes also numbers.
bool is_positional(std::string_view part) {
  static constexpr std::array<std::string_view, 7> kOthers = {"row", "col", "b1", "s4", "u4", "s2", "u2"};
  return find_ptx_type(part) != nullptr || (!part.empty() && part[0] >= '0' && part[0] <= '9') ||
         std::find(kOthers.begin(), kOthers.end(), part) != kOthers.end();
}

/// An opcode with its types and layouts in their order, preceded by its other parts in alphabetical order.
std::string in_standard_order(std::string_view opcode) {
  const size_t dot = std::min(opcode.find('.'), opcode.size());
  std::vector<std::string_view> others;
  std::string types, layouts;
  for (size_t begin = dot + 1; begin <= opcode.size();) {
    const size_t end = std::min(opcode.find('.', begin), opcode.size());
    const std::string_view part = opcode.substr(begin, end - begin);
    if (!is_positional(part))
      others.push_back(part);
    else if (part == "row" || part == "col")
      layouts.append(".").append(part);
    else
      types.append(".").append(part);
    begin = end + 1;
  }
  std::sort(others.begin(), others.end());
  std::string result(opcode.substr(0, dot));
  for (std::string_view other : others) result.append(".").append(other);
  return result + layouts + types;
}

using ReorderedRows = std::unordered_map<std::string, const IsaRow*>;

/// The rows whose opcode begins with `head`, by opcode in standard order. ptxas accepts the qualifiers after the first
/// words in any order, and compilers and headers rely on that: max.s32.relu, ldmatrix.sync.aligned.x4.m8n8.
const ReorderedRows& reordered_rows(std::string_view head) {
  static std::mutex mutex;
  static std::unordered_map<std::string, ReorderedRows> tables;
  const std::lock_guard lock(mutex);
  const auto [table, is_new] = tables.try_emplace(std::string(head));
  if (!is_new) return table->second;
  for (const auto& [opcode, row] : isa_table())
    if (opcode.starts_with(head) && (opcode.size() == head.size() || opcode[head.size()] == '.'))
      table->second.emplace(in_standard_order(opcode), row);
  return table->second;
}

}  // namespace

const IsaRow* find_isa_row(std::string_view opcode) {
  const auto& table = isa_table();
  const auto found = table.find(std::string(opcode));
  if (found != table.end()) return found->second;
  const auto& rows = reordered_rows(opcode.substr(0, opcode.find('.')));
  if (rows.empty()) return nullptr;
  const auto other = rows.find(in_standard_order(opcode));
  return other == rows.end() ? nullptr : other->second;
}

size_t count_isa_opcodes() { return isa_table().size(); }

std::vector<std::string> ambiguous_isa_opcodes() {
  std::unordered_map<std::string, const IsaRow*> first;
  std::vector<std::string> ambiguous;
  for (const auto& [opcode, row] : isa_table())
    if (first.try_emplace(in_standard_order(opcode), row).first->second->run != row->run) ambiguous.push_back(opcode);
  return ambiguous;
}

}  // namespace tilescope
