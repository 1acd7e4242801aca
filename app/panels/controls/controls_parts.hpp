// The sections of the controls column, from top to bottom. Each draws at the column's y and advances it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/widgets.hpp"
#include "app/views/context.hpp"
#include "app/views/questions.hpp"

namespace tilescope {

struct Column {
  PanelContext& context;
  ImDrawList* list;
  float edge_left, edge_right;  // the area's
  float left, right;            // the text's: 16 pixels inside
  float y;

  float px(float value) const { return context.px(value); }
  const Theme& theme() const { return context.theme; }
  const Fonts& fonts() const { return context.fonts; }
  float width() const { return right - left; }
  /// Text whose baseline is `below` unscaled pixels below y.
  void text(ImFont* font, float x, float below, ImU32 colour, std::string_view text) const;
  void text_right(ImFont* font, float x, float below, ImU32 colour, std::string_view text) const;
  /// The line between two sections, `gap` unscaled pixels below y; y moves there.
  void separator(float gap);
};

void ladder_section(Column& column);
void sliders_section(Column& column);
/// The choice of a rung that picks, and why; nothing for other rungs.
void pick_section(Column& column);
void run_section(Column& column);
void break_it_section(Column& column);
/// For a switch that is on but has no effect: the reason, and a link to sizes at which it has one.
void no_effect_note(Column& column);
/// Title and badge of a card; y moves to the value's row. The text `title`_meaning explains it.
void card_title(Column& column, const char* title, std::optional<Badge> badge);
/// Label muted at the left, value at the right; both on one line. `meaning` is its explanation on hover.
void card_line(Column& column, std::string_view label, std::string_view value, ImU32 colour,
               std::string_view meaning = {}, bool veiled = false);
void paragraph(Column& column, std::string_view text, ImU32 colour);
/// A pressable word with its right edge at `right` and its baseline `below` unscaled pixels below y. Returns its left
/// edge.
float text_link(Column& column, const char* id, const std::string& text, const std::string& meaning, float right,
                float below, bool* pressed);
/// Draws everything dimmed while the result belongs to an older request.
class Dimmed {
 public:
  explicit Dimmed(Column& column);
  ~Dimmed();
  Dimmed(const Dimmed&) = delete;
  Dimmed& operator=(const Dimmed&) = delete;

 private:
  Column& column_;
  int first_;
  bool on_;
};
void correctness_card(Column& column);
void findings_card(Column& column);
/// If the checks found nothing: what they look for, and whether a finding of the run before is now fixed.
void no_findings_card(Column& column);
void traffic_card(Column& column);
void order_cards(Column& column);  // if the order of the blocks was modelled
void shared_card(Column& column);
void plane_memory_card(Column& column);  // if the lab has a plane (controls_memory.cpp)
/// The pinned result beside the present one; nothing if none is pinned (controls_baseline.cpp).
void baseline_card(Column& column);
/// "Pin as baseline", if none is pinned.
void baseline_link(Column& column);
/// The question above the rungs while it is open, or with the answer that was just given; nothing otherwise.
void open_question(Column& column);
/// The question below the cards, if it is not above the rungs. Returns whether an answer has just appeared, and must be
/// scrolled to.
bool predict_card(Column& column);
/// A number's text, or its veil.
void card_number(Column& column, ImFont* font, float below, ImU32 colour, std::string_view text, bool veiled);

/// Numbers of the matching rungs, as the learner counts them: "5", "3–5", "1, 3".
std::string rung_numbers(const Lab& lab, const std::function<bool(const Rung&)>& is_meant);
/// The rungs that use a parameter.
std::string rungs_using(const Lab& lab, const std::string& param);
/// "rungs 3–5 only"
std::string only_rungs_text(const Strings& strings, const std::string& numbers);

/// Collapses controls without effect in this rung into one row: "8 more, rungs 4–8", which a click unfolds and folds
/// again. The state is kept per lab and section. Returns whether the rows are shown; draws nothing if there are none.
struct FoldedRow {
  std::string title, rungs;  // "Vector width", "4–5"
  std::function<bool(const Rung&)> uses;
};
bool fold_row(Column& column, const std::string& section, const std::vector<FoldedRow>& rows);

}  // namespace tilescope
