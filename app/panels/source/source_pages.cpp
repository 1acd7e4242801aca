// The headers beside a kernel's file in the source panel: the choice, their pages, and their lines' traffic.
#include <imgui.h>

#include <algorithm>
#include <filesystem>

#include "app/draw/menus.hpp"
#include "app/draw/widgets.hpp"
#include "app/panels/source/source_view.hpp"

namespace tilescope {
namespace {

std::filesystem::path folder_of(const PanelContext& context, const std::string& file) {
  return (context.session.engine().root() / file).parent_path();  // an absolute path replaces the root
}

}  // namespace

/// What the text includes may change with an edit. What the headers hold may change with another editor, which a new
/// result brings along: then they are read again, where they are looked at.
void SourcePanel::take_headers(PanelContext& context) {
  const std::string& text = taken_edit_ ? *taken_edit_ : original_;
  const bool looked_at = !context.view.header.empty() || context.view.diff;
  const bool fresh = headers_of_ != text || (looked_at && headers_version_ != ledger_version_);
  if (fresh) {
    const std::string shown = header_ ? headers_[*header_].name : std::string();
    headers_of_ = text;
    headers_version_ = ledger_version_;
    std::vector<SourceHeader> read;
    if (language() == KernelLanguage::cuda)
      read = headers_of(text, folder_of(context, file_), context.lab().include_folders);
    if (read != headers_) {
      headers_ = std::move(read);
      ++headers_revision_;
    }
    header_ledgers_.clear();
    for (const SourceHeader& header : headers_)
      header_ledgers_.push_back(result_ && result_->observed ? ledger_of_header(*result_, header.name) : Ledger{});
    header_.reset();
    if (!shown.empty()) context.view.header = shown;
  }
  const std::string& wanted = context.view.header;
  if (!fresh && wanted == (header_ ? headers_[*header_].name : std::string())) return;
  const auto found = std::ranges::find(headers_, wanted, &SourceHeader::name);
  if (wanted.empty() || found == headers_.end()) {
    header_.reset();
    context.view.header.clear();
    return;
  }
  const bool same_page = header_page_.buffer.text() == found->text;
  header_ = static_cast<size_t>(found - headers_.begin());
  if (!same_page) header_page_.buffer.reset(found->text);
  page_ = SourcePage::source;
  source_.editable = false;
  follow_into_header();
}

void SourcePanel::show_header(PanelContext& context, const std::string& name) {
  context.view.header = name;
  if (name.empty()) header_.reset();
}

/// What the selected line has brought about in the header is marked, and shown.
void SourcePanel::follow_into_header() {
  called_.clear();
  if (!header_ || !selected_ || !lines_agree()) return;
  called_ = lines_called_by(*result_, headers_[*header_].name, *selected_);
  if (!called_.empty() && !selected_here_) header_page_.reveal(*called_.begin() - 1, CodeView::Place::middle);
}

/// Another view quotes lines: they are shown where they stand, and stay marked until something is selected.
void SourcePanel::take_quote(PanelContext& context) {
  if (!context.view.quote) return;
  const SourceQuote quote = *std::exchange(context.view.quote, std::nullopt);
  const std::string name = file_name_of(quote.file);
  context.view.diff = context.view.bottom_speed = false;
  page_ = SourcePage::source;
  show_header(context, name == file_name_of(file_) ? std::string() : name);
  take_headers(context);
  CodeView& shown = page();
  const std::string text = shown.buffer.text();
  const size_t at = text.find(quote.text);
  quoted_.clear();
  if (at == std::string::npos) return;  // the learner has changed it
  const auto first = static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n'));
  const auto count = static_cast<uint32_t>(std::ranges::count(quote.text, '\n')) + 1;
  for (uint32_t line = first; line < first + count; ++line) quoted_.insert(line + 1);
  shown.reveal_lines(first - std::min(first, 3U), first, first + count - 1);
}

const LineLedger* SourcePanel::header_traffic(size_t header, uint32_t line) const {
  const auto& lines = header_ledgers_[header].lines;
  const auto found = lines.find(line);
  return lines_agree() && found != lines.end() ? &found->second : nullptr;
}

/// Several lines may have called it: each press goes to the next.
void SourcePanel::select_caller(PanelContext& context, std::string_view header, uint32_t line) {
  if (!lines_agree()) return;
  const auto callers = callers_of(*result_, header, line);
  if (callers.empty()) return;
  const auto next = std::ranges::upper_bound(callers, selected_.value_or(0));
  selected_here_ = true;
  select_line(context.view, context.result.get(), next != callers.end() ? *next : callers.front());
}

void SourcePanel::draw_header_page(PanelContext& context, ImVec2 size) {
  CodeView::Hooks hooks;
  const auto traffic_of = [&](uint32_t line) { return header_traffic(*header_, line); };
  hooks.margin_width = context.px(kSourceMargin);
  hooks.margin_key = 4 * ledger_version_ + 3 + (lines_agree() ? 1 : 0);
  hooks.margin_rows = [&](uint32_t line) -> uint32_t { return traffic_of(line + 1) != nullptr ? 1 : 0; };
  hooks.fill = [&](uint32_t line) -> ImU32 {
    if (error_in(headers_[*header_].name, line + 1) != nullptr)
      return mix(context.theme.window, context.theme.error, 0.16F);
    if (called_.contains(line + 1)) return context.theme.raised;
    return quoted_.contains(line + 1) ? mix(context.theme.window, context.theme.raised, 0.6F) : 0;
  };
  hooks.is_parameter = [&](std::string_view word) { return is_parameter(context, word); };
  hooks.decorate = [&](uint32_t line, ImVec2 low, ImVec2 high, float) {
    mark(context, "source.header_line." + std::to_string(line + 1), low, high);
    if (called_.contains(line + 1))
      ImGui::GetWindowDrawList()->AddRectFilled(low, {low.x + context.px(2), high.y}, context.theme.accent);
    if (const LineLedger* ledger = traffic_of(line + 1)) draw_traffic(context, *ledger, low, high);
  };
  const CodeView::Outcome outcome = header_page_.draw(context, "header", size, hooks);
  if (!outcome.parameter.name.empty()) explain_parameter(context, outcome.parameter);
  if (outcome.clicked) select_caller(context, headers_[*header_].name, *outcome.clicked + 1);
}

/// "matmul_tensor_core.cu ▾", or the header that is shown. Returns where it ends.
float SourcePanel::draw_file_name(PanelContext& context, ImVec2 low, float right, float middle) {
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float x = low.x + context.px(24), top = centred_top(font, middle);
  const bool has_choice = !headers_.empty() && !has_program();
  const float chevron = !has_choice ? 0 : context.px(20);
  std::string name = header_ ? headers_[*header_].name : has_program() ? program_file_ : file_name_of(file_);
  if (!header_ && !has_program() && !context.session.shows_own()) {
    // The kernel's name is worth more than the folder.
    const float kernel_room = right - x - chevron - text_size(font, shown_kernel(context)).x - context.px(106);
    if (text_size(font, file_).x <= kernel_room) name = file_;
  }
  // Beside the tabs of a Triton kernel a cut name says too little.
  if (language() == KernelLanguage::triton && text_size(font, name).x > right - x) return low.x;
  const std::string shown = fit_text(font, name, right - x - chevron);
  const float end = x + text_size(font, shown).x + chevron;
  const ImVec2 button_low{x - context.px(4), middle - context.px(12)}, button_high{end, middle + context.px(12)};
  bool hovered = false;
  if (has_choice) {
    ImGui::SetCursorScreenPos(button_low);
    if (hit_area("pages.choice", {button_high.x - button_low.x, button_high.y - button_low.y}))
      open_menu(context.view, "source files");
    hovered = ImGui::IsItemHovered();
    explain(context, context.strings.format("source.file_meaning", fmt::arg("file", file_)));
    mark(context, "pages.choice", button_low, button_high);
    draw_chevron(list, {end - context.px(8), middle}, context.px(8), hovered ? theme.accent : theme.muted);
    ImGui::SetNextWindowPos({button_low.x, button_high.y + context.px(4)}, ImGuiCond_Always);
    draw_file_choices(context);
  } else {
    explain_rect(context, {x, low.y}, {end, low.y + context.px(kSourceHeader)}, file_);
  }
  draw_text(list, font, {x, top}, hovered ? theme.accent : theme.text, shown);
  return end;
}

void SourcePanel::draw_file_choices(PanelContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(8), context.px(8)));
  if (ImGui::BeginPopup("source files")) {
    const auto choice = [&](const std::string& title, const std::string& header, bool shown) {
      if (ImGui::Selectable(title.c_str(), shown, 0, {context.px(240), 0})) context.view.header = header;
      mark(context, "pages." + title, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    };
    choice(file_name_of(file_), {}, !header_);
    for (size_t i = 0; i < headers_.size(); ++i) choice(headers_[i].name, headers_[i].name, header_ == i);
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace tilescope
