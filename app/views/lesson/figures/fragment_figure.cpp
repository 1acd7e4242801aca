// fragment matrix=A|B|C shape=m16n8k16 type=f16 lane=5: which lane and register of a warp holds which element of a
// matrix of mma.sync.
#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"
#include "engine/traffic/access/fragments.hpp"

namespace tilescope {
namespace {

class FragmentFigure final : public Figure {
 public:
  FragmentFigure(FragmentMatrix matrix, std::string shape, std::string type, uint32_t lane)
      : matrix_(std::move(matrix)), shape_(std::move(shape)), type_(std::move(type)), lane_(lane) {
    for (uint32_t row = 0; row < matrix_.rows; ++row)
      for (uint32_t column = 0; column < matrix_.columns; ++column)
        registers_ = std::max(registers_, matrix_.place(row, column).reg + 1);
  }

  float paint(FigureCanvas& canvas) const override {
    const Strings& strings = canvas.strings();
    const float top = canvas.heading(
        strings.format("figure.fragment_title", fmt::arg("matrix", matrix_.name), fmt::arg("rows", matrix_.rows),
                       fmt::arg("columns", matrix_.columns), fmt::arg("shape", shape_), fmt::arg("type", type_)));
    const float beside = list_width(canvas);
    const auto columns = static_cast<float>(matrix_.columns);
    const float cell = std::min(kCell, (canvas.width() - kLabel) / columns);
    const bool side = canvas.width() - kLabel - cell * columns >= beside + kBetween;
    const float left = kLabel, right = left + cell * columns;
    paint_grid(canvas, left, top, cell);
    const float y = top + kHeader + kRow * static_cast<float>(matrix_.rows);
    const float list_end = paint_list(canvas, side ? right + kBetween : 0, side ? top + kHeader : y + 12);
    return canvas.note(std::max(y, list_end), strings("figure.fragment_note"));
  }

 private:
  static constexpr float kLabel = 24, kCell = 27, kRow = 20, kHeader = 20, kBetween = 28, kListLine = 24;
  enum Kind { of_lane };

  uint32_t lane_shown(const FigureCanvas& canvas) const {
    return canvas.pointed().kind == of_lane ? static_cast<uint32_t>(canvas.pointed().index) : lane_;
  }

  /// Elements of one lane that are neighbours share a box.
  bool same_lane(uint32_t row, uint32_t column, int rows, int columns) const {
    const auto other_row = static_cast<int64_t>(row) + rows, other_column = static_cast<int64_t>(column) + columns;
    return other_row >= 0 && other_column >= 0 && other_row < matrix_.rows && other_column < matrix_.columns &&
           matrix_.place(row, column).lane ==
               matrix_.place(static_cast<uint32_t>(other_row), static_cast<uint32_t>(other_column)).lane;
  }

  void paint_grid(FigureCanvas& canvas, float left, float top, float cell) const {
    const Theme& theme = canvas.theme();
    for (uint32_t column = 0; column < matrix_.columns; ++column)
      if (cell >= 19 || column % 4 == 0)
        canvas.text_centred(left + cell * (static_cast<float>(column) + 0.5F), top + kHeader / 2 - 2, theme.muted,
                            std::to_string(column));
    const auto box_of = [&](uint32_t row, uint32_t column) {
      const float x = left + cell * static_cast<float>(column), y = top + kHeader + kRow * static_cast<float>(row);
      return FigureBox{x, y, x + cell, y + kRow};
    };
    for (uint32_t row = 0; row < matrix_.rows; ++row) {
      canvas.text_right(left - 6, box_of(row, 0).centre().y, theme.muted, std::to_string(row));
      for (uint32_t column = 0; column < matrix_.columns; ++column)
        paint_element(canvas, row, column, box_of(row, column));
    }
    for (uint32_t row = 0; row < matrix_.rows; ++row)
      for (uint32_t column = 0; column < matrix_.columns; ++column)
        if (!same_lane(row, column, -1, 0) && !same_lane(row, column, 0, -1)) paint_group(canvas, row, column, box_of);
  }

  void paint_element(FigureCanvas& canvas, uint32_t row, uint32_t column, const FigureBox& box) const {
    const Theme& theme = canvas.theme();
    const FragmentPlace place = matrix_.place(row, column);
    const bool shown = place.lane == lane_shown(canvas);
    const bool dimmed = canvas.pointed().kind == of_lane && !shown;
    const float dark = theme.dark ? 0.34F : 0.24F;
    canvas.fill(box, mix(theme.panel, figure_tint(theme, place.reg), shown ? dark * 2 : dimmed ? dark * 0.4F : dark));
    canvas.element({of_lane, place.lane}, box, [&] {
      return canvas.strings().format("figure.fragment_meaning", fmt::arg("matrix", matrix_.name), fmt::arg("row", row),
                                     fmt::arg("column", column), fmt::arg("lane", place.lane),
                                     fmt::arg("register", place.reg), fmt::arg("part", place.part));
    });
  }

  template <class BoxOf>
  void paint_group(FigureCanvas& canvas, uint32_t row, uint32_t column, BoxOf box_of) const {
    const Theme& theme = canvas.theme();
    uint32_t last_row = row, last_column = column;
    while (same_lane(last_row, column, 1, 0)) ++last_row;
    while (same_lane(row, last_column, 0, 1)) ++last_column;
    const FigureBox low = box_of(row, column), high = box_of(last_row, last_column);
    const FigureBox group{low.x0, low.y0, high.x1, high.y1};
    const uint32_t of = matrix_.place(row, column).lane;
    const bool shown = of == lane_shown(canvas), dimmed = canvas.pointed().kind == of_lane && !shown;
    canvas.outline(group, theme.panel, 1, 0);
    if (shown) canvas.outline({group.x0, group.y0, group.x1, group.y1}, theme.text, 2, 2);
    canvas.text_centred(group.centre().x, group.centre().y, dimmed ? mix(theme.panel, theme.muted, 0.6F) : theme.text,
                        std::to_string(of), shown);
  }

  /// "A[1][2–3]": the elements of a register of a lane.
  std::string elements_of(uint32_t owner, uint32_t reg) const {
    uint32_t rows[2] = {~0U, 0}, columns[2] = {~0U, 0};
    for (uint32_t row = 0; row < matrix_.rows; ++row)
      for (uint32_t column = 0; column < matrix_.columns; ++column) {
        const FragmentPlace place = matrix_.place(row, column);
        if (place.lane != owner || place.reg != reg) continue;
        rows[0] = std::min(rows[0], row);
        rows[1] = std::max(rows[1], row);
        columns[0] = std::min(columns[0], column);
        columns[1] = std::max(columns[1], column);
      }
    const auto range = [](const uint32_t* ends) {
      return ends[0] == ends[1] ? fmt::format("[{}]", ends[0]) : fmt::format("[{}–{}]", ends[0], ends[1]);
    };
    return matrix_.name + range(rows) + range(columns);
  }

  std::string register_text(const FigureCanvas& canvas, uint32_t reg) const {
    return canvas.strings().format("figure.fragment_register", fmt::arg("register", reg));
  }

  float list_width(const FigureCanvas& canvas) const {
    float width = 0;
    for (uint32_t reg = 0; reg < registers_; ++reg)
      width = std::max(width, 22 + canvas.text_width(register_text(canvas, reg)) + 12 +
                                  canvas.text_width(matrix_.name + "[10–11][14–15]"));
    return width;
  }

  /// The registers of the shown lane, which are also the legend of the colours.
  float paint_list(FigureCanvas& canvas, float x, float y) const {
    const Theme& theme = canvas.theme();
    const uint32_t of = lane_shown(canvas);
    canvas.text(x, y + kListLine / 2, theme.text, canvas.strings().format("figure.fragment_lane", fmt::arg("lane", of)),
                true);
    y += kListLine;
    float widest = 0;
    for (uint32_t reg = 0; reg < registers_; ++reg)
      widest = std::max(widest, canvas.text_width(register_text(canvas, reg)));
    for (uint32_t reg = 0; reg < registers_; ++reg, y += kListLine) {
      const float middle = y + kListLine / 2;
      canvas.cell({x, middle - 7, x + 14, middle + 7}, {}, figure_tint(theme, reg));
      canvas.text(x + 22, middle, theme.muted, register_text(canvas, reg));
      canvas.text(x + 22 + widest + 12, middle, theme.text, elements_of(of, reg));
    }
    return y;
  }

  FragmentMatrix matrix_;
  std::string shape_, type_;
  uint32_t lane_, registers_ = 0;
};

const FigureRegistration registered_fragment{
    {"fragment", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
       const std::string name = parameters.choice("matrix", {"A", "B", "C"});
       const std::string shape = parameters.choice("shape", {"m16n8k16", "m16n8k8", "m16n8k4", "m16n8k32"});
       const std::string type = parameters.choice("type", {"f16", "bf16", "tf32", "s8", "e4m3"});
       const auto lane = static_cast<uint32_t>(parameters.number("lane", 5, 0, 31));
       const std::string sum = type == "s8" ? "s32" : "f32";
       const auto matrices =
           fragments_of(fmt::format("mma.sync.aligned.{}.row.col.{}.{}.{}.{}", shape, sum, type, type, sum));
       if (!matrices) {
         parameters.reject({"figure.fault_shape", {{"shape", shape}, {"type", type}}});
         return nullptr;
       }
       for (const FragmentMatrix& matrix : *matrices)
         if (matrix.name == name)
           return std::make_unique<FragmentFigure>(matrix, shape, name == "C" ? sum : type, lane);
       return nullptr;
     }}};

}  // namespace
}  // namespace tilescope
