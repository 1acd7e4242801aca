#include "app/views/lesson/lesson_layout.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "app/draw/editor/line_wrap.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kLayoutLine = 24, kTitleLine = 32, kCodeLine = 20;
constexpr float kIndent = 24, kQuote = 20, kCodePadX = 16, kCodePadY = 12, kCellX = 24, kCellY = 6;
constexpr float kRounding = 0.5F;  // sums of widths are not exact, and a word that is slightly too wide would be cut
constexpr float kBaseline = 17, kTitleBaseline = 23, kCodeBaseline = 15;  // below the top of a line

float space_above(const LessonBlock& block, const LessonBlock* before) {
  if (before == nullptr) return 0;
  if (block.kind == LessonBlockKind::heading) return block.level <= 2 ? 32 : 20;
  if (before->kind == LessonBlockKind::heading) return before->level <= 2 ? 8 : 4;
  if (block.kind == LessonBlockKind::rule || before->kind == LessonBlockKind::rule) return 24;
  if (block.tight && before->tight && block.indent > 0 && before->indent > 0) return 4;
  const auto boxed = [](LessonBlockKind kind) {
    return kind == LessonBlockKind::code || kind == LessonBlockKind::figure;
  };
  if (boxed(block.kind) || boxed(before->kind)) return 16;
  return block.quote != before->quote ? 16 : 12;
}

/// Leading spaces common to all non-blank lines: lines quoted from the middle of a kernel are moved to the left.
size_t common_indentation(std::string_view text) {
  size_t common = std::string_view::npos;
  while (true) {
    const size_t end = text.find('\n');
    const size_t first = text.substr(0, end).find_first_not_of(' ');
    if (first != std::string_view::npos) common = std::min(common, first);
    if (end == std::string_view::npos) return common == std::string_view::npos ? 0 : common;
    text.remove_prefix(end + 1);
  }
}

class LayoutBuilder {
 public:
  LayoutBuilder(const LessonDocument& document, float width, float live_room, const LessonMetrics& metrics)
      : document_(document), metrics_(metrics), unit_(metrics.unit), live_room_(live_room) {
    layout_.width = width;
  }

  LessonLayout build() {
    const LessonBlock* before = nullptr;
    for (size_t index = 0; index < document_.blocks.size(); ++index) {
      const LessonBlock& block = document_.blocks[index];
      const float above = space_above(block, before) * unit_;
      const bool quote_goes_on = before != nullptr && block.quote > 0 && before->quote == block.quote;
      y_ += above;
      place(index, block);
      // One bar for all blocks of a quote, including the gaps between them.
      if (block.quote > 0) {
        const float top = layout_.blocks.back().y - (quote_goes_on ? above : 0);
        const float x = (static_cast<float>(block.indent) * kIndent) * unit_;
        layout_.blocks.back().boxes.push_back({LessonBox::Kind::quote, x, top, x + 3 * unit_, y_});
      }
      before = &block;
    }
    layout_.height = y_;
    return std::move(layout_);
  }

 private:
  void place(size_t index, const LessonBlock& block) {
    layout_.blocks.push_back({});
    PlacedBlock& placed = layout_.blocks.back();
    placed.block = index;
    placed.y = y_;
    left_ = (static_cast<float>(block.indent) * kIndent + static_cast<float>(block.quote) * kQuote) * unit_;
    if (!block.marker.empty()) place_marker(block, placed);
    switch (block.kind) {
      case LessonBlockKind::heading:
        place_heading(block, placed);
        break;
      case LessonBlockKind::paragraph:
        placed.live = block.live;
        place_lines(block.spans, LessonFont::body, left_, room() - (block.live ? live_room_ : 0), placed);
        break;
      case LessonBlockKind::code:
        place_code(block, placed);
        break;
      case LessonBlockKind::table:
        place_table(block, placed);
        break;
      case LessonBlockKind::rule:
        placed.boxes.push_back({LessonBox::Kind::hairline, left_, y_, layout_.width, y_ + unit_});
        y_ += unit_;
        break;
      case LessonBlockKind::figure:
        place_figure(block, placed);
        break;
    }
    placed.height = y_ - placed.y;
  }

  void place_figure(const LessonBlock& block, PlacedBlock& placed) {
    const float top = y_;
    if (metrics_.figure_height) y_ += metrics_.figure_height(block.info, layout_.width - left_);
    placed.boxes.push_back({LessonBox::Kind::figure, left_, top, layout_.width, y_});
  }

  float room() const { return std::max(layout_.width - left_, 120 * unit_); }

  void place_marker(const LessonBlock& block, PlacedBlock& placed) {
    const bool number = block.marker != "•";
    const float width = metrics_.width(LessonFont::body, block.marker);
    // Numbers are right-aligned to the item's text, bullets are separate.
    const float x = number ? left_ - width - 7 * unit_ : left_ - 16 * unit_;
    placed.runs.push_back({block.marker, LessonFont::body, x, y_ + kBaseline * unit_, width, -1, false, true});
  }

  void place_heading(const LessonBlock& block, PlacedBlock& placed) {
    const LessonFont font = block.level == 1   ? LessonFont::title_strong
                            : block.level == 2 ? LessonFont::title
                                               : LessonFont::strong;
    place_lines(block.spans, font, left_, room(), placed);
  }

  /// Advances y_; returns the widest line.
  float place_lines(const LessonSpans& spans, LessonFont font, float x, float width, PlacedBlock& placed,
                    LessonAlign align = LessonAlign::left) {
    const bool title = font == LessonFont::title || font == LessonFont::title_strong;
    float widest = 0;
    for (LessonLine& line : wrap_spans(spans, font, width, metrics_)) {
      const float shift = align == LessonAlign::right    ? width - line.width
                          : align == LessonAlign::centre ? (width - line.width) / 2
                                                         : 0;
      for (LessonRun& run : line.runs) {
        run.x += x + shift;
        run.baseline = y_ + (title ? kTitleBaseline : kBaseline) * unit_;
        placed.runs.push_back(std::move(run));
      }
      widest = std::max(widest, line.width);
      y_ += (title ? kTitleLine : kLayoutLine) * unit_;
    }
    return widest;
  }

  void place_code(const LessonBlock& block, PlacedBlock& placed) {
    const float top = y_;
    y_ += kCodePadY * unit_;
    const float cell = metrics_.width(LessonFont::code, "0");
    const auto cells = static_cast<uint32_t>(std::max((room() - 2 * kCodePadX * unit_) / cell, 16.0F));
    const Syntax syntax = syntax_from(block.language);
    LineState state = LineState::plain;
    std::string_view rest = block.text;
    const size_t common = common_indentation(rest);
    while (true) {
      const size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      line.remove_prefix(std::min(common, line.size()));
      place_code_line(line, tokenize(syntax, line, &state), cells, cell, placed);
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
    y_ += kCodePadY * unit_;
    placed.boxes.push_back({LessonBox::Kind::code, left_, top, layout_.width, y_});
  }

  void place_code_line(std::string_view line, const std::vector<Token>& tokens, uint32_t cells, float cell,
                       PlacedBlock& placed) {
    std::vector<CodeRow> rows;
    wrap_line(line, 0, {cells, cells}, &rows);
    for (const CodeRow& row : rows) {
      float x = left_ + kCodePadX * unit_ + static_cast<float>(row.indent) * cell;
      for (const Token& token : tokens) {
        const uint32_t begin = std::max(token.begin, row.begin), end = std::min(token.end, row.end);
        if (begin >= end) continue;
        const std::string_view text = line.substr(begin, end - begin);
        const float width = metrics_.width(LessonFont::code, text);
        if (text.find_first_not_of(' ') != std::string_view::npos)
          placed.runs.push_back({std::string(text), LessonFont::code, x, y_ + kCodeBaseline * unit_, width, -1, false,
                                 false, token.kind});
        x += width;
      }
      y_ += kCodeLine * unit_;
    }
  }

  void place_table(const LessonBlock& block, PlacedBlock& placed) {
    std::vector<float> natural(block.align.size(), 0.0F), least = natural;
    for (size_t row = 0; row < block.rows.size(); ++row)
      for (size_t column = 0; column < std::min(block.rows[row].size(), natural.size()); ++column) {
        const LessonFont font = row == 0 ? LessonFont::strong : LessonFont::body;
        const auto lines = wrap_spans(block.rows[row][column], font, 1e9F, metrics_);
        const float beside = (kCellX + kRounding) * unit_;
        least[column] = std::max(least[column], widest_piece(block.rows[row][column], font, metrics_) + beside);
        natural[column] = std::max({natural[column], lines.front().width + kCellX * unit_, least[column]});
      }
    const std::vector<float> widths = share_width(natural, room(), least);
    const float right = left_ + std::accumulate(widths.begin(), widths.end(), 0.0F);
    for (size_t row = 0; row < block.rows.size(); ++row) {
      const float top = y_ + kCellY * unit_;
      float bottom = top, x = left_;
      for (size_t column = 0; column < std::min(block.rows[row].size(), widths.size()); ++column) {
        y_ = top;
        place_lines(block.rows[row][column], row == 0 ? LessonFont::strong : LessonFont::body, x,
                    widths[column] - kCellX * unit_, placed, block.align[column]);
        bottom = std::max(bottom, y_);
        x += widths[column];
      }
      y_ = bottom + kCellY * unit_;
      placed.boxes.push_back({LessonBox::Kind::hairline, left_, y_, right, y_ + unit_});
      y_ += unit_;
    }
  }

  const LessonDocument& document_;
  const LessonMetrics& metrics_;
  float unit_, live_room_;
  LessonLayout layout_;
  float y_ = 0, left_ = 0;
};

}  // namespace

std::vector<float> share_width(const std::vector<float>& natural, float available, const std::vector<float>& least) {
  std::vector<float> widths = natural;
  if (std::accumulate(natural.begin(), natural.end(), 0.0F) <= available) return widths;
  const float needed = std::accumulate(least.begin(), least.end(), 0.0F);
  if (!least.empty() && needed <= available) {
    std::ranges::transform(natural, least, widths.begin(), std::minus());
    widths = share_width(widths, available - needed);
    std::ranges::transform(widths, least, widths.begin(), std::plus());
    return widths;
  }
  std::vector<size_t> order(natural.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return natural[a] < natural[b]; });
  float left = available;
  for (size_t index = 0; index < order.size(); ++index) {
    const float fair = left / static_cast<float>(order.size() - index);
    widths[order[index]] = std::min(natural[order[index]], fair);
    left -= widths[order[index]];
  }
  return widths;
}

LessonLayout lay_out_lesson(const LessonDocument& document, float width, float live_room,
                            const LessonMetrics& metrics) {
  return LayoutBuilder(document, width, live_room, metrics).build();
}

}  // namespace tilescope
