// Answers of a lesson, folded until the reader asks for each. Folded are the answers of a paragraph that begins with
// "**Answers.**" (or "**答案。**"), at "(1)", "(2)" …, and what follows the question of a list item "1. *Why …?* …".
#pragma once

#include <set>
#include <string>

#include "app/views/lesson/lesson_document.hpp"

namespace tilescope {

/// The document with its answers folded, but for those in `open`, by the target of the link that stands for each. How
/// many blocks it has does not depend on `open`.
LessonDocument fold_answers(const LessonDocument& document, const std::set<std::string>& open,
                            const std::string& show_text);

}  // namespace tilescope
