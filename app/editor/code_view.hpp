// Shows a TextBuffer: line numbers, colours, wrapped rows, selection, cursor, find. The panel around it says what else
// belongs to a line through Hooks; the view knows nothing of kernels or traffic.
#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/editor/code_row.hpp"
#include "app/editor/highlighter.hpp"
#include "app/editor/line_wrap.hpp"
#include "app/editor/text_buffer.hpp"
#include "app/panel_context.hpp"

namespace tilescope {

class CodeView {
 public:
  explicit CodeView(Syntax syntax) : highlighter_(syntax) {}

  /// What a panel adds to lines; line indices count from 0.
  struct Hooks {
    float margin_width = 0;                              // pixels on the right that rows with a margin keep free
    uint64_t margin_key = 0;                             // another value when margin_rows answers differently
    std::function<uint32_t(uint32_t line)> margin_rows;  // of a line, from its first: it has at least so many
    std::function<ImU32(uint32_t line)> fill;            // colour of the whole row; 0 for none
    std::function<ImU32(uint32_t line)> number_colour;   // 0 for the usual one
    std::function<std::string(uint32_t line)> number;    // what stands left of the line; null: its number
    std::function<bool(std::string_view word)> is_parameter;
    std::function<void(uint32_t line, ImVec2 low, ImVec2 high, float text_end)> decorate;  // first row of a line
  };
  struct Outcome {
    std::optional<uint32_t> clicked, hovered;  // lines
    bool number_hovered = false;
    HoveredParameter parameter;
    bool edited = false;
  };
  enum class Place { nearest, top, middle };

  TextBuffer buffer;
  bool editable = false;

  /// Fills the rest of the current window, or `size`.
  Outcome draw(PanelContext& context, const char* id, ImVec2 size, const Hooks& hooks);
  /// Scrolls so that the line is seen, at the next draw.
  void reveal(uint32_t line, Place place);
  /// The same for lines [first, last], from `first` on where they fit, else from `body` on.
  void reveal_lines(uint32_t first, uint32_t body, uint32_t last);
  void focus() { wants_focus_ = true; }
  bool focused() const { return focused_; }

  // Find: the bar is a row of its own above the text.
  bool finding() const { return finding_; }
  void open_find();
  void close_find();
  void draw_find_bar(PanelContext& context, float height);

  /// Distance from the left edge to the text.
  static float text_offset(const PanelContext& context) { return context.px(64); }

 private:
  struct Geometry {
    ImVec2 origin, low, high;  // of the scrolled content; of the visible part
    float row_height = 0, cell = 0, text_x = 0;
  };

  void update(const PanelContext& context, const Hooks& hooks, float width);
  void scroll(const Geometry& geometry, float visible_height);
  void draw_rows(PanelContext& context, const Geometry& geometry, const Hooks& hooks, Outcome& outcome);
  float draw_row_text(PanelContext& context, const Geometry& geometry, const CodeRow& row, float y, const Hooks& hooks,
                      Outcome& outcome);
  void draw_range(PanelContext& context, const Geometry& geometry, size_t row, TextRange range, ImU32 colour);
  void draw_matches(PanelContext& context, const Geometry& geometry, size_t row);
  void draw_cursor(PanelContext& context, const Geometry& geometry);
  void take_mouse(const Geometry& geometry, Outcome& outcome);
  void take_keys(const Geometry& geometry, float visible_height);
  void take_editing_keys(bool control, bool shift);
  void take_movement_keys(bool control, bool shift, size_t page);
  void find_next(bool forward);

  float width_of(const Geometry& geometry, std::string_view text) const;
  float x_in_row(const Geometry& geometry, const CodeRow& row, size_t column) const;
  size_t row_of(TextPosition position) const;
  TextPosition position_at(const Geometry& geometry, ImVec2 mouse) const;

  Highlighter highlighter_;
  std::vector<CodeRow> rows_;
  std::vector<size_t> first_row_;  // of each line, and the count of rows
  uint64_t rows_revision_ = 0, rows_margin_key_ = 0;
  uint32_t rows_cells_ = 0;
  ImFont* font_ = nullptr;

  std::optional<uint32_t> reveal_line_;
  uint32_t reveal_body_ = 0, reveal_last_ = 0;
  Place reveal_place_ = Place::nearest;
  bool reveal_cursor_ = false, wants_focus_ = false, focused_ = false, dragging_ = false;
  double cursor_since_ = 0;

  bool finding_ = false, find_wants_focus_ = false;
  std::string pattern_;
};

}  // namespace tilescope
