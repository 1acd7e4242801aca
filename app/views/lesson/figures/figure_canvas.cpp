#include "app/views/lesson/figures/figure_canvas.hpp"

#include "app/draw/shapes.hpp"
#include "app/draw/widgets.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kTextLine = 20, kBelowHeading = 10, kAboveNote = 12, kHead = 4;

}  // namespace

void FigureCanvas::fill(const FigureBox& box, ImU32 colour, float rounding) {
  if (list_ == nullptr) return;
  ImVec2 low = at(box.x0, box.y0), high = at(box.x1, box.y1);
  high = {std::max(high.x, low.x + 1), std::max(high.y, low.y + 1)};  // nothing disappears between two pixels
  list_->AddRectFilled(low, high, colour, context_.px(rounding));
}

void FigureCanvas::outline(const FigureBox& box, ImU32 colour, float thickness, float rounding) {
  if (list_ != nullptr)
    list_->AddRect(at(box.x0, box.y0), at(box.x1, box.y1), colour, context_.px(rounding), 0, context_.px(thickness));
}

void FigureCanvas::line(ImVec2 from, ImVec2 to, ImU32 colour, float thickness) {
  if (list_ == nullptr) return;
  const ImVec2 begin = at(from.x, from.y), end = at(to.x, to.y);
  const float wide = context_.px(thickness);
  // A straight line on whole pixels is sharp only as a box.
  if (begin.x == end.x || begin.y == end.y) {
    const float half = std::floor(wide / 2), other = std::max(1.0F, std::round(wide)) - half;
    const ImVec2 low{std::min(begin.x, end.x), std::min(begin.y, end.y)};
    const ImVec2 high{std::max(begin.x, end.x), std::max(begin.y, end.y)};
    const bool upright = begin.x == end.x;
    list_->AddRectFilled({low.x - (upright ? half : 0), low.y - (upright ? 0 : half)},
                         {high.x + (upright ? other : 0), high.y + (upright ? 0 : other)}, colour);
    return;
  }
  list_->AddLine(begin, end, colour, wide);
}

void FigureCanvas::arrow(ImVec2 from, ImVec2 to, ImU32 colour) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (list_ == nullptr || length <= kHead) return;
  const ImVec2 along{(to.x - from.x) / length, (to.y - from.y) / length}, across{-along.y, along.x};
  const ImVec2 neck{to.x - along.x * kHead * 1.5F, to.y - along.y * kHead * 1.5F};
  line(from, neck, colour, 1.5F);
  list_->AddTriangleFilled(at(to.x, to.y), at(neck.x + across.x * kHead, neck.y + across.y * kHead),
                           at(neck.x - across.x * kHead, neck.y - across.y * kHead), colour);
}

void FigureCanvas::hatched(const FigureBox& box, ImU32 colour) {
  if (list_ != nullptr) hatch(list_, at(box.x0, box.y0), at(box.x1, box.y1), colour, context_.px(6));
}

void FigureCanvas::cell(const FigureBox& box, std::string_view text, ImU32 tint, FigureLight light, bool strong) {
  const Theme& colours = theme();
  const bool dimmed = light == FigureLight::dimmed, lit = light == FigureLight::lit;
  const float dark = colours.dark ? 0.30F : 0.20F;
  fill(box, mix(colours.panel, tint, dimmed ? dark * 0.35F : lit ? dark * 1.7F : dark), 3);
  outline(box, mix(colours.panel, tint, dimmed ? 0.25F : lit ? 1.0F : 0.6F), lit ? 2 : 1);
  if (text.empty() || text_width(text, strong) > box.width() - 1) return;
  const ImU32 colour = dimmed ? mix(colours.panel, colours.muted, 0.7F) : colours.text;
  text_centred(box.centre().x, box.centre().y, colour, text, strong);
}

void FigureCanvas::idle_cell(const FigureBox& box, FigureLight light) {
  const Theme& colours = theme();
  const float amount = light == FigureLight::lit ? 0.9F : light == FigureLight::dimmed ? 0.2F : 0.4F;
  hatched(box, mix(colours.panel, colours.muted, amount * 0.6F));
  outline(box, mix(colours.panel, colours.muted, amount));
}

float FigureCanvas::text_width(std::string_view text, bool strong) const {
  return text_size(font(strong), text).x / context_.screen.scale;
}

void FigureCanvas::text(float x, float y, ImU32 colour, std::string_view text, bool strong) {
  if (list_ == nullptr) return;
  const ImVec2 place = at(x, y);
  draw_text(list_, font(strong), {place.x, std::round(centred_top(font(strong), place.y))}, colour, text);
}

void FigureCanvas::text_right(float x, float y, ImU32 colour, std::string_view text, bool strong) {
  this->text(x - text_width(text, strong), y, colour, text, strong);
}

void FigureCanvas::text_centred(float x, float y, ImU32 colour, std::string_view text, bool strong) {
  this->text(x - text_width(text, strong) / 2, y, colour, text, strong);
}

float FigureCanvas::paragraph(float x, float y, float width, ImU32 colour, std::string_view text, bool strong) {
  const TextRun run[] = {{font(strong), colour, text}};
  const float scale = context_.screen.scale;
  return flow_text(list_, at(x, y), width * scale, kTextLine * scale, run) / scale;
}

float FigureCanvas::paragraph_height(float width, std::string_view text, bool strong) const {
  const TextRun run[] = {{font(strong), theme().text, text}};
  const float scale = context_.screen.scale;
  return flow_text(nullptr, {0, 0}, width * scale, kTextLine * scale, run) / scale;
}

float FigureCanvas::heading(std::string_view text) {
  return paragraph(0, 0, width_, theme().text, text, true) + kBelowHeading;
}

float FigureCanvas::legend(float y, std::span<const FigureLegend> entries) {
  constexpr float kLine = 22, kSample = 18, kToText = 25, kToNext = 18;
  float x = 0;
  for (const FigureLegend& entry : entries) {
    const float wide = kToText + text_width(entry.text);
    if (x > 0 && x + wide > width_) {
      x = 0;
      y += kLine;
    }
    const FigureBox box{x, y + kLine / 2 - 6, x + kSample, y + kLine / 2 + 6};
    if (entry.sample == FigureLegend::Sample::cell)
      cell(box, {}, entry.tint);
    else if (entry.sample == FigureLegend::Sample::outline)
      outline(box, mix(theme().panel, entry.tint, 0.6F));
    else
      idle_cell(box);
    text(x + kToText, y + kLine / 2, theme().muted, entry.text);
    x += wide + kToNext;
  }
  return y + kLine;
}

float FigureCanvas::note(float y, std::string_view text) {
  return y + kAboveNote + paragraph(0, y + kAboveNote, width_, theme().muted, text);
}

ImVec2 FigureCanvas::pointer() const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float scale = context_.screen.scale;
  return {(mouse.x - origin_.x) / scale, (mouse.y - origin_.y) / scale};
}

bool FigureCanvas::points_at(const FigureBox& box) const {
  return list_ != nullptr && box.contains(pointer()) && ImGui::IsWindowHovered();
}

void FigureCanvas::explain(const FigureBox& box, const std::string& meaning) {
  explain_rect(context_, at(box.x0, box.y0), at(box.x1, box.y1), meaning);
}

ImU32 figure_tint(const Theme& theme, size_t index) {
  const ImU32 tints[] = {theme.read, theme.write, theme.reference, theme.ok, theme.error, theme.accent};
  return tints[index % std::size(tints)];
}

}  // namespace tilescope
