// A review card on the screen: the question with its choices or its number field, and after the answer whether it was
// right, why, and when the card is asked again. Before the answer nothing on the screen tells it.
//
//     Why does a stride of 16 floats cost no more sectors per request than a stride of 8?
//     ┌ 1  A request never touches more than 16 sectors        ┐
//     ┌ 2  Each lane already has a sector of its own at 8      ┐ ✓
//     ┌ 3  The L1 merges neighbouring requests                 ┐ ✗
//     Not right.                                     asked again in 10 minutes
//     At 8 floats the lanes are 32 bytes apart …
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

#include "app/recall/recall.hpp"
#include "app/views/context.hpp"

namespace tilescope {

class LessonView;

/// One showing of a card.
struct CardShowing {
  LabCard card = {};
  std::vector<size_t> order = {};  // of the choices
  std::string typed = {};          // into the number field
  bool refused = false;            // it is not a number
  bool wants_focus = false;        // the number field gets the keyboard
  struct Answered {
    size_t pressed = 0;  // index into the card's choices
    bool right = false;
    bool counted = false;  // not: the card was not due, and the answer right
    int64_t due = 0;
  };
  std::optional<Answered> answered = {};
};

class CardFace {
 public:
  /// A new showing: the order of the choices differs from the one before.
  CardShowing show(const PanelContext& context, const LabCard& card);
  /// Draws it and takes presses; returns its height. `text` draws the Markdown.
  float draw(PanelContext& context, LessonView& text, CardShowing& showing, ImVec2 at, float width) const;
  /// 1 to 4 answer. Returns whether a key was used.
  static bool keys(PanelContext& context, CardShowing& showing);
  /// Whether 1 to 4 would answer it.
  static bool takes_digits(const CardShowing& showing) {
    return !showing.answered && !showing.card.card->asks_for_number();
  }

 private:
  struct Pen;
  static void draw_choices(Pen& pen, CardShowing& showing);
  static void draw_field(Pen& pen, CardShowing& showing);
  static void draw_verdict(Pen& pen, const CardShowing& showing);

  uint64_t showings_ = 0;  // in this window
};

/// "in 10 minutes", "in 3 days"; for what is due, "now".
std::string time_until(const Strings& strings, int64_t due, int64_t now);
/// A question in Markdown without its links and marks, for a list.
std::string plain_text_of(const std::string& markdown);
/// A filled button with its text in it; returns whether it was pressed. `right`: the position is its right end.
bool text_button(PanelContext& context, const char* id, const std::string& label, ImVec2 at, bool right = false,
                 bool quiet = false);
float text_button_width(const PanelContext& context, const std::string& label);
constexpr float kTextButton = 28;  // height, unscaled

}  // namespace tilescope
