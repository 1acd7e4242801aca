// Myers' search for text_diff.hpp, on sequences of numbers.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "app/draw/editor/text_diff.hpp"

namespace tilescope {
namespace {

using Index = int32_t;

/// Part of the two sequences: [left, left_end) and [right, right_end).
struct Box {
  Index left, left_end, right, right_end;
  bool is_empty() const { return left == left_end && right == right_end; }
};
struct Point {
  Index left, right;
};

/// Finds the elements of both sequences that belong to a longest common subsequence.
class CommonPart {
 public:
  CommonPart(std::span<const uint32_t> left, std::span<const uint32_t> right)
      : left_(left), right_(right), partner_(left.size(), kNone) {
    const size_t diagonals = left.size() + right.size() + 3;
    forward_.resize(diagonals);
    backward_.resize(diagonals);
    zero_ = static_cast<int64_t>(right.size()) + 1;
  }

  static constexpr Index kNone = -1;
  /// For each element on the left, its match on the right, or kNone.
  std::vector<Index> find() {
    compare({0, static_cast<Index>(left_.size()), 0, static_cast<Index>(right_.size())});
    return std::move(partner_);
  }

 private:
  bool same(Index left, Index right) const {
    return left_[static_cast<size_t>(left)] == right_[static_cast<size_t>(right)];
  }
  void match(Index left, Index right) { partner_[static_cast<size_t>(left)] = right; }

  void compare(Box box) {
    while (true) {
      while (box.left < box.left_end && box.right < box.right_end && same(box.left, box.right))
        match(box.left++, box.right++);
      while (box.left < box.left_end && box.right < box.right_end && same(box.left_end - 1, box.right_end - 1))
        match(--box.left_end, --box.right_end);
      if (box.left == box.left_end || box.right == box.right_end) return;
      const Point middle = split(box);
      compare({box.left, middle.left, box.right, middle.right});
      box.left = middle.left;
      box.right = middle.right;
    }
  }

  // Diagonal d contains the points with left − right = d. forward(d) is the furthest left index reached on it from the
  // box's start with the current number of changes, backward(d) the same from its end.
  size_t place(Index d) const { return static_cast<size_t>(int64_t{d} + zero_); }
  Index& forward(Index d) { return forward_[place(d)]; }
  Index& backward(Index d) { return backward_[place(d)]; }

  /// Diagonals reached with the current number of changes: every second one of [low, high].
  struct Reach {
    Index low, high;
    /// Adds one change. Diagonals outside the box do not exist; those just outside count as never reached.
    void widen(Index least, Index most, Index never, CommonPart& part, Index& (CommonPart::*at)(Index)) {
      if (low > least)
        (part.*at)(--low - 1) = never;
      else
        ++low;
      if (high < most)
        (part.*at)(++high + 1) = never;
      else
        --high;
    }
    bool has(Index d) const { return d >= low && d <= high; }
  };

  /// A point in the middle of a shortest path through the box, in which neither side is empty and the sides neither
  /// begin nor end alike. The search runs from both ends, one change per step, until the two paths meet.
  Point split(const Box& box) {
    constexpr Index kPatience = 512;  // changes after which a good path is accepted
    const Index least = box.left - box.right_end, most = box.left_end - box.right;
    const Index begin = box.left - box.right, end = box.left_end - box.right_end;
    const bool meets_forward = ((begin - end) & 1) != 0;
    Reach ahead{begin, begin}, back{end, end};
    forward(begin) = box.left;
    backward(end) = box.left_end;
    for (Index changes = 1;; ++changes) {
      ahead.widen(least, most, -1, *this, &CommonPart::forward);
      for (Index d = ahead.high; d >= ahead.low; d -= 2) {
        const Index at = forward(d) = advance(box, d);
        if (meets_forward && back.has(d) && backward(d) <= at) return {at, at - d};
      }
      back.widen(least, most, std::numeric_limits<Index>::max(), *this, &CommonPart::backward);
      for (Index d = back.high; d >= back.low; d -= 2) {
        const Index at = backward(d) = retreat(box, d);
        if (!meets_forward && ahead.has(d) && at <= forward(d)) return {at, at - d};
      }
      if (changes >= kPatience) return furthest(box, ahead, back);
    }
  }

  Index advance(const Box& box, Index d) {
    const Index below = forward(d - 1), above = forward(d + 1);
    Index left = below < above ? above : below + 1;
    while (left < box.left_end && left - d < box.right_end && same(left, left - d)) ++left;
    return left;
  }
  Index retreat(const Box& box, Index d) {
    const Index below = backward(d - 1), above = backward(d + 1);
    Index left = below < above ? below : above - 1;
    while (left > box.left && left - d > box.right && same(left - 1, left - d - 1)) --left;
    return left;
  }

  /// Among all reached points, the one furthest into the box.
  Point furthest(const Box& box, const Reach& ahead, const Reach& back) {
    Point front{box.left, box.right}, rear{box.left_end, box.right_end};
    for (Index d = ahead.high; d >= ahead.low; d -= 2) {
      const Index left = std::min({forward(d), box.left_end, box.right_end + d});
      if (2 * left - d > front.left + front.right) front = {left, left - d};
    }
    for (Index d = back.high; d >= back.low; d -= 2) {
      const Index left = std::max({backward(d), box.left, box.right + d});
      if (2 * left - d < rear.left + rear.right) rear = {left, left - d};
    }
    const Index gone = front.left + front.right - box.left - box.right;
    return gone > box.left_end + box.right_end - rear.left - rear.right ? front : rear;
  }

  std::span<const uint32_t> left_, right_;
  std::vector<Index> partner_;
  std::vector<Index> forward_, backward_;
  int64_t zero_ = 0;
};

/// Elements that also occur in the other sequence: others are in no common subsequence, and would only cost time.
struct Candidates {
  std::vector<uint32_t> numbers, places;
};
Candidates candidates(std::span<const uint32_t> own, std::span<const uint32_t> other) {
  std::unordered_map<uint32_t, bool> there;
  for (const uint32_t number : other) there[number] = true;
  Candidates found;
  for (uint32_t i = 0; i < own.size(); ++i) {
    if (!there.contains(own[i])) continue;
    found.numbers.push_back(own[i]);
    found.places.push_back(i);
  }
  return found;
}

}  // namespace

std::vector<DiffRun> diff_sequences(std::span<const uint32_t> left, std::span<const uint32_t> right) {
  const Candidates ours = candidates(left, right), theirs = candidates(right, left);
  const std::vector<Index> partner = CommonPart(ours.numbers, theirs.numbers).find();
  std::vector<DiffRun> runs;
  uint32_t at_left = 0, at_right = 0;
  const auto change_up_to = [&](uint32_t left_end, uint32_t right_end) {
    if (left_end > at_left || right_end > at_right)
      runs.push_back({false, at_left, left_end - at_left, at_right, right_end - at_right});
    at_left = left_end;
    at_right = right_end;
  };
  for (size_t i = 0; i < partner.size(); ++i) {
    if (partner[i] == CommonPart::kNone) continue;
    change_up_to(ours.places[i], theirs.places[static_cast<size_t>(partner[i])]);
    if (runs.empty() || !runs.back().equal) runs.push_back({true, at_left, 0, at_right, 0});
    ++runs.back().left_count;
    ++runs.back().right_count;
    ++at_left;
    ++at_right;
  }
  change_up_to(static_cast<uint32_t>(left.size()), static_cast<uint32_t>(right.size()));
  return runs;
}

}  // namespace tilescope
