// The kernel's source: coloured, editable, each line with the bytes it moved; or the PTX that it became.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/traffic_seen.hpp"
#include "app/panels/source/source_view.hpp"
#include "app/sandbox/sandbox.hpp"
#include "app/session/file_watch.hpp"
#include "app/session/saved_files.hpp"
#include "app/views/panels.hpp"
#include "app/views/view.hpp"
#include "engine/compile/kernel_names.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr double kTypingPause = 0.35;  // seconds without a key before an edit is run

Listing listing_of(const RunResult& result, const std::string& kernel, SourcePage page) {
  const std::string& file = result.plan.source_file;
  if (page == SourcePage::source || page == SourcePage::ptx) return read_ptx(result.compiled.ptx, kernel, file);
  const auto code = std::ranges::find(result.compiled.triton, kernel, &TritonCode::kernel);
  if (code == result.compiled.triton.end()) return {};
  return read_mlir(page == SourcePage::ttir ? code->ttir : code->ttgir, file);
}

}  // namespace

void SourcePanel::take_source(PanelContext& context) {
  const Lab& lab = context.lab();
  const Request& request = context.session.request();
  if (const std::string file = context.session.source_file(); lab_ != lab.name || file_ != file) {
    if (header_) show_header(context, {});
    if (lab_ == lab.name) context.view.selection = context.view.suggested = {};  // lines of the other file
    lab_ = lab.name;
    rung_.clear();
    file_ = file;
    source_.set_syntax(syntax());
    result_.reset();  // its lines are taken anew, those of this file
    original_ =
        lab.source_text ? *lab.source_text : read_source_file(context.session.engine().root() / file_).value_or("");
    taken_edit_ = request.edited_source;
    source_.buffer.reset(taken_edit_.value_or(original_));
    source_.editable = taken_edit_.has_value();
    edits_pending_ = false;
    notice_.clear();
  }
  // The file may have been changed by another editor: what ran is what is shown.
  if (lab.source_text && *lab.source_text != original_) {
    original_ = *lab.source_text;
    if (!taken_edit_ && !edits_pending_) source_.buffer.reset(original_);
  }
  const auto& result = context.result;
  const bool newer = !lab.source_text && result && result != result_ && result->request.lab == lab_ &&
                     result->plan.source_file == file_ && !result->request.edited_source &&
                     result->request.broken.empty();  // else it is not the file's text
  if (newer && !result->plan.source_text.empty() && result->plan.source_text != original_) {
    original_ = result->plan.source_text;
    if (!taken_edit_ && !edits_pending_) source_.buffer.reset(original_);
  }
  if (request.edited_source != taken_edit_ && !edits_pending_) {
    taken_edit_ = request.edited_source;
    source_.buffer.reset(taken_edit_.value_or(original_));
  }
  if (const std::string& shown = shown_kernel(context); kernel_ != shown || rung_ != context.rung().name) {
    if (header_) show_header(context, {});
    kernel_ = shown;
    rung_ = context.rung().name;
    chosen_ = false;  // a line of another kernel
  }
}

void SourcePanel::take_result(PanelContext& context) {
  const auto& error = context.session.error();
  const std::string seen = error ? error->message : std::string();
  if (seen != error_seen_) {
    error_seen_ = seen;
    errors_ = compile_errors(error);
  }
  if (context.result != result_) take_ledger(context);
  take_listing();
}

void SourcePanel::take_ledger(PanelContext& context) {
  result_ = context.result;
  ledger_ = result_ ? ledger_of(result_->traffic, file_) : Ledger{};
  remember_accesses(context.view, result_);
  rows_ = result_ && result_->observed ? ledger_rows(*result_) : std::vector<LedgerRow>{};
  by_line_.clear();
  row_total_ = {};
  // Sectors of memory and passes over banks are no sum; the sentence above speaks of memory, too.
  total_is_shared_ = std::ranges::all_of(rows_, &LedgerRow::is_shared);
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].is_shared() == total_is_shared_) row_total_.add(rows_[i].movement);
    if (rows_[i].line > 0 && file_name_of(rows_[i].file) == file_name_of(file_)) by_line_[rows_[i].line].push_back(i);
  }
  ++ledger_version_;
  listed_kernel_.clear();
}

/// The shown page of the kernel that is shown, if it was launched.
void SourcePanel::take_listing() {
  if (page_ == SourcePage::host) return;  // of the settings, not of a result: take_host
  std::string kernel;
  if (result_ && !result_->plan.launches.empty()) {
    const auto& launches = result_->plan.launches;
    const auto shown = std::ranges::find(launches, kernel_, [](const Launch& one) { return kernel_name(one.kernel); });
    kernel = (shown != launches.end() ? *shown : launches.front()).kernel;
  }
  const bool same = kernel == listed_kernel_ && page_ == listed_page_;
  if (same && (!kernel.empty() || listing_.text.empty())) return;
  listed_kernel_ = kernel;
  listed_page_ = page_;
  listing_ = kernel.empty() || result_->plan.source_file != file_ ? Listing{} : listing_of(*result_, kernel, page_);
  page_view_.set_syntax(page_ == SourcePage::ttir || page_ == SourcePage::ttgir ? Syntax::mlir : Syntax::ptx);
  if (page_view_.buffer.text() != listing_.text) page_view_.buffer.reset(listing_.text);
}

void SourcePanel::apply_edits(PanelContext& context, bool now) {
  if (!edits_pending_ || (!now && ImGui::GetTime() - edited_at_ < kTypingPause)) return;
  edits_pending_ = false;
  taken_edit_ = edited_text();
  context.session.set_source(taken_edit_);
}

std::optional<std::string> SourcePanel::edited_text() const {
  std::string text = source_.buffer.text();
  return text == original_ ? std::nullopt : std::optional(std::move(text));
}

void SourcePanel::set_editing(PanelContext& context, bool on) {
  apply_edits(context, true);
  page_ = SourcePage::source;
  context.view.diff = false;
  show_header(context, {});
  source_.editable = on;
  notice_.clear();
  if (!on) return;
  source_.focus();
  const auto kernel = find_body(source_.buffer.lines(), shown_kernel(context), language());
  const size_t line = selected_ ? *selected_ - 1 : kernel ? kernel->signature : 0;
  source_.buffer.place({line, 0});
  source_.reveal(static_cast<uint32_t>(line), CodeView::Place::nearest);
}

void SourcePanel::revert(PanelContext& context) {
  source_.buffer.select_all();
  source_.buffer.paste(original_);  // so that it can be undone
  edits_pending_ = true;
  apply_edits(context, true);
  notice_.clear();
}

/// The notice under the source, and the same in the status bar: under the source there may be an error instead.
void SourcePanel::note(PanelContext& context, std::string text, const fs::path& file, bool is_error) {
  notice_is_error_ = is_error;
  notice_path_ = file.string();
  context.view.say = text;
  notice_ = std::move(text);
}

/// A file of the learner's own is written itself.
void SourcePanel::save_own(PanelContext& context) {
  apply_edits(context, true);
  const std::string name = file_name_of(file_);
  const bool changed = context.session.request().edited_source.has_value() || context.sandbox->problem();
  if (!changed)
    return note(context, context.strings.format("source.not_changed", fmt::arg("file", name)), file_, false);
  if (const auto saved = context.sandbox->save(context.session); !saved)
    return note(context, as_sentence(context.strings, saved.error()), file_, true);
  note(context, context.strings.format("source.saved_in_place", fmt::arg("file", name)), file_, false);
  taken_edit_ = context.session.request().edited_source;
  original_ = context.lab().source_text.value_or(original_);
}

void SourcePanel::save_copy(PanelContext& context) {
  if (context.sandbox != nullptr && context.sandbox->is_shown(context.session)) return save_own(context);
  const auto folder = make_saved_files_folder();
  if (!folder) return note(context, as_sentence(context.strings, folder.error()), saved_files_folder(), true);
  const std::string name = fs::path(file_).stem().string() + "-" + context.rung().name;
  const std::string ending = fs::path(file_).extension().string();
  const auto saved = tilescope::save_copy(*folder, name, source_.buffer.text(), ending);
  if (!saved) return note(context, as_sentence(context.strings, saved.error()), *folder, true);
  const char* key = saved->is_new_name ? "source.saved_new_name" : "source.saved";
  note(context, context.strings.format(key, fmt::arg("file", saved->file.string()), fmt::arg("taken", name + ending)),
       saved->file, false);
}

void SourcePanel::take_keys(PanelContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  context.view.source_active =
      ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) || ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
  const bool elsewhere = io.WantTextInput && !source_.focused() && page().bar() == CodeView::Bar::none;
  SourceWish wish = std::exchange(context.view.source_wish, SourceWish::none);
  if (io.KeyCtrl && !io.KeyAlt && !elsewhere) {
    if (key_went_down(Key::e) && !io.KeyShift) wish = SourceWish::edit;
    if (key_went_down(Key::s)) wish = SourceWish::save;
    // The lesson can be searched, too.
    const bool here = context.view.source_active || context.shown == nullptr || !context.shown->finds_text();
    if (key_went_down(Key::f) && here) wish = SourceWish::find;
    if (key_went_down(Key::h)) wish = SourceWish::replace;
    if (key_went_down(Key::g)) wish = SourceWish::go_to_line;
  }
  fulfil(context, wish);
}

void SourcePanel::fulfil(PanelContext& context, SourceWish wish) {
  switch (wish) {
    case SourceWish::none:
      return;
    case SourceWish::edit:
      return set_editing(context, !source_.editable || shows_listing());
    case SourceWish::save:
      if (has_program()) return save_program(context);
      return save_copy(context);
    case SourceWish::replace:
      if (!source_.editable || shows_listing()) set_editing(context, true);
      return source_.open_bar(CodeView::Bar::replace);
    case SourceWish::find:
    case SourceWish::go_to_line:
      context.view.diff = false;  // what is found may be in neither rung
      return page().open_bar(wish == SourceWish::find ? CodeView::Bar::find : CodeView::Bar::go_to_line);
  }
}

/// While it is out of sight a text that was being typed is still taken over, and can be saved.
void SourcePanel::keep(PanelContext& context) {
  take_source(context);
  apply_edits(context, true);
  if (context.view.source_wish != SourceWish::save) return;
  context.view.source_wish = SourceWish::none;
  save_copy(context);
}

void SourcePanel::draw(PanelContext& context) {
  take_source(context);
  take_page(context);
  take_result(context);
  take_host(context);
  take_headers(context);
  take_quote(context);
  take_selection(context);
  take_place(context);
  take_keys(context);
  take_difference(context);
  if (original_.empty() && source_.buffer.lines().size() <= 1) {
    return empty_state(context, context.strings("source.empty"),
                       context.strings.format("source.empty_hint", fmt::arg("file", file_)));
  }
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  lay_out_columns(context, size.x);
  draw_header(context, low, size.x);
  float top = low.y + context.px(kSourceHeader);
  const float bottom = low.y + size.y - context.px(kSourceFooter);
  ImGui::SetCursorScreenPos({low.x, top});
  top += draw_conflict(context, {low.x, top}, size.x);
  ImGui::SetCursorScreenPos({low.x, top});
  if (diffing_) {
    planted_ ? draw_planted_header(context, {low.x, top}, size.x) : draw_diff_header(context, {low.x, top}, size.x);
    top += context.px(kDiffHeader);
    ImGui::SetCursorScreenPos({low.x, top});
  }
  CodeView& view = page();
  if (const float bar = view.bar_height(); bar > 0 && !diffing_) {
    ImGui::SetCursorScreenPos({low.x, top});
    view.draw_bar(context, size.x);
    top += context.px(bar);
  }
  // Whole rows only: nothing is cut above the total.
  const ImVec2 code{size.x, std::max(std::floor((bottom - top) / context.px(20)), 1.0F) * context.px(20)};
  if (diffing_)
    draw_diff(context, code);
  else if (shows_listing())
    draw_listing(context, code);
  else if (header_)
    draw_header_page(context, code);
  else
    draw_source(context, code);
  draw_footer(context, {low.x, bottom}, {low.x + size.x, low.y + size.y});
  apply_edits(context, !source_.focused() || context.view.closing);
}

void draw_source(PanelContext& context) {
  context.view.source_drawn = true;
  context.panels->source->draw(context);
}

void keep_source(PanelContext& context) { context.panels->source->keep(context); }

}  // namespace tilescope
