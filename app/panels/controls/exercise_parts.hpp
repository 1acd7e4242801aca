// The sections of the controls column of an exercise, from top to bottom.
#pragma once

#include "app/panels/controls/controls_parts.hpp"
#include "app/workshop/workshop.hpp"

namespace tilescope {

/// All of them.
void exercise_section(Column& column, Workshop& workshop);

void goals_card(Column& column, const Workshop& workshop);
void judge_row(Column& column, Workshop& workshop);
void launch_card(Column& column, Workshop& workshop);
void bug_card(Column& column, Workshop& workshop);  // of a debug exercise
void hints_card(Column& column, Workshop& workshop);
void versions_card(Column& column, Workshop& workshop);
void solution_row(Column& column, Workshop& workshop);

/// A framed button as high as a text field and as wide as its text, with its left edge at x; the next one may stand at
/// what it returns.
float field_button(Column& column, const char* id, const std::string& text, const std::string& meaning, float x,
                   bool* pressed, bool lit = false);

}  // namespace tilescope
