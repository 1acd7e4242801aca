// difference-error operator=gelu: how far central differences of an operator are from its derivative, for steps from
// 10^-1 to 10^-12, all in double precision. Truncation falls with the step, rounding rises.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"
#include "engine/autograd/differences.hpp"
#include "engine/autograd/programs.hpp"
#include "engine/autograd/tape_check.hpp"
#include "engine/run/inputs.hpp"

namespace tilescope {
namespace {

constexpr size_t kSteps = 12, kColumns = 64;
constexpr int kLowest = -14;  // exponent at the bottom of the plot

class DifferenceErrorFigure final : public Figure {
 public:
  explicit DifferenceErrorFigure(std::string rung) : rung_(std::move(rung)) {
    const Tape tape = make_tape(*program_of_rung(rung_, Save::all));
    const TapeInputs inputs = make_inputs(tape.program, 1, kColumns, normal_at);
    const TapeDifferences differences(tape.program, inputs.problem);
    const TapeNumbers gradients = run_backward(tape, inputs.problem, run_forward(tape.program, inputs.problem));
    for (size_t i = 0; i < kSteps; ++i)
      for (size_t element = 0; element < kColumns; ++element) {
        const Difference one = differences.difference(0, element, std::pow(10.0, -static_cast<double>(i + 1)));
        errors_[i] = std::max(errors_[i], std::abs(one.value - gradients[0][element]));
        truncations_[i] = std::max(truncations_[i], one.truncation);
        roundings_[i] = std::max(roundings_[i], one.rounding);
      }
  }

  float paint(FigureCanvas& canvas) const override {
    const Strings& strings = canvas.strings();
    const float top = canvas.heading(strings.format("figure.difference_title", fmt::arg("operator", rung_))) + 6;
    const FigureBox plot{kLabel, top, canvas.width() - 4, top + kHeight};
    paint_grid(canvas, plot);
    paint_curve(canvas, plot, truncations_, canvas.theme().write, truncation_steps());
    paint_curve(canvas, plot, roundings_, canvas.theme().read, kSteps);
    for (size_t i = 0; i < kSteps; ++i) paint_step(canvas, plot, i);
    float y = plot.y1 + kRow / 2 + 2;
    for (size_t i = 0; i < kSteps; ++i)
      if (plot.width() / kSteps >= 38 || i % 2 == 0)
        canvas.text_centred(x_of(plot, i), y, canvas.theme().muted, fmt::format("1e-{}", i + 1));
    canvas.text(0, y, canvas.theme().muted, "h");
    y += kRow;
    float x = 0;
    for (const auto& [colour, key] : {std::pair(canvas.theme().write, "figure.difference_truncation"),
                                      std::pair(canvas.theme().read, "figure.difference_rounding"),
                                      std::pair(canvas.theme().text, "figure.difference_error")}) {
      const float width = 14 + canvas.text_width(strings(key));
      if (x > 0 && x + width > canvas.width()) x = 0, y += kRow;
      canvas.fill({x, y - 4, x + 8, y + 4}, colour, 2);
      canvas.text(x + 14, y, canvas.theme().text, strings(key));
      x += width + 18;
    }
    return canvas.note(y + kRow / 2 + 2, strings("figure.difference_note"));
  }

 private:
  static constexpr float kLabel = 44, kHeight = 150, kRow = 20, kDot = 3.5F;

  static float x_of(const FigureBox& plot, size_t step) {
    return plot.x0 + plot.width() * (static_cast<float>(step) + 0.5F) / static_cast<float>(kSteps);
  }
  static float y_of(const FigureBox& plot, double error) {
    const double power = std::clamp(std::log10(std::max(error, 1e-300)), static_cast<double>(kLowest), 0.0);
    return plot.y0 + plot.height() * static_cast<float>(power / kLowest);
  }

  static void paint_grid(FigureCanvas& canvas, const FigureBox& plot) {
    for (int power = 0; power >= kLowest; power -= 4) {
      const float y = y_of(plot, std::pow(10.0, power));
      canvas.line({plot.x0, y}, {plot.x1, y}, mix(canvas.theme().panel, canvas.theme().separator, 0.8F));
      canvas.text_right(plot.x0 - 6, y, canvas.theme().muted, power == 0 ? "1" : fmt::format("1e{}", power));
    }
  }

  /// Steps, from the largest, at which the estimate of truncation sees truncation and not rounding.
  size_t truncation_steps() const {
    size_t steps = 0;
    while (steps < kSteps && 4 * truncations_[steps] > roundings_[steps]) ++steps;
    return steps;
  }

  static void paint_curve(FigureCanvas& canvas, const FigureBox& plot, const std::array<double, kSteps>& errors,
                          ImU32 colour, size_t steps) {
    for (size_t i = 1; i < steps; ++i)
      canvas.line({x_of(plot, i - 1), y_of(plot, errors[i - 1])}, {x_of(plot, i), y_of(plot, errors[i])},
                  mix(canvas.theme().panel, colour, 0.75F), 1.5F);
  }

  void paint_step(FigureCanvas& canvas, const FigureBox& plot, size_t step) const {
    const float x = x_of(plot, step), y = y_of(plot, errors_[step]);
    const float half = plot.width() / static_cast<float>(kSteps) / 2;
    const FigureLight light = canvas.light(canvas.pointed().index == static_cast<int64_t>(step));
    const ImU32 colour = mix(canvas.theme().panel, canvas.theme().text, light == FigureLight::dimmed ? 0.4F : 1.0F);
    canvas.fill({x - kDot, y - kDot, x + kDot, y + kDot}, colour, kDot);
    canvas.element({0, static_cast<int64_t>(step)}, {x - half, plot.y0, x + half, plot.y1}, [&] {
      return canvas.strings().format(
          step < truncation_steps() ? "figure.difference_meaning" : "figure.difference_meaning_rounding",
          fmt::arg("step", fmt::format("1e-{}", step + 1)), fmt::arg("error", fmt::format("{:.1e}", errors_[step])),
          fmt::arg("truncation", fmt::format("{:.1e}", truncations_[step])),
          fmt::arg("rounding", fmt::format("{:.1e}", roundings_[step])));
    });
  }

  std::string rung_;
  std::array<double, kSteps> errors_{}, truncations_{}, roundings_{};
};

const FigureRegistration registered_difference_error{
    {"difference-error", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
       return std::make_unique<DifferenceErrorFigure>(parameters.choice("operator", {"gelu", "layernorm", "chain"}));
     }}};

}  // namespace
}  // namespace tilescope
