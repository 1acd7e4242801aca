// coalescing stride=1,8 bytes=4 offset=0: the addresses of a warp's 32 lanes, and the 32-byte sectors that they need.
// Lane i accesses element stride · i; an offset is in bytes from a multiple of 128.
#include <array>

#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"
#include "engine/numbers.hpp"
#include "engine/traffic/access/coalesce.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

constexpr uint32_t kLanes = 32;
constexpr int64_t kMostBytes = 4096;  // of memory that can be drawn

class CoalescingFigure final : public Figure {
 public:
  CoalescingFigure(std::vector<int64_t> strides, uint32_t bytes, uint32_t offset)
      : strides_(std::move(strides)), bytes_(bytes), offset_(offset) {}

  float paint(FigureCanvas& canvas) const override {
    float y = canvas.heading(canvas.strings().format("figure.sectors_title", fmt::arg("bytes", bytes_)));
    for (size_t panel = 0; panel < strides_.size(); ++panel) {
      if (panel > 0) y += kBetween;
      y = paint_panel(canvas, panel, y);
    }
    return canvas.note(y, canvas.strings()("figure.sectors_note"));
  }

 private:
  static constexpr float kLine = 20, kLane = 18, kFan = 40, kMemory = 24, kBetween = 22, kLeast = 1.5F;
  enum Kind { of_lane, of_sector };

  uint64_t address(size_t panel, uint32_t of) const {
    return offset_ + static_cast<uint64_t>(strides_[panel]) * of * bytes_;
  }

  struct Picture {
    size_t panel = 0;
    uint64_t begin = 0;    // a multiple of a line
    uint32_t sectors = 0;  // drawn
    float lane_width = 0, sector_width = 0, lanes_y = 0, memory_y = 0;
    float x_of(uint64_t address) const {
      return static_cast<float>(address - begin) / static_cast<float>(kSectorBytes) * sector_width;
    }
  };

  float paint_panel(FigureCanvas& canvas, size_t panel, float y) const {
    std::array<uint64_t, kLanes> addresses{};
    for (uint32_t of = 0; of < kLanes; ++of) addresses[of] = address(panel, of);
    const GlobalCost cost = coalesce(addresses, ~0U, bytes_);
    Picture picture{.panel = panel, .begin = addresses.front() / kLineBytes * kLineBytes};
    const uint64_t lines = (addresses.back() + bytes_ - 1 - picture.begin) / kLineBytes + 1;
    picture.sectors = static_cast<uint32_t>(lines * (kLineBytes / kSectorBytes));
    picture.lane_width = canvas.width() / kLanes;
    picture.sector_width = canvas.width() / static_cast<float>(picture.sectors);
    paint_title(canvas, panel, cost, y);
    picture.lanes_y = y + 2 * kLine + 2;
    picture.memory_y = picture.lanes_y + kLane + kFan;
    paint_lanes(canvas, picture);
    paint_fan(canvas, picture);
    for (uint32_t of = 0; of < picture.sectors; ++of) paint_sector(canvas, picture, of);
    return paint_lines(canvas, picture, lines);
  }

  void paint_title(FigureCanvas& canvas, size_t panel, const GlobalCost& cost, float y) const {
    const Theme& theme = canvas.theme();
    const uint64_t moved = cost.sectors * kSectorBytes;
    const double used = static_cast<double>(cost.useful_bytes) / static_cast<double>(moved);
    const std::string index = strides_[panel] == 1   ? "i"
                              : strides_[panel] == 0 ? "0"
                                                     : fmt::format("{} · i", strides_[panel]);
    canvas.text(0, y + kLine / 2, theme.text,
                canvas.strings().format("figure.sectors_access", fmt::arg("index", index)), true);
    canvas.text_right(
        canvas.width(), y + kLine / 2,
        used < 0.5    ? theme.error
        : used < 0.75 ? theme.text
                      : theme.ok,
        canvas.strings().format("figure.sectors_count", fmt::arg("sectors", cost.sectors),
                                fmt::arg("moved", with_separators(moved)), fmt::arg("used", percent_text(used))),
        true);
  }

  /// Whether an element of the panel belongs to what the pointer is on.
  bool lane_belongs(const FigureCanvas& canvas, const Picture& picture, uint32_t of) const {
    const FigureItem& item = canvas.pointed();
    if (item.second != static_cast<int64_t>(picture.panel)) return false;
    if (item.kind == of_lane) return item.index == of;
    const uint64_t first = picture.begin + static_cast<uint64_t>(item.index) * kSectorBytes;
    const uint64_t at = address(picture.panel, of);
    return item.kind == of_sector && at < first + kSectorBytes && at + bytes_ > first;
  }
  bool sector_belongs(const FigureCanvas& canvas, const Picture& picture, uint32_t of) const {
    const FigureItem& item = canvas.pointed();
    if (item.second != static_cast<int64_t>(picture.panel)) return false;
    if (item.kind == of_sector) return item.index == of;
    const uint64_t first = picture.begin + of * kSectorBytes,
                   at = address(picture.panel, static_cast<uint32_t>(item.index));
    return item.kind == of_lane && at < first + kSectorBytes && at + bytes_ > first;
  }

  void paint_lanes(FigureCanvas& canvas, const Picture& picture) const {
    const Theme& theme = canvas.theme();
    for (uint32_t of = 0; of < kLanes; ++of) {
      const float x = picture.lane_width * static_cast<float>(of);
      const FigureBox box{x + 1, picture.lanes_y, x + picture.lane_width - 1, picture.lanes_y + kLane};
      const bool numbered = picture.lane_width >= 20;
      canvas.cell(box, numbered ? std::to_string(of) : std::string(), theme.muted,
                  canvas.light(lane_belongs(canvas, picture, of)));
      if (!numbered && of % 4 == 0)
        canvas.text_centred(box.centre().x + (of == 0 ? 1 : 0), picture.lanes_y - kLine / 2, theme.muted,
                            std::to_string(of));
      canvas.element({of_lane, of, static_cast<int64_t>(picture.panel)}, {x, box.y0, x + picture.lane_width, box.y1},
                     [&] {
                       const uint64_t at = address(picture.panel, of);
                       return canvas.strings().format("figure.sectors_lane_meaning", fmt::arg("lane", of),
                                                      fmt::arg("first", at), fmt::arg("last", at + bytes_ - 1),
                                                      fmt::arg("sector", (at - picture.begin) / kSectorBytes));
                     });
    }
    if (picture.lane_width >= 20)
      canvas.text(0, picture.lanes_y - kLine / 2, theme.muted, canvas.strings()("figure.sectors_lanes"));
  }

  void paint_fan(FigureCanvas& canvas, const Picture& picture) const {
    const Theme& theme = canvas.theme();
    for (uint32_t of = 0; of < kLanes; ++of) {
      const uint64_t at = address(picture.panel, of);
      const float from = picture.lane_width * (static_cast<float>(of) + 0.5F);
      const float to = (picture.x_of(at) + picture.x_of(at + bytes_)) / 2;
      const FigureLight light = canvas.light(lane_belongs(canvas, picture, of));
      canvas.line({from, picture.lanes_y + kLane + 1}, {to, picture.memory_y - 1},
                  mix(theme.panel, theme.read,
                      light == FigureLight::dimmed ? 0.15F
                      : light == FigureLight::lit  ? 1
                                                   : 0.6F),
                  light == FigureLight::lit ? 2 : 1);
    }
  }

  void paint_sector(FigureCanvas& canvas, const Picture& picture, uint32_t of) const {
    const Theme& theme = canvas.theme();
    const uint64_t first = picture.begin + of * kSectorBytes;
    const float x = picture.sector_width * static_cast<float>(of), inset = picture.sector_width >= 8 ? 1 : 0.5F;
    const FigureBox box{x + inset, picture.memory_y, x + picture.sector_width - inset, picture.memory_y + kMemory};
    uint32_t lanes = 0;
    uint64_t used = 0, counted = first;  // bytes of the sector that lanes want, in ascending order
    const FigureLight light = canvas.light(sector_belongs(canvas, picture, of));
    const float dark = (theme.dark ? 1.0F : 0.85F) * (light == FigureLight::dimmed ? 0.35F : 1);
    for (uint32_t other = 0; other < kLanes; ++other) {
      const uint64_t at = address(picture.panel, other);
      if (at >= first + kSectorBytes || at + bytes_ <= first) continue;
      if (lanes++ == 0) {
        canvas.fill(box, mix(theme.panel, theme.error, 0.25F * dark));
        if (box.width() >= 12) canvas.hatched(box, mix(theme.panel, theme.error, 0.6F * dark));
      }
      const uint64_t begin = std::max({at, counted, first}), end = std::min(at + bytes_, first + kSectorBytes);
      if (end <= begin) continue;
      used += end - begin;
      counted = end;
      const float from = std::max(picture.x_of(begin), box.x0), to = std::min(picture.x_of(end), box.x1);
      canvas.fill({from, box.y0, std::max(to, from + kLeast), box.y1}, mix(theme.panel, theme.read, 0.75F * dark));
    }
    if (lanes == 0) canvas.fill(box, mix(theme.panel, theme.separator, theme.dark ? 0.55F : 0.7F));
    if (light == FigureLight::lit) canvas.outline(box, theme.text, 2, 0);
    canvas.element({of_sector, of, static_cast<int64_t>(picture.panel)}, {x, box.y0, x + picture.sector_width, box.y1},
                   [&] {
                     return canvas.strings().format(
                         lanes > 0 ? "figure.sectors_sector_meaning" : "figure.sectors_untouched_meaning",
                         fmt::arg("sector", of), fmt::arg("first", first), fmt::arg("last", first + kSectorBytes - 1),
                         fmt::arg("lanes", lanes), fmt::arg("used", used));
                   });
  }

  /// Lines of 128 bytes: a tick at each border, and their numbers where there is room.
  static float paint_lines(FigureCanvas& canvas, const Picture& picture, uint64_t lines) {
    const Theme& theme = canvas.theme();
    const float width = canvas.width() / static_cast<float>(lines), y = picture.memory_y + kMemory;
    const auto name = [&](uint64_t line) {
      return canvas.strings().format("figure.sectors_line", fmt::arg("line", line));
    };
    for (uint64_t line = 0; line <= lines; ++line) {
      const float x = std::min(width * static_cast<float>(line), canvas.width() - 1);
      canvas.line({x, y + 1}, {x, y + 6}, mix(theme.panel, theme.muted, 0.7F));
    }
    const bool all = canvas.text_width(name(lines)) + 8 <= width;
    for (uint64_t line = 0; line < lines; ++line)
      if (all)
        canvas.text_centred(width * (static_cast<float>(line) + 0.5F), y + kLine / 2 + 2, theme.muted, name(line));
    if (!all) {
      canvas.text(4, y + kLine / 2 + 2, theme.muted, name(0));
      canvas.text_right(canvas.width() - 4, y + kLine / 2 + 2, theme.muted, name(lines - 1));
    }
    return y + kLine + 2;
  }

  std::vector<int64_t> strides_;
  uint32_t bytes_, offset_;
};

const FigureRegistration registered_coalescing{
    {"coalescing", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
       const int64_t bytes = parameters.number("bytes", 4, 1, 16);
       auto strides = parameters.numbers("stride", "1", 0, kMostBytes, 4);
       const int64_t offset = parameters.number("offset", 0, 0, static_cast<int64_t>(kLineBytes) - 1);
       if ((bytes & (bytes - 1)) != 0 || offset % bytes != 0) parameters.reject({"figure.fault_alignment"});
       for (int64_t& stride : strides)
         if (offset + stride * bytes * (kLanes - 1) + bytes > kMostBytes + static_cast<int64_t>(kLineBytes)) {
           parameters.reject({"figure.fault_range", {{"most", std::to_string(kMostBytes)}}});
           stride = 1;
         }
       return std::make_unique<CoalescingFigure>(std::move(strides), static_cast<uint32_t>(bytes),
                                                 static_cast<uint32_t>(offset));
     }}};

}  // namespace
}  // namespace tilescope
