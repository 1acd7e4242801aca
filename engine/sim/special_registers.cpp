#include "engine/sim/special_registers.hpp"

#include <array>
#include <cstring>

#include "engine/sim/residency.hpp"
#include "engine/sim/word128.hpp"
#include "engine/traffic/waves.hpp"

namespace tilescope {
namespace {

constexpr SpecialRegisterInfo kSpecials[] = {
    {"%tid.x", SpecialRegister::tid_x, 4, true},
    {"%tid.y", SpecialRegister::tid_y, 4, true},
    {"%tid.z", SpecialRegister::tid_z, 4, true},
    {"%laneid", SpecialRegister::laneid, 4, true},
    {"%warpid", SpecialRegister::warpid, 4, true},
    {"%lanemask_eq", SpecialRegister::lanemask_eq, 4, true},
    {"%lanemask_le", SpecialRegister::lanemask_le, 4, true},
    {"%lanemask_lt", SpecialRegister::lanemask_lt, 4, true},
    {"%lanemask_ge", SpecialRegister::lanemask_ge, 4, true},
    {"%lanemask_gt", SpecialRegister::lanemask_gt, 4, true},
    {"%ntid.x", SpecialRegister::ntid_x, 4, false},
    {"%ntid.y", SpecialRegister::ntid_y, 4, false},
    {"%ntid.z", SpecialRegister::ntid_z, 4, false},
    {"%nctaid.x", SpecialRegister::nctaid_x, 4, false},
    {"%nctaid.y", SpecialRegister::nctaid_y, 4, false},
    {"%nctaid.z", SpecialRegister::nctaid_z, 4, false},
    {"%nwarpid", SpecialRegister::nwarpid, 4, false},
    {"%dynamic_smem_size", SpecialRegister::dynamic_smem_size, 4, false},
    {"%total_smem_size", SpecialRegister::total_smem_size, 4, false},
    {"%nsmid", SpecialRegister::nsmid, 4, false},
    {"%smid", SpecialRegister::smid, 4, false},
    {"%gridid", SpecialRegister::gridid, 8, false},
    // Where cooperative_groups keep the barrier of the grid.
    {"%envreg1", SpecialRegister::workspace_high, 4, false},
    {"%envreg2", SpecialRegister::workspace_low, 4, false},
    {"%aggr_smem_size", SpecialRegister::total_smem_size, 4, false},
    {"%reserved_smem_offset_begin", SpecialRegister::zero, 4, false},
    {"%reserved_smem_offset_end", SpecialRegister::zero, 4, false},
    {"%reserved_smem_offset_cap", SpecialRegister::zero, 4, false},
    {"%current_graph_exec", SpecialRegister::zero_wide, 8, false},
    // A block is a cluster of its own.
    {"%clusterid.x", SpecialRegister::ctaid_x, 4, false},
    {"%clusterid.y", SpecialRegister::ctaid_y, 4, false},
    {"%clusterid.z", SpecialRegister::ctaid_z, 4, false},
    {"%nclusterid.x", SpecialRegister::nctaid_x, 4, false},
    {"%nclusterid.y", SpecialRegister::nctaid_y, 4, false},
    {"%nclusterid.z", SpecialRegister::nctaid_z, 4, false},
    {"%cluster_ctaid.x", SpecialRegister::zero, 4, false},
    {"%cluster_ctaid.y", SpecialRegister::zero, 4, false},
    {"%cluster_ctaid.z", SpecialRegister::zero, 4, false},
    {"%cluster_nctaid.x", SpecialRegister::one, 4, false},
    {"%cluster_nctaid.y", SpecialRegister::one, 4, false},
    {"%cluster_nctaid.z", SpecialRegister::one, 4, false},
    {"%cluster_ctarank", SpecialRegister::zero, 4, false},
    {"%cluster_nctarank", SpecialRegister::one, 4, false},
    {"%ctaid.x", SpecialRegister::ctaid_x, 4, false},
    {"%ctaid.y", SpecialRegister::ctaid_y, 4, false},
    {"%ctaid.z", SpecialRegister::ctaid_z, 4, false},
};

template <class T>
void spread(uint8_t* slot, T value) {
  std::array<T, 32> lanes;
  lanes.fill(value);
  std::memcpy(slot, lanes.data(), sizeof(lanes));
}

template <class T>
T read_parameter(const LaunchSetup& setup, const ParameterSlot& parameter) {
  T value{};
  const size_t there = setup.parameters.size() > parameter.offset ? setup.parameters.size() - parameter.offset : 0;
  std::memcpy(&value, setup.parameters.data() + parameter.offset, std::min<size_t>(parameter.bytes, there));
  return value;
}

uint8_t* uniform_slot(uint8_t* uniform, uint16_t slot) {
  return uniform + size_t{static_cast<uint16_t>(slot & ~kUniformSlot)} * kSlotBytes;
}

uint32_t value_in_lane(SpecialRegister name, const Dim3& block, uint32_t warp, uint32_t lane) {
  const Dim3 thread = unflatten(uint64_t{warp} * 32 + lane, block);
  const uint32_t own = 1U << lane;
  switch (name) {
    case SpecialRegister::tid_x:
      return thread.x;
    case SpecialRegister::tid_y:
      return thread.y;
    case SpecialRegister::tid_z:
      return thread.z;
    case SpecialRegister::laneid:
      return lane;
    case SpecialRegister::warpid:
      return warp;
    case SpecialRegister::lanemask_eq:
      return own;
    case SpecialRegister::lanemask_le:
      return own | (own - 1);
    case SpecialRegister::lanemask_lt:
      return own - 1;
    case SpecialRegister::lanemask_ge:
      return ~(own - 1);
    case SpecialRegister::lanemask_gt:
      return ~(own | (own - 1));
    default:
      return 0;
  }
}

uint32_t value_in_launch(SpecialRegister name, const LaunchSetup& setup) {
  switch (name) {
    case SpecialRegister::ntid_x:
      return setup.block.x;
    case SpecialRegister::ntid_y:
      return setup.block.y;
    case SpecialRegister::ntid_z:
      return setup.block.z;
    case SpecialRegister::nctaid_x:
      return setup.grid.x;
    case SpecialRegister::nctaid_y:
      return setup.grid.y;
    case SpecialRegister::nctaid_z:
      return setup.grid.z;
    case SpecialRegister::nwarpid:
      return setup.warps_per_multiprocessor;
    case SpecialRegister::dynamic_smem_size:
      return setup.dynamic_shared_bytes;
    case SpecialRegister::total_smem_size:
      return setup.shared_bytes;
    case SpecialRegister::nsmid:
      return setup.multiprocessors;
    case SpecialRegister::workspace_high:
      return static_cast<uint32_t>(kWorkspaceWindow >> 32);
    case SpecialRegister::workspace_low:
      return static_cast<uint32_t>(kWorkspaceWindow);
    case SpecialRegister::one:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

const SpecialRegisterInfo* find_special_register(std::string_view name) {
  for (const auto& info : kSpecials)
    if (info.name == name) return &info;
  // Read-only values of the driver and the profiler's counters: nobody has set them here.
  static constexpr SpecialRegisterInfo kZero = {"", SpecialRegister::zero, 4, false};
  static constexpr SpecialRegisterInfo kZeroWide = {"", SpecialRegister::zero_wide, 8, false};
  const auto numbered = [&](std::string_view stem, std::string_view end, int limit) {
    if (!name.starts_with(stem) || !name.ends_with(end)) return false;
    const std::string_view digits = name.substr(stem.size(), name.size() - stem.size() - end.size());
    int number = 0;
    for (char c : digits) {
      if (c < '0' || c > '9' || digits.size() > 2) return false;
      number = 10 * number + (c - '0');
    }
    return !digits.empty() && number < limit;
  };
  if (numbered("%envreg", "", 32) || numbered("%pm", "", 8)) return &kZero;
  return numbered("%pm", "_64", 8) ? &kZeroWide : nullptr;
}

void fill_warp_slots(const Program& program, const Dim3& block, Warp& warp) {
  for (const auto& special : program.specials) {
    if ((special.slot & kUniformSlot) != 0) continue;
    auto* lanes = warp.destination<uint32_t>(special.slot);
    for (uint32_t lane = 0; lane < 32; ++lane) lanes[lane] = value_in_lane(special.name, block, warp.index, lane);
  }
}

void fill_launch_slots(const Program& program, const LaunchSetup& setup, uint8_t* uniform) {
  for (const auto& special : program.specials) {
    if ((special.slot & kUniformSlot) == 0) continue;
    if (special.name == SpecialRegister::gridid || special.name == SpecialRegister::zero_wide)
      spread<uint64_t>(uniform_slot(uniform, special.slot),
                       special.name == SpecialRegister::gridid ? setup.launch_index + 1 : 0);
    else
      spread(uniform_slot(uniform, special.slot), value_in_launch(special.name, setup));
  }
  for (const auto& parameter : program.parameter_slots) {
    if (parameter.register_bytes == 16) {
      spread(uniform_slot(uniform, parameter.slot), read_parameter<Word128>(setup, parameter));
      continue;
    }
    auto value = read_parameter<uint64_t>(setup, parameter);
    const uint32_t unused = 64U - 8U * parameter.bytes;
    if (parameter.is_signed) value = static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused);
    uint8_t* slot = uniform_slot(uniform, parameter.slot);
    if (parameter.register_bytes == 2) spread(slot, static_cast<uint16_t>(value));
    if (parameter.register_bytes == 4) spread(slot, static_cast<uint32_t>(value));
    if (parameter.register_bytes == 8) spread(slot, value);
  }
}

void fill_block_slots(const Program& program, const Dim3& id, uint64_t index, uint32_t multiprocessors,
                      uint8_t* uniform) {
  for (const auto& special : program.specials) {
    // Blocks are issued to the multiprocessors in turn.
    if (special.name == SpecialRegister::smid)
      spread(uniform_slot(uniform, special.slot), multiprocessor_in_turn(index, multiprocessors));
    if (special.name == SpecialRegister::ctaid_x) spread(uniform_slot(uniform, special.slot), id.x);
    if (special.name == SpecialRegister::ctaid_y) spread(uniform_slot(uniform, special.slot), id.y);
    if (special.name == SpecialRegister::ctaid_z) spread(uniform_slot(uniform, special.slot), id.z);
  }
}

}  // namespace tilescope
