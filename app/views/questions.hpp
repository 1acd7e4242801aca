// The questions of the shown lab at its present setting: the lab's own, whose answers the configuration gives, then
// those about time, whose answers a speed report gives. Also which numbers they veil in this frame.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/views/context.hpp"

namespace tilescope {

struct Question {
  std::string key;         // in LabProgress::guesses and LabProgress::skipped: "2", or SpeedQuestion::key
  std::optional<int> own;  // index into Lab::predicts; nothing for a question about time
  std::string text;
  std::function<std::string()> why;
  std::vector<std::pair<int64_t, std::string>> choices;  // value and label, ascending, each value once
  int64_t answer = 0;
  std::vector<std::string> rungs;  // that it concerns; empty: all
  std::optional<ShownNumber> veils;
  std::optional<Badge> badge;      // of a measured answer
  std::optional<int64_t> pressed;  // the learner's answer at this setting
  bool skipped = false;
  bool here = false;  // it concerns the shown rung, or the one that this picks

  bool right() const { return pressed == answer; }
  /// Asks now: it stands at the top, and its number is veiled.
  bool is_open() const { return here && !pressed && !skipped; }
};
std::vector<Question> questions_of(const PanelContext& context);
/// Index of the question that the card shows; nothing if the lab has none.
std::optional<size_t> shown_question(const PanelContext& context, const std::vector<Question>& questions);
/// Index of the next open question after this one, cyclic; nothing if there is no other.
std::optional<size_t> next_open(const std::vector<Question>& questions, size_t from);

/// Chooses the question that the card shows, its position, and the numbers that are veiled in this frame. Called before
/// anything is drawn.
void ask_questions(PanelContext& context);
void answer_question(PanelContext& context, const Question& question, int64_t value);
/// Shows its number without an answer, at all settings, and moves on to the next open question.
void skip_question(PanelContext& context, const std::vector<Question>& questions, size_t number);

/// The shown report: this machine's sweep if there is one, else the recording; null if neither exists.
const SpeedReport* shown_report(const Session& session);

/// A hatched box with a question mark in place of a veiled number.
void draw_veil(PanelContext& context, ImDrawList* list, ImVec2 low, ImVec2 high);
/// In place of a text at this position, of the text's size.
void draw_veiled_text(PanelContext& context, ImDrawList* list, ImFont* font, ImVec2 position, std::string_view text);
void draw_veiled_text_right(PanelContext& context, ImDrawList* list, ImFont* font, ImVec2 top_right,
                            std::string_view text);

}  // namespace tilescope
