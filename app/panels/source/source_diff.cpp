#include "app/panels/source/source_diff.hpp"

#include <algorithm>

#include "engine/compile/python_parts.hpp"
#include "engine/compile/used_parts.hpp"

namespace tilescope {
namespace {

using Kind = DiffRow::Kind;
using Lines = std::vector<std::string_view>;

constexpr uint32_t kContext = 3;     // equal lines that stay beside a change
constexpr uint32_t kLeastFold = 4;   // fewer are not worth a fold
constexpr int kOfKernels = 500;      // what two kernels have in common by being kernels, per mille
constexpr int kLeastLikeness = 350;  // of any other two parts that stand beside each other

Lines lines_of(std::string_view text) {
  Lines lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<UsedPart> parts_of(std::string_view text, std::span<const std::string> kernels, KernelLanguage language) {
  return language == KernelLanguage::triton ? used_python_parts(text, kernels) : used_parts(text, kernels);
}

std::span<const std::string_view> part_of(const Lines& lines, const UsedPart& part) {
  return std::span(lines).subspan(part.first_line - 1, part.last_line - part.first_line + 1);
}

size_t weight_of(std::span<const std::string_view> lines) {
  size_t weight = 0;
  for (const std::string_view line : lines)
    weight += static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) { return c != ' '; }));
  return weight;
}

/// Per mille of two parts that is equal, line by line; below zero: they do not belong beside each other.
int likeness(const Lines& lines, const UsedPart& left_part, const UsedPart& right_part) {
  if (left_part.kind != right_part.kind) return -1;
  const auto left = part_of(lines, left_part), right = part_of(lines, right_part);
  size_t common = 0;
  for (const DiffRun& run : diff_lines(left, right))
    if (run.equal) common += weight_of(left.subspan(run.left, run.left_count));
  const size_t all = std::max<size_t>(weight_of(left) + weight_of(right), 1);
  const int share = static_cast<int>(2000 * common / all);
  if (right_part.kind == UsedPart::Kind::kernel) return share + kOfKernels;
  return share >= kLeastLikeness ? share : -1;
}

/// Pairs of parts that stand beside each other, ascending on both sides, with as much in common as there can be.
std::vector<LinePair> pair_parts(const Lines& lines, const std::vector<UsedPart>& left,
                                 const std::vector<UsedPart>& right) {
  const size_t rows = left.size(), columns = right.size();
  const auto at = [columns](size_t i, size_t j) { return i * (columns + 1) + j; };
  std::vector<int> gain((rows + 1) * (columns + 1), -1), best(gain.size(), 0);
  for (size_t i = rows; i-- > 0;)
    for (size_t j = columns; j-- > 0;) {
      gain[at(i, j)] = likeness(lines, left[i], right[j]);
      best[at(i, j)] = std::max({best[at(i + 1, j)], best[at(i, j + 1)], gain[at(i, j)] + best[at(i + 1, j + 1)]});
    }
  std::vector<LinePair> pairs;
  for (size_t i = 0, j = 0; i < rows && j < columns;) {
    if (gain[at(i, j)] >= 0 && best[at(i, j)] == gain[at(i, j)] + best[at(i + 1, j + 1)])
      pairs.push_back({static_cast<uint32_t>(i++), static_cast<uint32_t>(j++)});
    else if (best[at(i, j)] == best[at(i + 1, j)])
      ++i;
    else
      ++j;
  }
  return pairs;
}

class DiffBuilder {
 public:
  DiffBuilder(std::string_view text, std::span<const std::string> left, std::span<const std::string> right,
              KernelLanguage language)
      : lines_(lines_of(text)) {
    const std::vector<UsedPart> in_left = parts_of(text, left, language), in_right = parts_of(text, right, language);
    std::ranges::set_intersection(in_left, in_right, std::back_inserter(common_), {}, first_line, first_line);
    std::ranges::set_difference(in_left, common_, std::back_inserter(only_left_), {}, first_line, first_line);
    std::ranges::set_difference(in_right, common_, std::back_inserter(only_right_), {}, first_line, first_line);
  }

  SourceDiff build() {
    add_common();
    size_t left = 0, right = 0;
    const auto up_to = [&](size_t left_end, size_t right_end) {
      while (left < left_end) add_part(Kind::removed, only_left_[left++]);
      while (right < right_end) add_part(Kind::added, only_right_[right++]);
    };
    for (const LinePair& pair : pair_parts(lines_, only_left_, only_right_)) {
      up_to(pair.left, pair.right);
      add_pair(only_left_[left++], only_right_[right++]);
    }
    up_to(only_left_.size(), only_right_.size());
    return std::move(diff_);
  }

 private:
  static uint32_t first_line(const UsedPart& part) { return part.first_line; }
  uint32_t row_count() const { return static_cast<uint32_t>(diff_.rows.size()); }

  void add(Kind kind, uint32_t left, uint32_t right) {
    diff_.rows.push_back({.kind = kind, .left = left, .right = right});
    diff_.removed += kind == Kind::removed || kind == Kind::changed ? 1 : 0;
    diff_.added += kind == Kind::added || kind == Kind::changed ? 1 : 0;
  }
  void add_gap() {
    if (!diff_.rows.empty()) diff_.rows.push_back({.kind = Kind::gap});
  }
  void add_fold(uint32_t begin, uint32_t end, std::vector<std::string> names) {
    DiffFold fold{begin, end, 0, std::move(names)};
    for (uint32_t row = begin; row < end; ++row) fold.lines += diff_.rows[row].kind == Kind::gap ? 0 : 1;
    diff_.folds.push_back(std::move(fold));
  }

  /// What both use, as one fold.
  void add_common() {
    std::vector<std::string> names;
    for (const UsedPart& part : common_) {
      if (!names.empty() && diff_.rows.back().right + 1 != part.first_line) add_gap();
      for (uint32_t line = part.first_line; line <= part.last_line; ++line) add(Kind::equal, line, line);
      names.push_back(part.name);
    }
    if (!names.empty()) add_fold(0, row_count(), std::move(names));
  }

  void add_part(Kind kind, const UsedPart& part) {
    // Parts that follow each other in the file do so here.
    const DiffRow last = diff_.rows.empty() ? DiffRow{} : diff_.rows.back();
    const uint32_t before = kind == Kind::removed ? last.left : last.right;
    if (last.kind != kind || before + 1 != part.first_line) add_gap();
    for (uint32_t line = part.first_line; line <= part.last_line; ++line)
      add(kind, kind == Kind::removed ? line : 0, kind == Kind::added ? line : 0);
  }

  void add_pair(const UsedPart& left_part, const UsedPart& right_part) {
    add_gap();
    const auto left = part_of(lines_, left_part), right = part_of(lines_, right_part);
    const std::vector<DiffRun> runs = diff_lines(left, right);
    for (const DiffRun& run : runs) {
      const uint32_t first_left = left_part.first_line + run.left, first_right = right_part.first_line + run.right;
      if (!run.equal) {
        add_change(left.subspan(run.left, run.left_count), right.subspan(run.right, run.right_count), first_left,
                   first_right);
        continue;
      }
      const uint32_t begin = row_count();
      for (uint32_t i = 0; i < run.left_count; ++i) add(Kind::equal, first_left + i, first_right + i);
      const uint32_t before = &run == &runs.front() ? 0 : kContext, after = &run == &runs.back() ? 0 : kContext;
      if (run.left_count >= before + after + kLeastFold) add_fold(begin + before, row_count() - after, {});
    }
  }

  void add_change(std::span<const std::string_view> left, std::span<const std::string_view> right, uint32_t first_left,
                  uint32_t first_right) {
    uint32_t i = 0, j = 0;
    // Lines that stand alone share rows: a removed one is beside an added one, but neither became the other.
    const auto up_to = [&](uint32_t left_end, uint32_t right_end) {
      while (i < left_end) add(Kind::removed, first_left + i++, 0);
      while (j < right_end) add(Kind::added, 0, first_right + j++);
    };
    for (const LinePair& pair : pair_lines(left, right)) {
      up_to(pair.left, pair.right);
      WordDiff words = diff_words(left[i], right[j]);
      add(words.left.empty() && words.right.empty() ? Kind::equal : Kind::changed, first_left + i, first_right + j);
      diff_.rows.back().words = static_cast<uint32_t>(diff_.words.size());
      diff_.words.push_back(std::move(words));
      ++i;
      ++j;
    }
    up_to(static_cast<uint32_t>(left.size()), static_cast<uint32_t>(right.size()));
  }

  Lines lines_;
  std::vector<UsedPart> common_, only_left_, only_right_;
  SourceDiff diff_;
};

/// The parts that a kernel uses, line by line beside what became of them. Parts that stayed as they are, are folded.
class PlantDiffBuilder {
 public:
  PlantDiffBuilder(std::string_view before, std::string_view after, KernelLanguage language)
      : text_(before), before_(lines_of(before)), after_(lines_of(after)), language_(language) {}

  SourceDiff build(std::span<const std::string> kernels) {
    for (const UsedPart& part : parts_of(text_, kernels, language_)) add_part(part);
    return std::move(diff_);
  }

 private:
  void add_part(const UsedPart& part) {
    if (!diff_.rows.empty() && last_line_ + 1 != part.first_line) diff_.rows.push_back({.kind = Kind::gap});
    const auto begin = static_cast<uint32_t>(diff_.rows.size());
    const uint32_t changed_before = diff_.added;
    for (uint32_t line = part.first_line; line <= part.last_line; ++line) add_line(line);
    last_line_ = part.last_line;
    if (diff_.added != changed_before || part.kind == UsedPart::Kind::kernel) return;
    const auto end = static_cast<uint32_t>(diff_.rows.size());
    if (end - begin >= kLeastFold) diff_.folds.push_back({begin, end, end - begin, {part.name}});
  }
  void add_line(uint32_t line) {
    const std::string_view left = before_[line - 1], right = after_[line - 1];
    DiffRow row{.left = line, .right = static_cast<uint32_t>(before_.size()) + line};
    if (left != right) {
      row.kind = Kind::changed;
      row.words = static_cast<uint32_t>(diff_.words.size());
      diff_.words.push_back(diff_words(left, right));
      ++diff_.removed;
      ++diff_.added;
    }
    diff_.rows.push_back(row);
  }

  std::string_view text_;
  Lines before_, after_;
  KernelLanguage language_;
  uint32_t last_line_ = 0;
  SourceDiff diff_;
};

/// A row's place in one column: what goes first, then what comes.
void split_change(const std::vector<DiffRow>& change, std::vector<DiffRow>& rows) {
  for (const DiffRow& row : change)
    if (row.left != 0) rows.push_back({.kind = row.kind, .left = row.left, .words = row.words});
  for (const DiffRow& row : change)
    if (row.right != 0) rows.push_back({.kind = row.kind, .right = row.right, .words = row.words});
}

/// A removed line and an added one, neither of which became the other, share a row.
void close_up(const std::vector<DiffRow>& change, std::vector<DiffRow>& rows) {
  for (size_t i = 0; i < change.size();) {
    size_t removed = i;
    while (removed < change.size() && change[removed].kind == Kind::removed) ++removed;
    size_t added = removed;
    while (added < change.size() && change[added].kind == Kind::added) ++added;
    for (size_t row = 0; row < std::max(removed - i, added - removed); ++row) {
      const bool left = i + row < removed, right = removed + row < added;
      rows.push_back({.kind = left ? Kind::removed : Kind::added,
                      .left = left ? change[i + row].left : 0,
                      .right = right ? change[removed + row].right : 0});
    }
    i = added;
    if (i < change.size() && change[i].kind == Kind::changed) rows.push_back(change[i++]);
  }
}

}  // namespace

std::optional<uint32_t> SourceDiff::fold_of(uint32_t line) const {
  for (uint32_t i = 0; i < folds.size(); ++i)
    for (uint32_t row = folds[i].begin; row < folds[i].end; ++row)
      if (line != 0 && (rows[row].left == line || rows[row].right == line)) return i;
  return std::nullopt;
}

std::vector<uint32_t> SourceDiff::lines_of(const DiffFold& fold, bool of_right) const {
  std::vector<uint32_t> lines;
  for (uint32_t row = fold.begin; row < fold.end; ++row)
    if (const uint32_t line = of_right ? rows[row].right : rows[row].left; line != 0) lines.push_back(line);
  return lines;
}

SourceDiff diff_of_kernels(std::string_view text, std::span<const std::string> left, std::span<const std::string> right,
                           KernelLanguage language) {
  return DiffBuilder(text, left, right, language).build();
}

SourceDiff diff_of_plants(std::string_view before, std::string_view after, std::span<const std::string> kernels,
                          KernelLanguage language) {
  return PlantDiffBuilder(before, after, language).build(kernels);
}

std::vector<DiffRow> rows_on_screen(const SourceDiff& diff, bool two_columns, const std::set<uint32_t>& open) {
  std::vector<DiffRow> rows, change;
  const auto end_change = [&] {
    two_columns ? close_up(change, rows) : split_change(change, rows);
    change.clear();
  };
  uint32_t fold = 0;
  for (uint32_t i = 0; i < diff.rows.size(); ++i) {
    const DiffRow& row = diff.rows[i];
    if (row.kind == Kind::changed || row.kind == Kind::removed || row.kind == Kind::added) {
      change.push_back(row);
      continue;
    }
    end_change();
    if (fold < diff.folds.size() && diff.folds[fold].begin == i) {
      rows.push_back({.kind = Kind::fold, .fold = fold});
      const bool closed = !open.contains(fold);
      const uint32_t end = diff.folds[fold++].end;
      if (closed) {
        i = end - 1;
        continue;
      }
    }
    rows.push_back(row);
  }
  end_change();
  return rows;
}

}  // namespace tilescope
