// The learner's progress in each lab. Opening a lab earns nothing. A lab has five marks: its lesson is read, its
// questions are answered, its bugs are found, its exercises are correct, its review cards were answered right. No
// ImGui.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lab.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// The first answer to a question at one setting. The choices and the right one identify the setting: as long as moving
/// a slider changes neither, the question stays answered.
struct Guess {
  std::vector<int64_t> choices;  // ascending
  int64_t answer = 0, pressed = 0;
  bool right() const { return pressed == answer; }
  bool operator==(const Guess&) const = default;
};

/// A step that was done, and the first answer to its question: indices of choices.
struct DoneStep {
  int pressed = -1, answer = -1;  // −1: not answered
  bool answered() const { return pressed >= 0; }
  bool right() const { return answered() && pressed == answer; }
  bool operator==(const DoneStep&) const = default;
};

/// What the learner's answers to a review card have led to (app/recall/schedule.hpp). Times are seconds since 1970,
/// UTC.
struct CardRecord {
  static constexpr int kLastBox = 6;
  int box = 0;               // of the Leitner schedule, 0 … kLastBox; 0: the last answer was wrong
  int64_t due = 0;           // it is asked again from then on
  int64_t answered = 0;      // the last counted answer
  int tries = 0, right = 0;  // counted answers, and the right ones among them
  /// Answered right at least once.
  bool was_right() const { return right > 0; }
  /// Whether the values can belong together; those of a damaged file may not.
  bool is_consistent() const;
  bool operator==(const CardRecord&) const = default;
};

struct LabProgress {
  bool lesson_read = false;  // scrolled to its end, or all steps of the lab done
  std::set<int>
      predictions;  // answered questions, right or wrong; indices into Lab::predicts. As with `broken`, a file
                    // of a different version may have names that this one does not know; nothing counts them
  std::set<std::string> broken;                       // switches that were on, alone, in a run that showed their effect
  bool own_edit = false;                              // an edited kernel ran and passed
  std::map<std::string, std::vector<Guess>> guesses;  // by question (app/observed/questions.hpp)
  std::set<std::string> skipped;                      // questions that no longer veil anything
  std::map<std::string, DoneStep> steps;              // that were done, by LabStep::id (app/views/steps)
  std::map<std::string, CardRecord> cards;            // review cards that were answered, by ReviewCard::id (app/recall)
  bool cards_opened = false;                          // a review card of the lab was unfolded in its lesson
  bool operator==(const LabProgress&) const = default;

  /// Null: not answered at this setting.
  const Guess* guess_at(const std::string& question, const std::vector<int64_t>& choices, int64_t answer) const;
};
/// Answers at their first try, and how many of them were right.
struct Score {
  size_t right = 0, all = 0;
};
Score score_of(const LabProgress& progress);
using ProgressByLab = std::map<std::string, LabProgress>;
/// The same in all labs.
Score score_of(const ProgressByLab& progress);

/// Adds what `other` has and `into` has not, as after two windows earned it. The newer record of a card counts, and the
/// answer in `into` where both have one to the same question.
void add_progress(ProgressByLab& into, const ProgressByLab& other);

/// The marks of a lab. A lab without exercises has `own_edit` in the place of `exercises`.
enum class ProgressPart { lesson, predictions, bugs, exercises, own_edit, review };

/// How much of a mark is done: 0 ≤ done ≤ all, all ≥ 1. The mark is earned when it is complete.
struct PartDone {
  ProgressPart part = ProgressPart::lesson;
  size_t done = 0, all = 1;
  bool complete() const { return done == all; }
};
/// What a lab has beside its description (app/views/lab_marks.hpp).
struct LabExtras {
  size_t exercises = 0, exercises_correct = 0;  // that belong to the lab
  size_t cards = 0, cards_right = 0;            // its review cards, and those that were answered right at least once
};
using ExtrasOf = std::function<LabExtras(const Lab&)>;
/// The marks that the lab has: no predictions without questions, no bugs without switches, no review without cards.
std::vector<PartDone> parts_of(const Lab& lab, const LabProgress& progress, const LabExtras& extras = {});

/// The marks of all labs.
struct MarksTotal {
  size_t labs = 0, complete_labs = 0;  // complete: with all of their marks
  size_t marks = 0, earned = 0;
  double share = 0;  // 0 … 1: the mean over all marks of how much of each is done
};
MarksTotal total_of(const ProgressByLab& progress, const ExtrasOf& extras);

/// Records what a finished run of the lab earned. `source` is the lab's kernel file as shipped: an edit that changes
/// only blanks and comments does not count.
void note_run(const Lab& lab, const RunResult& result, std::string_view source, LabProgress& progress);

}  // namespace tilescope
