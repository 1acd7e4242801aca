// dispatch tensors=gradient,cuda,cpu,fake: from a call of an operator through its schema to the implementations that
// are called, one row for each kind of tensors.
#include <algorithm>
#include <array>

#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"

namespace tilescope {
namespace {

enum DispatchKey { key_autograd, key_cuda, key_cpu, key_meta, key_count };
constexpr std::array<const char*, key_count> kKeyNames{"Autograd", "CUDA", "CPU", "Meta"};

struct DispatchCase {
  const char* name;               // in the fence
  const char* label;              // a key of [figure]
  std::vector<DispatchKey> keys;  // in the order in which they are called
};

const std::vector<DispatchCase>& dispatch_cases() {
  static const std::vector<DispatchCase> all{
      {"gradient", "figure.dispatch_gradient", {key_autograd, key_cuda}},
      {"cuda", "figure.dispatch_cuda", {key_cuda}},
      {"cpu", "figure.dispatch_cpu", {key_cpu}},
      {"fake", "figure.dispatch_fake", {key_meta}},
  };
  return all;
}

const char* meaning_of_key(int64_t key) {
  static constexpr std::array<const char*, key_count> kMeanings{
      "figure.dispatch_autograd_meaning", "figure.dispatch_cuda_meaning", "figure.dispatch_cpu_meaning",
      "figure.dispatch_meta_meaning"};
  return kMeanings[static_cast<size_t>(key)];
}

class DispatchFigure final : public Figure {
 public:
  explicit DispatchFigure(std::vector<std::string> tensors) : tensors_(std::move(tensors)) {}

  float paint(FigureCanvas& canvas) const override {
    const Strings& strings = canvas.strings();
    float y = canvas.heading(strings("figure.dispatch_title"));
    y = paint_step(canvas, y, strings("figure.dispatch_call"), "torch.ops.tilescope.add_rmsnorm(x, residual, gamma)");
    y = paint_step(canvas, y, strings("figure.dispatch_schema"),
                   "(Tensor x, Tensor residual, Tensor gamma) -> (Tensor, Tensor)");
    const float label = std::max(kLeastLabel, canvas.width() * 0.36F);
    const float width =
        (canvas.width() - label - kKeyGap * static_cast<float>(key_count - 1)) / static_cast<float>(key_count);
    const auto left_of = [&](int64_t key) { return label + static_cast<float>(key) * (width + kKeyGap); };
    for (int64_t key = 0; key < key_count; ++key) {
      const FigureBox box{left_of(key), y, left_of(key) + width, y + kHead};
      canvas.text_centred(box.centre().x, box.centre().y, canvas.theme().muted, kKeyNames[static_cast<size_t>(key)]);
      canvas.element({0, key}, box, [&] { return strings(meaning_of_key(key)); });
    }
    y += kHead;
    for (const DispatchCase& one : dispatch_cases()) {
      if (std::ranges::find(tensors_, one.name) == tensors_.end()) continue;
      canvas.text(0, y + kRowBox / 2, canvas.theme().text, strings(one.label));
      for (int64_t key = 0; key < key_count; ++key) {
        const FigureBox box{left_of(key), y, left_of(key) + width, y + kRowBox};
        paint_key(canvas, box, one, static_cast<DispatchKey>(key));
      }
      y += kRowBox + kRowGap;
    }
    return canvas.note(y, strings("figure.dispatch_note"));
  }

 private:
  static constexpr float kStep = 34, kLink = 20, kHead = 24, kRowBox = 30, kRowGap = 8, kKeyGap = 8, kLeastLabel = 130;

  static float paint_step(FigureCanvas& canvas, float y, const std::string& name, const std::string& text) {
    const FigureBox box{0, y, canvas.width(), y + kStep};
    canvas.outline(box, mix(canvas.theme().panel, canvas.theme().muted, 0.5F), 1, 5);
    canvas.text(12, box.centre().y, canvas.theme().muted, name);
    const float room = canvas.width() - canvas.text_width(name) - 40;
    canvas.text_right(canvas.width() - 12, box.centre().y, canvas.theme().text,
                      canvas.text_width(text) <= room ? text : "add_rmsnorm(…)");
    canvas.arrow({canvas.width() / 2, box.y1 + 2}, {canvas.width() / 2, box.y1 + kLink - 3}, canvas.theme().muted);
    return box.y1 + kLink;
  }

  static void paint_key(FigureCanvas& canvas, const FigureBox& box, const DispatchCase& one, DispatchKey key) {
    const auto found = std::ranges::find(one.keys, key);
    const FigureLight light = canvas.light(canvas.pointed().index == key);
    if (found == one.keys.end()) {
      canvas.idle_cell(box, light);
    } else {
      const auto order = found - one.keys.begin() + 1;
      canvas.cell(box, fmt::format("{}", order), figure_tint(canvas.theme(), key), light, true);
    }
    canvas.element({0, key}, box, [&] { return canvas.strings()(meaning_of_key(key)); });
  }

  std::vector<std::string> tensors_;
};

const FigureRegistration registered_dispatch{
    {"dispatch", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
       return std::make_unique<DispatchFigure>(parameters.chosen("tensors", {"gradient", "cuda", "cpu", "fake"}));
     }}};

}  // namespace
}  // namespace tilescope
