// reduction-tree values=… order=halves|neighbours op=sum|max: a tree reduction, level by level.
#include "app/views/lesson/figures/reduction_tree.hpp"

#include <algorithm>
#include <bit>

#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"

namespace tilescope {
namespace {

class ReductionTree final : public Figure {
 public:
  ReductionTree(std::vector<double> values, ReductionOrder order, ReductionOperator op)
      : values_(std::move(values)), op_(op), steps_(reduction_steps(values_, order, op)) {
    parts_.emplace_back();
    for (size_t lane = 0; lane < values_.size(); ++lane) parts_[0].push_back(1U << lane);
    for (const ReductionStep& step : steps_) {
      std::vector<uint32_t> parts = parts_.back();
      for (size_t lane = 0; lane < parts.size(); ++lane)
        if (step.active[lane]) parts[lane] |= parts_.back()[lane + step.stride];
      parts_.push_back(std::move(parts));
    }
  }

  float paint(FigureCanvas& canvas) const override {
    const char* key = op_ == ReductionOperator::sum ? "figure.tree_sum" : "figure.tree_maximum";
    Places places = places_for(canvas);
    places.top = canvas.heading(canvas.strings().format(key, fmt::arg("count", values_.size()),
                                                        fmt::arg("steps", steps_.size()))) +
                 kHeader;
    canvas.text(0, places.top - kHeader / 2, canvas.theme().muted, canvas.strings()("figure.lane"));
    for (size_t lane = 0; lane < values_.size(); ++lane) {
      const FigureBox cell = places.cell(0, lane);
      canvas.text_centred(cell.centre().x, places.top - kHeader / 2, canvas.theme().muted, std::to_string(lane));
    }
    for (size_t level = 1; level <= steps_.size(); ++level) paint_links(canvas, places, level);
    for (size_t level = 0; level <= steps_.size(); ++level) paint_level(canvas, places, level);
    const float end = places.cell(steps_.size(), 0).y1;
    return canvas.note(end, canvas.strings().format("figure.tree_note", fmt::arg("steps", steps_.size()),
                                                    fmt::arg("serial", values_.size() - 1)));
  }

 private:
  static constexpr float kCell = 28, kLink = 30, kHeader = 22, kGap = 6;  // unscaled pixels
  enum Kind { of_node };

  struct Places {
    float left = 0, top = 0, width = 0;
    FigureBox cell(size_t level, size_t lane) const {
      const float x = left + static_cast<float>(lane) * (width + kGap),
                  y = top + static_cast<float>(level) * (kCell + kLink);
      return {x, y, x + width, y + kCell};
    }
  };

  Places places_for(const FigureCanvas& canvas) const {
    float label = canvas.text_width(canvas.strings()("figure.values"));
    for (const ReductionStep& step : steps_) {
      label = std::max(label, canvas.text_width(stride_text(canvas, step)));
      label = std::max(label, canvas.text_width(lanes_text(canvas, step)));
    }
    const auto count = static_cast<float>(values_.size());
    const float left = label + 16;
    return {left, 0, std::min((canvas.width() - left + kGap) / count - kGap, 80.0F)};
  }

  static std::string stride_text(const FigureCanvas& canvas, const ReductionStep& step) {
    return canvas.strings().format("figure.tree_stride", fmt::arg("stride", step.stride));
  }
  std::string lanes_text(const FigureCanvas& canvas, const ReductionStep& step) const {
    const char* key = op_ == ReductionOperator::sum ? "figure.tree_lanes" : "figure.tree_lanes_maximum";
    return canvas.strings().format(key, fmt::arg("lanes", std::ranges::count(step.active, true)));
  }

  double value(size_t level, size_t lane) const { return level == 0 ? values_[lane] : steps_[level - 1].values[lane]; }
  bool exists(size_t level, size_t lane) const { return level == 0 || steps_[level - 1].active[lane]; }

  /// What the pointer is on consists of the values below it.
  bool belongs(const FigureCanvas& canvas, size_t level, size_t lane) const {
    const FigureItem& item = canvas.pointed();
    const auto top = static_cast<size_t>(item.index), of = static_cast<size_t>(item.second);
    if (item.kind != of_node) return false;
    if (level == top && lane == of) return true;
    return level < top && exists(top, of) && exists(level, lane) && (parts_[level][lane] & ~parts_[top][of]) == 0;
  }

  void paint_links(FigureCanvas& canvas, const Places& places, size_t level) const {
    const Theme& theme = canvas.theme();
    for (size_t lane = 0; lane < values_.size(); ++lane) {
      if (!exists(level, lane)) continue;
      const FigureLight light = canvas.light(belongs(canvas, level, lane));
      const FigureBox to = places.cell(level, lane);
      const size_t other = lane + steps_[level - 1].stride;
      const float amount = light == FigureLight::dimmed ? 0.25F : 0.8F, thick = light == FigureLight::lit ? 2 : 1.25F;
      const FigureBox own = places.cell(level - 1, lane), from = places.cell(level - 1, other);
      canvas.line({own.centre().x, own.y1}, {to.centre().x, to.y0}, mix(theme.panel, theme.muted, amount), thick);
      canvas.line({from.centre().x, from.y1}, {to.centre().x, to.y0}, mix(theme.panel, theme.read, amount), thick);
    }
  }

  void paint_level(FigureCanvas& canvas, const Places& places, size_t level) const {
    const Theme& theme = canvas.theme();
    const float middle = places.cell(level, 0).centre().y;
    if (level == 0) {
      canvas.text(0, middle, theme.muted, canvas.strings()("figure.values"));
    } else {
      canvas.text(0, middle - 9, theme.text, stride_text(canvas, steps_[level - 1]));
      canvas.text(0, middle + 9, theme.muted, lanes_text(canvas, steps_[level - 1]));
    }
    const bool last = level == steps_.size();
    for (size_t lane = 0; lane < values_.size(); ++lane) {
      const FigureBox cell = places.cell(level, lane);
      const FigureLight light = canvas.light(belongs(canvas, level, lane));
      if (exists(level, lane))
        canvas.cell(cell, figure_number(value(level, lane)),
                    last         ? theme.ok
                    : level == 0 ? theme.muted
                                 : theme.read,
                    light, last);
      else
        canvas.idle_cell(cell, light);
      canvas.element({of_node, static_cast<int64_t>(level), static_cast<int64_t>(lane)}, cell,
                     [&] { return meaning(canvas, level, lane); });
    }
  }

  std::string meaning(const FigureCanvas& canvas, size_t level, size_t lane) const {
    const Strings& strings = canvas.strings();
    if (level == 0)
      return strings.format("figure.tree_value_meaning", fmt::arg("lane", lane),
                            fmt::arg("value", figure_number(values_[lane])));
    if (!exists(level, lane))
      return strings.format("figure.tree_idle_meaning", fmt::arg("lane", lane), fmt::arg("step", level));
    const size_t other = lane + steps_[level - 1].stride;
    const char* key = op_ == ReductionOperator::sum ? "figure.tree_sum_meaning" : "figure.tree_maximum_meaning";
    return strings.format(key, fmt::arg("step", level), fmt::arg("lane", lane), fmt::arg("other", other),
                          fmt::arg("a", figure_number(value(level - 1, lane))),
                          fmt::arg("b", figure_number(value(level - 1, other))),
                          fmt::arg("result", figure_number(value(level, lane))));
  }

  std::vector<double> values_;
  ReductionOperator op_;
  std::vector<ReductionStep> steps_;
  std::vector<std::vector<uint32_t>> parts_;  // by level and lane: the values, one bit each, that it consists of
};

const FigureRegistration registered_tree{
    {"reduction-tree", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
       auto values = parameters.values("values", "3,1,4,1,5,9,2,6", 2, 16);
       const auto order = parameters.choice("order", {"halves", "neighbours"});
       const auto op = parameters.choice("op", {"sum", "max"});
       if (!std::has_single_bit(values.size())) {
         parameters.reject({"figure.fault_power"});
         values.resize(2);
       }
       return std::make_unique<ReductionTree>(std::move(values),
                                              order == "halves" ? ReductionOrder::halves : ReductionOrder::neighbours,
                                              op == "sum" ? ReductionOperator::sum : ReductionOperator::maximum);
     }}};

}  // namespace

std::vector<ReductionStep> reduction_steps(const std::vector<double>& values, ReductionOrder order,
                                           ReductionOperator op) {
  std::vector<ReductionStep> steps;
  std::vector<double> now = values;
  const size_t count = values.size();
  for (size_t done = 1; done < count; done *= 2) {
    ReductionStep step{.stride = order == ReductionOrder::halves ? count / (2 * done) : done,
                       .active = std::vector<bool>(count)};
    for (size_t lane = 0; lane + step.stride < count; ++lane) {
      if (order == ReductionOrder::halves ? lane >= step.stride : lane % (2 * step.stride) != 0) continue;
      step.active[lane] = true;
      const double other = now[lane + step.stride];
      now[lane] = op == ReductionOperator::sum ? now[lane] + other : std::max(now[lane], other);
    }
    step.values = now;
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace tilescope
