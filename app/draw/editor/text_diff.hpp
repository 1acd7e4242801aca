// What two texts have in common and what only one of them has: of lines, and inside changed lines of words.
//
//     for (const DiffRun& run : diff_lines(left, right))
//       run.equal ? both have left[run.left] … : left[run.left …] gave way to right[run.right …]
//
// The search is Myers' (An O(ND) Difference Algorithm and Its Variations, 1986), from both ends at once, so that it
// needs memory only for the lengths. It finds as few changes as there can be; where two texts have next to nothing in
// common it settles for fewer equal lines rather than for a long search. Then the changes are moved, where they can be,
// to where a reader would have them begin and end.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tilescope {

/// Things [left, left + left_count) of one sequence beside [right, right + right_count) of the other. Runs follow each
/// other without gaps, equal ones and others in turn.
struct DiffRun {
  bool equal = false;
  uint32_t left = 0, left_count = 0, right = 0, right_count = 0;
  bool operator==(const DiffRun&) const = default;
};

/// Of things given by number: those of one number are equal. Nothing is moved.
std::vector<DiffRun> diff_sequences(std::span<const uint32_t> left, std::span<const uint32_t> right);

/// Of lines. A change may be moved along lines that repeat; lines without a letter or digit, such as a closing brace,
/// that agree by chance between two changes count as changed.
std::vector<DiffRun> diff_lines(std::span<const std::string_view> left, std::span<const std::string_view> right);

/// Bytes [begin, end) of a line.
struct ByteRange {
  uint32_t begin = 0, end = 0;
  bool operator==(const ByteRange&) const = default;
};
/// What differs between two lines, by whole words; ascending.
struct WordDiff {
  std::vector<ByteRange> left, right;
  double similarity = 0;  // share of the letters, digits and signs that are in words which both have, 0 … 1
};
WordDiff diff_words(std::string_view left, std::string_view right);

/// Lines of a change that became each other: `left` and `right` ascend. Lines that have too little in common, and lines
/// without a letter or digit, stand alone.
struct LinePair {
  uint32_t left = 0, right = 0;
  bool operator==(const LinePair&) const = default;
};
std::vector<LinePair> pair_lines(std::span<const std::string_view> left, std::span<const std::string_view> right);

}  // namespace tilescope
