// Shows a TextBuffer: line numbers, colours, wrapped rows, selection, cursor, find and replace. The surrounding panel
// adds to lines through Hooks; the view knows nothing about kernels or traffic.
#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/context.hpp"
#include "app/draw/editor/code_row.hpp"
#include "app/draw/editor/highlighter.hpp"
#include "app/draw/editor/line_wrap.hpp"
#include "app/draw/editor/text_buffer.hpp"

namespace tilescope {

class CodeView {
 public:
  explicit CodeView(Syntax syntax) : highlighter_(syntax) { buffer.style = style_of(syntax); }
  void set_syntax(Syntax syntax) {
    highlighter_.set_syntax(syntax);
    buffer.style = style_of(syntax);
  }

  /// What a panel adds to lines; line indices start at 0.
  struct Hooks {
    float margin_width = 0;                              // pixels kept free on the right of rows with a margin
    uint64_t margin_key = 0;                             // changes when margin_rows would return different values
    std::function<uint32_t(uint32_t line)> margin_rows;  // rows that the line's margin needs: the line gets at least
                                                         // this many
    std::function<ImU32(uint32_t line)> fill;            // colour of the whole row; 0 for none
    std::function<ImU32(uint32_t line)> number_colour;   // 0 for the default
    std::function<std::string(uint32_t line)> number;    // text to the left of the line; null: its number
    std::function<bool(std::string_view word)> is_parameter;
    std::function<void(uint32_t line, ImVec2 low, ImVec2 high, float text_end)> decorate;  // first row of a line
  };
  struct Outcome {
    std::optional<uint32_t> clicked, hovered;  // lines
    bool number_hovered = false;
    HoveredParameter parameter;
    bool edited = false;
  };
  /// nearest: scrolls only as far as needed, with some lines above and below.
  enum class Place { nearest, top, middle };

  TextBuffer buffer;
  bool editable = false;

  /// Fills the rest of the current window, or `size`.
  Outcome draw(DrawContext& context, const char* id, ImVec2 size, const Hooks& hooks);
  /// Scrolls so that the line is visible, at the next draw. It stays visible when its rows or the view change size,
  /// until the reader scrolls or types.
  void reveal(uint32_t line, Place place);
  /// The same for lines [first, last]: from `first` on if they fit, else from `body` on.
  void reveal_lines(uint32_t first, uint32_t body, uint32_t last);
  /// The same for a line with its function: from `first` on if both fit, else from `body` on, else the line alone.
  void reveal_in(uint32_t first, uint32_t body, uint32_t line);
  /// A visible line stays visible later; nothing moves now.
  void keep(uint32_t line);
  void focus() { wants_focus_ = true; }
  bool focused() const { return focused_; }

  // The bar above the text: find, replace, or go to a line (code_find.cpp).
  enum class Bar { none, find, replace, go_to_line };
  Bar bar() const { return bar_; }
  void open_bar(Bar bar);
  void close_bar();
  /// Unscaled; 0 if there is no bar.
  float bar_height() const;
  void draw_bar(DrawContext& context, float width);

  /// Distance from the left edge to the text.
  static float text_offset(const DrawContext& context) { return context.px(52); }

 private:
  static TextStyle style_of(Syntax syntax) { return syntax == Syntax::python ? kPythonStyle : TextStyle{}; }
  static constexpr uint32_t kAbove = 3, kBelow = 1;  // lines shown around a revealed one, if there is room

  /// What is kept visible. Rows move when their text, their margin or the width changes, so positions are lines.
  struct Aim {
    uint32_t first = 0, body = 0, line = 0, last = 0;
    Place place = Place::nearest;
    bool with_line = false;  // `line` itself must be visible (reveal_in)
  };
  struct Geometry {
    ImVec2 origin, low, high;  // the scrolled content's; the visible part's
    float row_height = 0, cell = 0, text_x = 0;
  };

  bool update(const DrawContext& context, const Hooks& hooks, float width);  // returns whether rows have changed
  std::optional<float> next_scroll(bool moved, float row_height, float visible_height);
  float scroll_to(const Aim& aim, float from, float row_height, float visible_height) const;
  float scroll_near(uint32_t line, float from, float row_height, float visible_height) const;
  void note_top(float row_height);
  void draw_rows(DrawContext& context, const Geometry& geometry, const Hooks& hooks, Outcome& outcome);
  float draw_row_text(DrawContext& context, const Geometry& geometry, const CodeRow& row, float y, const Hooks& hooks,
                      Outcome& outcome);
  void draw_range(DrawContext& context, const Geometry& geometry, size_t row, TextRange range, ImU32 colour,
                  bool outline = false);
  void draw_matches(DrawContext& context, const Geometry& geometry, size_t row);
  void draw_cursor(DrawContext& context, const Geometry& geometry);
  void take_mouse(const Geometry& geometry, Outcome& outcome);
  void take_keys(const Geometry& geometry, float visible_height);
  void take_editing_keys(bool control, bool shift);
  void take_movement_keys(bool control, bool shift, size_t page);
  void take_pattern();
  void find_next(bool forward);
  void replace_match();
  void draw_find_row(DrawContext& context, ImVec2 low, float width);
  void draw_replace_row(DrawContext& context, ImVec2 low);
  void draw_line_row(DrawContext& context, ImVec2 low, float width);
  std::string count_text(const DrawContext& context, bool* none) const;
  void draw_brackets(DrawContext& context, const Geometry& geometry);

  float width_of(const Geometry& geometry, std::string_view text) const;
  float x_in_row(const Geometry& geometry, const CodeRow& row, size_t column) const;
  size_t row_of(TextPosition position) const;
  TextPosition position_at(const Geometry& geometry, ImVec2 mouse) const;

  Highlighter highlighter_;
  std::vector<CodeRow> rows_;
  std::vector<size_t> first_row_;  // by line, and finally the number of rows
  uint64_t rows_revision_ = 0, rows_margin_key_ = 0;
  uint32_t rows_wide_ = 0, rows_narrow_ = 0;  // row widths in cells, without and with a margin
  ImFont* font_ = nullptr;

  std::optional<Aim> aim_;
  bool aim_is_due_ = false;  // else only when rows move
  TextPosition top_;         // the first visible line, and which of its rows
  float above_top_ = 0;      // pixels of that row above the edge
  float scroll_ = 0, visible_height_ = 0;
  bool reveal_cursor_ = false, wants_focus_ = false, focused_ = false, dragging_ = false;
  double cursor_since_ = 0;

  Bar bar_ = Bar::none;
  bool bar_wants_focus_ = false, replacement_wants_focus_ = false;
  bool bar_edited_ = false;               // replaced since the last draw
  std::optional<uint32_t> gone_to_line_;  // by the bar, for the next outcome
  std::string pattern_, replacement_, line_text_;
};

}  // namespace tilescope
