// Short texts in other parts of the window that look and act like those of a lesson.
#include <cmath>

#include "app/views/lesson/lesson_terms.hpp"
#include "app/views/lesson/lesson_view.hpp"

namespace tilescope {

float LessonView::draw_piece(PanelContext& context, const std::string& key, const std::string& markdown, ImVec2 at,
                             float width) {
  Piece& piece = pieces_[key];
  width = std::floor(width);
  if (piece.markdown != markdown || piece.width != width || piece.font != context.fonts.body) {
    piece = {.markdown = markdown, .width = width, .font = context.fonts.body};
    piece.document = parse_lesson(markdown);
    if (const Glossary* glossary = context.strings.glossary())
      mark_terms(piece.document, *glossary, context.strings.language);
    piece.layout = lay_out_lesson(piece.document, width, 0, metrics(context));
  }
  // Drawing looks links up in the shown document.
  std::swap(shown_, piece.document);
  const int hovered = hovered_link_, next_hovered = next_hovered_link_;
  hovered_link_ = std::exchange(piece.hovered, -1);
  next_hovered_link_ = -1;
  for (const PlacedBlock& placed : piece.layout.blocks)
    for (const LessonRun& run : placed.runs) draw_run(context, run, at, false);
  piece.hovered = next_hovered_link_;
  hovered_link_ = hovered;
  next_hovered_link_ = next_hovered;
  std::swap(shown_, piece.document);
  return piece.layout.height;
}

}  // namespace tilescope
