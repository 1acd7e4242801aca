// The exercises in the window: which one is shown, the learner's text, its judgement, hints and versions.
//
//     exercise + text ── make_exercise_lab ──▶ Session (every view works on the learner's kernel)
//                     └─ judge, on a thread with an engine of its own ──▶ judgement(), versions
//
// An exercise is shown as a lab of its own. The learner's text is that lab's edited source, so the editor, its history
// and KeptEdits work as for every kernel.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/exercises/exercise.hpp"
#include "app/exercises/judge.hpp"
#include "app/workshop/record.hpp"

namespace tilescope {

class Engine;
class ExerciseReference;  // app/exercises/reference_values.hpp
class KeptEdits;          // app/session/kept_edits.hpp
class Session;

class Workshop {
 public:
  /// `root` is the program's folder.
  explicit Workshop(std::filesystem::path root);
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  /// `wake` is called from a thread when poll() has something to take over.
  void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
  /// Edits that are not saved to a file: an exercise gets its text back. Must outlive this.
  void set_edits(const KeptEdits* edits) { edits_ = edits; }
  /// Where records and versions are kept, a folder for each exercise. Without one they live as long as this object.
  void set_folder(std::filesystem::path folder);

  const ExerciseCatalogue& catalogue() const { return catalogue_; }
  const ExerciseRecord& record(const std::string& exercise) const;

  void open(Session& session, const std::string& name, KernelLanguage language = KernelLanguage::cuda);
  bool is_shown(const Session& session) const;
  // About the shown exercise.
  const Exercise& exercise() const { return *shown_; }
  KernelLanguage language() const { return language_; }
  const ExerciseRecord& record() const { return record(shown_->name); }
  size_t shown_case() const { return case_; }
  uint64_t seed() const { return seed_; }
  /// The name under which the text is kept while it is typed.
  std::string edit_name() const;
  const std::string& start_text() const { return start_text_; }

  /// Call once a frame, before Session::poll.
  void poll(Session& session);
  /// What went wrong since the last call: an unknown exercise, a version that cannot be written.
  std::optional<Error> take_problem() { return std::exchange(problem_, std::nullopt); }

  /// Shows a case in the views: its sizes and contents.
  void show_case(Session& session, size_t index);
  /// Goes to the other language of the same exercise.
  void set_language(Session& session, KernelLanguage language);
  /// Rewrites the launch line in the learner's text.
  void set_launch(Session& session, const LaunchLine& launch);
  /// The launch lines of the newest text.
  const Result<std::vector<LaunchLine>>& launches() const { return launches_; }

  /// Judges the newest text.
  void judge(Session& session);
  void cancel();
  bool judging() const;
  /// The newest judgement, which grows while it is made; null: none for this exercise yet.
  std::shared_ptr<const Judgement> judgement() const { return judgement_; }
  /// The version whose record the judgement was read from; null if it was made since the exercise was opened.
  const JudgedVersion* kept_version() const { return kept_ ? &*kept_ : nullptr; }
  /// It belongs to an older text.
  bool judgement_is_old() const { return judgement_ != nullptr && judged_text_ != text_; }

  void show_hint();
  void show_solution();
  /// The text of the solution; empty where its file is gone.
  std::string solution_text() const;
  /// For a debug exercise: is the bug at this line of the start file, and of this kind?
  bool guess_bug(Session& session, uint32_t line, const std::string& kind);
  /// For a debug exercise whose bug is not found yet: what the checks find is not told.
  bool hides_findings() const { return shown_->bug.has_value() && !record().bug_found; }
  /// Replaces the text by that of a version, or by the start file.
  void restore_version(Session& session, size_t index);
  void restore_start(Session& session);
  /// The next exercise in the order of the rail; null: this is the last.
  const Exercise* next() const;

 private:
  class Judge;
  void show(Session& session);
  void follow(Session& session);
  void take_judgement();
  void forget_judgement();
  void recall_judgement();
  std::filesystem::path folder_of(const std::string& exercise) const;
  ExerciseRecord& record_of(const std::string& exercise);
  void note_problem(const Result<void>& written);
  Submission submission() const;

  std::filesystem::path root_, folder_;
  std::function<void()> wake_;
  const KeptEdits* edits_ = nullptr;
  ExerciseCatalogue catalogue_;
  std::map<std::string, ExerciseRecord> records_;
  const Exercise* shown_ = nullptr;  // in catalogue_
  KernelLanguage language_ = KernelLanguage::cuda;
  size_t case_ = 0;
  uint64_t seed_ = 1;
  std::string start_text_, text_;  // text_: the newest, as it is run
  Result<std::vector<LaunchLine>> launches_;
  std::shared_ptr<ExerciseReference> reference_;
  std::shared_ptr<Engine> reference_engine_;
  std::unique_ptr<Judge> judge_;
  std::shared_ptr<const Judgement> judgement_;
  std::optional<JudgedVersion> kept_;  // see kept_version
  std::string judged_text_;
  std::optional<Error> problem_;
};

}  // namespace tilescope
