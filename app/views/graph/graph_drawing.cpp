#include "app/views/graph/graph_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kFullBox = 44, kCompactBox = 26, kBoxInside = 8, kNumberPlate = 16, kInputBox = 26, kLeastBox = 72;
constexpr float kNearestZoom = 3, kFarthestZoom = 0.02F;  // zoom
// Height of a box in pixels: below the first it is a dot, and no arrows are drawn; below the second it has no outline.
constexpr float kDotsBelow = 4, kPlainBelow = 14;
constexpr size_t kMostSegments = 6000;  // of arrows in a frame, so that a frame of a large graph stays short

}  // namespace

void GraphCanvas::show(GraphPieces pieces, std::vector<GraphFace> faces) {
  pieces_ = std::move(pieces);
  faces_ = std::move(faces);
  fits_ = false;
  selected_ = hovered_ = opened_ = std::nullopt;
}

void GraphCanvas::set_faces(std::vector<GraphFace> faces) {
  for (size_t box = 0; box < faces.size(); ++box)
    if (faces[box].title.size() > faces_[box].title.size() ||
        faces[box].left.size() + faces[box].right.size() > faces_[box].left.size() + faces_[box].right.size())
      fits_ = false;
  faces_ = std::move(faces);
}

void GraphCanvas::select(std::optional<size_t> box) {
  reveal_ = box && box != selected_;
  selected_ = box;
}

std::optional<size_t> GraphCanvas::take_opened() { return std::exchange(opened_, std::nullopt); }

float GraphCanvas::wanted_width(const DrawContext& context, size_t box, bool compact) const {
  const GraphFace& face = faces_[box];
  const float scale = context.screen.scale;
  if (pieces_.boxes[box].input)
    return std::max(kInputBox, text_size(context.fonts.small, face.title).x / scale + 2 * kBoxInside);
  const float title =
      text_size(context.fonts.small_semibold, face.title).x / scale + (face.number > 0 ? kNumberPlate + 6 : 0);
  const float line =
      text_size(context.fonts.small, face.left).x / scale + text_size(context.fonts.small, face.right).x / scale + 10;
  return std::ceil(std::max({kLeastBox, title + 2 * kBoxInside, compact ? 0 : line + 2 * kBoxInside}));
}

GraphLayout GraphCanvas::laid_out(const DrawContext& context, float width, bool compact) const {
  return lay_out_graph(pieces_, {.width = width,
                                 .box_height = compact ? kCompactBox : kFullBox,
                                 .box_width = [&](size_t box) { return wanted_width(context, box, compact); }});
}

/// Full boxes if they all fit, else those with titles only. What is then still higher than the room is dragged, or, if
/// there are many boxes, drawn as small as it must be.
void GraphCanvas::fit(const DrawContext& context, ImVec2 size) {
  const float scale = context.screen.scale, width = size.x / scale, height = size.y / scale;
  size_ = size;
  scale_ = scale;
  zoom_ = scale;
  for (const bool compact : {false, true}) {
    layout_ = laid_out(context, width, compact);
    compact_ = compact;
    if (layout_.height <= height && layout_.width <= width + 1) break;
  }
  constexpr size_t kManyBoxes = 80;
  if (layout_.height > height && pieces_.boxes.size() > kManyBoxes) {  // as many bands as the room's shape asks for
    float tried = width;
    for (int step = 0; step < 24 && layout_.height * width > layout_.width * height; ++step) {
      tried *= 1.3F;
      layout_ = laid_out(context, tried, true);
    }
    zoom_ = scale * std::min({1.0F, width / layout_.width, height / layout_.height});
  }
  fitted_ = zoom_;
  offset_ = {std::max(0.0F, (size.x - layout_.width * zoom_) / 2),
             std::max(0.0F, (size.y - layout_.height * zoom_) / 2)};
  fits_ = true;
}

void GraphCanvas::zoom_about(ImVec2 point, float factor) {
  const float zoom = std::clamp(zoom_ * factor, kFarthestZoom * scale_, kNearestZoom * scale_);
  const ImVec2 before{(point.x - origin_.x) / zoom_, (point.y - origin_.y) / zoom_};
  zoom_ = zoom;
  origin_ = {point.x - before.x * zoom_, point.y - before.y * zoom_};
  offset_ = {origin_.x - low_.x, origin_.y - low_.y};
}

void GraphCanvas::handle_mouse(const DrawContext& context, ImVec2 low, ImVec2 high) {
  ImGui::SetCursorScreenPos(low);
  const ImGuiIO& io = ImGui::GetIO();
  const bool pressed = hit_area("graph canvas", {high.x - low.x, high.y - low.y});
  hovered_.reset();
  const bool inside = ImGui::IsItemHovered();
  if (inside)
    for (size_t box = 0; box < layout_.boxes.size() && !hovered_; ++box) {
      const ImVec2 from = at(layout_.boxes[box].low), to = at(layout_.boxes[box].high);
      if (io.MousePos.x >= from.x && io.MousePos.x < to.x && io.MousePos.y >= from.y && io.MousePos.y < to.y)
        hovered_ = box;
    }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0, context.px(4))) {
    offset_.x += io.MouseDelta.x;
    offset_.y += io.MouseDelta.y;
  }
  if (inside && io.MouseWheel != 0) zoom_about(io.MousePos, std::pow(1.15F, io.MouseWheel));
  if (!pressed) return;
  const ImVec2 moved = ImGui::GetMouseDragDelta(0, 0);
  if (std::abs(moved.x) + std::abs(moved.y) > context.px(4)) return;
  if (hovered_) {
    selected_ = hovered_;
  }
}

void GraphCanvas::draw_arrows(const DrawContext& context, ImDrawList* list) const {
  const Theme& theme = context.theme;
  const float head = std::min(context.px(4), 4 * zoom_), thick = std::max(1.0F, context.px(1));
  const ImVec2 clip_low = low_, clip_high{low_.x + size_.x, low_.y + size_.y};
  size_t drawn = 0;
  for (const bool marked : {true, false}) {
    const ImU32 colour = marked ? theme.accent : mix(theme.window, theme.muted, 0.7F);
    for (const PlacedArrow& placed : layout_.arrows) {
      const bool of_selected = selected_ && (placed.arrow.from == *selected_ || placed.arrow.to == *selected_);
      if (of_selected != marked || drawn > kMostSegments) continue;
      const size_t before_arrow = drawn;
      for (size_t point = 1; point < placed.points.size(); ++point) {
        const ImVec2 a = at(placed.points[point - 1]), b = at(placed.points[point]);
        if (std::max(a.x, b.x) < clip_low.x || std::min(a.x, b.x) > clip_high.x || std::max(a.y, b.y) < clip_low.y ||
            std::min(a.y, b.y) > clip_high.y)
          continue;
        ++drawn;
        list->AddLine({std::round(a.x) + 0.5F, std::round(a.y) + 0.5F},
                      {std::round(b.x) + 0.5F, std::round(b.y) + 0.5F}, colour, thick);
      }
      if (drawn == before_arrow) continue;
      const ImVec2 tip = at(placed.points.back()), before = at(placed.points[placed.points.size() - 2]);
      const float x = tip.x > before.x + 0.5F ? 1.0F : 0.0F;  // arrows end rightwards, downwards or upwards
      const float y = x > 0 ? 0.0F : tip.y > before.y ? 1.0F : -1.0F;
      list->AddTriangleFilled(tip, {tip.x - head * x - head * 0.7F * y, tip.y - head * y + head * 0.7F * x},
                              {tip.x - head * x + head * 0.7F * y, tip.y - head * y - head * 0.7F * x}, colour);
    }
  }
}

void GraphCanvas::draw_box(DrawContext& context, ImDrawList* list, size_t box, ImVec2 clip_low,
                           ImVec2 clip_high) const {
  const PlacedBox& placed = layout_.boxes[box];
  const GraphFace& face = faces_[box];
  const Theme& theme = context.theme;
  const ImVec2 low = at(placed.low), high = at(placed.high);
  if (high.x < clip_low.x || low.x > clip_high.x || high.y < clip_low.y || low.y > clip_high.y) return;
  const bool input = pieces_.boxes[box].input.has_value(), on = selected_ == box;
  const ImU32 fill = face.fill != 0 ? face.fill
                     : input        ? theme.window
                     : face.raised  ? mix(theme.raised, theme.text, 0.12F)
                                    : theme.panel;
  if (high.y - low.y < context.px(kPlainBelow)) {
    list->AddRectFilled(low, high, on ? theme.accent : face.outline != 0 ? face.outline : mix(fill, theme.muted, 0.5F));
    return;
  }
  const float corner = std::min(context.px(4), (high.y - low.y) / 4);
  list->AddRectFilled(low, high, fill, corner);
  const ImU32 line = on                  ? theme.accent
                     : hovered_ == box   ? theme.text
                     : face.outline != 0 ? face.outline
                                         : mix(theme.separator, theme.muted, face.raised ? 0.5F : 0.2F);
  list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, line, corner, 0,
                context.px(on || face.outline != 0 ? 2 : 1));
  // Partly outside, a text would be cut off.
  if (low.x < clip_low.x - 1 || high.x > clip_high.x + 1 || low.y < clip_low.y - 1 || high.y > clip_high.y + 1) return;
  const float inside = context.px(kBoxInside), room = high.x - low.x - 2 * inside;
  ImFont *bold = input ? context.fonts.small : context.fonts.small_semibold, *small = context.fonts.small;
  const float title_step = context.px(17), needed = context.px(20);
  const bool both = !compact_ && !input && high.y - low.y >= context.px(42);
  const float number = face.number > 0 ? context.px(kNumberPlate + 6) : 0;
  if (high.y - low.y < needed) return;
  const float title_width = text_size(bold, face.title).x;
  const float middle =
      both ? low.y + context.px(3) + title_step / 2 : (low.y + high.y) / 2 - (input ? 0 : context.px(1));
  float x = input ? (low.x + high.x - title_width) / 2 : low.x + inside;
  if (number > 0 && room >= context.px(kNumberPlate)) {
    const float half = context.px(kNumberPlate) / 2;
    const ImU32 plate = on ? theme.accent : theme.text;
    list->AddRectFilled({x, middle - half}, {x + 2 * half, middle + half}, plate, context.px(3));
    draw_text_centred(list, small, {x + half, middle}, readable_on(plate, theme), std::to_string(face.number));
  }
  x += number;
  if (title_width + number <= room + context.px(2) || input)
    draw_text(list, bold, {x, centred_top(bold, middle)}, theme.text, face.title);
  if (input) return;
  const float bar = high.y - context.px(both ? 5 : 3);
  const float length = std::max(context.px(1), room * std::clamp(face.bar, 0.0F, 1.0F));
  list->AddRectFilled({low.x + inside, bar - context.px(1)}, {low.x + inside + length, bar + context.px(1)},
                      face.bar_of_memory ? theme.accent : theme.text);
  if (!both) return;
  const float second = middle + title_step, right = high.x - inside;
  if (text_size(small, face.left).x + text_size(small, face.right).x + context.px(6) <= room + context.px(2)) {
    draw_text(list, small, {low.x + inside, centred_top(small, second)}, theme.muted, face.left);
    draw_text_right(list, small, {right, centred_top(small, second)}, theme.muted, face.right);
  }
}

void GraphCanvas::bring_into_view(ImVec2 size) {
  if (!std::exchange(reveal_, false) || !selected_ || *selected_ >= layout_.boxes.size()) return;
  const PlacedBox& box = layout_.boxes[*selected_];
  const auto shift = [](float& offset, float low, float high, float room) {
    if (offset + high > room) offset = room - high;
    if (offset + low < 0) offset = -low;
  };
  const float edge = 12 * zoom_;
  shift(offset_.x, box.low.x * zoom_ - edge, box.high.x * zoom_ + edge, size.x);
  shift(offset_.y, box.low.y * zoom_ - edge, box.high.y * zoom_ + edge, size.y);
}

void GraphCanvas::draw(DrawContext& context, ImVec2 low, ImVec2 high) {
  const ImVec2 size{high.x - low.x, high.y - low.y};
  if (size.x < context.px(40) || size.y < context.px(24)) return;
  if (!fits_ || size.x != size_.x || size.y != size_.y || context.screen.scale != scale_) fit(context, size);
  low_ = low;
  bring_into_view(size);
  origin_ = {low.x + offset_.x, low.y + offset_.y};
  handle_mouse(context, low, high);
  origin_ = {low.x + offset_.x, low.y + offset_.y};
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) {
    if (hovered_)
      opened_ = hovered_;
    else
      fits_ = false;
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(low, high, true);
  const float box_height = compact_ ? kCompactBox : kFullBox;
  if (box_height * zoom_ >= context.px(kDotsBelow)) draw_arrows(context, list);
  for (size_t box = 0; box < layout_.boxes.size(); ++box) draw_box(context, list, box, low, high);
  list->PopClipRect();
  constexpr size_t kMostMarks = 256;  // a script finds boxes by their names, not ten thousand of them
  for (size_t box = 0; box < std::min(layout_.boxes.size(), kMostMarks); ++box)
    mark(context, "graph.box." + pieces_.boxes[box].name, at(layout_.boxes[box].low), at(layout_.boxes[box].high));
  if (hovered_ && !faces_[*hovered_].explanation.empty())
    explain_rect(context, at(layout_.boxes[*hovered_].low), at(layout_.boxes[*hovered_].high),
                 faces_[*hovered_].explanation);
}

void GraphCanvas::go(int layers, int rows) {
  if (!selected_) {
    if (!layout_.boxes.empty()) select(0);
    return;
  }
  const PlacedBox& from = layout_.boxes[*selected_];
  std::optional<size_t> best;
  double least = 1e30;
  for (size_t box = 0; box < layout_.boxes.size(); ++box) {
    const PlacedBox& other = layout_.boxes[box];
    const auto across = static_cast<double>(other.layer) - static_cast<double>(from.layer);
    const auto down = static_cast<double>(other.row) - static_cast<double>(from.row);
    if (layers != 0 ? across != layers : across != 0 || down * rows <= 0) continue;
    if (std::abs(down) < least) {
      least = std::abs(down);
      best = box;
    }
  }
  if (best) select(best);
}

bool GraphCanvas::keys() {
  const std::pair<Key, std::pair<int, int>> arrows[] = {
      {Key::left, {-1, 0}}, {Key::right, {1, 0}}, {Key::up, {0, -1}}, {Key::down, {0, 1}}};
  for (const auto& [key, step] : arrows)
    if (key_repeats(key)) {
      go(step.first, step.second);
      return true;
    }
  const ImVec2 centre{low_.x + size_.x / 2, low_.y + size_.y / 2};
  if (key_repeats(Key::plus) || key_repeats(Key::keypad_plus)) return zoom_about(centre, 1.15F), true;
  if (key_repeats(Key::minus) || key_repeats(Key::keypad_minus)) return zoom_about(centre, 1 / 1.15F), true;
  if (key_went_down(Key::home)) return fits_ = false, true;
  if (key_went_down(Key::enter) && selected_) return opened_ = selected_, true;
  return false;
}

}  // namespace tilescope
