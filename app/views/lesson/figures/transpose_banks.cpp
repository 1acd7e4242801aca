// transpose-banks layouts=plain,padded,swizzled size=4 column=1: a column of a tile read from shared memory, and the
// banks that it needs.
#include <array>

#include "app/views/lesson/figures/bank_tile.hpp"
#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"
#include "engine/traffic/access/shared_banks.hpp"

namespace tilescope {
namespace {

class TransposeBanks final : public Figure {
 public:
  TransposeBanks(std::vector<BankLayout> layouts, uint32_t size, uint32_t column)
      : layouts_(std::move(layouts)), size_(size), column_(column) {}

  float paint(FigureCanvas& canvas) const override {
    float y = canvas.heading(canvas.strings().format("figure.banks_title", fmt::arg("last", size_ - 1),
                                                     fmt::arg("column", column_read(canvas))));
    // Side by side if there is room for all of them, smaller where that makes room for more.
    const float label = canvas.text_width(canvas.strings()("figure.bank")) + 8;
    Panel panel{.pitch = kWidest, .label = label};
    float total = -kBetween;
    for (const BankLayout layout : layouts_) total += width_of(canvas, panel, layout) + kBetween;
    const float between = total > canvas.width() ? kNarrowBetween : kBetween;
    if (total > canvas.width()) panel.pitch = kNarrowest;
    float bottom = y;
    for (const BankLayout layout : layouts_) {
      const float width = width_of(canvas, panel, layout);
      if (panel.x > 0 && panel.x + width > canvas.width()) {
        panel.x = 0;
        y = bottom + 18;
      }
      panel.layout = layout;
      panel.y = y;
      bottom = paint_panel(canvas, panel);
      panel.x += width + between;
    }
    return canvas.note(bottom, canvas.strings()("figure.banks_note"));
  }

 private:
  static constexpr float kWidest = 34, kNarrowest = 26, kRow = 28, kBetween = 32, kNarrowBetween = 14, kLine = 20;
  static constexpr float kInset = 1.5F;
  enum Kind { of_element, of_bank };

  struct Panel {
    BankLayout layout = BankLayout::plain;
    float x = 0, y = 0, pitch = 0, label = 0;
    float grid_y() const { return y + 2 * kLine + 4; }
    FigureBox box(uint32_t row, uint32_t bank) const {
      const float left = x + label + pitch * static_cast<float>(bank), top = grid_y() + kRow * static_cast<float>(row);
      return {left + kInset, top + kInset, left + pitch - kInset, top + kRow - kInset};
    }
  };

  uint32_t banks(BankLayout layout) const {
    uint32_t last = 0;
    for (uint32_t row = 0; row < size_; ++row)
      for (uint32_t column = 0; column < size_; ++column) last = std::max(last, bank_of(layout, row, column));
    return last + 1;
  }
  static const std::string& title_of(const FigureCanvas& canvas, BankLayout layout) {
    static constexpr std::array kTitles = {"figure.banks_plain", "figure.banks_padded", "figure.banks_swizzled"};
    return canvas.strings()(kTitles[static_cast<size_t>(layout)]);
  }
  float width_of(const FigureCanvas& canvas, const Panel& panel, BankLayout layout) const {
    return std::max(panel.label + panel.pitch * static_cast<float>(banks(layout)),
                    canvas.text_width(title_of(canvas, layout)));
  }

  /// The column that is read: that of the element under the pointer.
  uint32_t column_read(const FigureCanvas& canvas) const {
    const FigureItem& item = canvas.pointed();
    return item.kind == of_element ? static_cast<uint32_t>(item.second % size_) : column_;
  }

  float paint_panel(FigureCanvas& canvas, const Panel& panel) const {
    const Theme& theme = canvas.theme();
    canvas.text(panel.x, panel.y + kLine / 2, theme.text, title_of(canvas, panel.layout));
    canvas.text(panel.x, panel.grid_y() - kLine / 2, theme.muted, canvas.strings()("figure.bank"));
    for (uint32_t bank = 0; bank < banks(panel.layout); ++bank) paint_bank(canvas, panel, bank);
    for (uint32_t row = 0; row < size_; ++row)
      for (uint32_t of = 0; of < size_; ++of)
        paint_element(canvas, panel.layout, row, of, panel.box(row, bank_of(panel.layout, row, of)));
    const float end = panel.grid_y() + kRow * static_cast<float>(size_);
    const uint32_t wavefronts = wavefronts_of_column(panel.layout, column_read(canvas), size_);
    canvas.text(panel.x, end + kLine * 1.5F + 2, wavefronts > 1 ? theme.error : theme.ok,
                canvas.strings().format(wavefronts > 1 ? "figure.banks_conflict" : "figure.banks_free",
                                        fmt::arg("wavefronts", wavefronts)),
                true);
    return end + 2 * kLine + 4;
  }

  /// Its number, its empty words, and the words that it must deliver.
  void paint_bank(FigureCanvas& canvas, const Panel& panel, uint32_t bank) const {
    const Theme& theme = canvas.theme();
    const uint32_t column = column_read(canvas);
    uint32_t asked = 0;
    for (uint32_t row = 0; row < size_; ++row)
      if (bank_of(panel.layout, row, column) == bank) ++asked;
    const float centre = panel.box(0, bank).centre().x, end = panel.grid_y() + kRow * static_cast<float>(size_);
    canvas.text_centred(centre, panel.grid_y() - kLine / 2, asked > 0 ? theme.text : theme.muted, std::to_string(bank));
    for (uint32_t row = 0; row < size_; ++row)
      canvas.outline(panel.box(row, bank), mix(theme.panel, theme.separator, 0.8F));
    if (asked > 0)
      canvas.text_centred(centre, end + kLine / 2, asked > 1 ? theme.error : theme.ok, fmt::format("×{}", asked), true);
    canvas.element({of_bank, static_cast<int64_t>(panel.layout), bank},
                   {centre - panel.pitch / 2, panel.grid_y() - kLine, centre + panel.pitch / 2, panel.grid_y()}, [&] {
                     return canvas.strings().format("figure.bank_meaning", fmt::arg("bank", bank),
                                                    fmt::arg("column", column), fmt::arg("count", asked));
                   });
  }

  void paint_element(FigureCanvas& canvas, BankLayout layout, uint32_t row, uint32_t column,
                     const FigureBox& box) const {
    const Theme& theme = canvas.theme();
    const FigureItem& item = canvas.pointed();
    const uint32_t read = column_read(canvas);
    uint32_t sharing = 0;  // elements of the column in the same bank
    for (uint32_t other = 0; other < size_; ++other)
      if (bank_of(layout, other, read) == bank_of(layout, row, column)) ++sharing;
    const bool in_bank = item.kind == of_bank && item.index == static_cast<int64_t>(layout) &&
                         item.second == static_cast<int64_t>(bank_of(layout, row, column));
    const bool itself = item.kind == of_element && item.second == static_cast<int64_t>(row) * size_ + column;
    const bool chosen = column == read;
    const ImU32 tint = !chosen ? theme.muted : sharing > 1 ? theme.error : theme.read;
    const FigureLight light = in_bank || itself      ? FigureLight::lit
                              : item.kind == of_bank ? FigureLight::dimmed
                              : chosen               ? FigureLight::usual
                                                     : FigureLight::dimmed;
    canvas.cell(box, fmt::format("{},{}", row, column), tint, light, chosen);
    canvas.element({of_element, static_cast<int64_t>(layout), row * size_ + column}, box, [&] {
      return canvas.strings().format("figure.banks_element_meaning", fmt::arg("row", row), fmt::arg("column", column),
                                     fmt::arg("word", word_of(layout, row, column)),
                                     fmt::arg("bank", bank_of(layout, row, column)));
    });
  }

  std::vector<BankLayout> layouts_;
  uint32_t size_, column_;
};

const FigureRegistration registered_banks{
    {"transpose-banks", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
       std::vector<BankLayout> layouts;
       for (const std::string& name : parameters.chosen("layouts", {"plain", "padded", "swizzled"}))
         layouts.push_back(name == "plain"    ? BankLayout::plain
                           : name == "padded" ? BankLayout::padded
                                              : BankLayout::swizzled);
       const int64_t size = parameters.number("size", 4, 2, 4);
       const int64_t column = parameters.number("column", 1, 0, size - 1);
       return std::make_unique<TransposeBanks>(std::move(layouts), static_cast<uint32_t>(size),
                                               static_cast<uint32_t>(column));
     }}};

}  // namespace

uint32_t word_of(BankLayout layout, uint32_t row, uint32_t column) {
  if (layout == BankLayout::swizzled) return row * kTileWords + (column ^ row);
  return row * (kTileWords + (layout == BankLayout::padded ? 1 : 0)) + column;
}

uint32_t wavefronts_of_column(BankLayout layout, uint32_t column, uint32_t lanes) {
  std::array<uint64_t, 32> offset{};
  for (uint32_t lane = 0; lane < lanes; ++lane) offset[lane] = uint64_t{word_of(layout, lane, column)} * 4;
  const uint32_t mask = lanes >= 32 ? ~0U : (1U << lanes) - 1;
  return shared_cost(offset, mask, 4, /*store=*/false).wavefronts;
}

}  // namespace tilescope
