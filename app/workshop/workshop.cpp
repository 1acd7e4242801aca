#include "app/workshop/workshop.hpp"

#include <algorithm>

#include "app/exercises/reference_values.hpp"
#include "app/session/kept_edits.hpp"
#include "app/session/session.hpp"
#include "engine/text_file.hpp"

namespace tilescope {

namespace fs = std::filesystem;

/// Judges on a thread, with an engine of its own, so that the window's runs continue beside it.
class Workshop::Judge {
 public:
  Judge(fs::path root, std::function<void()> wake) : root_(std::move(root)), wake_(std::move(wake)) {}

  void start(const Exercise& exercise, Submission submission, JudgeOptions options) {
    cancel();
    {
      const std::scoped_lock lock(mutex_);
      news_.reset();
      running_ = true;
    }
    // Joins the thread of the judgement before, which was asked to stop.
    thread_ = std::jthread(
        [this, exercise, submission = std::move(submission), options](const std::stop_token& stop) mutable {
          if (!engine_) engine_ = Engine::open({.root = root_});
          options.stop = stop;
          options.progress = [this](const Judgement& judgement) { tell(judgement); };
          const Judgement judgement = tilescope::judge(engine_, exercise, submission, options);
          {
            const std::scoped_lock lock(mutex_);
            running_ = false;
          }
          if (!stop.stop_requested()) tell(judgement);
        });
  }

  void cancel() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    const std::scoped_lock lock(mutex_);
    running_ = false;
  }

  bool running() const {
    const std::scoped_lock lock(mutex_);
    return running_;
  }

  std::shared_ptr<const Judgement> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(news_, nullptr);
  }

 private:
  void tell(const Judgement& judgement) {
    {
      const std::scoped_lock lock(mutex_);
      news_ = std::make_shared<const Judgement>(judgement);
    }
    if (wake_) wake_();
  }

  fs::path root_;
  std::function<void()> wake_;
  std::shared_ptr<Engine> engine_;  // the thread's
  mutable std::mutex mutex_;
  std::shared_ptr<const Judgement> news_;  // guarded by mutex_
  bool running_ = false;                   // guarded by mutex_
  std::jthread thread_;                    // declared last: ends before the other members
};

Workshop::Workshop(fs::path root)
    : root_(std::move(root)), catalogue_(read_exercises(root_)), launches_(std::vector<LaunchLine>()) {}

Workshop::~Workshop() = default;

void Workshop::set_folder(fs::path folder) {
  folder_ = std::move(folder);
  records_.clear();
  std::error_code failed;
  for (const Exercise& one : catalogue_.exercises)
    if (fs::exists(folder_of(one.name) / "record.json", failed)) records_[one.name] = read_record(folder_of(one.name));
}

fs::path Workshop::folder_of(const std::string& exercise) const {
  return folder_.empty() ? fs::path() : folder_ / exercise;
}

const ExerciseRecord& Workshop::record(const std::string& exercise) const {
  static const ExerciseRecord none;
  const auto found = records_.find(exercise);
  return found != records_.end() ? found->second : none;
}

ExerciseRecord& Workshop::record_of(const std::string& exercise) { return records_[exercise]; }

void Workshop::note_problem(const Result<void>& written) {
  if (!written) problem_ = written.error();
}

bool Workshop::is_shown(const Session& session) const {
  return shown_ != nullptr && session.shows_own() && session.lab().name == lab_name_of(*shown_);
}

std::string Workshop::edit_name() const {
  return lab_name_of(*shown_) + (language_ == KernelLanguage::triton ? ".py" : ".cu");
}

Submission Workshop::submission() const {
  return {.file = shown_->start(language_).filename().string(), .text = text_};
}

void Workshop::open(Session& session, const std::string& name, KernelLanguage language) {
  const Exercise* exercise = catalogue_.find(name);
  if (exercise == nullptr) {
    problem_ = make_error(ErrorId::exercise_not_found, name);
    return;
  }
  if (language == KernelLanguage::triton && !exercise->has_triton) language = KernelLanguage::cuda;
  const bool other = shown_ != exercise || language != language_ || !is_shown(session);
  if (!other) return;
  forget_judgement();
  if (shown_ != exercise) {
    if (!reference_engine_) reference_engine_ = Engine::open({.root = root_});
    reference_ = std::make_shared<ExerciseReference>(reference_engine_, *exercise);
  }
  shown_ = exercise;
  language_ = language;
  case_ = 0;
  const auto start = read_text(exercise->start(language));
  start_text_ = start.value_or("");
  const KeptEdits::Edit* edit = edits_ != nullptr ? edits_->find(edit_name()) : nullptr;
  text_ = edit != nullptr ? edit->text : start_text_;
  launches_ = read_launch_lines(text_, language_);
  recall_judgement();
  show(session);
  session.set_source(text_ == start_text_ ? std::nullopt : std::optional(text_));
}

/// The exercise as a lab, with the launches of the newest text, at the sizes of the shown case.
void Workshop::show(Session& session) {
  auto lab = std::make_shared<Lab>(*make_exercise_lab(*shown_, case_, submission(), reference_));
  lab->source_text = start_text_;  // what the learner's text is an edit of
  const bool stays = is_shown(session);
  const auto edited = session.request().edited_source;
  Request request = make_exercise_request(std::move(lab), shown_->cases[case_], seed_);
  request.device = session.request().device;
  request.gpu = session.request().gpu;
  request.tell_findings = !hides_findings();
  if (stays) request.edited_source = edited;
  session.set_request(request);
}

void Workshop::follow(Session& session) {
  const std::string& newest = session.request().edited_source ? *session.request().edited_source : start_text_;
  if (newest == text_) return;
  text_ = newest;
  auto launches = read_launch_lines(text_, language_);
  launches_ = std::move(launches);
  show(session);
}

void Workshop::poll(Session& session) {
  if (shown_ == nullptr) return;
  take_judgement();
  if (is_shown(session)) follow(session);
}

void Workshop::show_case(Session& session, size_t index) {
  if (index >= shown_->cases.size()) return;
  case_ = index;
  show(session);
}

void Workshop::set_language(Session& session, KernelLanguage language) { open(session, shown_->name, language); }

void Workshop::set_launch(Session& session, const LaunchLine& launch) {
  const std::string text = with_launch(session.newest_source().value_or(start_text_), launch, language_);
  session.set_source(text == start_text_ ? std::nullopt : std::optional(text));
}

void Workshop::judge(Session& session) {
  if (!is_shown(session)) return;
  if (const auto& newest = session.newest_source()) session.set_source(*newest);  // also what is being typed
  follow(session);
  if (!judge_) judge_ = std::make_unique<Judge>(root_, wake_);
  judgement_.reset();
  kept_.reset();
  judged_text_ = text_;
  // Sizes and inputs differ from judgement to judgement, so that a kernel cannot be fitted to them.
  seed_ = 1 + record().versions.size();
  judge_->start(*shown_, submission(), {.seed = seed_, .device = session.request().device, .stop = {}, .progress = {}});
}

void Workshop::cancel() {
  if (judge_) judge_->cancel();
}

bool Workshop::judging() const { return judge_ && judge_->running(); }

void Workshop::forget_judgement() {
  cancel();
  if (judge_) judge_->take();
  judgement_.reset();
  kept_.reset();
  judged_text_.clear();
}

/// The newest one that the record has in the shown language.
void Workshop::recall_judgement() {
  const std::string ending = language_ == KernelLanguage::triton ? ".py" : ".cu";
  const auto& versions = record().versions;
  const auto newest = std::find_if(versions.rbegin(), versions.rend(),
                                   [&](const JudgedVersion& version) { return version.file.ends_with(ending); });
  if (newest == versions.rend()) return;
  auto judgement = judgement_of(*shown_, *newest);
  if (!judgement) return;
  judgement_ = std::make_shared<const Judgement>(std::move(*judgement));
  judged_text_ = folder_.empty() ? "" : read_text(folder_of(shown_->name) / newest->file).value_or("");
  kept_ = *newest;
}

void Workshop::take_judgement() {
  if (!judge_) return;
  const bool ended = !judge_->running();
  auto news = judge_->take();
  if (!news) return;
  judgement_ = std::move(news);
  kept_.reset();
  if (!ended || judgement_->reason == "cancelled" || judgement_->broken) return;
  ExerciseRecord& record = record_of(shown_->name);
  const bool found = !shown_->bug || record.bug_found;
  ExerciseState state = ExerciseState::tried;
  if (judgement_->verdict != Judgement::Verdict::refused) state = ExerciseState::correct;
  if (judgement_->verdict == Judgement::Verdict::all_goals && found) state = ExerciseState::all_goals;
  record.state = std::max(record.state, state);
  Submission judged = submission();
  judged.text = judged_text_;
  note_problem(add_version(folder_of(shown_->name), record, judged, *judgement_));
}

void Workshop::show_hint() {
  ExerciseRecord& record = record_of(shown_->name);
  record.hints = std::min(record.hints + 1, static_cast<int>(shown_->hints.size()));
  note_problem(write_record(folder_of(shown_->name), record));
}

void Workshop::show_solution() {
  record_of(shown_->name).solution = true;
  note_problem(write_record(folder_of(shown_->name), record_of(shown_->name)));
}

std::string Workshop::solution_text() const { return read_text(shown_->solution(language_)).value_or(""); }

bool Workshop::guess_bug(Session& session, uint32_t line, const std::string& kind) {
  if (!shown_->bug) return false;
  ExerciseRecord& record = record_of(shown_->name);
  size_t begin = 0;
  for (uint32_t number = 1; number < line && begin != std::string::npos; ++number) {
    begin = start_text_.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  std::string text = begin == std::string::npos ? "" : start_text_.substr(begin, start_text_.find('\n', begin) - begin);
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(" \r") + 1);
  const ExerciseBug& bug = *shown_->bug;
  const bool right_line = text == (language_ == KernelLanguage::triton ? bug.line_py : bug.line) ||
                          std::ranges::find(bug.also, text) != bug.also.end();
  record.bug_found = record.bug_found || (right_line && kind == bug.kind);
  if (!record.bug_found) ++record.bug_guesses;
  if (record.bug_found) show(session);  // the run tells its findings now
  if (record.bug_found && judgement_ && judgement_->verdict == Judgement::Verdict::all_goals)
    record.state = ExerciseState::all_goals;
  note_problem(write_record(folder_of(shown_->name), record));
  return record.bug_found;
}

void Workshop::restore_version(Session& session, size_t index) {
  const auto& versions = record().versions;
  if (index >= versions.size()) return;
  const JudgedVersion& version = versions[index];
  const bool triton = version.file.ends_with(".py");
  set_language(session, triton ? KernelLanguage::triton : KernelLanguage::cuda);
  const auto text = read_text(folder_of(shown_->name) / version.file);
  if (!text) {
    problem_ = make_error(ErrorId::file_not_found, (folder_of(shown_->name) / version.file).string(), "it is gone");
    return;
  }
  session.set_source(*text == start_text_ ? std::nullopt : std::optional(*text));
}

void Workshop::restore_start(Session& session) { session.set_source(std::nullopt); }

const Exercise* Workshop::next() const {
  const auto index = static_cast<size_t>(shown_ - catalogue_.exercises.data());
  return index + 1 < catalogue_.exercises.size() ? &catalogue_.exercises[index + 1] : nullptr;
}

}  // namespace tilescope
