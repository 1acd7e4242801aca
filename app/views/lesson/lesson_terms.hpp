// The terms of the glossary in a lesson. No drawing.
#pragma once

#include "app/draw/glossary.hpp"
#include "app/views/lesson/lesson_document.hpp"

namespace tilescope {

/// Gives each term a span of its own (LessonSpan::term) where it first occurs in a section, which begins at a heading
/// of level 1 or 2. Headings, code, links, {{values}} and the heads of tables are left alone.
void mark_terms(LessonDocument& document, const Glossary& glossary, Language language);

}  // namespace tilescope
