// Draws two rungs of a source beside each other, or one below the other where there is little room: marks and colours
// of what each has alone, words that changed, folds. Both columns are one child window, so that they scroll together.
#pragma once

#include <imgui.h>

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/draw/editor/code_row.hpp"
#include "app/draw/editor/highlighter.hpp"
#include "app/panels/source/source_diff.hpp"
#include "app/views/context.hpp"

namespace tilescope {

class DiffView {
 public:
  static constexpr size_t kLeft = 0, kRight = 1;
  /// What the panel adds to lines of what was shown, counted from 1.
  struct Hooks {
    size_t run_side = kRight;  // the rung that has run: 0 the left one
    float margin_width = 0;    // pixels on the right that the first row of a line with a margin keeps free
    uint64_t margin_key = 0;   // changes when has_margin answers differently
    std::function<bool(uint32_t line)> has_margin;
    std::function<ImU32(uint32_t line)> fill;        // colour of the whole row; 0 for none
    std::function<uint32_t(uint32_t line)> number;   // that stands beside the line
    std::function<std::string(uint32_t line)> file;  // in which it is, if that is worth saying
    std::function<bool(std::string_view word)> is_parameter;
    /// First row of a line of the rung that has run.
    std::function<void(uint32_t line, ImVec2 low, ImVec2 high, float text_end)> decorate;
    /// A closed fold, with the lines of the rung that has run which it hides. Returns the room it took at the right.
    std::function<float(const std::vector<uint32_t>& lines, ImVec2 low, ImVec2 high)> decorate_fold;
  };
  struct Outcome {
    std::optional<uint32_t> clicked, hovered;  // lines of the file
    HoveredParameter parameter;
  };

  /// Takes a difference over; the lines are those of its file.
  void show(SourceDiff diff, const std::vector<std::string>& lines, Syntax syntax);
  const SourceDiff& diff() const { return diff_; }
  Outcome draw(PanelContext& context, ImVec2 size, const Hooks& hooks);
  /// Scrolls so that the line is seen, at the next draw.
  void reveal(uint32_t line) { reveal_line_ = line; }

  /// Whether there is room for two columns; where the second one begins, and from a column's edge to its text.
  static bool has_two_columns(const PanelContext& context, float width);
  static float second_column(const PanelContext& context, float width, size_t run_side);
  static float text_offset(const PanelContext& context) { return context.px(64); }

 private:
  /// A row of the difference where it is on the screen; in rows of the code font.
  struct Placed {
    DiffRow row;
    uint32_t top = 0, height = 1;
    std::array<std::vector<CodeRow>, 2> text;  // for both sides; in one column only one has any
  };
  struct Column {
    float left = 0, right = 0;
    float width() const { return right - left; }
  };
  struct Geometry {
    ImVec2 origin, low, high;  // the scrolled content's; the visible part's
    float row_height = 0, cell = 0;
    bool two_columns = false;
    std::array<Column, 2> columns;
  };

  Geometry measure(const PanelContext& context, size_t run_side) const;
  bool lay_out(const PanelContext& context, const Geometry& geometry, const Hooks& hooks);  // whether rows have changed
  void scroll(const Geometry& geometry, bool moved, size_t run_side);
  void take_mouse(PanelContext& context, const Geometry& geometry, size_t run_side, Outcome& outcome);
  const Placed* row_at(const Geometry& geometry, float y) const;
  ImVec2 corner_of(const Geometry& geometry, const Placed& placed, size_t side) const;
  ImVec2 end_of(const Geometry& geometry, const Placed& placed, size_t side) const;
  void draw_ground(PanelContext& context, const Geometry& geometry, const Placed& placed, const Hooks& hooks);
  void draw_words(PanelContext& context, const Geometry& geometry, const Placed& placed, size_t side);
  void draw_side(PanelContext& context, const Geometry& geometry, const Placed& placed, size_t side, const Hooks& hooks,
                 Outcome& outcome);
  void draw_fold(PanelContext& context, const Geometry& geometry, const Placed& placed, const Hooks& hooks);
  void draw_file(PanelContext& context, const Geometry& geometry, const Placed& gap, const Placed& next, size_t side,
                 const Hooks& hooks);
  float x_of(const Geometry& geometry, const CodeRow& row, std::string_view line, size_t side, uint32_t column) const;

  SourceDiff diff_;
  std::vector<std::string> lines_;
  Highlighter highlighter_{Syntax::cuda};
  std::set<uint32_t> open_;  // folds
  std::vector<Placed> placed_;
  bool laid_out_ = false, at_top_ = true;
  bool laid_out_two_ = false;
  float laid_out_width_ = 0;
  uint64_t laid_out_key_ = 0;
  DiffRow top_;  // the first row in sight
  std::optional<uint32_t> reveal_line_;
  float text_offset_ = 0;
  ImFont* font_ = nullptr;
};

}  // namespace tilescope
