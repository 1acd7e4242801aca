#include "engine/sim/state/async_copies.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace tilescope {
namespace {

/// Calls `work` with the number of bytes of a copy as a constant.
template <class Work>
void with_size(uint32_t bytes, const Work& work) {
  if (bytes == 16) return work(std::integral_constant<size_t, 16>());
  if (bytes == 8) return work(std::integral_constant<size_t, 8>());
  return work(std::integral_constant<size_t, 4>());
}

/// Calls `work` with each lane of a mask.
template <class Work>
void for_each_lane(uint32_t lanes, const Work& work) {
  for (; lanes != 0; lanes &= lanes - 1) work(static_cast<size_t>(std::countr_zero(lanes)));
}

/// Whether a lane of the copy writes any of the bytes [begin, end) of shared memory.
bool touches(const AsyncCopies::Copy& copy, uint64_t begin, uint64_t end) {
  bool found = false;
  for_each_lane(copy.lanes, [&](size_t lane) {
    found = found || (copy.offset[lane] < end && begin < uint64_t{copy.offset[lane]} + copy.bytes);
  });
  return found;
}

}  // namespace

AsyncCopies::AsyncCopies(uint8_t* shared, uint8_t* written, size_t shared_bytes, size_t warps)
    : shared_(shared), written_(written), on_their_way_(shared_bytes), warps_(warps) {}

void AsyncCopies::clear() {
  for (OfWarp& warp : warps_) {
    for (Copy* copy : warp.pending) {
      for_each_lane(copy->lanes,
                    [&](size_t lane) { std::memset(on_their_way_.data() + copy->offset[lane], 0, copy->bytes); });
      free_.push_back(copy);
    }
    warp.pending.clear();
    warp.committed = {};
  }
  pending_count_ = 0;
}

AsyncCopies::Copy& AsyncCopies::prepare(uint32_t warp) {
  if (free_.empty()) free_.push_back(copies_.emplace_back(std::make_unique<Copy>()).get());
  Copy& copy = *free_.back();
  free_.pop_back();
  copy.group = warps_[warp].committed;
  copy.bound_lanes = 0;
  copy.end = 0;
  return copy;
}

void AsyncCopies::issue(uint32_t warp, Copy& copy) {
  if (copy.lanes == 0) {
    free_.push_back(&copy);
    return;
  }
  with_size(copy.bytes, [&](auto size) {
    for_each_lane(copy.lanes, [&](size_t lane) {
      std::memset(on_their_way_.data() + copy.offset[lane], 1, size());
      if (written_ != nullptr) std::memset(written_ + copy.offset[lane], 0, size());
    });
  });
  warps_[warp].pending.push_back(&copy);
  ++pending_count_;
}

void AsyncCopies::commit(uint32_t warp, uint32_t lanes) {
  auto& committed = warps_[warp].committed;
  for (size_t lane = 0; lane < 32; ++lane) committed[lane] += lanes >> lane & 1;
}

void AsyncCopies::wait(uint32_t warp, uint32_t lanes, uint32_t keep) {
  OfWarp& of_warp = warps_[warp];
  for (Copy* copy : of_warp.pending) {
    uint32_t done = 0;
    for_each_lane(copy->lanes & lanes, [&](size_t lane) {
      if (uint64_t{copy->group[lane]} + keep < of_warp.committed[lane]) done |= 1U << lane;
    });
    if (done != 0) arrive(*copy, done);
  }
  drop_arrived(of_warp);
}

void AsyncCopies::wait_all(uint32_t warp, uint32_t lanes) {
  OfWarp& of_warp = warps_[warp];
  for (Copy* copy : of_warp.pending)
    if ((copy->lanes & lanes) != 0) arrive(*copy, copy->lanes & lanes);
  drop_arrived(of_warp);
}

uint32_t AsyncCopies::count(uint32_t warp) const {
  const auto& pending = warps_[warp].pending;
  return static_cast<uint32_t>(std::count_if(pending.begin(), pending.end(),
                                             [](const Copy* copy) { return (copy->lanes & ~copy->bound_lanes) != 0; }));
}

void AsyncCopies::bind(uint32_t warp, uint32_t lane, uint32_t mbarrier) {
  for (Copy* copy : warps_[warp].pending)
    if (((copy->lanes & ~copy->bound_lanes) >> lane & 1) != 0) {
      copy->bound_lanes |= 1U << lane;
      copy->bound[lane] = mbarrier;
    }
}

void AsyncCopies::complete_bound(uint32_t mbarrier) {
  for (OfWarp& of_warp : warps_) {
    for (Copy* copy : of_warp.pending) {
      uint32_t done = 0;
      for_each_lane(copy->lanes & copy->bound_lanes,
                    [&](size_t lane) { done |= (copy->bound[lane] == mbarrier ? 1U : 0U) << lane; });
      if (done != 0) arrive(*copy, done);
    }
    drop_arrived(of_warp);
  }
}

const AsyncCopies::Copy* AsyncCopies::find(uint64_t offset, uint64_t bytes) {
  if (pending_count_ == 0 || offset >= on_their_way_.bytes()) return nullptr;
  const uint64_t end = std::min<uint64_t>(offset + bytes, on_their_way_.bytes());
  if (std::memchr(on_their_way_.data() + offset, 1, end - offset) == nullptr) return nullptr;
  for (OfWarp& of_warp : warps_)
    for (Copy* copy : of_warp.pending) {
      if (copy->end == 0) note_range(*copy);
      if (copy->begin < end && offset < copy->end && touches(*copy, offset, end)) return copy;
    }
  return nullptr;
}

void AsyncCopies::note_range(Copy& copy) {
  copy.begin = UINT32_MAX;
  for_each_lane(copy.lanes, [&](size_t lane) {
    copy.begin = std::min(copy.begin, copy.offset[lane]);
    copy.end = std::max(copy.end, copy.offset[lane] + copy.bytes);
  });
}

void AsyncCopies::arrive(Copy& copy, uint32_t lanes) {
  with_size(copy.bytes, [&](auto size) {
    for_each_lane(lanes, [&](size_t lane) {
      const uint32_t offset = copy.offset[lane];
      std::memcpy(shared_ + offset, copy.data[lane].data(), size());
      std::memset(on_their_way_.data() + offset, 0, size());
      if (written_ != nullptr) std::memset(written_ + offset, 1, size());
    });
  });
  copy.lanes &= ~lanes;
}

void AsyncCopies::drop_arrived(OfWarp& warp) {
  size_t kept = 0;
  for (Copy* copy : warp.pending) {
    if (copy->lanes != 0)
      warp.pending[kept++] = copy;
    else
      free_.push_back(copy);
  }
  pending_count_ -= warp.pending.size() - kept;
  warp.pending.resize(kept);
}

}  // namespace tilescope
