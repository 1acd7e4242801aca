// The figures of the shown lesson, by the text of their fences. A fence that is wrong is a muted sentence.
#pragma once

#include <map>
#include <string>

#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"

namespace tilescope {

class LessonFigures {
 public:
  /// Before figures are measured and drawn. Returns whether heights may have changed: the chosen GPU is a different
  /// one.
  bool prepare(std::span<const GpuSpec> gpus, const GpuSpec& chosen);

  /// In pixels, for a column of this width in pixels.
  float height(DrawContext& context, const std::string& fence, float width);
  void draw(DrawContext& context, const std::string& fence, ImVec2 low, ImVec2 high);

 private:
  struct Shown {
    tl::expected<std::unique_ptr<Figure>, FigureFault> figure;
    FigurePointer pointer = {};
  };
  Shown& shown(const std::string& fence);
  static float paint(const Shown& shown, FigureCanvas& canvas);

  std::vector<GpuSpec> gpus_;
  GpuSpec chosen_ = usual_gpu();
  std::map<std::string, Shown> shown_;
};

}  // namespace tilescope
