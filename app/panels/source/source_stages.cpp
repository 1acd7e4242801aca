// What stands in the place of the source: what the compiler made of the kernel (TTIR and TTGIR of a Triton kernel, the
// PTX), and the host program.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/draw/menus.hpp"
#include "app/draw/widgets.hpp"
#include "app/panels/source/source_view.hpp"

namespace tilescope {
namespace {

struct PageTab {
  SourcePage page;
  const char *name, *key;
};
constexpr std::array<PageTab, 5> kPages{{{SourcePage::source, "source_page.python", "source.python"},
                                         {SourcePage::ttir, "source_page.ttir", "source.ttir"},
                                         {SourcePage::ttgir, "source_page.ttgir", "source.ttgir"},
                                         {SourcePage::ptx, "source_page.ptx", "source.ptx"},
                                         {SourcePage::host, "source_page.host", "source.host"}}};

}  // namespace

/// Pages that the language of the file does not have give way to what is like them.
void SourcePanel::take_page(PanelContext& context) {
  if (context.view.source_page) show_page(context, *std::exchange(context.view.source_page, std::nullopt));
  const bool of_triton = page_ == SourcePage::ttir || page_ == SourcePage::ttgir;
  if (of_triton && language() != KernelLanguage::triton) page_ = SourcePage::ptx;
}

void SourcePanel::show_page(PanelContext& context, SourcePage page) {
  if (page == page_ && !diffing_ && !header_) return;
  page_ = page;
  context.view.diff = false;
  show_header(context, {});
  take_listing();
  if (!shows_listing()) return;
  if (page == SourcePage::host) return take_host(context);
  const auto row = listing_.first_of(selected_.value_or(0));
  page_view_.reveal(row.value_or(listing_.first_instruction()), row ? CodeView::Place::middle : CodeView::Place::top);
}

/// "TTGIR ▾", where there is no room for the tabs: pressed, it shows the choice. Returns where the file's name may
/// begin.
float SourcePanel::draw_page_choice(PanelContext& context, ImVec2 low, float middle) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small_semibold;
  const auto current = std::ranges::find(kPages, page_, &PageTab::page);
  const std::string& text = context.strings(current->key);
  const float x = low.x + context.px(24), end = x + text_size(font, text).x + context.px(18);
  const ImVec2 button_low{x - context.px(4), low.y}, button_high{end, low.y + context.px(kSourceHeader)};
  ImGui::SetCursorScreenPos(button_low);
  if (hit_area("source.pages", {button_high.x - button_low.x, button_high.y - button_low.y}))
    open_menu(context.view, "source pages");
  const ImU32 colour = ImGui::IsItemHovered() ? theme.accent : theme.text;
  explain(context, context.strings(std::string(current->key) + "_meaning"));
  mark(context, "source.pages", button_low, button_high);
  draw_text(list, font, {x, centred_top(font, middle)}, colour, text);
  draw_chevron(list, {end - context.px(8), middle}, context.px(8), colour);
  ImGui::SetNextWindowPos({button_low.x, button_high.y}, ImGuiCond_Always);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(8), context.px(8)));
  if (ImGui::BeginPopup("source pages")) {
    for (const PageTab& tab : kPages) {
      if (ImGui::Selectable(context.strings(tab.key).c_str(), tab.page == page_, 0, {context.px(120), 0}))
        show_page(context, tab.page);
      mark(context, tab.name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
  return end - context.px(12);
}

/// "Python  TTIR  TTGIR  PTX  Host" for a Triton kernel. Returns where the file's name may begin.
float SourcePanel::draw_page_tabs(PanelContext& context, ImVec2 low, float right, float middle) {
  if (language() != KernelLanguage::triton) return low.x;
  float end = low.x + context.px(24);
  for (const PageTab& tab : kPages)
    end += text_size(context.fonts.small_semibold, context.strings(tab.key)).x + context.px(14);
  if (end > right) return draw_page_choice(context, low, middle);
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  float x = low.x + context.px(24);
  for (const PageTab& tab : kPages) {
    const bool on = page_ == tab.page;
    ImFont* font = on ? context.fonts.small_semibold : context.fonts.small;
    const std::string& text = context.strings(tab.key);
    const float width = text_size(context.fonts.small_semibold, text).x;
    const ImVec2 tab_low{x - context.px(6), low.y},
        tab_high{x + width + context.px(6), low.y + context.px(kSourceHeader)};
    ImGui::SetCursorScreenPos(tab_low);
    if (hit_area(tab.name, {tab_high.x - tab_low.x, tab_high.y - tab_low.y})) show_page(context, tab.page);
    const bool hovered = ImGui::IsItemHovered();
    explain(context, context.strings(std::string(tab.key) + "_meaning"));
    mark(context, tab.name, tab_low, tab_high);
    draw_text(list, font, {x, centred_top(font, middle)}, on || hovered ? theme.text : theme.muted, text);
    if (on) list->AddRectFilled({x, middle + context.px(11)}, {x + width, middle + context.px(13)}, theme.accent);
    x += width + context.px(14);
  }
  return x - context.px(16);
}

void SourcePanel::draw_listing(PanelContext& context, ImVec2 size) {
  if (page_ == SourcePage::host) return draw_program(context, size);
  if (listing_.text.empty()) {
    ImGui::BeginChild("no-ptx", size);
    const auto tab = std::ranges::find(kPages, page_, &PageTab::page);
    empty_state(context, context.strings.format("source.no_page", fmt::arg("page", context.strings(tab->key))),
                context.strings("source.no_page_hint"));
    ImGui::EndChild();
    return;
  }
  const auto origin = [this](uint32_t line) {
    return line < listing_.origins.size() ? listing_.origins[line] : Listing::Origin{};
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
  const CodeView::Outcome outcome = page_view_.draw(context, "ptx", size, hooks);
  if (outcome.clicked && origin(*outcome.clicked).line != 0) {
    selected_here_ = true;
    select_line(context.view, context.result.get(), origin(*outcome.clicked).line);
  }
  if (outcome.hovered && origin(*outcome.hovered).line != 0) context.view.hover.line = origin(*outcome.hovered).line;
}

}  // namespace tilescope
