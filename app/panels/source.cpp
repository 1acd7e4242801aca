// The kernel's source: coloured, editable, each line with the bytes it moved; or the PTX that it became.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "app/editor/code_view.hpp"
#include "app/editor/keys.hpp"
#include "app/panels/source_model.hpp"
#include "app/widgets.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr float kHeader = 36, kFooter = 30, kMargin = 184;  // unscaled pixels
constexpr double kTypingPause = 0.35;                       // seconds without a key before an edit is run

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string with_unit(const std::string& value, const std::string& unit) {
  return unit.empty() ? value : value + " " + unit;
}

class SourcePanel {
 public:
  void draw(PanelContext& context);

 private:
  // What is shown, taken over when something has changed.
  void take_source(PanelContext& context);
  void take_result(PanelContext& context);
  void take_selection(PanelContext& context);
  void take_keys(PanelContext& context);
  void apply_edits(PanelContext& context, bool now);
  void set_editing(PanelContext& context, bool on);
  void revert(PanelContext& context);
  void save_copy(PanelContext& context);

  // Drawing.
  void draw_header(PanelContext& context, ImVec2 low, float width);
  float draw_actions(PanelContext& context, float right, float middle);
  bool action(PanelContext& context, const char* name, const char* key, float* right, float middle, bool on);
  void draw_source(PanelContext& context, ImVec2 size);
  void draw_ptx(PanelContext& context, ImVec2 size);
  void draw_line(PanelContext& context, uint32_t line, ImVec2 low, ImVec2 high, float text_end);
  void draw_traffic(PanelContext& context, const LineLedger& ledger, ImVec2 low, ImVec2 high);
  void explain_traffic(PanelContext& context, const LineLedger& ledger, ImVec2 low, ImVec2 high);
  void explain_parameter(PanelContext& context, const CodeView::Outcome& outcome);
  ImU32 fill_of(const PanelContext& context, uint32_t line) const;
  void draw_footer(PanelContext& context, ImVec2 low, ImVec2 high);
  bool draw_error_strip(PanelContext& context, ImVec2 low, ImVec2 high);
  void draw_notice(PanelContext& context, ImVec2 low, float width, float middle);

  const CompileMessage* error_on(uint32_t line) const;
  const Finding* finding_on(uint32_t line) const;

  CodeView source_{Syntax::cuda}, ptx_{Syntax::ptx};
  std::string lab_, rung_, file_, original_;
  std::optional<std::string> taken_edit_;  // the request's edit as it was last seen here
  bool edits_pending_ = false;
  double edited_at_ = 0;

  std::shared_ptr<const RunResult> result_;
  Ledger ledger_;
  uint64_t ledger_version_ = 0;
  std::vector<CompileMessage> errors_;
  std::string error_seen_;

  bool showing_ptx_ = false;
  PtxListing listing_;
  std::optional<uint32_t> selected_, lit_;
  bool selected_here_ = false;  // the selection came from this panel: do not scroll to it

  std::string notice_, notice_path_;
  bool notice_is_error_ = false;
};

void SourcePanel::take_source(PanelContext& context) {
  const Lab& lab = context.lab();
  const Request& request = context.session.request();
  if (lab_ != lab.name) {
    apply_edits(context, false);
    lab_ = lab.name;
    rung_.clear();
    file_ = "kernels/" + lab.kernel_file;
    original_ = read_text(context.session.engine().root() / file_);
    taken_edit_ = request.edited_source;
    source_.buffer.reset(taken_edit_.value_or(original_));
    source_.editable = taken_edit_.has_value();
    edits_pending_ = false;
    notice_.clear();
  }
  // The file may have been changed by another editor: what ran is what is shown.
  const auto& result = context.result;
  const bool newer = result && result != result_ && result->request.lab == lab_ && !result->request.edited_source;
  if (newer && !result->plan.source_text.empty() && result->plan.source_text != original_) {
    original_ = result->plan.source_text;
    if (!taken_edit_ && !edits_pending_) source_.buffer.reset(original_);
  }
  if (request.edited_source != taken_edit_ && !edits_pending_) {
    taken_edit_ = request.edited_source;
    source_.buffer.reset(taken_edit_.value_or(original_));
  }
  if (rung_ != context.rung().name) {
    rung_ = context.rung().name;
    if (const auto kernel = find_kernel(source_.buffer.lines(), context.rung().kernels.front()))
      source_.reveal(kernel->first - 1, CodeView::Place::top);
  }
}

void SourcePanel::take_result(PanelContext& context) {
  const auto& error = context.session.error();
  const std::string seen = error ? error->message : std::string();
  if (seen != error_seen_) {
    error_seen_ = seen;
    errors_ = compile_errors(error);
  }
  if (context.result == result_) return;
  result_ = context.result;
  ledger_ = result_ ? ledger_of(result_->traffic, file_) : Ledger{};
  ++ledger_version_;
  listing_ = {};
  if (result_) {
    listing_ = read_ptx(result_->compiled.ptx,
                        result_->plan.launches.empty() ? std::string() : result_->plan.launches.front().kernel, file_);
  }
  if (ptx_.buffer.text() != listing_.text) ptx_.buffer.reset(listing_.text);
}

void SourcePanel::take_selection(PanelContext& context) {
  const auto selected = line_of(context.view.selection, context.result.get());
  lit_ = line_of(context.view.hover, context.result.get());
  if (selected == selected_) return;
  selected_ = selected;
  if (selected_ && !selected_here_) {
    source_.reveal(*selected_ - 1, CodeView::Place::nearest);
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
  showing_ptx_ = false;
  source_.editable = on;
  notice_.clear();
  if (!on) return;
  source_.focus();
  const auto kernel = find_kernel(source_.buffer.lines(), context.rung().kernels.front());
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

void SourcePanel::save_copy(PanelContext& context) {
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
  if (key_pressed(Key::f, false) && here) (showing_ptx_ ? ptx_ : source_).open_find();
}

const CompileMessage* SourcePanel::error_on(uint32_t line) const {
  const auto found = std::ranges::find(errors_, line, &CompileMessage::line);
  return found == errors_.end() ? nullptr : &*found;
}

const Finding* SourcePanel::finding_on(uint32_t line) const {
  if (!result_) return nullptr;
  for (const Finding& finding : result_->findings)
    if (finding.line == line && file_name_of(finding.file) == file_name_of(file_)) return &finding;
  return nullptr;
}

ImU32 SourcePanel::fill_of(const PanelContext& context, uint32_t line) const {
  const Theme& theme = context.theme;
  if (error_on(line) != nullptr) return mix(theme.window, theme.error, 0.16F);
  if (selected_ == line) return theme.raised;
  return lit_ == line ? mix(theme.window, theme.raised, 0.6F) : 0;
}

void SourcePanel::draw(PanelContext& context) {
  take_source(context);
  take_result(context);
  take_selection(context);
  take_keys(context);
  if (original_.empty() && source_.buffer.lines().size() <= 1) {
    return empty_state(context, context.strings("source.empty"),
                       context.strings.format("source.empty_hint", fmt::arg("file", file_)));
  }
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  draw_header(context, low, size.x);
  float top = low.y + context.px(kHeader);
  const float bottom = low.y + size.y - context.px(kFooter);
  ImGui::SetCursorScreenPos({low.x, top});
  CodeView& view = showing_ptx_ ? ptx_ : source_;
  if (view.finding()) {
    view.draw_find_bar(context, context.px(32));
    top += context.px(32);
  }
  const ImVec2 code{size.x, std::max(bottom - top, context.px(20))};
  if (showing_ptx_)
    draw_ptx(context, code);
  else
    draw_source(context, code);
  draw_footer(context, {low.x, bottom}, {low.x + size.x, low.y + size.y});
  apply_edits(context, !source_.focused());
}

bool SourcePanel::action(PanelContext& context, const char* name, const char* key, float* right, float middle,
                         bool on) {
  const std::string& text = context.strings(key);
  const ImVec2 size = text_size(context.fonts.small, text);
  const ImVec2 low{std::round(*right - size.x), middle - context.px(12)};
  const ImVec2 high{*right, middle + context.px(12)};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = ImGui::InvisibleButton(name, {high.x - low.x, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
  const ImU32 colour = on ? context.theme.accent : hovered ? context.theme.text : context.theme.muted;
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_text(list, context.fonts.small, {low.x, centred_top(context.fonts.small, middle)}, colour, text);
  if (on || hovered) {
    const float y = middle + context.px(10);
    list->AddRectFilled({low.x, y}, {high.x, y + context.px(1)}, colour);
  }
  explain(context, context.strings(std::string(key) + "_meaning"));
  mark(context, name, low, high);
  *right = low.x - context.px(16);
  return pressed;
}

float SourcePanel::draw_actions(PanelContext& context, float right, float middle) {
  if (action(context, "source.ptx", "source.ptx", &right, middle, showing_ptx_)) {
    showing_ptx_ = !showing_ptx_;
    const auto row = listing_.first_of(selected_.value_or(0));
    if (showing_ptx_)
      ptx_.reveal(row.value_or(listing_.first_instruction()), row ? CodeView::Place::middle : CodeView::Place::top);
  }
  if (action(context, "source.edit", source_.editable ? "source.done" : "source.edit", &right, middle,
             source_.editable))
    set_editing(context, !source_.editable);
  const bool edited = taken_edit_.has_value() || edits_pending_;
  if (edited && action(context, "source.save", "source.save", &right, middle, false)) save_copy(context);
  if (edited && action(context, "source.revert", "source.revert", &right, middle, false)) revert(context);
  return right;
}

void SourcePanel::draw_header(PanelContext& context, ImVec2 low, float width) {
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float middle = low.y + context.px(kHeader) / 2 + context.px(1);
  const float top = centred_top(font, middle);
  float right = low.x + width - context.px(16);
  if (!showing_ptx_) {
    draw_text_right(list, font, {right, top}, theme.muted, context.strings("source.sectors_per_request"));
    explain_rect(context, {right - context.px(56), low.y}, {right, low.y + context.px(kHeader)},
                 context.strings("source.sectors_per_request_meaning"));
    const float bytes = right - context.px(60);
    draw_text_right(list, font, {bytes, top}, theme.muted, context.strings("source.bytes"));
    explain_rect(context, {bytes - context.px(44), low.y}, {bytes, low.y + context.px(kHeader)},
                 context.strings("source.bytes_meaning"));
    right = bytes - context.px(46);
  }
  right = draw_actions(context, right, middle);
  float x = low.x + context.px(24);
  x += draw_text(list, font, {x, top}, theme.text, fit_text(font, file_, right - x)).x + context.px(16);
  std::string about = context.rung().kernels.front();
  if (taken_edit_ || edits_pending_) about = context.strings("source.edited");
  const KernelInfo* info = result_ && !taken_edit_ ? result_->compiled.find(context.rung().kernels.front()) : nullptr;
  if (info != nullptr)
    about = context.strings.format("source.resources", fmt::arg("kernel", info->name),
                                   fmt::arg("registers", info->registers),
                                   fmt::arg("shared", with_separators(info->static_shared_bytes)));
  if (right - x < context.px(40)) return;
  draw_text(list, font, {x, top}, taken_edit_ ? theme.accent : theme.muted, fit_text(font, about, right - x));
  explain_rect(context, {x, low.y}, {right, low.y + context.px(kHeader)}, about);
}

void SourcePanel::draw_source(PanelContext& context, ImVec2 size) {
  const Lab& lab = context.lab();
  CodeView::Hooks hooks;
  hooks.margin_width = context.px(kMargin);
  hooks.margin_key = ledger_version_;
  hooks.has_margin = [&](uint32_t line) { return ledger_.lines.contains(line + 1); };
  hooks.fill = [&](uint32_t line) { return fill_of(context, line + 1); };
  hooks.number_colour = [&](uint32_t line) -> ImU32 {
    if (error_on(line + 1) != nullptr || finding_on(line + 1) != nullptr) return context.theme.error;
    return selected_ == line + 1 ? context.theme.text : mix(context.theme.window, context.theme.muted, 0.7F);
  };
  hooks.is_parameter = [&](std::string_view word) {
    return std::ranges::find(lab.params, word, &Param::name) != lab.params.end() ||
           std::ranges::find(lab.break_it, word, &BreakIt::name) != lab.break_it.end();
  };
  hooks.decorate = [&](uint32_t line, ImVec2 low, ImVec2 high, float text_end) {
    draw_line(context, line + 1, low, high, text_end);
  };
  const CodeView::Outcome outcome = source_.draw(context, "source", size, hooks);
  if (outcome.clicked) {
    selected_here_ = true;
    select_line(context.view, context.result.get(), *outcome.clicked + 1);
  }
  if (outcome.hovered) context.view.hover.line = *outcome.hovered + 1;
  if (!outcome.hovered_parameter.empty()) explain_parameter(context, outcome);
  if (outcome.edited) {
    edits_pending_ = true;
    edited_at_ = ImGui::GetTime();
    notice_.clear();
  }
}

void SourcePanel::draw_ptx(PanelContext& context, ImVec2 size) {
  if (listing_.text.empty()) {
    ImGui::BeginChild("no-ptx", size);
    empty_state(context, context.strings("source.no_ptx"), context.strings("source.no_ptx_hint"));
    ImGui::EndChild();
    return;
  }
  const auto origin = [this](uint32_t line) {
    return line < listing_.origins.size() ? listing_.origins[line] : PtxListing::Origin{};
  };
  CodeView::Hooks hooks;
  hooks.margin_key = ledger_version_;
  hooks.fill = [&](uint32_t line) -> ImU32 {
    if (selected_ && origin(line).is(*selected_)) return context.theme.raised;
    return lit_ && origin(line).is(*lit_) ? mix(context.theme.window, context.theme.raised, 0.6F) : 0;
  };
  // The source line stands where it changes.
  hooks.number = [&](uint32_t line) {
    const uint32_t here = origin(line).line;
    return here == 0 || (line > 0 && origin(line - 1).line == here) ? std::string() : std::to_string(here);
  };
  hooks.decorate = [&](uint32_t line, ImVec2 low, ImVec2 high, float) {
    if (selected_ && origin(line).is(*selected_))
      ImGui::GetWindowDrawList()->AddRectFilled(low, {low.x + context.px(2), high.y}, context.theme.accent);
  };
  const CodeView::Outcome outcome = ptx_.draw(context, "ptx", size, hooks);
  if (outcome.clicked && origin(*outcome.clicked).line != 0) {
    selected_here_ = true;
    select_line(context.view, context.result.get(), origin(*outcome.clicked).line);
    source_.reveal(origin(*outcome.clicked).line - 1, CodeView::Place::nearest);
  }
  if (outcome.hovered && origin(*outcome.hovered).line != 0) context.view.hover.line = origin(*outcome.hovered).line;
}

void SourcePanel::draw_line(PanelContext& context, uint32_t line, ImVec2 low, ImVec2 high, float text_end) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const CompileMessage* error = error_on(line);
  const Finding* finding = finding_on(line);
  const bool bad = error != nullptr || finding != nullptr;
  if (selected_ == line || bad)
    list->AddRectFilled(low, {low.x + context.px(2), high.y}, bad ? theme.error : theme.accent);
  const auto ledger = ledger_.lines.find(line);
  const bool has_traffic = ledger != ledger_.lines.end() && !edits_pending_;
  const float room_end = high.x - context.px(has_traffic ? kMargin : 16);
  if (bad) {
    const std::string& text =
        error != nullptr
            ? error->text
            : context.strings.format("source.finding", fmt::arg("id", finding->id),
                                     fmt::arg("count", with_separators(static_cast<int64_t>(finding->count))));
    const float x = text_end + context.px(24);
    if (room_end - x > context.px(64))
      draw_text(list, context.fonts.small, {x, centred_top(context.fonts.small, (low.y + high.y) / 2)}, theme.error,
                fit_text(context.fonts.small, text, room_end - x));
    explain_rect(context, low, {room_end, high.y}, error != nullptr ? error->text : finding->message);
  }
  if (has_traffic) draw_traffic(context, ledger->second, low, high);
}

void SourcePanel::draw_traffic(PanelContext& context, const LineLedger& ledger, ImVec2 low, ImVec2 high) {
  const float fade = context.stale ? 0.4F : 1.0F;
  const auto shade = [&](ImU32 colour) { return mix(context.theme.window, colour, fade); };
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float middle = (low.y + high.y) / 2, right = high.x - context.px(16);
  // A full bar is the busiest line; a line that reads and writes has both colours.
  const float full = context.px(40), x = right - context.px(164);
  const double scale = full / static_cast<double>(std::max<uint64_t>(ledger_.largest_line, 1));
  const float read = static_cast<float>(static_cast<double>(ledger.read_bytes) * scale);
  const float write = static_cast<float>(static_cast<double>(ledger.write_bytes) * scale);
  const float top = std::round(middle - context.px(4)), bottom = top + context.px(8);
  list->AddRectFilled({x, top}, {x + read, bottom}, shade(context.theme.read));
  list->AddRectFilled({x + read, top}, {x + read + write, bottom}, shade(context.theme.write));
  ImFont* font = context.fonts.small;
  const ImU32 text = shade(ledger.wasteful() ? context.theme.error : context.theme.text);
  draw_text_right(list, font, {right - context.px(60), centred_top(font, middle)}, text,
                  bytes_text(static_cast<double>(ledger.moved_bytes())));
  draw_text_right(list, font, {right, centred_top(font, middle)}, text,
                  fmt::format("{:.1f}", ledger.sectors_per_request()));
  explain_traffic(context, ledger, {x, low.y}, {right, high.y});
}

void SourcePanel::explain_traffic(PanelContext& context, const LineLedger& ledger, ImVec2 low, ImVec2 high) {
  if (!ImGui::IsMouseHoveringRect(low, high)) return;
  const auto number = [](uint64_t value) { return with_separators(static_cast<int64_t>(value)); };
  const double used = 100.0 * static_cast<double>(ledger.useful_bytes) /
                      static_cast<double>(std::max<uint64_t>(ledger.moved_bytes(), 1));
  explain_rect(context, low, high,
               context.strings.format(
                   "source.line_meaning", fmt::arg("requests", number(ledger.requests)),
                   fmt::arg("sectors", number(ledger.sectors)), fmt::arg("moved", number(ledger.moved_bytes())),
                   fmt::arg("useful", number(ledger.useful_bytes)), fmt::arg("used", fmt::format("{:.0f}", used))));
}

void SourcePanel::explain_parameter(PanelContext& context, const CodeView::Outcome& outcome) {
  const std::string& name = outcome.hovered_parameter;
  const Request& request = context.session.request();
  std::string text;
  for (const Param& param : context.lab().params)
    if (param.name == name)
      text = name + " = " + with_unit(with_separators(request.config.param(name)), context.strings(param.unit)) + "\n" +
             context.strings(param.help);
  for (const BreakIt& one : context.lab().break_it)
    if (one.name == name) {
      const bool on = std::ranges::find(request.broken, name) != request.broken.end();
      text = name + " = " + (on ? "1" : "0") + ": " + context.strings(one.title) + "\n" + context.strings(one.help);
    }
  explain_rect(context, outcome.parameter_low, outcome.parameter_high, text);
}

bool SourcePanel::draw_error_strip(PanelContext& context, ImVec2 low, ImVec2 high) {
  const auto& error = context.session.error();
  if (!error) return false;
  static constexpr ErrorId kOfTheSource[] = {ErrorId::compile_failed, ErrorId::kernel_not_found, ErrorId::nvrtc_missing,
                                             ErrorId::ptx_syntax, ErrorId::unknown_opcode};
  if (std::ranges::find(kOfTheSource, error->id) == std::end(kOfTheSource)) return false;
  std::string text = error->message;
  if (!errors_.empty()) {
    text = context.strings.format("source.error", fmt::arg("line", errors_.front().line),
                                  fmt::arg("text", errors_.front().text));
    if (errors_.size() > 1) text += context.strings.format("source.more_errors", fmt::arg("count", errors_.size() - 1));
  }
  std::ranges::replace(text, '\n', ' ');
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, high, mix(context.theme.window, context.theme.error, 0.16F));
  const float middle = (low.y + high.y) / 2;
  draw_cross(list, {low.x + context.px(30), middle}, context.px(9), context.theme.error, context.px(1.5F));
  draw_text(list, context.fonts.small, {low.x + context.px(44), centred_top(context.fonts.small, middle)},
            context.theme.error, fit_text(context.fonts.small, text, high.x - low.x - context.px(60)));
  ImGui::SetCursorScreenPos(low);
  if (ImGui::InvisibleButton("source.error", {high.x - low.x, high.y - low.y}) && !errors_.empty()) {
    showing_ptx_ = false;
    source_.reveal(errors_.front().line - 1, CodeView::Place::middle);
  }
  explain(context, error->hint.empty() ? error->message : error->message + "\n" + error->hint);
  return true;
}

void SourcePanel::draw_notice(PanelContext& context, ImVec2 low, float width, float middle) {
  std::string text = notice_, whole = notice_path_;
  ImU32 colour = notice_is_error_ ? context.theme.error : context.theme.muted;
  if (text.empty() && result_ && !result_->findings.empty()) {
    const Finding& first = result_->findings.front();
    text = context.strings.format("source.findings", fmt::arg("count", result_->findings.size()),
                                  fmt::arg("id", first.id), fmt::arg("line", first.line));
    whole = first.message;
    colour = context.theme.error;
  }
  if (text.empty() && source_.editable) text = whole = context.strings("source.editing_hint");
  if (text.empty()) return;
  const float x = low.x + context.px(24);
  draw_text(ImGui::GetWindowDrawList(), context.fonts.small, {x, centred_top(context.fonts.small, middle)}, colour,
            fit_text(context.fonts.small, text, width - context.px(24)));
  explain_rect(context, {x, low.y}, {low.x + width, low.y + context.px(kFooter)}, whole);
}

void SourcePanel::draw_footer(PanelContext& context, ImVec2 low, ImVec2 high) {
  if (draw_error_strip(context, low, high)) return;
  const float middle = std::round((low.y + high.y) / 2) - context.px(1);
  const bool total = !showing_ptx_ && ledger_.total.requests > 0 && !edits_pending_;
  const float left_of_total = high.x - context.px(16 + 168);
  draw_notice(context, low, (total ? left_of_total : high.x) - low.x - context.px(16), middle);
  if (!total) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float right = high.x - context.px(16);
  const float fade = context.stale ? 0.4F : 1.0F;
  const ImU32 text = mix(context.theme.window, context.theme.text, fade);
  list->AddRectFilled({left_of_total, low.y}, {right, low.y + context.px(1)}, context.theme.separator);
  draw_text(list, context.fonts.small, {left_of_total + context.px(8), centred_top(context.fonts.small, middle)},
            context.theme.muted, context.strings("source.total"));
  ImFont* font = context.fonts.small_semibold;
  draw_text_right(list, font, {right - context.px(60), centred_top(font, middle)}, text,
                  bytes_text(static_cast<double>(ledger_.total.moved_bytes())));
  draw_text_right(list, font, {right, centred_top(font, middle)}, text,
                  fmt::format("{:.1f}", ledger_.total.sectors_per_request()));
  explain_traffic(context, ledger_.total, {left_of_total, low.y}, {right, high.y});
}

}  // namespace

void draw_source(PanelContext& context) {
  static SourcePanel panel;  // what is scrolled, edited and found stays between frames
  panel.draw(context);
}

}  // namespace tilescope
