// online-softmax values=3,1,4,2: the maximum and the sum after each value, and how a new maximum shrinks the sum so
// far.
#include "app/observed/online_softmax.hpp"
#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"

namespace tilescope {
namespace {

class OnlineSoftmaxFigure final : public Figure {
 public:
  explicit OnlineSoftmaxFigure(std::vector<double> values) : values_(std::move(values)) {
    OnlineSoftmax state;
    for (const double& value : values_) {
      state.add({&value, 1});
      steps_.push_back(state);
      longest_ = std::max(longest_, state.l);
    }
  }

  float paint(FigureCanvas& canvas) const override {
    float y = canvas.heading(canvas.strings().format("figure.softmax_title", fmt::arg("values", list_of_values())));
    const Columns columns = columns_for(canvas);
    paint_header(canvas, columns, y);
    y += kHeader;
    for (size_t step = 0; step < steps_.size(); ++step) {
      canvas.line({0, y}, {canvas.width(), y}, canvas.theme().separator);
      paint_step(canvas, columns, step, y + kGap);
      y += kRow;
    }
    canvas.line({0, y}, {canvas.width(), y}, canvas.theme().separator);
    y = paint_result(canvas, columns, y + kGap);
    return canvas.note(y, canvas.strings()("figure.softmax_note"));
  }

 private:
  static constexpr float kCell = 26, kHeader = 24, kGap = 8, kLine = 22, kBar = 20, kRow = 62;
  enum Kind { of_value, of_factor };

  struct Columns {
    float cell = 0, m = 0, factor = 0, term = 0, sum = 0;  // left ends; width of a cell
    bool spelled = false;                                  // room for exp(…)
  };
  Columns columns_for(const FigureCanvas& canvas) const {
    const float width = canvas.width();
    const auto count = static_cast<float>(values_.size());
    Columns columns;
    columns.cell = std::min(36.0F, (width * 0.32F) / count);
    columns.m = columns.cell * count + 16;
    const float room = width - columns.m;
    columns.spelled = room > 420;
    columns.factor = columns.m + room * (columns.spelled ? 0.10F : 0.16F);
    columns.term = columns.m + room * 0.46F;
    columns.sum = columns.m + room * (columns.spelled ? 0.84F : 0.76F);
    return columns;
  }

  std::string list_of_values() const {
    std::string list;
    for (const double one : values_) list += (list.empty() ? "" : ", ") + figure_number(one);
    return list;
  }

  void paint_header(FigureCanvas& canvas, const Columns& columns, float y) const {
    const ImU32 muted = canvas.theme().muted;
    canvas.text(0, y + kHeader / 2 - 2, muted, canvas.strings()("figure.softmax_values"));
    canvas.text(columns.m, y + kHeader / 2 - 2, muted, "m");
    canvas.text(columns.factor, y + kHeader / 2 - 2, muted, canvas.strings()("figure.softmax_factor"));
    canvas.text(columns.term, y + kHeader / 2 - 2, muted, canvas.strings()("figure.softmax_term"));
    canvas.text(columns.sum, y + kHeader / 2 - 2, muted, canvas.strings()("figure.softmax_sum"));
  }

  /// Weight of a value in the sum after a step.
  double weight(size_t of, size_t step) const { return std::exp(values_[of] - steps_[step].m); }

  FigureLight light_of_value(const FigureCanvas& canvas, size_t of) const {
    return canvas.light(canvas.pointed() == FigureItem{of_value, static_cast<int64_t>(of)});
  }

  static std::string difference(double a, double b) {
    return b < 0 ? fmt::format("{} + {}", figure_number(a), figure_number(-b))
                 : fmt::format("{} − {}", figure_number(a), figure_number(b));
  }

  void paint_step(FigureCanvas& canvas, const Columns& columns, size_t step, float y) const {
    const Theme& theme = canvas.theme();
    const OnlineSoftmax& now = steps_[step];
    for (size_t of = 0; of < values_.size(); ++of) {
      const float x = columns.cell * static_cast<float>(of);
      const FigureBox box{x, y, x + columns.cell - 4, y + kCell};
      const FigureLight light = light_of_value(canvas, of);
      if (of <= step)
        canvas.cell(box, figure_number(values_[of]), figure_tint(theme, of), light, of == step);
      else
        canvas.outline(box, theme.separator);
      if (of <= step)
        canvas.element({of_value, static_cast<int64_t>(of)}, box, [&] { return meaning_of_value(canvas, of, step); });
    }
    const float middle = y + kLine / 2;
    canvas.text(columns.m, middle, now.m == values_[step] ? theme.text : theme.muted, figure_number(now.m),
                now.m == values_[step]);
    if (step > 0) paint_factor(canvas, columns, step, y);
    const std::string exponential =
        columns.spelled ? fmt::format("exp({}) = ", difference(values_[step], now.m)) : std::string();
    canvas.text(columns.term, middle, theme.text,
                fmt::format("{}{}{}", step > 0 ? "+ " : "", exponential, figure_number(weight(step, step))));
    canvas.text(columns.sum, middle, theme.text, "= " + figure_number(now.l), true);
    paint_bar(canvas, columns.m, y + kLine + 2, canvas.width(), step);
  }

  void paint_factor(FigureCanvas& canvas, const Columns& columns, size_t step, float y) const {
    const Theme& theme = canvas.theme();
    const OnlineSoftmax& now = steps_[step];
    const double before = steps_[step - 1].m;
    const bool lit = canvas.pointed() == FigureItem{of_factor, static_cast<int64_t>(step)};
    const std::string exponential =
        columns.spelled ? fmt::format("exp({}) = ", difference(before, now.m)) : std::string();
    const std::string text = fmt::format("× {}{}", exponential, figure_number(now.rescale));
    canvas.text(columns.factor, y + kLine / 2,
                now.raised ? theme.error
                : lit      ? theme.text
                           : theme.muted,
                text, now.raised);
    canvas.element({of_factor, static_cast<int64_t>(step)}, {columns.factor, y, columns.term - 4, y + kLine}, [&] {
      const char* key = now.raised ? "figure.softmax_raised_meaning" : "figure.softmax_kept_meaning";
      return canvas.strings().format(key, fmt::arg("before", figure_number(before)),
                                     fmt::arg("now", figure_number(now.m)),
                                     fmt::arg("factor", figure_number(now.rescale)));
    });
  }

  /// The sum after a step: one part for each value seen.
  void paint_bar(FigureCanvas& canvas, float left, float y, float right, size_t step) const {
    const Theme& theme = canvas.theme();
    float x = left;
    for (size_t of = 0; of <= step; ++of) {
      const auto part = static_cast<float>(weight(of, step) / longest_);
      const FigureBox box{x, y, x + std::max(part * (right - left), 1.0F), y + kBar};
      const std::string text = figure_number(weight(of, step));
      canvas.cell(box, canvas.text_width(text) + 8 <= box.width() ? text : std::string(), figure_tint(theme, of),
                  light_of_value(canvas, of));
      canvas.element({of_value, static_cast<int64_t>(of)}, box, [&] { return meaning_of_value(canvas, of, step); });
      x = box.x1;
    }
  }

  std::string meaning_of_value(const FigureCanvas& canvas, size_t of, size_t step) const {
    return canvas.strings().format("figure.softmax_value_meaning", fmt::arg("value", figure_number(values_[of])),
                                   fmt::arg("difference", difference(values_[of], steps_[step].m)),
                                   fmt::arg("weight", figure_number(weight(of, step))), fmt::arg("step", step + 1));
  }

  float paint_result(FigureCanvas& canvas, const Columns& columns, float y) const {
    const Theme& theme = canvas.theme();
    const OnlineSoftmax& end = steps_.back();
    const float middle = y + kCell / 2;
    canvas.text(0, middle, theme.text, columns.m > 110 ? canvas.strings()("figure.softmax_result") : "softmax", true);
    const float width = (canvas.width() - columns.m + 4) / static_cast<float>(values_.size());
    for (size_t of = 0; of < values_.size(); ++of) {
      const float x = columns.m + width * static_cast<float>(of);
      const FigureBox box{x, y, x + width - 4, y + kCell};
      const size_t last = steps_.size() - 1;
      canvas.cell(box, figure_number(weight(of, last) / end.l), figure_tint(theme, of), light_of_value(canvas, of));
      canvas.element({of_value, static_cast<int64_t>(of)}, box, [&] {
        return canvas.strings().format("figure.softmax_result_meaning", fmt::arg("value", figure_number(values_[of])),
                                       fmt::arg("m", figure_number(end.m)), fmt::arg("l", figure_number(end.l)),
                                       fmt::arg("result", figure_number(weight(of, last) / end.l)));
      });
    }
    return y + kCell;
  }

  std::vector<double> values_;
  std::vector<OnlineSoftmax> steps_;  // after each value
  double longest_ = 0;
};

const FigureRegistration registered_softmax{
    {"online-softmax", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
       return std::make_unique<OnlineSoftmaxFigure>(parameters.values("values", "3,1,4,2", 2, 6));
     }}};

}  // namespace
}  // namespace tilescope
