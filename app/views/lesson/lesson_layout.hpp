// Where every piece of a lesson goes for one width: text wrapped, tables and code measured. No drawing; the widths of
// texts come from a function, so that tests need no font.
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
  float unit = 1;  // one unscaled pixel
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
};

struct LessonLine {
  std::vector<LessonRun> runs;  // baseline is still 0
  float width = 0;
};
/// Breaks text into lines no wider than `width`. Latin breaks at spaces; Chinese between any two characters, except
/// that closing punctuation starts no line and opening punctuation ends none; a word wider than a line is cut.
std::vector<LessonLine> wrap_spans(const LessonSpans& spans, LessonFont font, float width,
                                   const LessonMetrics& metrics);

/// Width of the widest piece of the text that wrap_spans breaks only where a line has no room for it.
float widest_piece(const LessonSpans& spans, LessonFont font, const LessonMetrics& metrics);

/// A horizontal hairline, a filled box or a bar beside a quote; same origin as the runs.
struct LessonBox {
  enum class Kind : uint8_t { hairline, code, quote } kind;
  float x0, y0, x1, y1;
};

struct PlacedBlock {
  size_t block = 0;  // index into LessonDocument::blocks
  float y = 0, height = 0;
  bool live = false;  // holds values of the current run
  std::vector<LessonRun> runs;
  std::vector<LessonBox> boxes;
};

struct LessonLayout {
  std::vector<PlacedBlock> blocks;
  float width = 0, height = 0;
};
/// `live_room` is kept free on the right of blocks with live values, for their badge.
LessonLayout lay_out_lesson(const LessonDocument& document, float width, float live_room, const LessonMetrics& metrics);

/// Widths of table columns: as wide as their longest cell where all fit, else narrow columns keep theirs and the wide
/// ones share the rest; none is narrower than `least`, if all of these fit.
std::vector<float> share_width(const std::vector<float>& natural, float available,
                               const std::vector<float>& least = {});

}  // namespace tilescope
