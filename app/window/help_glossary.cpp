#include "app/window/help_glossary.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/draw/editor/find_parts.hpp"
#include "app/draw/widgets.hpp"
#include "engine/lab.hpp"
#include "engine/text.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kNames = 176, kLab = 132, kGap = 16, kLine = 20, kTitle = 32, kSearch = 40, kBelow = 12;

bool contains(std::string_view text, const std::string& typed) {
  return lower_case(text).find(typed) != std::string::npos;
}

bool is_named(const Term& term, const std::string& typed) {
  const auto found = [&typed](const std::string& text) { return contains(text, typed); };
  return found(term.name.en) || found(term.name.zh) || found(term.vendors) ||
         std::ranges::any_of(term.spellings, found) || std::ranges::any_of(term.chinese, found);
}

bool is_explained(const Term& term, const std::string& typed) {
  return contains(term.text.en, typed) || contains(term.text.zh, typed);
}

int stage_of(const Term& term) {
  const Lab* lab = find_lab(term.lab);
  return lab == nullptr ? 0 : lab->stage;
}

/// The first letter in English, the stage in Chinese.
std::string group_of(const Strings& strings, const Term& term) {
  if (strings.language == Language::en)
    return {static_cast<char>(std::toupper(static_cast<unsigned char>(term.name.en.front())))};
  const int stage = stage_of(term);
  return strings.format("header.stage", fmt::arg("stage", stage)) + " · " +
         strings("rail.stage_" + std::to_string(stage));
}

const std::string& other_name(Language language, const Term& term) {
  return language == Language::en ? term.name.zh : term.name.en;
}

}  // namespace

std::vector<size_t> glossary_order(const Glossary& glossary, Language language, std::string_view typed) {
  const std::vector<Term>& terms = glossary.terms();
  const std::string wanted = lower_case(typed);
  const auto found_by = [&](auto fits) {
    std::vector<size_t> found;
    for (size_t i = 0; i < terms.size(); ++i)
      if (wanted.empty() || fits(terms[i], wanted)) found.push_back(i);
    return found;
  };
  std::vector<size_t> order = found_by(is_named);
  if (order.empty()) order = found_by(is_explained);
  if (language == Language::en)
    std::ranges::stable_sort(order, {}, [&](size_t i) { return lower_case(terms[i].name.en); });
  else
    std::ranges::stable_sort(order, {}, [&](size_t i) { return stage_of(terms[i]); });
  return order;
}

void GlossaryPage::open(std::string term) {
  typed_.clear();
  wants_focus_ = term.empty();
  selected_ = std::move(term);
  scroll_due_ = true;
}

void GlossaryPage::lay_out(PanelContext& context, float width) {
  const Glossary& glossary = *context.strings.glossary();
  const Language language = context.strings.language;
  const bool same =
      laid_typed_ == typed_ && laid_language_ == language && laid_width_ == width && laid_font_ == context.fonts.small;
  if (same) return;
  if (laid_language_ != language) scroll_due_ = true;
  laid_typed_ = typed_;
  laid_language_ = language;
  laid_width_ = width;
  laid_font_ = context.fonts.small;
  entries_.clear();
  float y = 0;
  std::string group;
  for (const size_t index : glossary_order(glossary, language, typed_)) {
    const Term& term = glossary.terms()[index];
    if (std::string of_term = group_of(context.strings, term); of_term != group) {
      group = std::move(of_term);
      entries_.push_back({0, group, y, context.px(kTitle)});
      y += context.px(kTitle);
    }
    const float height = draw_term(context, term, {0, 0}, width, true, nullptr);
    entries_.push_back({index, "", y, height});
    y += height;
  }
  height_ = y;
}

/// Names at the left, what it means in the middle, its lab at the right. Returns the height.
float GlossaryPage::draw_term(PanelContext& context, const Term& term, ImVec2 at, float width, bool measure,
                              bool* opened) const {
  const Theme& theme = context.theme;
  const Fonts& fonts = context.fonts;
  ImDrawList* list = measure ? nullptr : ImGui::GetWindowDrawList();
  const float line = context.px(kLine), names = context.px(kNames), gap = context.px(kGap);
  const float middle = width - names - context.px(kLab) - 2 * gap, left = at.x + names + gap;
  const TextRun name[] = {{fonts.small_semibold, theme.text, context.strings(term.name)}};
  float below = flow_text(list, at, names, line, name);
  // Some terms are the same in both languages.
  if (const std::string& other = other_name(context.strings.language, term); other != context.strings(term.name)) {
    const TextRun run[] = {{fonts.small, theme.muted, other}};
    below += flow_text(list, {at.x, at.y + below}, names, line, run);
  }
  const TextRun text[] = {{fonts.small, theme.text, context.strings(term.text)}};
  float height = flow_text(list, {left, at.y}, middle, line, text);
  if (!term.vendors.empty()) {
    const TextRun vendors[] = {{fonts.small, theme.muted, term.vendors}};
    height += flow_text(list, {left, at.y + height}, middle, line, vendors);
  }
  const float all = std::max(below, height) + context.px(kBelow);
  const Lab* lab = find_lab(term.lab);
  if (measure || lab == nullptr) return all;
  const std::string title = fit_text(fonts.small, context.strings(lab->title), context.px(kLab));
  const ImVec2 low{left + middle + gap, at.y}, size = text_size(fonts.small, title), high{low.x + size.x, at.y + line};
  const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high);
  draw_text(list, fonts.small, {low.x, centred_top(fonts.small, low.y + line / 2)}, theme.accent, title);
  mark(context, "lab of " + term.name.en, low, high);
  if (!hovered) return all;
  const float under = std::round(high.y - context.px(2));
  list->AddRectFilled({low.x, under}, {high.x, under + context.px(1)}, theme.accent);
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain_rect(context, low, high,
               context.strings.format("lesson.link_lab", fmt::arg("name", context.strings(lab->title))));
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    context.session.select_lab(term.lab);
    context.view.tab = "lesson";
    *opened = true;
  }
  return all;
}

bool GlossaryPage::draw_list(PanelContext& context, float width, float height) {
  const Theme& theme = context.theme;
  const Glossary& glossary = *context.strings.glossary();
  bool opened = false;
  const ImVec2 window = ImGui::GetWindowPos(), start = ImGui::GetCursorScreenPos();
  if (entries_.empty()) {
    const TextRun run[] = {{context.fonts.small, theme.muted, context.strings("terms.none")}};
    flow_text(ImGui::GetWindowDrawList(), start, width, context.px(kLine), run);
  }
  for (const Entry& entry : entries_) {
    const ImVec2 at{start.x, start.y + entry.y};
    const bool selected = entry.title.empty() && glossary.terms()[entry.term].name.en == selected_;
    if (selected && scroll_due_)
      ImGui::SetScrollY(std::clamp(entry.y - height / 4, 0.0F, std::max(height_ - height, 0.0F)));
    if (at.y > window.y + height || at.y + entry.height < window.y) continue;
    if (!entry.title.empty()) {
      draw_text(ImGui::GetWindowDrawList(), context.fonts.small_semibold,
                {at.x, at.y + context.px(kTitle - 8) - line_height(context.fonts.small_semibold)}, theme.muted,
                entry.title);
      continue;
    }
    const ImVec2 low{at.x - context.px(12), at.y - context.px(kBelow / 2)};
    const ImVec2 high{at.x + width + context.px(4), at.y + entry.height - context.px(kBelow / 2)};
    if (selected) {
      ImGui::GetWindowDrawList()->AddRectFilled(low, high, theme.raised, context.px(4));
      ImGui::GetWindowDrawList()->AddRectFilled({low.x, low.y + context.px(4)},
                                                {low.x + context.px(2), high.y - context.px(4)}, theme.accent);
    }
    draw_term(context, glossary.terms()[entry.term], at, width, false, &opened);
    mark(context, "entry " + glossary.terms()[entry.term].name.en, low, high);
  }
  if (scroll_due_ && selected_.empty()) ImGui::SetScrollY(0);
  scroll_due_ = false;
  ImGui::SetCursorScreenPos(start);
  ImGui::Dummy({1, height_ + context.px(8)});
  return opened;
}

bool GlossaryPage::draw(PanelContext& context, ImVec2 size) {
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float search = context.px(kSearch), side = context.px(12);
  find_field(context, "glossary search", "terms.search", typed_, low, context.px(320),
             std::exchange(wants_focus_, false));
  // Text starts at the page's left edge; the highlight of a term begins further left.
  const float width = size.x - side;
  lay_out(context, width);
  const std::string count = context.strings.format(
      "terms.count",
      fmt::arg("count", std::ranges::count_if(entries_, [](const Entry& one) { return one.title.empty(); })));
  draw_text_right(ImGui::GetWindowDrawList(), context.fonts.small,
                  {low.x + size.x, centred_top(context.fonts.small, low.y + context.px(18))}, context.theme.muted,
                  count);
  separator_line(context, low.y + search - 1);
  ImGui::SetCursorScreenPos({low.x - side, low.y + search});
  ImGui::BeginChild("glossary", {size.x + 2 * side, size.y - search}, false, ImGuiWindowFlags_NoNav);
  ImGui::SetCursorScreenPos({ImGui::GetCursorScreenPos().x + side, ImGui::GetCursorScreenPos().y});
  const bool opened = draw_list(context, width, size.y - search);
  ImGui::EndChild();
  return opened;
}

}  // namespace tilescope
