// Differences between two texts: by line, and inside changed lines by word.
//
//     for (const DiffRun& run : diff_lines(left, right))
//       run.equal ? both have left[run.left] … : left[run.left …] was replaced by right[run.right …]
//
// The search is Myers' (An O(ND) Difference Algorithm and Its Variations, 1986), run from both ends at once, so that
// memory is linear in the lengths. It finds the minimum number of changes; if two texts have almost nothing in common,
// it accepts fewer equal lines to avoid a long search. Afterwards changes are moved, where possible, to boundaries that
// a reader would choose.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tilescope {

/// Elements [left, left + left_count) of one sequence beside [right, right + right_count) of the other. Runs are
/// contiguous; equal and changed ones alternate.
struct DiffRun {
  bool equal = false;
  uint32_t left = 0, left_count = 0, right = 0, right_count = 0;
  bool operator==(const DiffRun&) const = default;
};

/// Compares elements given by number: equal numbers are equal elements. Nothing is moved.
std::vector<DiffRun> diff_sequences(std::span<const uint32_t> left, std::span<const uint32_t> right);

/// Compares lines. A change may be moved along repeated lines; lines without a letter or digit, such as a closing
/// brace, that match by chance between two changes count as changed.
std::vector<DiffRun> diff_lines(std::span<const std::string_view> left, std::span<const std::string_view> right);

/// Bytes [begin, end) of a line.
struct ByteRange {
  uint32_t begin = 0, end = 0;
  bool operator==(const ByteRange&) const = default;
};
/// The differing whole words of two lines; ascending.
struct WordDiff {
  std::vector<ByteRange> left, right;
  double similarity = 0;  // fraction of the letters, digits and signs that belong to common words, 0 … 1
};
WordDiff diff_words(std::string_view left, std::string_view right);

/// Pairs the lines of a change that became each other: `left` and `right` ascend. Lines with too little in common, and
/// lines without a letter or digit, are not paired.
struct LinePair {
  uint32_t left = 0, right = 0;
  bool operator==(const LinePair&) const = default;
};
std::vector<LinePair> pair_lines(std::span<const std::string_view> left, std::span<const std::string_view> right);

}  // namespace tilescope
