// An L2 in partitions, at the granularity of units: what blocks touch whole or not at all.
//
// Half of every unit belongs to either partition (on hardware a hash of the address decides, in pieces far smaller than
// a unit). A multiprocessor asks the partition beside it. What belongs to the other one is fetched from there and then
// kept in both: so data that multiprocessors on both sides use takes its place twice. Each partition replaces what was
// used longest ago. Stores go to the partition that the data belongs to, and to device memory when they are replaced.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilescope {

class ReplayCache {
 public:
  ReplayCache(uint64_t bytes, uint32_t partitions, std::span<const uint32_t> unit_bytes);

  /// A multiprocessor beside partition `side` reads a unit. Returns the bytes that device memory gave.
  uint64_t read(uint32_t side, uint32_t unit);
  /// It writes a unit.
  void write(uint32_t unit);
  /// Writes back what is left, and returns by unit what was written to device memory in all.
  std::vector<uint64_t> write_back();

 private:
  static constexpr uint32_t kSplitBytes = 8192;  // units from this size on are spread over the partitions

  struct Piece {
    uint32_t previous, next;  // in the partition's list
    uint8_t present = 0, dirty = 0;
  };
  /// One partition: the pieces in it, most recently used first.
  struct Partition {
    std::vector<Piece> pieces;  // and the list's own node
    uint64_t used = 0;
  };

  bool touch(Partition& partition, uint32_t piece, uint64_t bytes, bool is_write);
  static void unlink(Partition& partition, const Piece& piece);
  void push_front(Partition& partition, uint32_t piece);
  void replace_oldest(Partition& partition);
  bool is_split(uint32_t unit) const { return unit_bytes_[unit] >= kSplitBytes; }
  uint32_t only_home(uint32_t unit) const { return unit % partitions_count_; }

  const uint64_t capacity_;  // of a partition
  const uint32_t partitions_count_;
  std::span<const uint32_t> unit_bytes_;
  uint32_t list_;  // the list's own node
  std::vector<Partition> partitions_;
  std::vector<uint32_t> piece_bytes_;   // by unit
  std::vector<uint64_t> written_back_;  // by unit
};

}  // namespace tilescope
