// The lesson: docs/labs/{en,zh}/<lab>.md in a readable column, with an outline if there is room. lesson_search.cpp
// finds text in it, lesson_links.cpp follows its links.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/draw/editor/code_view.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/lesson/lesson_answers.hpp"
#include "app/views/lesson/lesson_live.hpp"
#include "app/views/lesson/lesson_terms.hpp"
#include "app/views/lesson/lesson_view.hpp"
#include "app/workshop/workshop.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kColumn = 760, kSide = 24, kTop = 24, kBottom = 64, kOutlineGap = 48, kOutline = 200;

const ViewRegistration registered_lesson{{"lesson", 10, make_view<LessonView>}};

ImFont* font_of(const Fonts& fonts, LessonFont font) {
  switch (font) {
    case LessonFont::strong:
      return fonts.body_semibold;
    case LessonFont::code:
      return fonts.code;
    case LessonFont::title:
      return fonts.title;
    case LessonFont::title_strong:
      return fonts.title_semibold;
    case LessonFont::body:
      break;
  }
  return fonts.body;
}

/// The term in both languages, what it means, and what vendors call it.
Explanation explanation_of(const Strings& strings, const Term& term) {
  const std::string &name = strings(term.name), &other = strings.language == Language::en ? term.name.zh : term.name.en;
  return {name == other ? name : name + " · " + other, strings(term.text), term.vendors};
}

}  // namespace

/// The review questions, as the section after the lesson's own.
std::string LessonView::cards_of_lab(const PanelContext& context) {
  if (!LessonCards::are_there(context, context.lab().name)) return {};
  return fmt::format("\n\n## {}\n\n{}\n\n```figure {}\n```", context.strings("review.questions"),
                     context.strings("review.questions_text"), LessonCards::kFence);
}

/// The exercises that practise what the lesson teaches, as its last section.
std::string LessonView::exercises_of_lab(const PanelContext& context) {
  if (context.workshop == nullptr) return {};
  std::string list;
  for (const Exercise& one : context.workshop->catalogue().exercises)
    if (one.lab == context.lab().name)
      list += fmt::format("- [{}](exercise:{})\n", context.strings(one.title), one.name);
  if (list.empty()) return {};
  return fmt::format("\n\n## {}\n\n{}\n\n{}", context.strings("workshop.write_yourself"),
                     context.strings("workshop.write_yourself_text"), list);
}

/// The lesson with what the program adds: a link to the steps below the line that says how long it takes, and the
/// exercises before the last paragraph, which names the next lab.
std::string LessonView::arranged(const PanelContext& context, const Page& page, std::string text) {
  if (!page.is_lesson) return page.before + text + page.after;
  while (text.ends_with('\n')) text.pop_back();
  const bool chinese = context.strings.language == Language::zh;
  const size_t last = text.rfind("\n\n");
  const std::string next = last != std::string::npos ? text.substr(last) : "";
  if (next.starts_with(chinese ? "\n\n下一" : "\n\nNext: "))
    text = text.substr(0, last) + page.after + next;
  else
    text += page.after;
  const size_t time = text.find(chinese ? "\n\n用时：" : "\n\nTime: ");
  const auto steps = context.session.engine().root() / "docs/labs/steps" / (page.id + ".toml");
  std::error_code absent;
  if (time != std::string::npos && std::filesystem::is_regular_file(steps, absent))
    text.insert(std::min(text.find("\n\n", time + 2), text.size()), "\n\n" + context.strings("lesson.step_by_step"));
  return page.before + text + "\n";
}

LessonView::Page LessonView::page(const PanelContext& context) const {
  // All user files share one page, about what can be done with them.
  const bool own = context.session.shows_own();
  const std::string folder = context.strings.language == Language::en ? "en" : "zh";
  if (own) return {.id = kOwnFiles, .file = "docs/sandbox/" + folder + ".md"};
  const std::string& lab = context.lab().name;
  return {.id = lab,
          .file = "docs/labs/" + folder + "/" + lab + ".md",
          .after = cards_of_lab(context) + exercises_of_lab(context),
          .is_lesson = true};
}

void LessonView::read(PanelContext& context) {
  const Page shown = page(context);
  const Language language = context.strings.language;
  if (shown.id == lab_ && language == language_) return;
  if (shown.id != lab_) asked_.reset();  // a block of a different lesson
  lab_ = shown.id;
  language_ = language;
  is_lesson_ = shown.is_lesson;
  file_ = shown.file.string();
  const auto text = read_text(context.session.engine().root() / shown.file);
  found_ = text.has_value();
  document_ = parse_lesson(arranged(context, shown, text.value_or("")));
  if (const Glossary* glossary = context.strings.glossary()) mark_terms(document_, *glossary, language);
  has_live_ = std::ranges::any_of(document_.blocks, has_live_values);
  layout_width_ = 0;
  settling_ = 2;
}

void LessonView::update_layout(PanelContext& context, float width) {
  const bool new_heights = prepare_figures(context);
  const bool same_values =
      !new_heights && (!has_live_ || layout_result_.is(context.result)) && !std::exchange(answers_changed_, false);
  if (layout_width_ == width && layout_font_ == context.fonts.body && same_values) return;
  if (layout_width_ != width || layout_font_ != context.fonts.body) settling_ = 2;
  layout_width_ = width;
  layout_font_ = context.fonts.body;
  layout_result_ = ResultReference(context.result);
  shown_ = fold_answers(document_, open_answers_[lab_], context.strings("lesson.show_answer"));
  for (LessonBlock& block : shown_.blocks) {
    block.live = has_live_values(block);
    if (block.live) block.spans = with_live_values(block.spans, context.result.get());
  }
  LessonMetrics measure = metrics(context);
  measure.figure_height = [&](const std::string& fence, float room) {
    return fence == LessonCards::kFence ? cards_.height(context, lab_) : figures_.height(context, fence, room);
  };
  layout_ = lay_out_lesson(shown_, width, badge_width(context, Badge::simulated) + context.px(16), measure);
  matches_due_ = true;
}

/// Figures show the GPU that is modelled. Returns whether their heights may have changed.
bool LessonView::prepare_figures(const PanelContext& context) {
  const Engine& engine = context.session.engine();
  const auto chosen = engine.modelled_gpu(context.session.request().gpu);
  return figures_.prepare(engine.gpus() ? std::span<const GpuSpec>(*engine.gpus()) : std::span<const GpuSpec>(),
                          chosen ? *chosen : usual_gpu());
}

LessonMetrics LessonView::metrics(const PanelContext& context) const {
  const Fonts& fonts = context.fonts;
  return {[&fonts](LessonFont font, std::string_view text) { return text_size(font_of(fonts, font), text).x; },
          context.view.scale};
}

void LessonView::follow_anchor(PanelContext& context) {
  std::string& anchor = context.view.lesson_anchor;
  if (anchor.empty()) return;
  for (const PlacedBlock& placed : layout_.blocks)
    if (shown_.blocks[placed.block].anchor == anchor) {
      places_[lab_] = {placed.block, -context.px(16)};
      asked_ = placed.block;
      settling_ = 2;
    }
  anchor.clear();
}

/// Scrolls to the position at which this lab was left, and records it whenever the reader scrolls.
void LessonView::restore_place() {
  Place& place = places_[lab_];
  if (settling_ > 0) {
    --settling_;
    last_scroll_ = -1;
    if (place.block < layout_.blocks.size())
      ImGui::SetScrollY(std::max(layout_.blocks[place.block].y + place.offset, 0.0F));
    return;
  }
  const float at = ImGui::GetScrollY();
  if (last_scroll_ >= 0 && at != last_scroll_) asked_.reset();
  last_scroll_ = at;
  const auto below = std::ranges::upper_bound(layout_.blocks, at, {}, &PlacedBlock::y);
  const size_t index = below == layout_.blocks.begin() ? 0 : static_cast<size_t>(below - layout_.blocks.begin()) - 1;
  if (index < layout_.blocks.size()) place = {index, at - layout_.blocks[index].y};
}

void LessonView::draw(PanelContext& context) {
  read(context);
  if (!found_) {
    return empty_state(context, context.strings("lesson.missing"),
                       context.strings.format("lesson.missing_hint", fmt::arg("file", file_)));
  }
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float beside = context.px(kOutlineGap + kOutline + kSide);
  const bool outline = size.x - context.px(kSide) - beside >= context.px(600);
  const float room = size.x - context.px(kSide) - (outline ? beside : context.px(kSide + 12));
  update_layout(context, std::floor(std::clamp(room, context.px(240), context.px(kColumn))));
  take_keys(context);
  follow_anchor(context);
  update_matches(context);
  restore_place();

  const ImVec2 start = ImGui::GetCursorScreenPos();
  const ImVec2 origin{std::round(start.x + context.px(kSide)), std::round(start.y + context.px(kTop))};
  hovered_link_ = std::exchange(next_hovered_link_, -1);
  cards_.begin_frame();
  draw_matches(context, origin);
  for (const PlacedBlock& placed : layout_.blocks) {
    if (origin.y + placed.y > window.y + size.y) break;
    if (origin.y + placed.y + placed.height >= window.y) draw_block(context, placed, origin);
  }
  ImGui::SetCursorScreenPos(start);
  ImGui::Dummy({1, context.px(kTop + kBottom) + layout_.height});
  // The last line was visible where the reader stopped, not while scrolling to a heading.
  if (settling_ == 0 && is_lesson_ && origin.y + layout_.height <= window.y + size.y)
    context.session.learned[lab_].lesson_read = true;
  if (outline)
    draw_outline(context, {origin.x + layout_.width + context.px(kOutlineGap), window.y + context.px(kTop)},
                 context.px(kOutline));
  draw_find_bar(context);
}

void LessonView::draw_block(PanelContext& context, const PlacedBlock& placed, ImVec2 origin) {
  draw_boxes(context, placed, origin);
  for (const LessonRun& run : placed.runs) draw_run(context, run, origin, placed.live);
  if (placed.live && context.result && context.result->observed)
    draw_badge(context, ImGui::GetWindowDrawList(), {origin.x + layout_.width, origin.y + placed.y + context.px(2)},
               Badge::simulated);
}

void LessonView::draw_boxes(PanelContext& context, const PlacedBlock& placed, ImVec2 origin) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  for (const LessonBox& box : placed.boxes) {
    const ImVec2 low{origin.x + box.x0, origin.y + box.y0}, high{origin.x + box.x1, origin.y + box.y1};
    if (box.kind == LessonBox::Kind::code) {
      list->AddRectFilled(low, high, theme.panel, context.px(6));
      draw_block_actions(context, shown_.blocks[placed.block], low, high);
    } else if (box.kind == LessonBox::Kind::figure) {
      draw_figure(context, shown_.blocks[placed.block].info, low, high);
    } else if (box.kind == LessonBox::Kind::quote) {
      list->AddRectFilled(low, high, mix(theme.window, theme.muted, 0.45F));
    } else {
      list->AddRectFilled(low, high, theme.separator);
    }
  }
}

void LessonView::draw_figure(PanelContext& context, const std::string& fence, ImVec2 low, ImVec2 high) {
  if (fence != LessonCards::kFence) return figures_.draw(context, fence, low, high);
  const std::string lab = lab_;
  if (cards_.draw(context, *this, lab, low, high.x - low.x)) answers_changed_ = true;
}

/// A button in the corner of a hovered code block: copies the code, or shows it in its file. Returns its left end.
float LessonView::draw_block_action(PanelContext& context, const char* key, float right, float top, bool* pressed) {
  const std::string& text = context.strings(key);
  const ImVec2 size = text_size(context.fonts.small, text), low{right - size.x, top + context.px(8)};
  const ImVec2 high{right, low.y + size.y};
  const bool over =
      ImGui::IsMouseHoveringRect({low.x - context.px(8), top}, {right + context.px(8), high.y + context.px(4)});
  draw_text(ImGui::GetWindowDrawList(), context.fonts.small, low, over ? context.theme.text : context.theme.muted,
            text);
  mark(context, key, low, high);
  if (over) explain_rect(context, low, high, context.strings(std::string(key) + "_meaning"));
  if (over) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  *pressed = over && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  return low.x;
}

void LessonView::draw_block_actions(PanelContext& context, const LessonBlock& block, ImVec2 low, ImVec2 high) {
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(low, high)) return;
  // A line of the block may extend under them.
  const bool quoted = block.info.starts_with("kernels/");
  float room = text_size(context.fonts.small, context.strings("lesson.copy")).x;
  if (quoted) room += text_size(context.fonts.small, context.strings("lesson.show_source")).x + context.px(20);
  ImGui::GetWindowDrawList()->AddRectFilled({high.x - room - context.px(20), low.y + context.px(4)},
                                            {high.x - context.px(4), low.y + context.px(28)}, context.theme.panel);
  bool pressed = false;
  const float left = draw_block_action(context, "lesson.copy", high.x - context.px(12), low.y, &pressed);
  if (pressed) ImGui::SetClipboardText(block.text.c_str());
  if (!quoted) return;
  draw_block_action(context, "lesson.show_source", left - context.px(20), low.y, &pressed);
  if (pressed) context.view.quote = SourceQuote{block.info, block.text};
}

void LessonView::draw_run(PanelContext& context, const LessonRun& run, ImVec2 origin, bool live) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = font_of(context.fonts, run.font);
  const float x = origin.x + run.x, baseline = origin.y + run.baseline;
  ImU32 colour = run.link >= 0 ? theme.accent : run.muted ? theme.muted : syntax_colour(theme, run.token);
  if (live && context.stale) colour = mix(theme.window, colour, 0.45F);
  if (run.inline_code)
    list->AddRectFilled({x - context.px(4), baseline - context.px(15)},
                        {x + run.width + context.px(4), baseline + context.px(5)},
                        mix(theme.window, theme.raised, 0.85F), context.px(3));
  draw_text(list, font, {x, baseline_top(font, baseline)}, colour, run.text);
  if (run.emphasis_dots) draw_emphasis_dots(context, run, x, baseline);
  if (run.term >= 0) draw_term(context, run, x, baseline);
  if (run.link < 0) return;
  const ImVec2 low{x, baseline - context.px(16)}, high{x + run.width, baseline + context.px(6)};
  const float line = std::round(baseline + context.px(3));
  const ImU32 underline = hovered_link_ == run.link ? colour : mix(theme.window, theme.accent, 0.4F);
  list->AddRectFilled({x, line}, {x + run.width, line + context.px(1)}, underline);
  const LessonLink& link = shown_.links[static_cast<size_t>(run.link)];
  mark(context, "link." + link.address, low, high);
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(low, high)) return;
  next_hovered_link_ = run.link;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain_rect(context, low, high, meaning_of(context, link));
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) act(context, link);
}

/// A term of the glossary: dots below it, quiet until the pointer is there; a click opens the glossary at it.
void LessonView::draw_term(PanelContext& context, const LessonRun& run, float x, float baseline) {
  const Term& term = context.strings.glossary()->terms()[static_cast<size_t>(run.term)];
  const ImVec2 low{x, baseline - context.px(16)}, high{x + run.width, baseline + context.px(6)};
  const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high);
  const Theme& theme = context.theme;
  const ImU32 colour = hovered ? theme.accent : mix(theme.window, theme.muted, 0.75F);
  // Under Chinese in bold are the dots of emphasis already.
  const bool emphasized = run.emphasis_dots && context.strings.language == Language::zh;
  const float dot = std::max(1.0F, std::round(context.px(1))), step = 3 * dot,
              top = std::round(baseline + context.px(emphasized ? 9 : 4));
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (float at = std::round(x); at + dot <= x + run.width + 0.5F; at += step)
    list->AddRectFilled({at, top}, {at + dot, top + dot}, colour);
  mark(context, "term " + term.name.en, low, high);
  if (!hovered) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain_rect(context, low, high, explanation_of(context.strings, term));
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) context.view.asks_for_term = term.name.en;
}

/// Below every Chinese character, but not below punctuation.
void LessonView::draw_emphasis_dots(PanelContext& context, const LessonRun& run, float x, float baseline) {
  ImFont* font = font_of(context.fonts, run.font);
  for (size_t at = 0; at < run.text.size();) {
    size_t next = at + 1;
    while (next < run.text.size() && (static_cast<unsigned char>(run.text[next]) & 0xC0) == 0x80) ++next;
    const std::string_view character = std::string_view(run.text).substr(at, next - at);
    const float width = text_size(font, character).x;
    // U+4E00 … U+9FFF
    if (character >= "\xE4\xB8\x80" && character <= "\xE9\xBF\xBF")
      ImGui::GetWindowDrawList()->AddCircleFilled({x + width / 2, baseline + context.px(5.5F)}, context.px(1.2F),
                                                  context.theme.muted, 8);
    x += width;
    at = next;
  }
}

void LessonView::draw_outline(PanelContext& context, ImVec2 low, float width) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const float row = context.px(26), bottom = ImGui::GetWindowPos().y + ImGui::GetWindowSize().y - context.px(8);
  std::vector<float> headings;
  std::vector<const PlacedBlock*> sections;
  for (const PlacedBlock& placed : layout_.blocks) {
    if (shown_.blocks[placed.block].level != 2) continue;
    headings.push_back(placed.y);
    sections.push_back(&placed);
  }
  if (sections.empty()) return;
  const size_t here_index =
      current_heading(headings, ImGui::GetScrollY(), ImGui::GetScrollMaxY(), ImGui::GetWindowHeight());
  const PlacedBlock* current = sections[here_index];
  // A section that was scrolled to counts as current, because the last sections cannot reach the top.
  for (const PlacedBlock* section : sections)
    if (asked_ == section->block) current = section;
  list->AddRectFilled({low.x, low.y}, {low.x + context.px(1), low.y}, theme.separator);
  float y = low.y;
  for (const PlacedBlock& placed : layout_.blocks) {
    const LessonBlock& block = shown_.blocks[placed.block];
    if (block.level != 2) continue;
    if (y + row > bottom) break;
    const ImVec2 high{low.x + width, y + row};
    const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({low.x, y}, high);
    const bool here = &placed == current;
    list->AddRectFilled({low.x, y}, {low.x + context.px(here ? 2 : 1), high.y}, here ? theme.accent : theme.separator);
    const std::string whole = plain_text(block.spans);
    const std::string text = fit_text(font, whole, width - context.px(16));
    draw_text(list, font, {low.x + context.px(14), centred_top(font, y + row / 2)},
              here || hovered ? theme.text : theme.muted, text);
    if (hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      explain_rect(context, {low.x, y}, high,
                   (text != whole ? whole + "\n" : std::string()) + context.strings("lesson.link_heading"));
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) context.view.lesson_anchor = block.anchor;
    }
    mark(context, "lesson.outline." + block.anchor, {low.x, y}, high);
    if (here) mark(context, "lesson.here", {low.x, y}, high);
    y += row;
  }
}

}  // namespace tilescope
