// pipeline stages=1,2,3 tiles=6 copy=2: asynchronous copies into a ring of buffers, and the computation that they run
// beside.
#include "app/views/lesson/figures/copy_pipeline.hpp"
#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

class PipelineFigure final : public Figure {
 public:
  PipelineFigure(const std::vector<int64_t>& stages, uint32_t tiles, uint32_t copy_time) : copy_time_(copy_time) {
    for (const int64_t count : stages) {
      panels_.push_back(
          {static_cast<uint32_t>(count), pipelined_tiles(tiles, static_cast<uint32_t>(count), copy_time)});
      longest_ = std::max(longest_, panels_.back().tiles.back().compute_end);
    }
  }

  float paint(FigureCanvas& canvas) const override {
    float y = canvas.heading(canvas.strings().format("figure.pipeline_title", fmt::arg("copy", copy_time_)));
    y = paint_legend(canvas, y) + 6;
    float label = 0;
    for (const Panel& panel : panels_) label = std::max(label, canvas.text_width(buffer_text(canvas, panel.buffers)));
    for (size_t panel = 0; panel < panels_.size(); ++panel) {
      if (panel > 0) y += kBetween;
      y = paint_panel(canvas, panel, label + 14, y);
    }
    return canvas.note(y, canvas.strings()("figure.pipeline_note"));
  }

 private:
  static constexpr float kLine = 22, kRow = 24, kBetween = 14, kWidest = 44;
  enum Kind { of_tile };
  struct Panel {
    uint32_t buffers = 0;
    std::vector<PipelinedTile> tiles;
  };

  static std::string buffer_text(const FigureCanvas& canvas, uint32_t buffer) {
    return canvas.strings().format("figure.pipeline_buffer", fmt::arg("buffer", buffer));
  }

  static float paint_legend(FigureCanvas& canvas, float y) {
    const Theme& theme = canvas.theme();
    const Strings& strings = canvas.strings();
    const FigureLegend entries[] = {
        {strings("figure.pipeline_copy"), theme.read},
        {strings("figure.pipeline_ready"), theme.read, FigureLegend::Sample::outline},
        {strings("figure.pipeline_compute"), theme.write},
    };
    return canvas.legend(y, entries);
  }

  float paint_panel(FigureCanvas& canvas, size_t index, float left, float y) const {
    const Theme& theme = canvas.theme();
    const Panel& panel = panels_[index];
    const uint32_t end = panel.tiles.back().compute_end;
    const double busy = static_cast<double>(panel.tiles.size()) / end;
    canvas.text(0, y + kLine / 2, theme.text,
                canvas.strings().format(panel.buffers == 1 ? "figure.pipeline_one" : "figure.pipeline_stages",
                                        fmt::arg("stages", panel.buffers)),
                true);
    canvas.text_right(
        canvas.width(), y + kLine / 2,
        busy < 0.5   ? theme.error
        : busy < 0.7 ? theme.text
                     : theme.ok,
        canvas.strings().format("figure.pipeline_time", fmt::arg("time", end), fmt::arg("busy", percent_text(busy))),
        true);
    y += kLine;
    const float unit = std::min((canvas.width() - left) / static_cast<float>(longest_), kWidest);
    const float bottom = y + kRow * static_cast<float>(panel.buffers);
    for (uint32_t time = 0; time <= end; ++time) {
      const float x = left + unit * static_cast<float>(time);
      canvas.line({x, y}, {x, bottom}, mix(theme.panel, theme.separator, time == 0 || time == end ? 1.0F : 0.5F));
    }
    for (uint32_t buffer = 0; buffer < panel.buffers; ++buffer)
      canvas.text(0, y + kRow * (static_cast<float>(buffer) + 0.5F), theme.muted, buffer_text(canvas, buffer));
    for (size_t of = 0; of < panel.tiles.size(); ++of) paint_tile(canvas, index, of, left, y, unit);
    return bottom;
  }

  void paint_tile(FigureCanvas& canvas, size_t index, size_t of, float left, float top, float unit) const {
    const Theme& theme = canvas.theme();
    const PipelinedTile& one = panels_[index].tiles[of];
    const FigureLight light = canvas.light(canvas.pointed() == FigureItem{of_tile, static_cast<int64_t>(of)});
    const float y = top + kRow * static_cast<float>(one.buffer);
    const auto box = [&](uint32_t begin, uint32_t end) {
      return FigureBox{left + unit * static_cast<float>(begin) + 1, y + 2, left + unit * static_cast<float>(end) - 1,
                       y + kRow - 2};
    };
    const std::string name = std::to_string(of);
    canvas.cell(box(one.copy_begin, one.copy_end), name, theme.read, light);
    if (one.compute_begin > one.copy_end)
      canvas.outline(box(one.copy_end, one.compute_begin),
                     mix(theme.panel, theme.read, light == FigureLight::dimmed ? 0.2F : 0.6F));
    canvas.cell(box(one.compute_begin, one.compute_end), name, theme.write, light, true);
    canvas.element({of_tile, static_cast<int64_t>(of)}, box(one.copy_begin, one.compute_end), [&] {
      return canvas.strings().format("figure.pipeline_meaning", fmt::arg("tile", of), fmt::arg("buffer", one.buffer),
                                     fmt::arg("begin", one.copy_begin), fmt::arg("end", one.copy_end),
                                     fmt::arg("compute", one.compute_begin));
    });
  }

  std::vector<Panel> panels_;
  uint32_t copy_time_, longest_ = 0;
};

const FigureRegistration registered_pipeline{{"pipeline", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
                                                const auto stages = parameters.numbers("stages", "1,2,3", 1, 5, 4);
                                                const auto tiles =
                                                    static_cast<uint32_t>(parameters.number("tiles", 6, 2, 8));
                                                const auto copy_time =
                                                    static_cast<uint32_t>(parameters.number("copy", 2, 1, 4));
                                                return std::make_unique<PipelineFigure>(stages, tiles, copy_time);
                                              }}};

}  // namespace

std::vector<PipelinedTile> pipelined_tiles(uint32_t tiles, uint32_t buffers, uint32_t copy_time) {
  std::vector<PipelinedTile> all;
  uint32_t free = 0;  // the end of the newest computation
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    PipelinedTile one{.buffer = tile % buffers};
    if (buffers == 1)
      one.copy_begin = free;
    else if (tile >= buffers - 1)
      one.copy_begin = all[tile - (buffers - 1)].compute_begin;  // the prologue copies the tiles before
    one.copy_end = one.copy_begin + copy_time;
    one.compute_begin = std::max(free, one.copy_end);
    one.compute_end = free = one.compute_begin + 1;
    all.push_back(one);
  }
  return all;
}

}  // namespace tilescope
