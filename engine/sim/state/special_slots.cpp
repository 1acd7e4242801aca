#include "engine/sim/state/special_slots.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/sim/program/word128.hpp"
#include "engine/traffic/schedule/waves.hpp"

namespace tilescope {
namespace {

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
    // Blocks are issued to the SMs round-robin.
    if (special.name == SpecialRegister::smid)
      spread(uniform_slot(uniform, special.slot), multiprocessor_in_turn(index, multiprocessors));
    if (special.name == SpecialRegister::ctaid_x) spread(uniform_slot(uniform, special.slot), id.x);
    if (special.name == SpecialRegister::ctaid_y) spread(uniform_slot(uniform, special.slot), id.y);
    if (special.name == SpecialRegister::ctaid_z) spread(uniform_slot(uniform, special.slot), id.z);
  }
}

}  // namespace tilescope
