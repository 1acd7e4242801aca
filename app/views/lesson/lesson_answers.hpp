// The answers of a lesson, folded until the reader asks for each. Folded are the answers in a paragraph that begins
// with "**Answers.**" (or "**答案。**"), at "(1)", "(2)" …, and the text after the question in a list item "1. *Why …?*
// …".
#pragma once

#include <set>
#include <string>

#include "app/views/lesson/lesson_document.hpp"

namespace tilescope {

/// The document with its answers folded, except those in `open`, which holds targets of the links that replace them.
/// The number of blocks does not depend on `open`.
LessonDocument fold_answers(const LessonDocument& document, const std::set<std::string>& open,
                            const std::string& show_text);

}  // namespace tilescope
