#include "app/views/lesson/lesson_find.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

namespace tilescope {
namespace {

constexpr float kPadding = 4;  // of inline code on both sides, unscaled
constexpr float kReadAt = 40;  // below the top of the view, unscaled: the line that determines the current heading

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// The text of a block as read, and the start of each of its runs in it.
struct JoinedRuns {
  std::string text;
  std::vector<size_t> begins;
};
JoinedRuns join(const std::vector<LessonRun>& runs, const LessonMetrics& metrics) {
  const float space = metrics.width(LessonFont::body, " ");
  JoinedRuns joined;
  const LessonRun* last = nullptr;
  for (const LessonRun& run : runs) {
    if (last != nullptr && !last->text.empty() && !run.text.empty()) {
      const bool same_line = std::abs(last->baseline - run.baseline) < metrics.unit;
      const int code = (last->inline_code ? 1 : 0) + (run.inline_code ? 1 : 0);
      const float gap = run.x - last->x - last->width - kPadding * metrics.unit * static_cast<float>(code);
      const bool apart = gap > space / 2;
      // A line may end between two Chinese characters without a space.
      if (same_line ? apart : is_ascii(last->text.back()) && is_ascii(run.text.front())) joined.text += ' ';
    }
    joined.begins.push_back(joined.text.size());
    joined.text += run.text;
    last = &run;
  }
  return joined;
}

}  // namespace

std::vector<LessonMatch> find_in_lesson(const LessonLayout& layout, std::string_view pattern,
                                        const LessonMetrics& metrics) {
  std::vector<LessonMatch> matches;
  if (pattern.empty()) return matches;
  const auto upper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  const bool exact = std::ranges::any_of(pattern, upper);
  const auto same = [exact](char a, char b) {
    return exact ? a == b : std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (size_t index = 0; index < layout.blocks.size(); ++index) {
    const std::vector<LessonRun>& runs = layout.blocks[index].runs;
    const JoinedRuns joined = join(runs, metrics);
    auto at = joined.text.begin();
    while ((at = std::search(at, joined.text.end(), pattern.begin(), pattern.end(), same)) != joined.text.end()) {
      const auto begin = static_cast<size_t>(at - joined.text.begin()), end = begin + pattern.size();
      LessonMatch match{.placed = index, .parts = {}};
      for (size_t i = 0; i < runs.size(); ++i) {
        const LessonRun& run = runs[i];
        const size_t from = std::max(begin, joined.begins[i]);
        const size_t to = std::min(end, joined.begins[i] + run.text.size());
        if (from >= to) continue;
        const auto width = [&](size_t up_to) {
          return metrics.width(run.font, std::string_view(run.text).substr(0, up_to - joined.begins[i]));
        };
        match.parts.push_back({run.x + width(from), run.x + width(to), run.baseline});
      }
      if (!match.parts.empty()) matches.push_back(std::move(match));
      at += static_cast<ptrdiff_t>(pattern.size());
    }
  }
  return matches;
}

size_t current_heading(const std::vector<float>& headings, float scroll, float scroll_end, float visible) {
  float line = scroll + kReadAt;
  const float left = scroll_end - scroll;
  if (scroll_end > 0 && left < visible)
    line += (visible - kReadAt) * (1 - std::max(left, 0.0F) / std::min(visible, scroll_end));
  const auto passed = std::ranges::upper_bound(headings, line);
  return passed == headings.begin() ? 0 : static_cast<size_t>(passed - headings.begin()) - 1;
}

}  // namespace tilescope
