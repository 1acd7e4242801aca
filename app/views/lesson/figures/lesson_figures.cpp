#include "app/views/lesson/figures/lesson_figures.hpp"

#include "app/draw/widgets.hpp"

namespace tilescope {
namespace {

constexpr float kFigurePadding = 16;  // unscaled pixels

}  // namespace

bool LessonFigures::prepare(std::span<const GpuSpec> gpus, const GpuSpec& chosen) {
  if (gpus.size() != gpus_.size()) {
    gpus_.assign(gpus.begin(), gpus.end());
    shown_.clear();
  }
  if (chosen.id == chosen_.id) return false;
  chosen_ = chosen;
  return true;
}

LessonFigures::Shown& LessonFigures::shown(const std::string& fence) {
  const auto found = shown_.find(fence);
  if (found != shown_.end()) return found->second;
  return shown_.emplace(fence, Shown{read_figure(fence, gpus_)}).first->second;
}

float LessonFigures::paint(const Shown& shown, FigureCanvas& canvas) {
  if (shown.figure) return (*shown.figure)->paint(canvas);
  const FigureFault& fault = shown.figure.error();
  return canvas.paragraph(0, 0, canvas.width(), canvas.theme().muted, canvas.strings().format(fault.key, fault.places));
}

float LessonFigures::height(DrawContext& context, const std::string& fence, float width) {
  Shown& one = shown(fence);
  FigureCanvas canvas(context, nullptr, {}, width / context.screen.scale - 2 * kFigurePadding, chosen_, one.pointer);
  return std::ceil((paint(one, canvas) + 2 * kFigurePadding) * context.screen.scale);
}

void LessonFigures::draw(DrawContext& context, const std::string& fence, ImVec2 low, ImVec2 high) {
  Shown& one = shown(fence);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, high, context.theme.panel, context.px(6));
  mark(context, "figure_" + fence, low, high);
  one.pointer.last = std::exchange(one.pointer.now, {});
  const ImVec2 origin{low.x + context.px(kFigurePadding), low.y + context.px(kFigurePadding)};
  FigureCanvas canvas(context, list, origin, (high.x - low.x) / context.screen.scale - 2 * kFigurePadding, chosen_,
                      one.pointer);
  paint(one, canvas);
}

}  // namespace tilescope
