// A review: the cards of all labs that are due, one at a time, and a summary. The view has a tab only while it is
// shown; the rail, the palette and the end of a lesson open it.
#include <algorithm>
#include <cmath>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/recall/schedule.hpp"
#include "app/views/lesson/card_face.hpp"
#include "app/views/lesson/lesson_view.hpp"
#include "app/views/view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kReviewColumn = 720, kReviewSide = 24, kTop = 24, kLine = 22, kRow = 34;

class ReviewView final : public View {
 public:
  void draw(PanelContext& context) override;
  bool keys(PanelContext& context) override;
  bool takes_digits() const override { return stage_ == Stage::asking && CardFace::takes_digits(showing_); }
  bool concerns(const Session&) const override { return false; }
  bool needs_no_run() const override { return true; }
  Lower lower(const PanelContext&, bool) const override { return {.lowered = 2000}; }  // as far as it goes

 private:
  enum class Stage { overview, asking, summary };
  struct Asked {
    LabCard card;
    bool right = false;
  };
  struct Pen {
    PanelContext& context;
    ImDrawList* list;
    float left, right, y;
    float px(float value) const { return context.px(value); }
    float width() const { return right - left; }
    void text(ImFont* font, ImU32 colour, std::string_view text, float step = kLine) {
      const TextRun runs[] = {{font, colour, text}};
      y += flow_text(list, {left, y}, width(), context.px(step), runs);
    }
  };

  void start(const PanelContext& context);
  void next(const PanelContext& context);
  void draw_overview(Pen& pen);
  void draw_labs(Pen& pen);
  void draw_card(Pen& pen);
  void draw_summary(Pen& pen);
  void draw_misses(Pen& pen);
  bool lab_link(Pen& pen, const Lab& lab, const std::string& id, float x, float middle, float room);

  Stage stage_ = Stage::overview;
  std::vector<LabCard> cards_;  // of this review
  size_t index_ = 0;
  CardShowing showing_;
  std::vector<Asked> asked_;
  CardFace face_;
  LessonView text_;
};

void go_to_lesson(PanelContext& context, const Lab& lab) {
  context.session.select_lab(lab.name);
  context.view.tab = "lesson";
}

std::string due_text(const Strings& strings, const DueCards& due) {
  if (due.due == 0 && due.fresh == 0) return strings("review.nothing_due");
  const auto count = [&](const char* one, const char* many, size_t number) {
    return number == 1 ? strings(one) : strings.format(many, fmt::arg("count", number));
  };
  if (due.fresh == 0) return count("review.one_due", "review.many_due", due.due) + strings("review.stop");
  if (due.due == 0) return count("review.one_new", "review.many_new", due.fresh) + strings("review.stop");
  return count("review.one_due", "review.many_due", due.due) + strings("review.comma") +
         count("review.one_new", "review.many_new", due.fresh) + strings("review.stop");
}

void ReviewView::start(const PanelContext& context) {
  cards_ = context.recall->session(context.session.learned);
  asked_.clear();
  index_ = 0;
  stage_ = cards_.empty() ? Stage::overview : Stage::asking;
  if (!cards_.empty()) showing_ = face_.show(context, cards_.front());
}

void ReviewView::next(const PanelContext& context) {
  if (++index_ < cards_.size())
    showing_ = face_.show(context, cards_[index_]);
  else
    stage_ = Stage::summary;
}

void ReviewView::draw(PanelContext& context) {
  if (context.recall == nullptr) return;
  const ImVec2 start = ImGui::GetCursorScreenPos(), size = ImGui::GetWindowSize();
  const float left = std::round(start.x + context.px(kReviewSide));
  const float room = size.x - context.px(2 * kReviewSide + 12);
  Pen pen{context, ImGui::GetWindowDrawList(), left, left + std::min(room, context.px(kReviewColumn)),
          std::round(start.y + context.px(kTop))};
  if (stage_ == Stage::asking)
    draw_card(pen);
  else if (stage_ == Stage::summary)
    draw_summary(pen);
  else
    draw_overview(pen);
  ImGui::SetCursorScreenPos(start);
  ImGui::Dummy({1, pen.y - start.y + context.px(kTop)});
}

bool ReviewView::keys(PanelContext& context) {
  if (context.recall == nullptr) return false;
  if (stage_ == Stage::asking && CardFace::keys(context, showing_)) {
    asked_.push_back({showing_.card, showing_.answered->right});
    return true;
  }
  if (!key_went_down(Key::enter)) return false;
  if (stage_ == Stage::asking) {
    if (showing_.answered) next(context);
  } else {
    start(context);
  }
  return true;
}

/// The lab's title, which leads to its lesson.
bool ReviewView::lab_link(Pen& pen, const Lab& lab, const std::string& id, float x, float middle, float room) {
  PanelContext& context = pen.context;
  ImFont* font = context.fonts.body;
  const std::string title = fit_text(font, context.strings(lab.title), room);
  const float width = text_size(font, title).x;
  const ImVec2 low{x, middle - pen.px(11)}, high{x + width, middle + pen.px(11)};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(id.c_str(), {width, high.y - low.y});
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain(context, context.strings("review.to_lesson"));
  draw_text(pen.list, font, {x, centred_top(font, middle)}, context.theme.accent, title);
  mark(context, id, low, high);
  if (pressed) go_to_lesson(context, lab);
  return pressed;
}

void ReviewView::draw_overview(Pen& pen) {
  PanelContext& context = pen.context;
  const Recall& recall = *context.recall;
  const DueCards due = recall.due(context.session.learned);
  pen.text(context.fonts.title_semibold, context.theme.text, due_text(context.strings, due), 28);
  mark(context, "review due", {pen.left, pen.y - pen.px(28)}, {pen.right, pen.y});
  pen.y += pen.px(6);
  if (due.all() == 0) {
    const int64_t next = recall.next_due(context.session.learned);
    pen.text(context.fonts.body, context.theme.muted,
             next > 0 ? context.strings.format("review.next_due",
                                               fmt::arg("when", time_until(context.strings, next, recall.now())))
                      : context.strings("review.how_cards_come"));
  } else {
    pen.text(context.fonts.body, context.theme.muted,
             context.strings.format("review.at_most", fmt::arg("count", Recall::kSession)));
    pen.y += pen.px(10);
    if (text_button(context, "start review", context.strings("review.start"), {pen.left, pen.y})) start(context);
    pen.y += pen.px(kTextButton);
  }
  pen.y += pen.px(24);
  draw_labs(pen);
  pen.text(context.fonts.small, context.theme.muted, context.strings("review.schedule"), 20);
}

/// Each lab whose cards are asked: how many were answered right, and how many wait.
void ReviewView::draw_labs(Pen& pen) {
  PanelContext& context = pen.context;
  const Recall& recall = *context.recall;
  const ProgressByLab& learned = context.session.learned;
  ImFont* small = context.fonts.small;
  const float line = std::max(1.0F, std::round(context.view.scale));
  bool any = false;
  for (const Lab& lab : labs()) {
    const auto& cards = recall.cards_of(lab.name);
    const auto found = learned.find(lab.name);
    if (cards.empty() || found == learned.end()) continue;
    const ProgressByLab only{*found};
    const DueCards due = recall.due(only);
    const bool begun = due.all() > 0 || !found->second.cards.empty();
    if (!begun) continue;
    any = true;
    const float middle = pen.y + pen.px(kRow / 2);
    pen.list->AddRectFilled({pen.left, pen.y}, {pen.right, pen.y + line}, context.theme.separator);
    lab_link(pen, lab, "review lab " + lab.name, pen.left, middle, pen.width() * 0.45F);
    draw_text(pen.list, small, {pen.left + pen.width() * 0.5F, centred_top(small, middle)}, context.theme.muted,
              context.strings.format("review.known", fmt::arg("some", recall.right_once(learned, lab.name)),
                                     fmt::arg("all", cards.size())));
    if (due.all() > 0)
      draw_text_right(pen.list, small, {pen.right, centred_top(small, middle)},
                      due.due > 0 ? context.theme.waiting : context.theme.muted,
                      due.due > 0 ? context.strings.format("review.count_due", fmt::arg("count", due.due))
                                  : context.strings.format("review.count_new", fmt::arg("count", due.fresh)));
    pen.y += pen.px(kRow);
  }
  if (!any) return;
  pen.list->AddRectFilled({pen.left, pen.y}, {pen.right, pen.y + line}, context.theme.separator);
  pen.y += pen.px(16);
}

void ReviewView::draw_card(Pen& pen) {
  PanelContext& context = pen.context;
  const Theme& theme = context.theme;
  ImFont* small = context.fonts.small;
  const Lab& lab = *showing_.card.lab;
  const float middle = pen.y + pen.px(9);
  const Skill* skill = context.recall->find_skill(showing_.card.card->skill);
  const std::string count =
      context.strings.format("review.card_of", fmt::arg("number", index_ + 1), fmt::arg("all", cards_.size()));
  const float count_width = text_size(small, count).x;
  std::string about = context.strings(lab.title);
  if (skill != nullptr) about += "  ·  " + context.strings(skill->title);
  draw_text(pen.list, small, {pen.left, centred_top(small, middle)}, theme.muted,
            fit_text(small, about, pen.width() - count_width - pen.px(20)));
  draw_text_right(pen.list, small, {pen.right, centred_top(small, middle)}, theme.muted, count);
  mark(context, "review count", {pen.right - count_width, pen.y}, {pen.right, pen.y + pen.px(18)});
  pen.y += pen.px(26);
  const float part = static_cast<float>(index_ + (showing_.answered ? 1 : 0)) / static_cast<float>(cards_.size());
  const float bar = pen.px(3);
  pen.list->AddRectFilled({pen.left, pen.y}, {pen.right, pen.y + bar}, theme.separator, bar / 2);
  if (part > 0)
    pen.list->AddRectFilled({pen.left, pen.y}, {pen.left + pen.width() * part, pen.y + bar}, theme.accent, bar / 2);
  pen.y += pen.px(24);
  const bool before = showing_.answered.has_value();
  pen.y += face_.draw(context, text_, showing_, {pen.left, pen.y}, pen.width());
  if (!before && showing_.answered) asked_.push_back({showing_.card, showing_.answered->right});
  pen.y += pen.px(18);
  if (showing_.answered) {
    const bool last = index_ + 1 == cards_.size();
    if (text_button(context, "next card", context.strings(last ? "review.finish" : "review.next"), {pen.right, pen.y},
                    /*right=*/true))
      next(context);
    if (stage_ == Stage::asking &&
        lab_link(pen, lab, "card lesson", pen.left, pen.y + pen.px(kTextButton / 2), pen.width() * 0.5F))
      return;
  } else if (!asked_.empty() && text_button(context, "stop review", context.strings("review.stop_here"),
                                            {pen.right, pen.y}, /*right=*/true, /*quiet=*/true)) {
    stage_ = Stage::summary;
  }
  pen.y += pen.px(kTextButton);
}

void ReviewView::draw_summary(Pen& pen) {
  PanelContext& context = pen.context;
  const Strings& strings = context.strings;
  const auto right = static_cast<size_t>(std::ranges::count_if(asked_, &Asked::right));
  pen.text(context.fonts.title_semibold, context.theme.text,
           strings.format("review.score", fmt::arg("right", right), fmt::arg("all", asked_.size())), 28);
  mark(context, "review score", {pen.left, pen.y - pen.px(28)}, {pen.right, pen.y});
  pen.y += pen.px(6);
  if (right < asked_.size())
    draw_misses(pen);
  else
    pen.text(context.fonts.body, context.theme.muted, strings("review.all_right"));
  pen.y += pen.px(16);
  const DueCards due = context.recall->due(context.session.learned);
  float x = pen.left;
  if (due.all() > 0) {
    const std::string& label = strings("review.more");
    if (text_button(context, "start review", label, {x, pen.y})) start(context);
    x += text_button_width(context, label) + pen.px(10);
  }
  if (text_button(context, "to skills", strings("view.skills.title"), {x, pen.y}, false, /*quiet=*/true))
    context.view.tab = "skills";
  pen.y += pen.px(kTextButton + 14);
  const int64_t next = context.recall->next_due(context.session.learned);
  const std::string when =
      due.all() > 0 ? due_text(strings, due)
      : next > 0 ? strings.format("review.next_due", fmt::arg("when", time_until(strings, next, context.recall->now())))
                 : std::string();
  pen.text(context.fonts.small, context.theme.muted, when, 20);
}

/// What the misses are about, and each with its lesson.
void ReviewView::draw_misses(Pen& pen) {
  PanelContext& context = pen.context;
  const Strings& strings = context.strings;
  std::vector<std::string> about;
  for (const Asked& one : asked_) {
    const Skill* skill = context.recall->find_skill(one.card.card->skill);
    if (one.right || skill == nullptr) continue;
    const std::string& name = strings(skill->name);
    if (std::ranges::find(about, name) == about.end()) about.push_back(name);
  }
  std::string list;
  for (size_t index = 0; index < about.size(); ++index) {
    if (index > 0) list += strings(index + 1 == about.size() ? "review.and" : "review.comma");
    list += about[index];
  }
  pen.text(context.fonts.body, context.theme.text, strings.format("review.misses", fmt::arg("about", list)));
  mark(context, "review misses", {pen.left, pen.y - pen.px(kLine)}, {pen.right, pen.y});
  pen.y += pen.px(12);
  const float line = std::max(1.0F, std::round(context.view.scale)), link = pen.width() * 0.3F;
  size_t number = 0;
  for (const Asked& one : asked_) {
    if (one.right) continue;
    pen.list->AddRectFilled({pen.left, pen.y}, {pen.right, pen.y + line}, context.theme.separator);
    const std::string question = plain_text_of(strings(one.card.card->question));
    const TextRun runs[] = {{context.fonts.body, context.theme.text, question}};
    const float top = pen.y + pen.px(8);
    const float height = flow_text(pen.list, {pen.left, top}, pen.width() - link - pen.px(24), pen.px(kLine), runs);
    lab_link(pen, *one.card.lab, fmt::format("miss {}", ++number), pen.right - link, top + pen.px(kLine / 2), link);
    pen.y = top + height + pen.px(8);
  }
  pen.list->AddRectFilled({pen.left, pen.y}, {pen.right, pen.y + line}, context.theme.separator);
  pen.y += line;
}

const ViewRegistration registered_review{{"review", 100, make_view<ReviewView>}};

}  // namespace
}  // namespace tilescope
