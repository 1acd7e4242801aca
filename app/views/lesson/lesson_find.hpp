// Finds a text in a lesson that is laid out. No drawing.
#pragma once

#include <string_view>
#include <vector>

#include "app/views/lesson/lesson_layout.hpp"

namespace tilescope {

/// A part of a run; x from the left of the column, baseline from the top of the lesson.
struct LessonMatchPart {
  float x0 = 0, x1 = 0, baseline = 0;
};
struct LessonMatch {
  size_t placed = 0;                   // index into LessonLayout::blocks
  std::vector<LessonMatchPart> parts;  // several if it continues on the next line, or in a different style
};
/// Matches in text order. Case-insensitive unless the pattern has a capital; a match lies within one block.
std::vector<LessonMatch> find_in_lesson(const LessonLayout& layout, std::string_view pattern,
                                        const LessonMetrics& metrics);

/// The heading of the lines being read, given the headings' distances from the top: the last one passed. On the last
/// screenful the deciding line moves down to the end, so that the last headings can become current.
size_t current_heading(const std::vector<float>& headings, float scroll, float scroll_end, float visible);

}  // namespace tilescope
