// memory-hierarchy gpu=h200: where data can be on a GPU, how much fits there, and how fast it moves. Sizes and rates
// are those of assets/gpus.toml.
#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"

namespace tilescope {
namespace {

/// 32 banks that deliver 4 bytes per clock each (CUDA C++ Programming Guide, "Shared Memory").
constexpr double kBytesPerClock = 128;
constexpr double kRegisterBytes = 4;

std::string capacity_text(double bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, bytes == std::floor(bytes) || bytes >= 100 ? 0 : 1, kUnits[unit]);
}

std::string bandwidth_text(double bytes_per_second) {
  return bytes_per_second < 1e12 ? fmt::format("{:.0f} GB/s", bytes_per_second * 1e-9)
                                 : fmt::format("{:.3g} TB/s", bytes_per_second * 1e-12);
}

class MemoryHierarchy final : public Figure {
 public:
  explicit MemoryHierarchy(std::optional<GpuSpec> gpu) : gpu_(std::move(gpu)) {}

  float paint(FigureCanvas& canvas) const override {
    const GpuSpec& gpu = gpu_ ? *gpu_ : canvas.gpu();
    const Theme& theme = canvas.theme();
    const Strings& strings = canvas.strings();
    float y = canvas.heading(strings.format("figure.memory_title", fmt::arg("gpu", gpu.name)));
    const uint32_t boxes = canvas.width() >= 520 ? 3 : 2;  // SMs that are drawn; the last is the GPU's last
    const float width = (canvas.width() - kDots - static_cast<float>(boxes - 1) * kGap) / static_cast<float>(boxes);
    float bottom = y;
    for (uint32_t box = 0; box < boxes; ++box) {
      const bool last = box + 1 == boxes;
      const float x = static_cast<float>(box) * (width + kGap) + (last ? kDots : 0);
      bottom = paint_multiprocessor(canvas, gpu, last ? gpu.multiprocessors - 1 : box, {x, y, x + width, y});
      link(canvas, x + width / 2, bottom);
    }
    const float dots = static_cast<float>(boxes - 1) * (width + kGap) + (kDots - kGap) / 2;
    canvas.text_centred(dots, (y + bottom) / 2, theme.muted, "…");
    y = bottom + kLink;
    y = paint_bar(canvas, level_l2, y, strings("figure.memory_l2"), capacity_text(static_cast<double>(gpu.l2_bytes)),
                  theme.write, [&] {
                    return strings.format("figure.memory_l2_meaning",
                                          fmt::arg("size", capacity_text(static_cast<double>(gpu.l2_bytes))),
                                          fmt::arg("partitions", gpu.l2_partitions));
                  });
    link(canvas, canvas.width() / 2, y);
    canvas.text(canvas.width() / 2 + 12, y + kLink / 2, theme.text, bandwidth_text(gpu.memory_bytes_per_second), true);
    y += kLink;
    y = paint_bar(canvas, level_device, y, strings("figure.memory_device"),
                  capacity_text(static_cast<double>(gpu.memory_bytes)), theme.reference, [&] {
                    const double once = static_cast<double>(gpu.memory_bytes) / gpu.memory_bytes_per_second;
                    return strings.format("figure.memory_device_meaning",
                                          fmt::arg("rate", bandwidth_text(gpu.memory_bytes_per_second)),
                                          fmt::arg("time", fmt::format("{:.0f}", once * 1e3)));
                  });
    return canvas.note(y, note_text(canvas, gpu));
  }

 private:
  static constexpr float kGap = 16, kDots = 28, kPad = 10, kTitle = 24, kLevel = 48, kLink = 34, kBar = 44;
  enum Kind { level_registers, level_l1, level_l2, level_device };

  static std::string note_text(const FigureCanvas& canvas, const GpuSpec& gpu) {
    const double sms = gpu.multiprocessors;
    std::string sizes = canvas.strings().format(
        "figure.memory_note",
        fmt::arg("registers", capacity_text(sms * gpu.registers_per_multiprocessor * kRegisterBytes)),
        fmt::arg("l1", capacity_text(sms * gpu.l1_and_shared_bytes)), fmt::arg("sms", gpu.multiprocessors));
    if (!gpu.boost_clock_hz) return sizes;
    return sizes +
           canvas.strings().format("figure.memory_rate_note",
                                   fmt::arg("rate", bandwidth_text(sms * kBytesPerClock * *gpu.boost_clock_hz)),
                                   fmt::arg("clock", fmt::format("{:.2f}", *gpu.boost_clock_hz * 1e-9)),
                                   fmt::arg("times", fmt::format("{:.0f}", sms * kBytesPerClock * *gpu.boost_clock_hz /
                                                                               gpu.memory_bytes_per_second)));
  }

  static void link(FigureCanvas& canvas, float x, float y) {
    const ImU32 colour = mix(canvas.theme().panel, canvas.theme().muted, 0.8F);
    canvas.arrow({x, y + kLink / 2}, {x, y + 4}, colour);
    canvas.arrow({x, y + kLink / 2}, {x, y + kLink - 4}, colour);
  }

  /// A level inside an SM: its name above its size.
  void paint_level(FigureCanvas& canvas, Kind kind, const FigureBox& box, const std::string& name,
                   const std::string& size, ImU32 tint) const {
    canvas.cell(box, {}, tint, canvas.light(canvas.pointed().kind == kind));
    canvas.text_centred(box.centre().x, box.y0 + 15, canvas.theme().text, name);
    canvas.text_centred(box.centre().x, box.y1 - 14, canvas.theme().text, size, true);
  }

  float paint_multiprocessor(FigureCanvas& canvas, const GpuSpec& gpu, uint32_t index, const FigureBox& at) const {
    const Theme& theme = canvas.theme();
    const Strings& strings = canvas.strings();
    const float end = at.y0 + kTitle + 2 * kLevel + kLink + kPad;
    canvas.outline({at.x0, at.y0, at.x1, end}, mix(theme.panel, theme.muted, 0.5F), 1, 6);
    canvas.text(at.x0 + kPad, at.y0 + kTitle / 2 + 2, theme.muted, fmt::format("SM {}", index));
    const double registers = gpu.registers_per_multiprocessor * kRegisterBytes;
    const FigureBox top{at.x0 + kPad, at.y0 + kTitle, at.x1 - kPad, at.y0 + kTitle + kLevel};
    paint_level(canvas, level_registers, top, strings("figure.memory_registers"), capacity_text(registers), theme.ok);
    canvas.element({level_registers}, top, [&] {
      return strings.format("figure.memory_registers_meaning", fmt::arg("count", gpu.registers_per_multiprocessor),
                            fmt::arg("thread", gpu.registers_per_thread));
    });
    link(canvas, top.x0 + 18, top.y1);
    canvas.text(top.x0 + 32, top.y1 + kLink / 2, theme.text, strings("figure.memory_per_clock"));
    const FigureBox low{top.x0, top.y1 + kLink, top.x1, top.y1 + kLink + kLevel};
    paint_level(canvas, level_l1, low, strings("figure.memory_l1"), capacity_text(gpu.l1_and_shared_bytes), theme.read);
    canvas.element({level_l1}, low, [&] {
      return strings.format("figure.memory_l1_meaning",
                            fmt::arg("shared", capacity_text(gpu.shared_bytes_per_multiprocessor)),
                            fmt::arg("block", capacity_text(gpu.shared_bytes_per_block)));
    });
    return end;
  }

  /// A level that all SMs share.
  template <class Meaning>
  float paint_bar(FigureCanvas& canvas, Kind kind, float y, const std::string& name, const std::string& size,
                  ImU32 tint, Meaning meaning) const {
    const FigureBox box{0, y, canvas.width(), y + kBar};
    canvas.cell(box, {}, tint, canvas.light(canvas.pointed().kind == kind));
    canvas.text(14, box.centre().y, canvas.theme().text, name);
    canvas.text_right(canvas.width() - 14, box.centre().y, canvas.theme().text, size, true);
    canvas.element({kind}, box, meaning);
    return box.y1;
  }

  std::optional<GpuSpec> gpu_;
};

const FigureRegistration registered_memory{
    {"memory-hierarchy", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
       return std::make_unique<MemoryHierarchy>(parameters.gpu("gpu"));
     }}};

}  // namespace
}  // namespace tilescope
