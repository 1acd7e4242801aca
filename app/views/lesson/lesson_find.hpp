// Where a text occurs in a lesson that is laid out. No drawing.
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
  std::vector<LessonMatchPart> parts;  // several where it continues on the next line, or in another style
};
/// In the order of the text. Letters match either case unless the pattern has a capital; a match lies in one block.
std::vector<LessonMatch> find_in_lesson(const LessonLayout& layout, std::string_view pattern,
                                        const LessonMetrics& metrics);

/// Which of the headings, by their distances from the top, is that of the lines being read: the last one passed. On the
/// last screenful the line that counts moves down to the end, so that the last headings have their turn.
size_t current_heading(const std::vector<float>& headings, float scroll, float scroll_end, float visible);

}  // namespace tilescope
