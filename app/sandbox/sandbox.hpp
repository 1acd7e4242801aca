// A user's own CUDA, Triton or PTX file as a lab: its kernels are the rungs, and a form provides what a lab's author
// would decide. Every view works on it without knowing that it is not an ordinary lab.
//
//     file ── FileWatch ──▶ text ── SourceFacts ──▶ KernelForm per kernel ── fill_in ──▶ Lab ──▶ Session
//                            ▲ edits in the source panel            ▲ typed fields
//
// What a Python file has is known only after it was executed (python_reader.hpp), which the user is asked about first.
// Forms are remembered by file and kernel; when the file changes on disk, they are kept and the kernel runs again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/sandbox/form/kernel_form.hpp"
#include "app/sandbox/python_reader.hpp"
#include "app/session/file_watch.hpp"

namespace tilescope {

class KeptEdits;  // app/session/kept_edits.hpp
class Session;
struct Lab;

class Sandbox {
 public:
  /// `wake` is called from a thread when poll() has something to take over.
  void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
  const std::function<void()>& wake() const { return wake_; }

  /// Edits that are not saved to a file yet: an opened file gets its edits restored. Must outlive this.
  void set_edits(const KeptEdits* edits) { edits_ = edits; }
  bool is_edited(const std::filesystem::path& file) const;
  /// The open file's text on disk.
  const std::string& text_on_disk() const { return text_; }

  /// Opens a file; a later poll() shows it, or take_opening_error() gives the reason why not.
  void open(const std::filesystem::path& file);
  void stop_opening();
  bool opening() const { return next_watch_ != nullptr; }
  /// How Python files are read, and the file that keeps which of them may run. Without it none can be opened.
  void set_python(PythonReader::Ask ask, std::filesystem::path trust_file);
  /// A Python file that waits for answer(): may it run?
  std::optional<std::filesystem::path> question() const;
  void answer(bool may_run);
  std::optional<Error> take_opening_error() { return std::exchange(opening_error_, std::nullopt); }

  /// Call once a frame, before Session::poll.
  void poll(Session& session);
  /// Whether the session shows this file.
  bool is_shown(const Session& session) const;

  const std::filesystem::path& file() const { return file_; }
  /// Why the file can no longer be read; the last text that was read stays.
  const std::optional<Error>& problem() const { return problem_; }
  /// The file changed on disk while it was being edited in the window.
  bool changed_beside_edits() const { return changed_beside_edits_; }
  /// The edits stay; saving will overwrite the file on disk.
  void keep_edits() { changed_beside_edits_ = false; }

  const SourceFacts& facts() const { return facts_; }
  /// Incremented whenever a different text is shown: its characters may have to be loaded.
  uint64_t text_version() const { return text_version_; }
  const std::string& kernel() const { return kernel_; }
  const KernelForm& form() const { return forms_.at(kernel_); }
  const FilledForm& filled() const { return filled_; }
  void choose_kernel(const std::string& kernel);
  void set_field(const std::string& field, const std::string& text);
  /// Resets all fields to the source's suggestions.
  void reset_form();

  /// Writes the text edited in the window to the file.
  Result<void> save(Session& session);

  // State that is remembered across starts.
  struct Remembered {
    std::string kernel;
    std::map<std::string, FieldTexts> edits;  // by kernel
    bool operator==(const Remembered&) const = default;
  };
  /// Newest first.
  const std::vector<std::filesystem::path>& recent() const { return recent_; }
  std::map<std::string, Remembered> remembered() const;
  void restore(std::vector<std::filesystem::path> recent, std::map<std::string, Remembered> remembered);
  void forget(const std::filesystem::path& file);
  /// The same files in an order that is stable while the program runs: new ones are appended.
  const std::vector<std::filesystem::path>& listed() const { return listed_; }
  /// Removes a file from the lists; the file itself stays. If it is shown, the previous lab is shown instead. False: it
  /// is shown and has unsaved edits.
  bool remove(Session& session, const std::filesystem::path& file);
  static constexpr size_t kMostRecent = 8, kMostRemembered = 40;

 private:
  void take_news(Session& session, FileWatch::News news);
  void restore_edit(Session& session);
  void read_text(const std::string& text);
  std::optional<SourceFacts> facts_of(const std::string& text);
  void take_facts(SourceFacts facts);
  void take_next(Session& session, FileWatch::News news);
  void take_python(Session& session);
  void follow(Session& session);
  void learn_roles(const Session& session);
  void show(Session& session);
  std::shared_ptr<const Lab> make_lab() const;
  void keep();
  void note_opened(const std::filesystem::path& file);

  std::function<void()> wake_;
  const KeptEdits* edits_ = nullptr;
  std::unique_ptr<FileWatch> watch_, next_watch_;
  std::optional<Error> opening_error_, problem_;
  std::unique_ptr<PythonReader> python_;
  std::optional<std::string> asked_;         // text of the Python file that waits for the user's answer
  std::optional<std::string> awaited_;       // text of the Python file to open that is being executed
  std::optional<SourceFacts> python_facts_;  // of python_text_
  std::string python_text_;
  std::filesystem::path file_;
  bool read_ = false;   // watch_ has delivered a text
  bool dirty_ = false;  // the session's lab is older than the state here
  bool changed_beside_edits_ = false;
  std::string text_;                   // on disk
  std::optional<std::string> edited_;  // in the window, as last seen
  SourceFacts facts_;
  std::map<std::string, KernelForm> forms_;
  std::string kernel_;
  FilledForm filled_;
  uint64_t text_version_ = 0;
  std::shared_ptr<const void> learned_from_;  // the result that roles were last learned from
  std::vector<std::filesystem::path> recent_, listed_;
  std::string lab_before_;  // the lab shown before a user's own file
  std::map<std::string, Remembered> remembered_;
};

}  // namespace tilescope
