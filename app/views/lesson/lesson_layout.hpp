// Positions of all parts of a lesson for one width: text is wrapped, tables and code are measured. No drawing; a
// function provides text widths, so that tests need no font.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/editor/tokenizer.hpp"
#include "app/views/lesson/lesson_document.hpp"

namespace tilescope {

enum class LessonFont : uint8_t { body, strong, code, title, title_strong };

struct LessonMetrics {
  std::function<float(LessonFont, std::string_view)> width;
  float unit = 1;                                                                  // one unscaled pixel
  std::function<float(const std::string& fence, float width)> figure_height = {};  // none: figures take no room
};

/// A run of text in one style on one line; x from the left of the column, baseline from the top of the lesson.
struct LessonRun {
  std::string text;
  LessonFont font = LessonFont::body;
  float x = 0, baseline = 0, width = 0;
  int link = -1;
  bool inline_code = false, muted = false;
  TokenKind token = TokenKind::text;  // in code blocks
  bool emphasis_dots = false;         // Chinese has no bold face here: dots below its characters, as in print
  int term = -1;                      // index into Glossary::terms()
};

struct LessonLine {
  std::vector<LessonRun> runs;  // their baseline is still 0
  float width = 0;
};
/// Breaks text into lines no wider than `width`. Latin text breaks at spaces; Chinese between any two characters,
/// except that no line starts with closing punctuation or ends with opening punctuation; a word wider than a line is
/// cut.
std::vector<LessonLine> wrap_spans(const LessonSpans& spans, LessonFont font, float width,
                                   const LessonMetrics& metrics);

/// Width of the widest part of the text that wrap_spans breaks only if it does not fit on a line.
float widest_piece(const LessonSpans& spans, LessonFont font, const LessonMetrics& metrics);

/// A horizontal hairline, a filled box, a bar beside a quote or a figure; same origin as the runs.
struct LessonBox {
  enum class Kind : uint8_t { hairline, code, quote, figure } kind;
  float x0, y0, x1, y1;
};

struct PlacedBlock {
  size_t block = 0;  // index into LessonDocument::blocks
  float y = 0, height = 0;
  bool live = false;  // contains values of the current run
  std::vector<LessonRun> runs;
  std::vector<LessonBox> boxes;
};

struct LessonLayout {
  std::vector<PlacedBlock> blocks;
  float width = 0, height = 0;
};
/// `live_room` is reserved on the right of blocks with live values, for their badge.
LessonLayout lay_out_lesson(const LessonDocument& document, float width, float live_room, const LessonMetrics& metrics);

/// Widths of table columns: that of their longest cell if all fit; otherwise narrow columns keep theirs and the wide
/// ones share the rest. None is narrower than `least`, if all of these fit.
std::vector<float> share_width(const std::vector<float>& natural, float available,
                               const std::vector<float>& least = {});

}  // namespace tilescope
