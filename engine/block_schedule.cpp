#include "engine/block_schedule.hpp"

#include <algorithm>

namespace tilescope {

std::string_view name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::threads:
      return "threads";
    case OccupancyLimit::blocks:
      return "blocks";
    case OccupancyLimit::registers:
      return "registers";
    case OccupancyLimit::shared:
      return "shared";
    case OccupancyLimit::barriers:
      return "barriers";
    case OccupancyLimit::grid:
      break;
  }
  return "grid";
}

uint64_t WaveSchedule::blocks_in(uint64_t wave) const {
  const uint64_t first = first_of(wave);
  return first >= blocks ? 0 : std::min(resident(), blocks - first);
}

uint32_t WaveSchedule::blocks_on(uint64_t wave, uint32_t multiprocessor) const {
  const uint64_t all = blocks_in(wave);
  return static_cast<uint32_t>(all / multiprocessors + (multiprocessor < all % multiprocessors ? 1 : 0));
}

uint32_t WaveSchedule::busy_multiprocessors(uint64_t wave) const {
  return static_cast<uint32_t>(std::min<uint64_t>(multiprocessors, blocks_in(wave)));
}

double WaveSchedule::filled() const {
  return runs() ? static_cast<double>(blocks) / static_cast<double>(waves() * resident()) : 0;
}

double WaveSchedule::last_wave_filled() const {
  return runs() ? static_cast<double>(last_wave_blocks()) / static_cast<double>(resident()) : 0;
}

BlockPlace WaveSchedule::place_of(uint64_t block) const {
  const uint64_t place = block % resident();
  return {block / resident(), multiprocessor_in_turn(place, multiprocessors),
          static_cast<uint32_t>(place / multiprocessors)};
}

uint64_t WaveSchedule::first_resident(uint64_t issued) const {
  return issued == 0 || !runs() ? 0 : first_of((issued - 1) / resident());
}

BlockState WaveSchedule::state_of(uint64_t block, uint64_t issued) const {
  if (block >= issued) return BlockState::waiting;
  return block < first_resident(issued) ? BlockState::done : BlockState::resident;
}

uint64_t WaveSchedule::next_wave(uint64_t issued) const {
  return runs() ? std::min(blocks, (issued / resident() + 1) * resident()) : blocks;
}

uint64_t WaveSchedule::previous_wave(uint64_t issued) const { return first_resident(issued); }

}  // namespace tilescope
