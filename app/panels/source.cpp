// The kernel's source: coloured, editable, each line with the bytes it moved; or the PTX that it became.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "app/editor/keys.hpp"
#include "app/panels/source_view.hpp"
#include "app/panels/traffic_seen.hpp"
#include "app/sandbox/file_watch.hpp"
#include "app/sandbox/sandbox.hpp"
#include "app/widgets.hpp"
#include "engine/compile/kernel_names.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr double kTypingPause = 0.35;  // seconds without a key before an edit is run

bool is_view_of_lines(Tab tab) { return tab == Tab::traffic || tab == Tab::step || tab == Tab::shared; }

}  // namespace

void SourcePanel::take_source(PanelContext& context) {
  const Lab& lab = context.lab();
  const Request& request = context.session.request();
  if (lab_ != lab.name) {
    apply_edits(context, false);
    if (header_) show_header(context, {});
    lab_ = lab.name;
    rung_.clear();
    file_ = source_file_of(lab);
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
  const bool newer =
      !lab.source_text && result && result != result_ && result->request.lab == lab_ && !result->request.edited_source;
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
    if (const auto kernel = find_kernel(source_.buffer.lines(), shown))
      source_.reveal_lines(kernel->first - 1, kernel->signature - 1, kernel->last - 1);
  }
}

void SourcePanel::take_result(PanelContext& context) {
  const auto& error = context.session.error();
  const std::string seen = error ? error->message : std::string();
  if (seen != error_seen_) {
    error_seen_ = seen;
    errors_ = compile_errors(error);
  }
  frames_since_result_ = context.result != result_ ? 0 : std::min(frames_since_result_ + 1, kSettling + 1);
  if (context.result != result_) take_ledger(context);
  take_listing();
}

void SourcePanel::take_ledger(PanelContext& context) {
  result_ = context.result;
  ledger_ = result_ ? ledger_of(result_->traffic, file_) : Ledger{};
  remember_accesses(result_);
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

/// The PTX of the kernel that is shown, if it was launched.
void SourcePanel::take_listing() {
  std::string kernel;
  if (result_ && !result_->plan.launches.empty()) {
    const auto& launches = result_->plan.launches;
    const auto shown = std::ranges::find(launches, kernel_, [](const Launch& one) { return kernel_name(one.kernel); });
    kernel = (shown != launches.end() ? *shown : launches.front()).kernel;
  }
  if (kernel == listed_kernel_ && (!kernel.empty() || listing_.text.empty())) return;
  listed_kernel_ = kernel;
  listing_ = kernel.empty() ? PtxListing{} : read_ptx(result_->compiled.ptx, kernel, file_);
  if (ptx_.buffer.text() != listing_.text) ptx_.buffer.reset(listing_.text);
}

/// The views of lines and of instructions show what a line of any function does; beside the others stands the kernel.
bool SourcePanel::is_worth_leaving_kernel(const PanelContext& context, uint32_t line) const {
  if (is_view_of_lines(context.view.tab)) return true;
  const auto kernel = find_kernel(source_.buffer.lines(), shown_kernel(context));
  return !kernel || kernel->contains(line);
}

void SourcePanel::take_selection(PanelContext& context) {
  const auto selected = line_of(context.view.selection, context.result.get());
  lit_ = line_of(context.view.hover, context.result.get());
  const bool is_new = selected != selected_;
  selected_ = selected;
  if (is_new) quoted_.clear();
  if (is_new && header_) {
    follow_into_header();
    // A line that somebody selects elsewhere is shown where it stands.
    const bool elsewhere = selected_ && !selected_here_ && frames_since_result_ > kSettling;
    if (elsewhere && called_.empty()) show_header(context, {});
  }
  if (selected_ && awaits_reveal_ && !is_new && is_view_of_lines(context.view.tab)) {
    source_.reveal(*selected_ - 1, CodeView::Place::nearest);
    awaits_reveal_ = false;
  }
  if (!is_new) return;
  awaits_reveal_ = false;
  if (selected_ && !selected_here_) {
    const bool suggested = frames_since_result_ <= kSettling;
    awaits_reveal_ = suggested && !is_worth_leaving_kernel(context, *selected_);
    if (!awaits_reveal_) source_.reveal(*selected_ - 1, CodeView::Place::nearest);
    if (!suggested) diff_.reveal(*selected_);
    if (const auto row = listing_.first_of(*selected_)) ptx_.reveal(*row, CodeView::Place::middle);
  }
  selected_here_ = false;
}

void SourcePanel::apply_edits(PanelContext& context, bool now) {
  if (!edits_pending_ || (!now && ImGui::GetTime() - edited_at_ < kTypingPause)) return;
  edits_pending_ = false;
  const std::string text = source_.buffer.text();
  taken_edit_ = text == original_ ? std::nullopt : std::optional(text);
  context.session.set_source(taken_edit_);
}

void SourcePanel::set_editing(PanelContext& context, bool on) {
  apply_edits(context, true);
  showing_ptx_ = context.view.diff = false;
  show_header(context, {});
  source_.editable = on;
  notice_.clear();
  if (!on) return;
  source_.focus();
  const auto kernel = find_kernel(source_.buffer.lines(), shown_kernel(context));
  const size_t line = selected_ ? *selected_ - 1 : kernel ? kernel->signature : 0;
  source_.buffer.place({line, 0});
}

void SourcePanel::revert(PanelContext& context) {
  source_.buffer.select_all();
  source_.buffer.paste(original_);  // so that it can be undone
  edits_pending_ = true;
  apply_edits(context, true);
  notice_.clear();
}

/// A file of the learner's own is written itself.
void SourcePanel::save_own(PanelContext& context) {
  apply_edits(context, true);
  const auto saved = context.sandbox->save(context.session);
  notice_is_error_ = !saved;
  notice_path_ = file_;
  notice_ = saved ? context.strings.format("source.saved", fmt::arg("file", file_name_of(file_)))
                  : as_sentence(saved.error());
  taken_edit_ = context.session.request().edited_source;
  original_ = context.lab().source_text.value_or(original_);
}

void SourcePanel::save_copy(PanelContext& context) {
  if (context.sandbox != nullptr && context.sandbox->is_shown(context.session)) return save_own(context);
  const fs::path folder = fs::current_path() / "out";
  const std::string stem = fs::path(file_).stem().string() + "-" + context.rung().name;
  std::error_code failed;
  fs::create_directories(folder, failed);
  fs::path path = folder / (stem + ".cu");
  for (int copy = 2; fs::exists(path, failed); ++copy) path = folder / (stem + "-" + std::to_string(copy) + ".cu");
  std::ofstream stream(path, std::ios::binary);
  stream << source_.buffer.text();
  stream.close();
  notice_is_error_ = !stream;
  notice_path_ = path.string();
  notice_ = notice_is_error_
                ? make_error(ErrorId::file_not_written, path.string(), "the folder cannot be written").message
                : context.strings.format("source.saved", fmt::arg("file", "out/" + path.filename().string()));
}

void SourcePanel::take_keys(PanelContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool elsewhere = io.WantTextInput && !source_.focused() && !source_.finding();
  if (!io.KeyCtrl || io.KeyAlt || elsewhere) return;
  if (key_pressed(Key::e, false)) set_editing(context, !source_.editable || showing_ptx_);
  if (key_pressed(Key::s, false)) save_copy(context);
  const bool here =
      ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows) || ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
  if (key_pressed(Key::f, false) && here) {
    context.view.diff = false;  // what is found may be in neither rung
    page().open_find();
  }
}

void SourcePanel::draw(PanelContext& context) {
  take_source(context);
  take_result(context);
  take_headers(context);
  take_quote(context);
  take_selection(context);
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
  CodeView& view = page();
  if (view.finding() && !diffing_) {
    view.draw_find_bar(context, context.px(32));
    top += context.px(32);
  }
  // Whole rows only: nothing is cut above the total.
  const ImVec2 code{size.x, std::max(std::floor((bottom - top) / context.px(20)), 1.0F) * context.px(20)};
  if (diffing_)
    draw_diff(context, code);
  else if (showing_ptx_)
    draw_ptx(context, code);
  else if (header_)
    draw_header_page(context, code);
  else
    draw_source(context, code);
  draw_footer(context, {low.x, bottom}, {low.x + size.x, low.y + size.y});
  apply_edits(context, !source_.focused());
}

void draw_source(PanelContext& context) {
  static SourcePanel panel;  // what is scrolled, edited and found stays between frames
  static int last_frame = 0;
  if (ImGui::GetFrameCount() < last_frame) {  // another window
    panel = SourcePanel();
    forget_accesses();
  }
  last_frame = ImGui::GetFrameCount();
  panel.draw(context);
}

}  // namespace tilescope
