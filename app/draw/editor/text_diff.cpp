#include "app/draw/editor/text_diff.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace tilescope {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool says_something(std::string_view text) { return std::any_of(text.begin(), text.end(), is_word); }
bool is_blank(std::string_view text) { return std::all_of(text.begin(), text.end(), is_space); }
size_t indent_of(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_space) - text.begin());
}

/// Maps texts to numbers: equal texts get equal numbers.
class Numbering {
 public:
  std::vector<uint32_t> of(std::span<const std::string_view> texts) {
    std::vector<uint32_t> numbers;
    numbers.reserve(texts.size());
    for (const std::string_view text : texts)
      numbers.push_back(known_.try_emplace(text, static_cast<uint32_t>(known_.size())).first->second);
    return numbers;
  }

 private:
  std::unordered_map<std::string_view, uint32_t> known_;
};

/// Removes empty runs and merges neighbours of the same kind.
std::vector<DiffRun> joined(const std::vector<DiffRun>& runs) {
  std::vector<DiffRun> whole;
  for (const DiffRun& run : runs) {
    if (run.left_count == 0 && run.right_count == 0) continue;
    if (whole.empty() || whole.back().equal != run.equal) {
      whole.push_back(run);
    } else {
      whole.back().left_count += run.left_count;
      whole.back().right_count += run.right_count;
    }
  }
  return whole;
}

/// How unexpected it would be for a reader that a change begins, or has ended, before line `at`.
size_t oddness(std::span<const std::string_view> lines, size_t at) {
  if (at == 0 || at >= lines.size()) return 0;
  size_t next = at;
  while (next < lines.size() && is_blank(lines[next])) ++next;
  if (next == lines.size()) return 0;
  const size_t indent = indent_of(lines[next]);
  const bool closes = lines[next].substr(indent).starts_with('}');
  const size_t apart = is_blank(lines[at - 1]) ? 0 : is_blank(lines[at]) ? 1 : 2;
  return 8 * indent + (closes ? 12 : 0) + 2 * apart;
}

/// A change on one side only can be moved as far as the lines that it passes repeat at its other end.
void move_change(std::span<const std::string_view> lines, DiffRun& before, DiffRun& change, DiffRun& after) {
  const bool on_left = change.left_count > 0;
  const uint32_t begin = on_left ? change.left : change.right;
  const uint32_t length = on_left ? change.left_count : change.right_count, end = begin + length;
  uint32_t up = 0, down = 0;
  while (up < before.left_count && lines[begin - 1 - up] == lines[end - 1 - up]) ++up;
  while (down < after.left_count && lines[begin + down] == lines[end + down]) ++down;
  uint32_t best = begin - up;
  for (uint32_t at = best; at <= begin + down; ++at)
    if (oddness(lines, at) + oddness(lines, at + length) <= oddness(lines, best) + oddness(lines, best + length))
      best = at;
  const auto move = [by = static_cast<int64_t>(best) - begin](uint32_t& value, int direction) {
    value = static_cast<uint32_t>(value + direction * by);
  };
  for (uint32_t* grows :
       {&before.left_count, &before.right_count, &change.left, &change.right, &after.left, &after.right})
    move(*grows, 1);
  for (uint32_t* shrinks : {&after.left_count, &after.right_count}) move(*shrinks, -1);
}

/// Adds an equal run of length zero at each end, so that changes at the very start and end can be moved too.
std::vector<DiffRun> with_ends(std::vector<DiffRun> runs) {
  if (runs.empty()) return runs;
  if (!runs.front().equal) runs.insert(runs.begin(), {true, runs.front().left, 0, runs.front().right, 0});
  if (const DiffRun last = runs.back(); !last.equal)
    runs.push_back({true, last.left + last.left_count, 0, last.right + last.right_count, 0});
  return runs;
}

/// Lines without content, between two changes that are no shorter, match by chance.
void dissolve_chance(std::span<const std::string_view> left, std::vector<DiffRun>& runs) {
  for (size_t i = 1; i + 1 < runs.size(); ++i) {
    DiffRun& run = runs[i];
    if (!run.equal) continue;
    const auto lines = left.subspan(run.left, run.left_count);
    const bool silent = std::none_of(lines.begin(), lines.end(), says_something);
    const auto size = [](const DiffRun& one) { return std::max(one.left_count, one.right_count); };
    if (silent && run.left_count <= std::min(size(runs[i - 1]), size(runs[i + 1]))) run.equal = false;
  }
  runs = joined(runs);
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < line.size();) {
    size_t end = at + 1;
    if (is_word(line[at]))
      while (end < line.size() && is_word(line[end])) ++end;
    else if (is_space(line[at]))
      while (end < line.size() && is_space(line[end])) ++end;
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Byte offset of each word, and of the end.
std::vector<uint32_t> offsets_of(const std::vector<std::string_view>& words) {
  std::vector<uint32_t> offsets{0};
  for (const std::string_view word : words) offsets.push_back(offsets.back() + static_cast<uint32_t>(word.size()));
  return offsets;
}

/// A sign between two longer changed words is not worth showing as equal.
void dissolve_signs(std::string_view line, const std::vector<uint32_t>& left, const std::vector<uint32_t>& right,
                    std::vector<DiffRun>& runs) {
  const auto length = [&](const DiffRun& run) {
    return std::max(left[run.left + run.left_count] - left[run.left],
                    right[run.right + run.right_count] - right[run.right]);
  };
  for (size_t i = 1; i + 1 < runs.size(); ++i) {
    if (!runs[i].equal) continue;
    const uint32_t begin = left[runs[i].left], bytes = length(runs[i]);
    if (!says_something(line.substr(begin, bytes)) && bytes < std::min(length(runs[i - 1]), length(runs[i + 1])))
      runs[i].equal = false;
  }
  runs = joined(runs);
}

uint32_t weight_of(std::string_view text) {
  return static_cast<uint32_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_space(c); }));
}

}  // namespace

std::vector<DiffRun> diff_lines(std::span<const std::string_view> left, std::span<const std::string_view> right) {
  Numbering numbering;
  const std::vector<uint32_t> left_numbers = numbering.of(left), right_numbers = numbering.of(right);
  std::vector<DiffRun> runs = with_ends(diff_sequences(left_numbers, right_numbers));
  for (size_t i = 1; i + 1 < runs.size(); ++i)
    if (!runs[i].equal && (runs[i].left_count == 0 || runs[i].right_count == 0))
      move_change(runs[i].left_count > 0 ? left : right, runs[i - 1], runs[i], runs[i + 1]);
  runs = joined(runs);
  dissolve_chance(left, runs);
  return runs;
}

WordDiff diff_words(std::string_view left, std::string_view right) {
  const std::vector<std::string_view> left_words = words_of(left), right_words = words_of(right);
  const std::vector<uint32_t> left_at = offsets_of(left_words), right_at = offsets_of(right_words);
  Numbering numbering;
  const std::vector<uint32_t> left_numbers = numbering.of(left_words), right_numbers = numbering.of(right_words);
  std::vector<DiffRun> runs = diff_sequences(left_numbers, right_numbers);
  WordDiff result;
  uint32_t common = 0;
  for (const DiffRun& run : runs)
    if (run.equal)
      common += weight_of(left.substr(left_at[run.left], left_at[run.left + run.left_count] - left_at[run.left]));
  const uint32_t all = weight_of(left) + weight_of(right);
  result.similarity = all == 0 ? 1 : 2.0 * common / all;
  dissolve_signs(left, left_at, right_at, runs);
  for (const DiffRun& run : runs) {
    if (run.equal) continue;
    if (run.left_count > 0) result.left.push_back({left_at[run.left], left_at[run.left + run.left_count]});
    if (run.right_count > 0) result.right.push_back({right_at[run.right], right_at[run.right + run.right_count]});
  }
  return result;
}

std::vector<LinePair> pair_lines(std::span<const std::string_view> left, std::span<const std::string_view> right) {
  constexpr int kLeast = 500;                 // minimum similarity of two lines that became each other, in 1/1000
  constexpr size_t kMostComparisons = 10000;  // lines × lines; larger changes are not paired line by line
  const size_t rows = left.size(), columns = right.size();
  if (rows == 0 || columns == 0 || rows * columns > kMostComparisons) return {};
  const auto at = [columns](size_t i, size_t j) { return i * (columns + 1) + j; };
  std::vector<int> gain((rows + 1) * (columns + 1), 0), best(gain);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      if (says_something(left[i]) && says_something(right[j]))
        gain[at(i, j)] = std::max(0, static_cast<int>(1000 * diff_words(left[i], right[j]).similarity) - kLeast);
  // best(i, j): the best pairing of lines from i and j on.
  for (size_t i = rows; i-- > 0;)
    for (size_t j = columns; j-- > 0;)
      best[at(i, j)] = std::max({best[at(i + 1, j)], best[at(i, j + 1)], gain[at(i, j)] + best[at(i + 1, j + 1)]});
  std::vector<LinePair> pairs;
  for (size_t i = 0, j = 0; i < rows && j < columns;) {
    if (gain[at(i, j)] > 0 && best[at(i, j)] == gain[at(i, j)] + best[at(i + 1, j + 1)])
      pairs.push_back({static_cast<uint32_t>(i++), static_cast<uint32_t>(j++)});
    else if (best[at(i, j)] == best[at(i + 1, j)])
      ++i;
    else
      ++j;
  }
  return pairs;
}

}  // namespace tilescope
