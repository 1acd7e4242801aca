// Two rungs of one source beside each other, in the order of the ladder: what only the left one has, what only the
// right one has, and what both share. Compared are the parts that each rung's kernels use
// (engine/compile/used_parts.hpp), not the file with itself. Parts that both use come first. Any other part stands
// beside the one that it most resembles, a kernel beside a kernel where there is one. Facts only; diff_view.hpp
// draws them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/editor/text_diff.hpp"
#include "engine/kernel_language.hpp"

namespace tilescope {

/// One line of both, or of one of them.
struct DiffRow {
  enum class Kind : uint8_t {
    equal,    // in both
    changed,  // became the line beside it
    removed,  // only in the left rung
    added,    // only in the right rung
    gap,      // between two parts
    fold,     // stands for equal rows, hidden or not
  };
  Kind kind = Kind::equal;
  uint32_t left = 0, right = 0;  // lines of the file, 1-based; 0: none
  uint32_t words = 0;            // for a changed row: index into SourceDiff::words
  uint32_t fold = 0;             // for a fold: index into SourceDiff::folds
  bool operator==(const DiffRow&) const = default;
};

/// Rows [begin, end) of SourceDiff::rows, which are equal.
struct DiffFold {
  uint32_t begin = 0, end = 0;
  uint32_t lines = 0;              // gaps are none
  std::vector<std::string> names;  // names of the parts that lie inside as a whole
};

struct SourceDiff {
  std::vector<DiffRow> rows;        // in two columns, with everything unfolded and no row for a fold
  std::vector<WordDiff> words;      // left: the left rung's
  std::vector<DiffFold> folds;      // ascending
  uint32_t removed = 0, added = 0;  // lines; a changed one counts in both
  bool same() const { return removed == 0 && added == 0; }
  /// The fold that holds a line of either side.
  std::optional<uint32_t> fold_of(uint32_t line) const;
  /// One side's lines in a fold.
  std::vector<uint32_t> lines_of(const DiffFold& fold, bool of_right) const;
};

SourceDiff diff_of_kernels(std::string_view text, std::span<const std::string> left, std::span<const std::string> right,
                           KernelLanguage language = KernelLanguage::cuda);

/// What was planted in a text: both have the same number of lines. The right lines are counted on from the left ones.
SourceDiff diff_of_plants(std::string_view before, std::string_view after, std::span<const std::string> kernels,
                          KernelLanguage language = KernelLanguage::cuda);

/// The rows on the screen: folds closed but for those in `open`. In one column the lines that a change took away come
/// before those that it brought.
std::vector<DiffRow> rows_on_screen(const SourceDiff& diff, bool two_columns, const std::set<uint32_t>& open);

}  // namespace tilescope
