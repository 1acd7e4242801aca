// What the learner has done so far, as a value: `tilescope progress`, the export of the window, and the certificate
// show it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/exercises/exercise.hpp"
#include "app/recall/recall.hpp"
#include "app/session/progress.hpp"
#include "app/workshop/record.hpp"

namespace tilescope {

struct CountDone {
  size_t done = 0, all = 0;
};

/// The newest text of an exercise whose cases were all correct.
struct AcceptedText {
  std::string file, time, text;
};

struct ExerciseReport {
  const Exercise* exercise = nullptr;
  ExerciseRecord record = {};
  std::optional<AcceptedText> accepted = {};
};

struct LabReport {
  const Lab* lab = nullptr;
  std::vector<PartDone> marks = {};
  bool read = false;
  CountDone steps = {}, predictions = {}, bugs = {}, exercises = {}, cards = {};  // cards: answered right once
  Score answers = {};    // of questions and of steps, at the first try
  Score predicted = {};  // of questions only

  /// Null: the lab has no such mark.
  const PartDone* mark(ProgressPart part) const;
};

struct ProgressReport {
  std::vector<LabReport> labs = {};
  std::vector<ExerciseReport> exercises = {};  // those that were begun
  MarksTotal total = {};
  CountDone exercises_correct = {};
  size_t exercises_with_goals = 0;  // that reached all of their goals
  CountDone cards = {};             // answered right at least once
  Score predicted = {};             // questions, at the first try
  /// SHA-256 of the accepted texts, in the order of the exercises; empty without any. It ties a certificate to an
  /// export.
  std::string texts_digest = {};
};

/// `exercises`: the folder of their records. The report has pointers into the catalogue.
ProgressReport report_of(const std::filesystem::path& root, const ProgressByLab& learned, const Recall& recall,
                         const ExerciseCatalogue& catalogue, const std::filesystem::path& exercises);

/// The number in the key "format" of the exported JSON.
constexpr int kProgressReportFormat = 1;
nlohmann::ordered_json to_json(const ProgressReport& report);
/// A table, a row for each lab, and the totals.
std::string to_text(const ProgressReport& report);

}  // namespace tilescope
