// The sections of the controls column, from top to bottom. Each draws at the column's y and moves it on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/widgets.hpp"
#include "app/views/context.hpp"

namespace tilescope {

struct Column {
  PanelContext& context;
  ImDrawList* list;
  float edge_left, edge_right;  // of the area
  float left, right;            // of the text: 16 pixels inside
  float y;

  float px(float value) const { return context.px(value); }
  const Theme& theme() const { return context.theme; }
  const Fonts& fonts() const { return context.fonts; }
  float width() const { return right - left; }
  /// Texts whose baseline is `below` unscaled pixels under y.
  void text(ImFont* font, float x, float below, ImU32 colour, std::string_view text) const;
  void text_right(ImFont* font, float x, float below, ImU32 colour, std::string_view text) const;
  /// The line between two sections, `gap` unscaled pixels below y; y moves there.
  void separator(float gap);
};

void ladder_section(Column& column);
void sliders_section(Column& column);
/// What a rung that picks has picked, and why; nothing for any other.
void pick_section(Column& column);
void run_section(Column& column);
void break_it_section(Column& column);
/// Where a switch that is on shows nothing: why, and a way to sizes at which it does.
void no_effect_note(Column& column);
/// Title and badge of a card; y moves to the value's row. The text `title`_meaning explains it.
void card_title(Column& column, const char* title, std::optional<Badge> badge);
/// Label muted at the left, value at the right; both on one line. `meaning` is its explanation on hover.
void card_line(Column& column, std::string_view label, std::string_view value, ImU32 colour,
               std::string_view meaning = {});
void paragraph(Column& column, std::string_view text, ImU32 colour);
/// A word to press, its right edge at `right`, its baseline `below` unscaled pixels below y. Returns its left edge.
float text_link(Column& column, const char* id, const std::string& text, const std::string& meaning, float right,
                float below, bool* pressed);
/// Draws with everything dimmed while the result belongs to an older request.
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
/// Where the checks found nothing: what they look for, and whether that mends what the run before had.
void no_findings_card(Column& column);
void traffic_card(Column& column);
void order_cards(Column& column);  // where the order of the blocks was modelled
void shared_card(Column& column);
void plane_memory_card(Column& column);  // where the lab has a plane (controls_memory.cpp)
/// The pinned result beside the present one; nothing where none is pinned (controls_baseline.cpp).
void baseline_card(Column& column);
/// "Pin as baseline", where none is.
void baseline_link(Column& column);
/// Returns whether an answer has just appeared, and is to be scrolled to.
bool predict_card(Column& column);

/// The report that is shown: this machine's sweep where there is one, else the recording; null if neither.
const SpeedReport* shown_report(const Session& session);

/// The rungs that are meant, as the learner numbers them: "5", "3–5", "1, 3".
std::string rung_numbers(const Lab& lab, const std::function<bool(const Rung&)>& is_meant);
/// Those that use a parameter.
std::string rungs_using(const Lab& lab, const std::string& param);
/// "rungs 3–5 only"
std::string only_rungs_text(const Strings& strings, const std::string& numbers);

/// What has no effect in this rung stands behind one row: "8 more, rungs 4–8", which a click unfolds and folds again.
/// It is remembered for each lab and section. Returns whether the rows are shown; nothing is drawn for none.
struct FoldedRow {
  std::string title, rungs;  // "Vector width", "4–5"
  std::function<bool(const Rung&)> uses;
};
bool fold_row(Column& column, const std::string& section, const std::vector<FoldedRow>& rows);

}  // namespace tilescope
