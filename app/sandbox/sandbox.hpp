// A CUDA file of the user's own, as a lab: its kernels are the rungs, a form stands in for what a lab's author decides.
// Every view works on it without knowing that it is one.
//
//     file ── FileWatch ──▶ text ── SourceFacts ──▶ KernelForm per kernel ── fill_in ──▶ Lab ──▶ Session
//                            ▲ edits in the source panel            ▲ what is typed
//
// Forms are remembered by file and kernel; when the file changes on disk, they are kept and it runs again.
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
#include "app/session/file_watch.hpp"

namespace tilescope {

class KeptEdits;  // app/session/kept_edits.hpp
class Session;
struct Lab;

class Sandbox {
 public:
  /// Called from a thread when there is something for poll().
  void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
  const std::function<void()>& wake() const { return wake_; }

  /// Edits that are in no file yet: an opened file gets its own back. They outlive this.
  void set_edits(const KeptEdits* edits) { edits_ = edits; }
  bool is_edited(const std::filesystem::path& file) const;
  /// The open file as it is on the disk.
  const std::string& text_on_disk() const { return text_; }

  /// Opens a file; it is shown by a later poll(), or take_opening_error() says why not.
  void open(const std::filesystem::path& file);
  void stop_opening() { next_watch_.reset(); }
  bool opening() const { return next_watch_ != nullptr; }
  std::optional<Error> take_opening_error() { return std::exchange(opening_error_, std::nullopt); }

  /// Call once a frame, before Session::poll.
  void poll(Session& session);
  /// Whether the session shows this file.
  bool is_shown(const Session& session) const;

  const std::filesystem::path& file() const { return file_; }
  /// Why the file cannot be read any more, while the text that was read last stays.
  const std::optional<Error>& problem() const { return problem_; }
  /// It changed on disk while it was being edited in the window.
  bool changed_beside_edits() const { return changed_beside_edits_; }
  /// The edits stay, and saving writes them over what is on disk.
  void keep_edits() { changed_beside_edits_ = false; }

  const SourceFacts& facts() const { return facts_; }
  /// Raised whenever another text is shown: letters in it may need to be loaded.
  uint64_t text_version() const { return text_version_; }
  const std::string& kernel() const { return kernel_; }
  const KernelForm& form() const { return forms_.at(kernel_); }
  const FilledForm& filled() const { return filled_; }
  void choose_kernel(const std::string& kernel);
  void set_field(const std::string& field, const std::string& text);
  /// Everything as the source suggests it.
  void reset_form();

  /// Writes the text that was edited in the window into the file.
  Result<void> save(Session& session);

  // What is remembered between two starts.
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
  /// The same files in an order that does not change while the program runs: new ones come last.
  const std::vector<std::filesystem::path>& listed() const { return listed_; }
  /// Takes a file off the lists; the file itself stays. Where it is shown, the lab before it is shown again. False: it
  /// is shown, and has edits that are not saved.
  bool remove(Session& session, const std::filesystem::path& file);
  static constexpr size_t kMostRecent = 8, kMostRemembered = 40;

 private:
  void take_news(Session& session, FileWatch::News news);
  void restore_edit(Session& session);
  void read_text(const std::string& text);
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
  std::filesystem::path file_;
  bool read_ = false;   // watch_ has given a text
  bool dirty_ = false;  // the session's lab is older than what is here
  bool changed_beside_edits_ = false;
  std::string text_;                   // on disk
  std::optional<std::string> edited_;  // in the window, as it was last seen
  SourceFacts facts_;
  std::map<std::string, KernelForm> forms_;
  std::string kernel_;
  FilledForm filled_;
  uint64_t text_version_ = 0;
  std::shared_ptr<const void> learned_from_;  // the result that roles were last learnt from
  std::vector<std::filesystem::path> recent_, listed_;
  std::string lab_before_;  // that was shown before an own file
  std::map<std::string, Remembered> remembered_;
};

}  // namespace tilescope
