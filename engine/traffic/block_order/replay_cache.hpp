// A partitioned L2 at the granularity of units: parts that blocks touch entirely or not at all.
//
// Half of every unit belongs to each partition (on hardware a hash of the address decides, at a much finer
// granularity). An SM asks the partition beside it. Data that belongs to the other partition is fetched from there and
// then kept in both: data used by SMs on both sides occupies its space twice. Each partition replaces the least
// recently used data. Stores go to the partition that the data belongs to, and to device memory when they are replaced.
//
// A set-associative cache does not fill evenly: some sets replace lines before the cache is full, others still have
// room when it is. So a partition consists of slices of different capacity, and a hash assigns each unit to a slice.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tilescope {

class ReplayCache {
 public:
  /// capacity_spread: the standard deviation of the slices' capacities, relative.
  ReplayCache(uint64_t bytes, uint32_t partitions, std::span<const uint32_t> unit_bytes, double capacity_spread = 0);

  /// An SM beside partition `side` reads a unit. Returns the bytes that came from device memory.
  uint64_t read(uint32_t side, uint32_t unit);
  /// An SM writes a unit.
  void write(uint32_t unit);
  /// Writes back what is left, and returns by unit the total bytes written to device memory.
  std::vector<uint64_t> write_back();

 private:
  static constexpr uint32_t kSplitBytes = 8192;  // units of at least this size are spread over the partitions

  struct Piece {
    uint32_t previous, next;  // in the partition's list
    uint8_t present = 0, dirty = 0;
  };
  static constexpr uint32_t kSlices = 4;
  /// One partition: the pieces in each slice, most recently used first.
  struct Partition {
    std::vector<Piece> pieces;  // including the lists' own nodes
    std::array<uint64_t, kSlices> used{};
  };

  bool touch(Partition& partition, uint32_t piece, uint64_t bytes, bool is_write);
  static void unlink(Partition& partition, const Piece& piece);
  static void push_front(Partition& partition, uint32_t list, uint32_t piece);
  void replace_oldest(Partition& partition, uint32_t slice);
  uint32_t slice_of(uint32_t piece) const { return slices_ == 1 ? 0 : (piece * 2654435761U >> 16) % slices_; }
  bool is_split(uint32_t unit) const { return unit_bytes_[unit] >= kSplitBytes; }
  uint32_t only_home(uint32_t unit) const { return unit % partitions_count_; }

  const uint32_t slices_;
  std::array<uint64_t, kSlices> capacity_{};  // per slice of a partition
  const uint32_t partitions_count_;
  std::span<const uint32_t> unit_bytes_;
  uint32_t list_;  // the first of the lists' own nodes
  std::vector<Partition> partitions_;
  std::vector<uint32_t> piece_bytes_;   // by unit
  std::vector<uint64_t> written_back_;  // by unit
};

}  // namespace tilescope
