// Review over all labs: their cards, which of them are due, and what the answers say about each skill.
//
//     docs/labs/review/*.toml ─▶ cards ─┐
//     assets/skills.toml ──────▶ skills ├─▶ due(), session(), strengths()
//     ProgressByLab (the records) ──────┘
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/recall/cards.hpp"
#include "app/recall/skills.hpp"
#include "app/session/progress.hpp"

namespace tilescope {

/// A card of one lab. Pointers into a Recall, which outlives it.
struct LabCard {
  const Lab* lab = nullptr;
  const ReviewCard* card = nullptr;
  bool operator==(const LabCard&) const = default;
};

/// Its record; null if it was never answered.
const CardRecord* record_of(const ProgressByLab& progress, const LabCard& card);

/// How many cards wait: those that were answered before and are due again, and those that are new. Cards are asked only
/// of labs whose lesson was read or whose cards were opened.
struct DueCards {
  size_t due = 0, fresh = 0;
  size_t all() const { return due + fresh; }
};

/// What is known about a skill from cards that were answered and exercises that were judged.
struct Strength {
  const Skill* skill = nullptr;
  double value = 0;  // 0 … 1: the mean of worth_of_box over its cards, and of 1 or 0 over its exercises
  size_t cards = 0, cards_right = 0;  // right: answered right, and not wrong since
  size_t exercises = 0, exercises_done = 0;
  size_t due = 0;  // of its cards, those that were answered before and are due
};

class Recall {
 public:
  /// A review has at most this many cards.
  static constexpr size_t kSession = 20;

  /// Reads the files below the program's folder; problems() has those that cannot be used.
  explicit Recall(const std::filesystem::path& root);

  /// Seconds since 1970, UTC. Tests set it.
  std::function<int64_t()> clock;
  int64_t now() const { return clock(); }

  const std::vector<Error>& problems() const { return problems_; }
  const std::vector<Skill>& skills() const { return skills_; }
  /// Null if there is none.
  const Skill* find_skill(const std::string& id) const;
  /// In the order of the file; empty for a lab without cards.
  const std::vector<ReviewCard>& cards_of(const std::string& lab) const;
  /// Every card, in the order of the labs.
  std::vector<LabCard> cards() const;

  DueCards due(const ProgressByLab& progress) const;
  /// The cards of the next review, at most kSession: the ones that are due, longest overdue first, then new ones.
  std::vector<LabCard> session(const ProgressByLab& progress) const;
  /// When the next card becomes due that is not due yet; 0: there is none.
  int64_t next_due(const ProgressByLab& progress) const;
  /// Cards of the lab that were answered right at least once.
  size_t right_once(const ProgressByLab& progress, const std::string& lab) const;
  /// One for every skill, in the order of skills(). `is_done`: whether the judge has accepted the exercise.
  std::vector<Strength> strengths(const ProgressByLab& progress,
                                  const std::function<bool(const std::string&)>& is_done) const;

 private:
  std::map<std::string, std::vector<ReviewCard>> cards_;  // by lab
  std::vector<Skill> skills_;
  std::vector<Error> problems_;
};

/// What a card in this box adds to its skill: nothing in box 0, a half in box 1, a tenth more in each further box.
double worth_of_box(int box);

}  // namespace tilescope
