// What is kept of a learner's work on one exercise: the state, hints, and every judged version of the text. In the
// folder of the exercise, each version is a file and record.json has the rest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/exercises/judge.hpp"
#include "engine/kernel_language.hpp"
#include "engine/phrase.hpp"

namespace tilescope {

/// How far the learner is.
enum class ExerciseState { not_started, tried, correct, all_goals };

struct JudgedVersion {
  int number = 0;      // from 1
  std::string time;    // UTC, as utc_now() writes it
  std::string file;    // in the folder: "003.cu"
  std::string cases;   // a letter per case: + correct, x not correct, ! a finding, . not run
  std::string reason;  // Judgement::reason
  Phrase what;         // Judgement::what
  uint64_t seed = 0;   // 0: of an older record, which has neither goals nor '!'
  DeviceKind device = DeviceKind::sim;
  std::vector<GoalOutcome> goals;
  bool operator==(const JudgedVersion&) const = default;
};

struct ExerciseRecord {
  ExerciseState state = ExerciseState::not_started;
  int hints = 0;                        // that were shown
  bool solution = false;                // it was shown
  bool bug_found = false;               // of a debug exercise
  int bug_guesses = 0;                  // that were wrong
  std::vector<JudgedVersion> versions;  // oldest first
};

/// A missing or unreadable record is a new one.
ExerciseRecord read_record(const std::filesystem::path& folder);
/// Creates the folder if it is missing. What a different version has written into record.json stays; a damaged one is
/// renamed to record.json.damaged-DATE.
Result<void> write_record(const std::filesystem::path& folder, const ExerciseRecord& record);
/// Adds a version to the record and writes its text; a text equal to the newest version's replaces its outcome.
Result<void> add_version(const std::filesystem::path& folder, ExerciseRecord& record, const Submission& submission,
                         const Judgement& judgement);
/// "+x!..": JudgedVersion::cases.
std::string case_letters(const Judgement& judgement);
/// The judgement of a version, without what was found in each case. Nothing if the exercise has different cases now.
std::optional<Judgement> judgement_of(const Exercise& exercise, const JudgedVersion& version);

}  // namespace tilescope
