// waves grid=300 threads=256 registers=32 shared=0 gpu=h200: the waves in which a grid runs on the SMs of a GPU, and
// the SMs that the last one leaves idle.
#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"
#include "engine/numbers.hpp"
#include "engine/traffic/schedule/occupancy.hpp"
#include "engine/traffic/schedule/waves.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

class WavesFigure final : public Figure {
 public:
  WavesFigure(uint64_t grid, const BlockUsage& usage, std::optional<GpuSpec> gpu)
      : grid_(grid), usage_(usage), gpu_(std::move(gpu)) {}

  float paint(FigureCanvas& canvas) const override {
    const GpuSpec& gpu = gpu_ ? *gpu_ : canvas.gpu();
    const WaveSchedule schedule = schedule_waves(gpu, usage_, occupancy_of(gpu, usage_, grid_), grid_);
    const Strings& strings = canvas.strings();
    if (!schedule.runs())
      return canvas.paragraph(0, 0, canvas.width(), canvas.theme().muted,
                              strings.format("figure.waves_none", fmt::arg("gpu", gpu.name)));
    const auto count = [](uint64_t value) { return with_separators(value); };
    float y = canvas.heading(strings.format("figure.waves_title", fmt::arg("blocks", count(grid_)),
                                            fmt::arg("gpu", gpu.name), fmt::arg("sms", gpu.multiprocessors),
                                            fmt::arg("held", schedule.blocks_per_multiprocessor)));
    canvas.text(0, y + kLine / 2, canvas.theme().muted, "SM 0");
    canvas.text_right(canvas.width(), y + kLine / 2, canvas.theme().muted,
                      fmt::format("SM {}", schedule.multiprocessors - 1));
    y += kLine + 4;
    const uint64_t waves = schedule.waves();
    for (uint64_t wave = 0; wave < waves; ++wave) {
      // The middle of many full waves is one line.
      if (waves > kMost && wave == kMost - 3) {
        const uint64_t skipped = waves - kMost + 1;
        canvas.text(0, y + kLine / 2, canvas.theme().muted,
                    strings.format("figure.waves_more", fmt::arg("waves", count(skipped))));
        y += kLine + kBetween;
        wave += skipped;
      }
      y = paint_wave(canvas, schedule, wave, y) + kBetween;
    }
    return canvas.note(
        y - kBetween,
        strings.format("figure.waves_note", fmt::arg("resident", count(schedule.resident())),
                       fmt::arg("waves", count(waves)), fmt::arg("last", count(schedule.last_wave_blocks())),
                       fmt::arg("filled", percent_text(schedule.filled()))));
  }

 private:
  static constexpr uint64_t kMost = 6;  // waves that are drawn
  static constexpr float kLine = 20, kBetween = 8;
  enum Kind { multiprocessor };

  static float height_of(const WaveSchedule& schedule) {
    return std::clamp(static_cast<float>(schedule.blocks_per_multiprocessor) * 6.0F, 20.0F, 40.0F);
  }

  float paint_wave(FigureCanvas& canvas, const WaveSchedule& schedule, uint64_t wave, float y) const {
    const Theme& theme = canvas.theme();
    const uint64_t first = schedule.first_of(wave), blocks = schedule.blocks_in(wave);
    canvas.text(0, y + kLine / 2, theme.text, canvas.strings().format("figure.waves_wave", fmt::arg("wave", wave + 1)),
                true);
    const std::string range = canvas.strings().format("figure.waves_blocks", fmt::arg("first", with_separators(first)),
                                                      fmt::arg("last", with_separators(first + blocks - 1)));
    canvas.text_right(canvas.width(), y + kLine / 2, theme.muted, range);
    y += kLine;
    const FigureBox strip{0, y, canvas.width(), y + height_of(schedule)};
    paint_slots(canvas, schedule, wave, strip);
    if (canvas.points_at(strip)) {
      const auto sm =
          static_cast<uint32_t>(canvas.pointer().x / strip.width() * static_cast<float>(schedule.multiprocessors));
      canvas.element({multiprocessor, std::min(sm, schedule.multiprocessors - 1)}, column(schedule, sm, strip),
                     [&] { return meaning(canvas, schedule, wave, sm); });
    }
    if (canvas.pointed().kind == multiprocessor)
      canvas.outline(column(schedule, static_cast<uint32_t>(canvas.pointed().index), strip), theme.text, 2, 0);
    return strip.y1;
  }

  static FigureBox column(const WaveSchedule& schedule, uint32_t sm, const FigureBox& strip) {
    const float width = strip.width() / static_cast<float>(schedule.multiprocessors);
    const float left = strip.x0 + width * static_cast<float>(sm);
    // Wide enough to be seen.
    const float more = std::max(0.0F, (5 - width) / 2);
    return {left - more, strip.y0 - 1, left + width + more, strip.y1 + 1};
  }

  /// SMs from left to right, the blocks that each holds from top to bottom. Slots of one row that are alike are one
  /// box.
  void paint_slots(FigureCanvas& canvas, const WaveSchedule& schedule, uint64_t wave, const FigureBox& strip) const {
    const Theme& theme = canvas.theme();
    const uint32_t slots = schedule.blocks_per_multiprocessor, all = schedule.multiprocessors;
    const float width = strip.width() / static_cast<float>(all), height = strip.height() / static_cast<float>(slots);
    const bool last = wave + 1 == schedule.waves() && schedule.last_wave_filled() < 1;
    const ImU32 tint = last ? theme.write : theme.read;
    for (uint32_t slot = 0; slot < slots; ++slot) {
      uint32_t busy = 0;
      while (busy < all && schedule.blocks_on(wave, busy) > slot) ++busy;
      const float split = strip.x0 + width * static_cast<float>(busy),
                  top = strip.y0 + height * static_cast<float>(slot);
      if (busy > 0)
        canvas.fill({strip.x0, top, split, top + height}, mix(theme.panel, tint, theme.dark ? 0.55F : 0.5F));
      if (busy < all) canvas.hatched({split, top, strip.x1, top + height}, mix(theme.panel, theme.muted, 0.35F));
      if (slot > 0) canvas.line({strip.x0, top}, {strip.x1, top}, theme.panel);
    }
    if (width >= 4)
      for (uint32_t sm = 1; sm < all; ++sm) {
        const float x = strip.x0 + width * static_cast<float>(sm);
        canvas.line({x, strip.y0}, {x, strip.y1}, theme.panel);
      }
    canvas.outline(strip, mix(theme.panel, theme.muted, 0.6F), 1, 0);
    paint_idle(canvas, schedule, wave, strip);
  }

  static void paint_idle(FigureCanvas& canvas, const WaveSchedule& schedule, uint64_t wave, const FigureBox& strip) {
    const uint32_t busy = schedule.busy_multiprocessors(wave), idle = schedule.multiprocessors - busy;
    const float from =
        strip.x0 + strip.width() * static_cast<float>(busy) / static_cast<float>(schedule.multiprocessors);
    const std::string text = canvas.strings().format("figure.waves_idle", fmt::arg("count", idle));
    const float width = canvas.text_width(text) + 12;
    if (idle == 0 || width > strip.x1 - from) return;
    const float centre = (from + strip.x1) / 2, middle = strip.centre().y;
    canvas.fill({centre - width / 2, middle - 9, centre + width / 2, middle + 9}, canvas.theme().panel, 3);
    canvas.text_centred(centre, middle, canvas.theme().muted, text);
  }

  std::string meaning(const FigureCanvas& canvas, const WaveSchedule& schedule, uint64_t wave, uint32_t sm) const {
    const uint32_t held = schedule.blocks_on(wave, sm);
    const uint64_t first = schedule.first_of(wave) + sm;
    const char* key = held == 0   ? "figure.waves_idle_meaning"
                      : held == 1 ? "figure.waves_block_meaning"
                                  : "figure.waves_blocks_meaning";
    return canvas.strings().format(
        key, fmt::arg("sm", sm), fmt::arg("wave", wave + 1), fmt::arg("count", held),
        fmt::arg("first", with_separators(first)),
        fmt::arg("last", with_separators(first + uint64_t{held - 1} * schedule.multiprocessors)));
  }

  uint64_t grid_;
  BlockUsage usage_;
  std::optional<GpuSpec> gpu_;
};

const FigureRegistration registered_waves{
    {"waves", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
       const auto grid = static_cast<uint64_t>(parameters.number("grid", 300, 1, 100'000'000));
       BlockUsage usage;
       usage.threads = static_cast<uint32_t>(parameters.number("threads", 256, 1, 1024));
       usage.registers_per_thread = static_cast<uint32_t>(parameters.number("registers", 32, 0, 255));
       usage.dynamic_shared_bytes =
           static_cast<uint32_t>(parameters.number("shared", 0, 0, usual_gpu().shared_bytes_per_block));
       return std::make_unique<WavesFigure>(grid, usage, parameters.gpu("gpu"));
     }}};

}  // namespace
}  // namespace tilescope
