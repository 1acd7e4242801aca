#include "app/sandbox/sandbox.hpp"

#include <algorithm>

#include "app/sandbox/reading/foreign_facts.hpp"
#include "app/session/kept_edits.hpp"
#include "app/session/saved_files.hpp"
#include "app/session/session.hpp"
#include "engine/compile/device_source.hpp"
#include "engine/kernel_language.hpp"
#include "engine/sha256.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

fs::path normal(const fs::path& file) {
  std::error_code failed;
  fs::path path = fs::absolute(file, failed);
  return (failed ? file : path).lexically_normal();
}

/// Kernels may be in the user's headers.
std::string text_with_headers(const fs::path& file, const std::string& text) {
  return DeviceSource({.text = text, .file = file.string()}, {}).original_text();
}

/// Errors in a form are shown at its fields; the run only refers to them. Only the compiler knows for certain whether
/// the kernel exists.
Result<void> check_form(const KernelForm& form, int64_t n) {
  const FilledForm filled = fill_in(form, n);
  for (const auto& [field, problem] : filled.problems)
    if (field != "kernel") return fail(ErrorId::form_incomplete, field);
  return {};
}

Rung make_rung(const fs::path& file, const KernelForm& form) {
  const auto shared = std::make_shared<const KernelForm>(form);
  Rung rung;
  rung.name = form.kernel;
  rung.title = {form.kernel, form.kernel};
  rung.kernels = {form.last_name};
  rung.architecture = fill_in(form, n_of(form)).architecture;
  rung.buffers = [shared](const Config& config) { return fill_in(*shared, config.size("n")).buffers; };
  rung.variables = [shared](const Config& config) { return fill_in(*shared, config.size("n")).variables; };
  rung.launches = [shared](const Config& config) {
    FilledForm filled = fill_in(*shared, config.size("n"));
    // A kernel that the source seems not to have is still requested by name.
    if (filled.launch.kernel.empty()) filled.launch.kernel = shared->kernel;
    return std::vector<Launch>{std::move(filled.launch)};
  };
  rung.check = [shared](const Config& config) { return check_form(*shared, config.size("n")); };
  rung.command = [shared, file = file.string()](const Config& config, DeviceKind device, uint64_t seed) {
    return exec_line(file, fill_in(*shared, config.size("n")), device, seed);
  };
  return rung;
}

}  // namespace

void Sandbox::open(const fs::path& file) {
  stop_opening();
  opening_error_.reset();
  next_watch_ = std::make_unique<FileWatch>(normal(file), wake_);
}

bool Sandbox::is_shown(const Session& session) const {
  return read_ && session.shows_own() && session.lab().name == file_.string();
}

void Sandbox::poll(Session& session) {
  if (next_watch_) {
    if (auto news = next_watch_->take()) {
      // The open file stays until a different one is available.
      const bool is_python = language_of(next_watch_->file().string()) == KernelLanguage::triton;
      if (*news && is_python && python_) {
        asked_.reset();
        awaited_.reset();
        if (python_->is_trusted(**news)) {
          python_->start(next_watch_->file().string(), **news);
          awaited_ = std::move(**news);
        } else {
          asked_ = std::move(**news);
        }
      } else if (*news) {
        take_next(session, std::move(*news));
      } else {
        opening_error_ = news->error();
        forget(next_watch_->file());
        next_watch_.reset();
      }
    }
  }
  if (python_) take_python(session);
  if (watch_)
    if (auto news = watch_->take()) take_news(session, std::move(*news));
  if (!is_shown(session)) return;
  follow(session);
  if (dirty_) show(session);
}

void Sandbox::stop_opening() {
  next_watch_.reset();
  asked_.reset();
  awaited_.reset();
}

void Sandbox::set_python(PythonReader::Ask ask, fs::path trust_file) {
  python_ = std::make_unique<PythonReader>(std::move(ask), std::move(trust_file), wake_);
}

std::optional<fs::path> Sandbox::question() const {
  return asked_ && next_watch_ ? std::optional(next_watch_->file()) : std::nullopt;
}

void Sandbox::answer(bool may_run) {
  if (!asked_ || !next_watch_) return;
  if (!may_run) return stop_opening();
  python_->trust(*asked_);
  python_->start(next_watch_->file().string(), *asked_);
  awaited_ = std::exchange(asked_, std::nullopt);
}

void Sandbox::take_next(Session& session, FileWatch::News news) {
  if (read_) keep();
  watch_ = std::move(next_watch_);
  read_ = false;
  file_ = watch_->file();
  take_news(session, std::move(news));
}

/// What a Python file was found to have: of the file to open, or of a newer text of the open one.
void Sandbox::take_python(Session& session) {
  auto answer = python_->take();
  if (!answer) return;
  python_text_ = answer->text;
  // A file that does not compile has no kernels; the run says at which line.
  python_facts_ = facts_of_triton(answer->file.value_or(TritonFile()), answer->text);
  if (awaited_ && next_watch_ && *awaited_ == answer->text) {
    awaited_.reset();
    if (!answer->file && answer->file.error().id != ErrorId::compile_failed) {
      opening_error_ = answer->file.error();
      next_watch_.reset();
      return;
    }
    take_next(session, answer->text);
  } else if (read_ && answer->file && answer->text == edited_.value_or(text_)) {
    take_facts(*python_facts_);
  }
}

void Sandbox::take_news(Session& session, FileWatch::News news) {
  if (!news) {
    problem_ = news.error();
    return;
  }
  problem_.reset();
  text_ = std::move(*news);
  if (read_) {
    changed_beside_edits_ = edited_.has_value();
    if (!edited_) read_text(text_);
    dirty_ = true;
    return;
  }
  read_ = true;
  edited_.reset();
  changed_beside_edits_ = false;
  learned_from_.reset();
  forms_.clear();
  const auto known = remembered_.find(file_.string());
  kernel_ = known != remembered_.end() ? known->second.kernel : "";
  read_text(text_);
  note_opened(file_);
  if (!session.shows_own()) lab_before_ = session.lab().name;
  show(session);
  restore_edit(session);
}

/// Restores unsaved edits from before a different file was opened or the window closed.
void Sandbox::restore_edit(Session& session) {
  const KeptEdits::Edit* edit = edits_ != nullptr ? edits_->find(file_edit_name(file_)) : nullptr;
  if (edit == nullptr || edit->text == text_) return;
  session.set_source(edit->text);
  edited_ = edit->text;
  changed_beside_edits_ = edit->base != sha256_of(text_);
  read_text(edit->text);
}

bool Sandbox::is_edited(const fs::path& file) const {
  return edits_ != nullptr && edits_->find(file_edit_name(file)) != nullptr;
}

void Sandbox::read_text(const std::string& text) {
  if (auto facts = facts_of(text)) return take_facts(std::move(*facts));
  ++text_version_;
  dirty_ = true;
}

/// Nothing for a Python file that must be executed first.
std::optional<SourceFacts> Sandbox::facts_of(const std::string& text) {
  switch (language_of(file_.string())) {
    case KernelLanguage::ptx:
      return facts_of_ptx(text);
    case KernelLanguage::triton:
      if (python_facts_ && python_text_ == text) return *python_facts_;
      if (python_) python_->start(file_.string(), text);
      return std::nullopt;
    case KernelLanguage::cuda:
      break;
  }
  const auto lines = static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n') + 1);
  return read_source_facts(text_with_headers(file_, text), lines);
}

void Sandbox::take_facts(SourceFacts facts) {
  facts_ = std::move(facts);
  const auto known = remembered_.find(file_.string());
  for (const SourceKernel& kernel : facts_.kernels) {
    if (forms_.contains(kernel.name)) continue;
    FieldTexts edits;
    if (known != remembered_.end())
      if (const auto one = known->second.edits.find(kernel.name); one != known->second.edits.end()) edits = one->second;
    forms_[kernel.name] = form_of(kernel.name, facts_, std::move(edits));
  }
  for (auto& [name, form] : forms_) suggest(form, facts_);
  // A missing kernel stays selected: the file may be in the middle of a save.
  if (kernel_.empty() && !facts_.kernels.empty()) kernel_ = facts_.kernels.front().name;
  if (!forms_.contains(kernel_)) forms_[kernel_] = form_of(kernel_, facts_, {});
  if (!kernel_.empty()) forms_.erase("");
  // Otherwise every intermediate name of a kernel being typed would leave a form behind.
  std::erase_if(forms_,
                [&](const auto& one) { return !one.second.known && one.second.edits.empty() && one.first != kernel_; });
  learned_from_.reset();
  ++text_version_;
  dirty_ = true;
}

/// Follows changes made elsewhere: in the source panel, the ladder, the slider.
void Sandbox::follow(Session& session) {
  const Request& request = session.request();
  if (request.edited_source != edited_) {
    edited_ = request.edited_source;
    if (!edited_) changed_beside_edits_ = false;
    read_text(edited_.value_or(text_));
  }
  if (request.rung != kernel_ && !dirty_) choose_kernel(request.rung);
  const auto n = request.config.sizes.find("n");
  if (!dirty_ && n != request.config.sizes.end() && n->second != n_of(form())) {
    forms_.at(kernel_).set("n", std::to_string(n->second));
    filled_ = fill_in(form(), n->second);
  }
  learn_roles(session);
}

/// Learns from the run what the source did not show: a buffer that is passed to a function and is written.
void Sandbox::learn_roles(const Session& session) {
  const auto result = session.result();
  if (!result || result == learned_from_ || session.stale() || !result->observed || !result->findings.empty()) return;
  learned_from_ = result;
  KernelForm& form = forms_.at(kernel_);
  for (const BufferMap& buffer : result->tiles.buffers) {
    const std::string role = buffer.name + ".role", fill = buffer.name + ".fill";
    const auto guess = form.defaults.find(role);
    if (guess == form.defaults.end() || guess->second != name_of(Role::inout)) continue;
    if (form.is_edited(role) || form.is_edited(fill) || form.defaults[fill] == "zero") continue;
    const bool read = !buffer.reads.empty(), written = !buffer.writes.empty();
    if (read == written) continue;
    form.defaults[role] = name_of(read ? Role::input : Role::output);
    form.origins[role] = {FieldOrigin::Kind::run};
    if (written) form.defaults[fill] = "poison";
    dirty_ = true;
  }
}

void Sandbox::show(Session& session) {
  dirty_ = false;
  session.show_own(make_lab(), kernel_);
  session.set_size("n", n_of(form()));
  filled_ = fill_in(form(), n_of(form()));
}

std::shared_ptr<const Lab> Sandbox::make_lab() const {
  auto lab = std::make_shared<Lab>();
  lab->name = file_.string();
  lab->stage = -1;
  lab->title = {file_.filename().string(), file_.filename().string()};
  lab->kernel_file = file_.string();
  lab->source_text = text_;
  const int64_t n = n_of(form());
  const FilledForm filled = fill_in(form(), n);
  if (form().language == KernelLanguage::cuda) lab->defines = filled.defines;
  lab->include_folders = filled.include_folders;
  Size size{.name = "n",
            .title = {"n", "n"},
            .value = n,
            .gpu_value = n,
            .min = kSmallestN,
            .max_sim = std::max(form().largest_simulated, n),
            .max_gpu = kLargestN};
  for (int64_t stop = 16; stop <= int64_t{1} << 24; stop *= 2) size.offered.push_back(stop);
  lab->sizes.push_back(std::move(size));
  for (const auto& [name, form] : forms_)
    if (form.known || name == kernel_) lab->rungs.push_back(make_rung(file_, form));
  // In source order.
  const auto place = [this](const Rung& rung) {
    const auto same = [&](const SourceKernel& kernel) { return kernel.name == rung.name; };
    return std::find_if(facts_.kernels.begin(), facts_.kernels.end(), same) - facts_.kernels.begin();
  };
  std::stable_sort(lab->rungs.begin(), lab->rungs.end(),
                   [&](const Rung& a, const Rung& b) { return place(a) < place(b); });
  return lab;
}

void Sandbox::choose_kernel(const std::string& kernel) {
  if (!forms_.contains(kernel) || kernel == kernel_) return;
  kernel_ = kernel;
  if (const auto gone = forms_.find(""); gone != forms_.end() && !kernel_.empty()) forms_.erase(gone);
  dirty_ = true;
}

void Sandbox::set_field(const std::string& field, const std::string& text) {
  KernelForm& form = forms_.at(kernel_);
  if (form.text(field) == text) return;
  form.set(field, text);
  if (field == "template") suggest(form, facts_);
  filled_ = fill_in(form, n_of(form));
  dirty_ = true;
}

void Sandbox::reset_form() {
  KernelForm& form = forms_.at(kernel_);
  form.edits.clear();
  suggest(form, facts_);
  learned_from_.reset();
  dirty_ = true;
}

Result<void> Sandbox::save(Session& session) {
  const std::string text = session.request().edited_source.value_or(text_);
  if (auto written = replace_file(file_, text); !written) return written;
  text_ = text;
  if (python_) python_->trust(text);
  session.set_source(std::nullopt);
  edited_.reset();
  changed_beside_edits_ = false;
  problem_.reset();
  read_text(text_);
  show(session);
  return {};
}

void Sandbox::keep() {
  Remembered& kept = remembered_[file_.string()];
  kept.kernel = kernel_;
  for (const auto& [name, form] : forms_) {
    if (form.edits.empty())
      kept.edits.erase(name);
    else
      kept.edits[name] = form.edits;
  }
}

std::map<std::string, Sandbox::Remembered> Sandbox::remembered() const {
  Sandbox copy;
  copy.remembered_ = remembered_;
  copy.file_ = file_;
  copy.forms_ = forms_;
  copy.kernel_ = kernel_;
  if (read_) copy.keep();
  // Keeps the most recently opened files.
  while (copy.remembered_.size() > kMostRemembered) {
    auto oldest = std::find_if(copy.remembered_.begin(), copy.remembered_.end(), [&](const auto& one) {
      return std::find(recent_.begin(), recent_.end(), fs::path(one.first)) == recent_.end();
    });
    copy.remembered_.erase(oldest == copy.remembered_.end() ? copy.remembered_.begin() : oldest);
  }
  return copy.remembered_;
}

void Sandbox::restore(std::vector<fs::path> recent, std::map<std::string, Remembered> remembered) {
  recent_ = std::move(recent);
  if (recent_.size() > kMostRecent) recent_.resize(kMostRecent);
  listed_ = recent_;
  remembered_ = std::move(remembered);
}

void Sandbox::note_opened(const fs::path& file) {
  std::erase(recent_, file);
  recent_.insert(recent_.begin(), file);
  if (std::find(listed_.begin(), listed_.end(), file) == listed_.end()) listed_.push_back(file);
  while (recent_.size() > kMostRecent) {
    std::erase(listed_, recent_.back());
    recent_.pop_back();
  }
}

void Sandbox::forget(const fs::path& file) {
  std::erase(recent_, file);
  std::erase(listed_, file);
}

bool Sandbox::remove(Session& session, const fs::path& file) {
  const bool shown = is_shown(session) && file_ == file;
  if (is_edited(file) || (shown && session.request().edited_source)) return false;
  if (shown) {
    session.select_lab(find_lab(lab_before_) != nullptr ? lab_before_ : labs().front().name);
    keep();
    watch_.reset();
    read_ = false;
  }
  forget(file);
  return true;
}

}  // namespace tilescope
