// The operator view: the kernel as a PyTorch operator in three ways, what torch.compile makes of each, and what a call
// costs.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>

#include "app/draw/sentences.hpp"
#include "app/draw/small_button.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/operator/operator_view.hpp"

namespace tilescope {
namespace {

const ViewRegistration registered_operator{{"operator", 98, make_view<OperatorView>}};

// Unscaled pixels.
constexpr float kOperatorSide = 24, kOperatorTabs = 32, kOperatorLower = 110, kOperatorGap = 6, kExportRow = 28,
                kOperatorLine = 20;

Syntax syntax_of(const std::string& file) {
  if (file.ends_with(".py")) return Syntax::python;
  if (file.ends_with(".cu")) return Syntax::cuda;
  return Syntax::none;
}

const char* meaning_of(OperatorWay way) {
  switch (way) {
    case OperatorWay::library:
      return "view.operator.library_meaning";
    case OperatorWay::custom_op:
      return "view.operator.custom_op_meaning";
    case OperatorWay::triton_op:
      return "view.operator.triton_op_meaning";
  }
  return "";
}

/// The line with which the registration begins.
bool is_registration(std::string_view line) {
  return line.starts_with("@torch.library.") || line.starts_with("definitions.define(");
}

}  // namespace

bool OperatorView::concerns(const Session& session) const {
  return !session.shows_own() && is_exported_lab(session.lab().name);
}

Lower OperatorView::lower(const PanelContext&, bool) const { return {.lowered = kOperatorLower}; }

void OperatorView::apply(ViewState&, const ShotWishes& wishes) {
  if (wishes.bottom == "loops") page_ = OperatorPage::graphs;
  if (wishes.bottom == "cost") page_ = OperatorPage::cost;
}

void OperatorView::show_recording(OperatorRecording recording, Badge badge) {
  shown_ = std::move(recording);
  spread_.reset();
  for (const OperatorRecording& other : recordings_.value_or(std::vector<OperatorRecording>()))
    if (other.lab == shown_->lab && other.gpu == shown_->gpu && other.sizes == shown_->sizes &&
        other.date != shown_->date)
      spread_ = std::max(spread_.value_or(1), largest_ratio(*shown_, other).value_or(1));
  badge_ = badge;
  for (Column& column : columns_) column = {};
  columns_[1].variant = shown_->variants.size() > 1 ? shown_->variants.size() - 1 : 0;
}

void OperatorView::take_recordings(PanelContext& context) {
  if (!recordings_)
    recordings_ = read_operator_recordings(context.session.engine().root() / "assets" / "recordings" / "operators");
  if (lab_ == context.session.lab().name) return;
  lab_ = context.session.lab().name;
  shown_.reset();
  said_.clear();
  trial_said_.clear();
  typed_.clear();
  file_ = "torch_op.py";
  const auto found = std::ranges::find(*recordings_, lab_, &OperatorRecording::lab);
  if (found != recordings_->end()) show_recording(*found, Badge::recorded);
}

void OperatorView::update(PanelContext& context) {
  take_recordings(context);
  if (auto measured = trial_.poll()) {
    if (*measured)
      show_recording(std::move(**measured), Badge::measured);
    else
      trial_said_ = as_sentence(context.strings, measured->error());
  }
  if (auto written = export_.poll()) {
    said_problem_ = !*written;
    said_ = *written ? context.strings.format("view.operator.exported", fmt::arg("folder", **written))
                     : as_sentence(context.strings, written->error());
  }
  const bool changed = files_.take(context.session.engine(), context.session.request(), way_);
  const OperatorFolder* folder = files_.folder();
  if (folder == nullptr) return;
  if (folder->find(file_) == nullptr) file_ = "torch_op.py";
  if (!changed && shown_file_ == file_) return;
  shown_file_ = file_;
  code_.set_syntax(syntax_of(file_));
  code_.buffer.reset(folder->find(file_)->text);
  for (uint32_t line = 0; file_ == "torch_op.py" && line < code_.buffer.lines().size(); ++line)
    if (is_registration(code_.buffer.line(line))) return code_.reveal(line, CodeView::Place::middle);
}

void OperatorView::draw(PanelContext& context) {
  update(context);
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float left = window.x + context.px(kOperatorSide), right = window.x + size.x - context.px(kOperatorSide);
  if (right - left < context.px(120)) return;
  float y = ImGui::GetCursorScreenPos().y + context.px(4);
  const std::array<std::string, 3> names{context.strings("view.operator.code"), context.strings("view.operator.graphs"),
                                         context.strings("view.operator.cost")};
  const std::array<TabNote, 3> notes{TabNote{context.strings("view.operator.code_meaning"), false},
                                     TabNote{context.strings("view.operator.graphs_meaning"), !shown_},
                                     TabNote{context.strings("view.operator.cost_meaning"), !shown_}};
  ImGui::SetCursorScreenPos({left, y});
  page_ = static_cast<OperatorPage>(
      tab_row(context, "operator_page", names, static_cast<int>(page_), context.px(kOperatorTabs), notes));
  if (page_ != OperatorPage::code && shown_) {
    draw_badge(context, ImGui::GetWindowDrawList(), {right, y + context.px(6)}, badge_);
    mark(context, badge_ == Badge::measured ? "operator_measured" : "operator_recorded", {left, y},
         {right, y + context.px(kOperatorTabs)});
  }
  y += context.px(kOperatorTabs);
  separator_line(context, y);
  const ImVec2 low{left, y + context.px(10)}, high{right, window.y + size.y - context.px(8)};
  if (high.y - low.y < context.px(60)) return;
  if (page_ == OperatorPage::code) return draw_code_page(context, low, high);
  if (page_ == OperatorPage::graphs) return draw_graphs_page(context, low, high);
  draw_cost_page(context, low, high);
}

/// The ways, then the files of the chosen one. Returns where they end.
float OperatorView::draw_choices(PanelContext& context, ImVec2 low, float right) {
  ImVec2 at = low;
  const auto place = [&](const std::string& text) {
    const float width = text_size(context.fonts.small, text).x + context.px(16);
    if (at.x > low.x && at.x + width > right) at = {low.x, at.y + context.px(kSmallButtonHeight + kOperatorGap)};
  };
  for (const OperatorWay way : kOperatorWays) {
    const std::string name(name_of(way));
    place(name);
    bool pressed = false;
    at.x = small_button(context, ("operator way " + name).c_str(), name, context.strings(meaning_of(way)), at,
                        way == way_, &pressed) +
           context.px(kOperatorGap);
    if (pressed) way_ = way;
  }
  at = {low.x, at.y + context.px(kSmallButtonHeight + kOperatorGap)};
  for (const std::string& name : files_.names()) {
    place(name);
    bool pressed = false;
    at.x = small_button(context, ("operator file " + name).c_str(), name, context.strings("view.operator.file_meaning"),
                        at, name == file_, &pressed) +
           context.px(kOperatorGap);
    if (pressed) file_ = name;
  }
  return at.y + context.px(kSmallButtonHeight + 8);
}

void OperatorView::draw_code_page(PanelContext& context, ImVec2 low, ImVec2 high) {
  const Theme& theme = context.theme;
  const float top = draw_choices(context, low, high.x);
  if (files_.problem()) {
    const std::string text = context.strings.message(*files_.problem());
    const TextRun run[] = {{context.fonts.small, theme.text, text}};
    const float height =
        flow_text(ImGui::GetWindowDrawList(), {low.x, top}, high.x - low.x, context.px(kOperatorLine), run);
    mark(context, "operator_problem", {low.x, top}, {high.x, top + height});
    return;
  }
  const float bottom = high.y - context.px(kExportRow + 8);
  CodeView::Hooks hooks;
  hooks.fill = [&](uint32_t line) -> ImU32 {
    return is_operator_line(code_.buffer.line(line)) ? mix(theme.window, theme.accent, 0.14F) : 0;
  };
  ImGui::SetCursorScreenPos({low.x, top});
  const ImVec2 room{high.x - low.x, std::max(context.px(30), bottom - top)};
  ImGui::BeginChild("operator code", room, false, kFixedArea);
  code_.draw(context, "operator text", room, hooks);
  ImGui::EndChild();
  mark(context, "operator_code", {low.x, top}, {high.x, bottom});
  draw_export(context, {low.x, bottom + context.px(8)}, high);
}

void OperatorView::draw_export(PanelContext& context, ImVec2 low, ImVec2 high) {
  const Strings& strings = context.strings;
  const float row = context.px(kExportRow - 4), width = high.x - low.x;
  const float field = std::clamp(width * 0.4F, context.px(80), context.px(360));
  const std::string usual = usual_export_folder(context.session.request(), way_);
  ImGui::SetCursorScreenPos(low);
  ImGui::PushFont(context.fonts.small);
  const float above = std::floor((row - line_height(context.fonts.small)) / 2);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(context.px(8), above));
  ImGui::SetNextItemWidth(field);
  const bool entered =
      ImGui::InputTextWithHint("##operator folder", usual.c_str(), &typed_, ImGuiInputTextFlags_EnterReturnsTrue);
  explain(context, strings("view.operator.folder_meaning"));
  mark(context, "operator_folder", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  ImGui::PopStyleVar();
  ImGui::PopFont();
  bool pressed = false;
  const float x =
      small_button(context, "operator_export",
                   strings(export_.running() ? "view.operator.exporting" : "view.operator.export"),
                   strings("view.operator.export_meaning"), {low.x + field + context.px(8), low.y}, false, &pressed) +
      context.px(10);
  if ((pressed || entered) && !export_.running()) start_export(context);
  if (said_.empty()) return;
  ImFont* font = context.fonts.small;
  const ImU32 colour = said_problem_ ? context.theme.error : context.theme.muted;
  draw_text(ImGui::GetWindowDrawList(), font, {x, centred_top(font, low.y + row / 2)}, colour,
            fit_text(font, said_, high.x - x));
  explain_rect(context, {x, low.y}, {high.x, low.y + row}, said_);
  mark(context, "operator_said", {x, low.y}, {high.x, low.y + row});
}

void OperatorView::start_export(PanelContext& context) {
  const Request request = context.session.request();
  const std::string folder = typed_.empty() ? usual_export_folder(request, way_) : typed_;
  said_.clear();
  export_.start(
      [engine = &context.session.engine(), request, way = way_, folder](std::stop_token stop) -> Result<std::string> {
        auto made = operator_folder(*engine, request, way, export_command(request, way, folder));
        if (!made) return forward(made);
        if (const auto added = add_ptx(*engine, *made, stop); !added) return forward(added);
        if (const auto written = write_operator_folder(*made, folder); !written) return forward(written);
        return std::filesystem::absolute(folder).string();
      });
}

}  // namespace tilescope
