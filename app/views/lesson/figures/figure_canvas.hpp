// The surface that a figure paints on: positions in unscaled pixels from the figure's top left corner, snapped to whole
// pixels of the screen. Without a draw list it only measures, so that a figure's height comes from what it would draw.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "app/draw/context.hpp"
#include "app/draw/text.hpp"
#include "engine/specs.hpp"

namespace tilescope {

/// An element of a figure, such as lane 5: what the pointer is on, and what belongs to it. `kind` is the figure's own.
struct FigureItem {
  int kind = -1;
  int64_t index = 0, second = 0;
  bool operator==(const FigureItem&) const = default;
};

/// What the pointer was on in the last frame and is on in this one: what belongs together may be drawn before it.
struct FigurePointer {
  FigureItem last = {}, now = {};
};

struct FigureBox {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  float width() const { return x1 - x0; }
  float height() const { return y1 - y0; }
  ImVec2 centre() const { return {(x0 + x1) / 2, (y0 + y1) / 2}; }
  bool contains(ImVec2 at) const { return at.x >= x0 && at.x < x1 && at.y >= y0 && at.y < y1; }
};

/// How an element is drawn while the pointer is on one: those that belong to it stand out, the others step back.
enum class FigureLight : uint8_t { usual, lit, dimmed };

/// How a legend shows what a tint means: as a box, as an outline (something waits), or hatched (something sits idle).
struct FigureLegend {
  enum class Sample : uint8_t { cell, outline, idle };
  std::string_view text;
  ImU32 tint = 0;
  Sample sample = Sample::cell;
};

class FigureCanvas {
 public:
  /// `list` null: measures. `origin` in pixels, `width` unscaled.
  FigureCanvas(DrawContext& context, ImDrawList* list, ImVec2 origin, float width, const GpuSpec& gpu,
               FigurePointer& pointer)
      : context_(context), list_(list), origin_(origin), width_(width), gpu_(gpu), pointer_(pointer) {}

  float width() const { return width_; }
  const Theme& theme() const { return context_.theme; }
  const Strings& strings() const { return context_.strings; }
  const Fonts& fonts() const { return context_.fonts; }
  /// The GPU that the learner has chosen.
  const GpuSpec& gpu() const { return gpu_; }

  // Shapes.
  void fill(const FigureBox& box, ImU32 colour, float rounding = 0);
  void outline(const FigureBox& box, ImU32 colour, float thickness = 1, float rounding = 3);
  void line(ImVec2 from, ImVec2 to, ImU32 colour, float thickness = 1);
  /// With its head at the end.
  void arrow(ImVec2 from, ImVec2 to, ImU32 colour);
  void hatched(const FigureBox& box, ImU32 colour);
  /// A box tinted with a colour of the theme; the text, if it fits, is centred in it.
  void cell(const FigureBox& box, std::string_view text, ImU32 tint, FigureLight light = FigureLight::usual,
            bool strong = false);
  /// The same for something that takes no part.
  void idle_cell(const FigureBox& box, FigureLight light = FigureLight::usual);

  // Texts in the small font of notes; y is the middle of the line.
  float text_width(std::string_view text, bool strong = false) const;
  void text(float x, float y, ImU32 colour, std::string_view text, bool strong = false);
  void text_right(float x, float y, ImU32 colour, std::string_view text, bool strong = false);
  void text_centred(float x, float y, ImU32 colour, std::string_view text, bool strong = false);
  /// Wrapped to `width`; y is its top. Returns its height.
  float paragraph(float x, float y, float width, ImU32 colour, std::string_view text, bool strong = false);
  float paragraph_height(float width, std::string_view text, bool strong = false) const;
  /// What the figure shows, at its top. Returns where its content starts.
  float heading(std::string_view text);
  /// The meanings of tints, side by side on as many lines as they need. Returns its end.
  float legend(float y, std::span<const FigureLegend> entries);
  /// What to read from it, below its content. Returns its end.
  float note(float y, std::string_view text);

  // The pointer.
  const FigureItem& pointed() const { return pointer_.last; }
  FigureLight light(bool belongs) const {
    if (pointer_.last.kind < 0) return FigureLight::usual;
    return belongs ? FigureLight::lit : FigureLight::dimmed;
  }
  bool points_at(const FigureBox& box) const;
  ImVec2 pointer() const;  // from the corner of the figure
  /// An area that stands for an element; `meaning` gives its explanation in one sentence. Areas that are drawn later
  /// win.
  template <class Meaning>
  void element(const FigureItem& item, const FigureBox& box, Meaning meaning) {
    if (!points_at(box)) return;
    pointer_.now = item;
    explain(box, meaning());
  }

 private:
  ImVec2 at(float x, float y) const {
    const float scale = context_.screen.scale;
    return {std::round(origin_.x + x * scale), std::round(origin_.y + y * scale)};
  }
  void explain(const FigureBox& box, const std::string& meaning);
  ImFont* font(bool strong) const { return strong ? context_.fonts.small_semibold : context_.fonts.small; }

  DrawContext& context_;
  ImDrawList* list_;
  ImVec2 origin_;
  float width_;
  const GpuSpec& gpu_;
  FigurePointer& pointer_;
};

/// A colour of its own for each of a few elements, registers or values.
ImU32 figure_tint(const Theme& theme, size_t index);

}  // namespace tilescope
