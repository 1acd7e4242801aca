#include "engine/traffic/block_order/replay_cache.hpp"

namespace tilescope {

// A piece is the part of a unit that belongs to one partition: piece = unit · partitions + home.

ReplayCache::ReplayCache(uint64_t bytes, uint32_t partitions, std::span<const uint32_t> unit_bytes,
                         double capacity_spread)
    : slices_(capacity_spread > 0 ? kSlices : 1),
      partitions_count_(partitions),
      unit_bytes_(unit_bytes),
      list_(static_cast<uint32_t>(unit_bytes.size() * partitions)),
      partitions_(partitions),
      written_back_(unit_bytes.size(), 0) {
  constexpr std::array<double, kSlices> kQuarters = {-1.15, -0.32, 0.32, 1.15};  // midpoints of a normal distribution's
                                                                                 // quartiles
  for (uint32_t slice = 0; slice < slices_; ++slice) {
    const double factor = slices_ == 1 ? 1 : 1 + capacity_spread * kQuarters[slice];
    capacity_[slice] = static_cast<uint64_t>(static_cast<double>(bytes) * factor / partitions / slices_);
  }
  for (uint32_t unit = 0; unit < unit_bytes.size(); ++unit)
    piece_bytes_.push_back(is_split(unit) ? unit_bytes[unit] / partitions : unit_bytes[unit]);
  for (Partition& partition : partitions_) {
    partition.pieces.resize(list_ + slices_);
    for (uint32_t list = list_; list < list_ + slices_; ++list)
      partition.pieces[list].previous = partition.pieces[list].next = list;
  }
}

uint64_t ReplayCache::read(uint32_t side, uint32_t unit) {
  const uint64_t bytes = piece_bytes_[unit];
  const bool split = is_split(unit);
  uint64_t from_device = 0;
  for (uint32_t home = split ? 0 : only_home(unit); home < partitions_count_; ++home) {
    const uint32_t piece = unit * partitions_count_ + home;
    const bool near = touch(partitions_[side], piece, bytes, false);
    const bool far = near || home == side || touch(partitions_[home], piece, bytes, false);
    if (!near && (home == side || !far)) from_device += bytes;
    if (!split) break;
  }
  return from_device;
}

void ReplayCache::write(uint32_t unit) {
  const bool split = is_split(unit);
  for (uint32_t home = split ? 0 : only_home(unit); home < partitions_count_; ++home) {
    touch(partitions_[home], unit * partitions_count_ + home, piece_bytes_[unit], true);
    if (!split) break;
  }
}

std::vector<uint64_t> ReplayCache::write_back() {
  for (Partition& partition : partitions_)
    for (uint32_t piece = 0; piece < list_; ++piece)
      if (partition.pieces[piece].dirty != 0)
        written_back_[piece / partitions_count_] += piece_bytes_[piece / partitions_count_];
  return std::move(written_back_);
}

/// Returns whether the piece was cached; it is now the most recently used one.
bool ReplayCache::touch(Partition& partition, uint32_t piece, uint64_t bytes, bool is_write) {
  Piece& touched = partition.pieces[piece];
  const uint32_t slice = slice_of(piece), list = list_ + slice;
  if (touched.present != 0) {
    if (is_write) touched.dirty = 1;
    if (touched.previous != list) {
      unlink(partition, touched);
      push_front(partition, list, piece);
    }
    return true;
  }
  if (bytes > capacity_[slice]) {  // too large to be cached
    if (is_write) written_back_[piece / partitions_count_] += bytes;
    return false;
  }
  while (partition.used[slice] + bytes > capacity_[slice]) replace_oldest(partition, slice);
  touched.present = 1;
  touched.dirty = is_write ? 1 : 0;
  partition.used[slice] += bytes;
  push_front(partition, list, piece);
  return false;
}

void ReplayCache::unlink(Partition& partition, const Piece& piece) {
  partition.pieces[piece.previous].next = piece.next;
  partition.pieces[piece.next].previous = piece.previous;
}

void ReplayCache::push_front(Partition& partition, uint32_t list, uint32_t piece) {
  const uint32_t first = partition.pieces[list].next;
  partition.pieces[piece].previous = list;
  partition.pieces[piece].next = first;
  partition.pieces[first].previous = piece;
  partition.pieces[list].next = piece;
}

void ReplayCache::replace_oldest(Partition& partition, uint32_t slice) {
  const uint32_t piece = partition.pieces[list_ + slice].previous, unit = piece / partitions_count_;
  Piece& oldest = partition.pieces[piece];
  unlink(partition, oldest);
  partition.used[slice] -= piece_bytes_[unit];
  if (oldest.dirty != 0) written_back_[unit] += piece_bytes_[unit];
  oldest.present = oldest.dirty = 0;
}

}  // namespace tilescope
