// Whose turn is next, of a few hundred that take turns at nearly the same pace.
//
// Time is cut into buckets so short that whoever has had a turn comes back in a later one. So a bucket is put in order
// when it begins, and then only read: several times faster than a heap.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

struct Turn {
  double time;
  uint32_t rank;   // of two at the same time, the lower one comes first
  uint32_t place;  // whose turn it is
  bool operator<(const Turn& other) const { return time != other.time ? time < other.time : rank < other.rank; }
};

class TurnQueue {
 public:
  /// Whoever has a turn comes back after at least `shortest` and at most `longest`; 0 < shortest <= longest.
  TurnQueue(double shortest, double longest)
      : width_(shortest / kBucketsOfAPace), buckets_(static_cast<size_t>(std::ceil(longest / width_)) + 3) {}

  void push(const Turn& turn) {
    const auto bucket = std::max(static_cast<uint64_t>(turn.time / width_), next_bucket_);
    buckets_[bucket % buckets_.size()].push_back(turn);
    ++waiting_;
  }
  /// The turns of the next bucket that is not empty, in order; empty: there are no more. Valid until the next call.
  const std::vector<Turn>& next() {
    now_.clear();
    if (waiting_ == 0) return now_;
    while (buckets_[next_bucket_ % buckets_.size()].empty()) ++next_bucket_;
    now_.swap(buckets_[next_bucket_ % buckets_.size()]);
    ++next_bucket_;
    waiting_ -= now_.size();
    std::sort(now_.begin(), now_.end());
    return now_;
  }

 private:
  static constexpr double kBucketsOfAPace = 8;
  const double width_;
  std::vector<std::vector<Turn>> buckets_;  // a ring
  std::vector<Turn> now_;
  uint64_t next_bucket_ = 0;
  size_t waiting_ = 0;
};

}  // namespace tilescope
