// gradient-owners queries=4 keys=4 causal=off|on: the tiles of the scores in the backward pass of attention, the block
// that owns each, and the gradients that it adds to.
#include "app/views/lesson/figures/gradient_owners.hpp"

#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"

namespace tilescope {
namespace {

class GradientOwners final : public Figure {
 public:
  explicit GradientOwners(const ScoreTiles& tiles) : tiles_(tiles), passes_(gradient_passes()) {}

  float paint(FigureCanvas& canvas) const override {
    const Strings& strings = canvas.strings();
    const Theme& theme = canvas.theme();
    float y = canvas.heading(strings("figure.owners_title"));
    std::vector<FigureLegend> entries{{strings("figure.owners_sum"), theme.ok},
                                      {strings("figure.owners_memory"), theme.write}};
    if (tiles_.causal) entries.push_back({strings("figure.owners_masked"), theme.muted, FigureLegend::Sample::idle});
    y = canvas.legend(y, entries) + 8;
    const auto count = static_cast<float>(passes_.size());
    const bool beside = canvas.width() >= count * pass_width(canvas) + (count - 1) * kBetween;
    const float width = beside ? (canvas.width() - (count - 1) * kBetween) / count : canvas.width();
    float bottom = y;
    for (size_t pass = 0; pass < passes_.size(); ++pass) {
      const float left = beside ? static_cast<float>(pass) * (width + kBetween) : 0;
      const float top = beside ? y : bottom + (pass > 0 ? kBetween : 0);
      bottom = std::max(bottom, paint_pass(canvas, pass, {left, top, left + width, top}));
    }
    return canvas.note(bottom, strings.format("figure.owners_note", fmt::arg("tiles", visited_tiles(tiles_)),
                                              fmt::arg("two", passes_[0].products() + passes_[1].products()),
                                              fmt::arg("one", passes_[2].products())));
  }

 private:
  static constexpr float kBetween = 18, kText = 20, kCell = 30, kGap = 3, kToSum = 8, kSum = 40;
  enum Kind { of_tile, of_dq, of_keys };

  /// The corner of the first tile and its side.
  struct Places {
    float left = 0, top = 0;
    FigureBox tile(uint32_t query, uint32_t key) const {
      const float x = left + static_cast<float>(key) * (kCell + kGap),
                  y = top + static_cast<float>(query) * (kCell + kGap);
      return {x, y, x + kCell, y + kCell};
    }
  };

  static float label_width(const FigureCanvas& canvas) { return canvas.text_width("Q 0") + 8; }
  float pass_width(const FigureCanvas& canvas) const {
    return label_width(canvas) + static_cast<float>(tiles_.keys) * (kCell + kGap) - kGap + kToSum + kSum;
  }

  float paint_pass(FigureCanvas& canvas, size_t index, const FigureBox& at) const {
    const Theme& theme = canvas.theme();
    const Strings& strings = canvas.strings();
    const OwnedPass& pass = passes_[index];
    static constexpr const char* kTitles[] = {"figure.owners_queries", "figure.owners_keys", "figure.owners_atomic"};
    float y = at.y0 + canvas.paragraph(at.x0, at.y0, at.width(), theme.text, strings(kTitles[index]), true);
    // The longest title may take two lines; the tiles of all passes stand at the same height.
    if (at.width() < canvas.width())
      for (const char* title : kTitles)
        y = std::max(y, at.y0 + canvas.paragraph_height(at.width(), strings(title), true));
    canvas.text(at.x0, y + kText / 2, theme.muted,
                strings.format("figure.owners_products", fmt::arg("count", pass.products())));
    y += kText + kGap;
    const Places places{at.x0 + label_width(canvas), y + kText};
    for (uint32_t key = 0; key < tiles_.keys; ++key)
      canvas.text_centred(places.tile(0, key).centre().x, y + kText / 2, theme.muted, fmt::format("K{}", key));
    for (uint32_t query = 0; query < tiles_.queries; ++query) {
      canvas.text(at.x0, places.tile(query, 0).centre().y, theme.muted, fmt::format("Q{}", query));
      for (uint32_t key = 0; key < tiles_.keys; ++key) paint_tile(canvas, pass, places, query, key);
      if (pass.dq) paint_dq(canvas, pass, places, query);
    }
    if (pass.dk_dv)
      for (uint32_t key = 0; key < tiles_.keys; ++key) paint_keys(canvas, pass, places, key);
    // As high as if both gradients were there, so that passes end together.
    return places.tile(tiles_.queries - 1, 0).y1 + kToSum + 2 * (kCell + kGap);
  }

  /// Whether the pointer is on the tile, on one with the same owner, or on a sum that it is added to.
  bool belongs(const FigureItem& item, const OwnedPass& pass, uint32_t query, uint32_t key) const {
    const auto first = static_cast<uint32_t>(item.index), second = static_cast<uint32_t>(item.second);
    if (item.kind == of_dq) return pass.dq && first == query;
    if (item.kind == of_keys) return pass.dk_dv && second == key;
    if (item.kind != of_tile) return false;
    return pass.owner == GradientOwner::queries ? first == query : second == key;
  }

  void paint_tile(FigureCanvas& canvas, const OwnedPass& pass, const Places& places, uint32_t query,
                  uint32_t key) const {
    const FigureBox box = places.tile(query, key);
    const FigureLight light = canvas.light(belongs(canvas.pointed(), pass, query, key));
    const bool queries = pass.owner == GradientOwner::queries;
    const uint32_t owner = queries ? query : key;
    if (tiles_.visited(query, key))
      canvas.cell(box, std::to_string(owner), canvas.theme().read, light);
    else
      canvas.idle_cell(box, light);
    canvas.element({of_tile, query, key}, box, [&] {
      const char* meaning = !tiles_.visited(query, key) ? "figure.owners_masked_meaning"
                            : pass.adds_in_memory()     ? "figure.owners_atomic_meaning"
                            : queries                   ? "figure.owners_queries_meaning"
                                                        : "figure.owners_keys_meaning";
      return canvas.strings().format(meaning, fmt::arg("query", query), fmt::arg("key", key),
                                     fmt::arg("steps", tiles_of_owner(tiles_, pass.owner, owner)));
    });
  }

  /// The tile of dQ beside its row.
  void paint_dq(FigureCanvas& canvas, const OwnedPass& pass, const Places& places, uint32_t query) const {
    const Theme& theme = canvas.theme();
    const FigureBox last = places.tile(query, tiles_.keys - 1);
    const FigureBox box{last.x1 + kToSum, last.y0, last.x1 + kToSum + kSum, last.y1};
    const FigureItem& item = canvas.pointed();
    const bool lit = (item.kind == of_dq && item.index == query) || (item.kind == of_tile && item.index == query);
    const uint32_t adds = tiles_of_owner(tiles_, GradientOwner::queries, query);
    canvas.cell(box, fmt::format("dQ{}", query), pass.adds_in_memory() ? theme.write : theme.ok, canvas.light(lit));
    canvas.element({of_dq, query}, box, [&] {
      return canvas.strings().format(pass.adds_in_memory() ? "figure.owners_dq_added" : "figure.owners_dq_kept",
                                     fmt::arg("query", query), fmt::arg("count", adds));
    });
  }

  /// The tiles of dK and dV below their column.
  void paint_keys(FigureCanvas& canvas, const OwnedPass& pass, const Places& places, uint32_t key) const {
    const FigureBox last = places.tile(tiles_.queries - 1, key);
    const FigureItem& item = canvas.pointed();
    const bool lit = (item.kind == of_keys || item.kind == of_tile) && item.second == key;
    float y = last.y1 + kToSum;
    for (const char* name : {"dK", "dV"}) {
      const FigureBox box{last.x0, y, last.x1, y + kCell};
      canvas.cell(box, fmt::format("{}{}", name, key), canvas.theme().ok, canvas.light(lit));
      canvas.element({of_keys, 0, key}, box, [&] {
        return canvas.strings().format("figure.owners_dk_kept", fmt::arg("key", key), fmt::arg("name", name),
                                       fmt::arg("count", tiles_of_owner(tiles_, pass.owner, key)));
      });
      y += kCell + kGap;
    }
  }

  ScoreTiles tiles_;
  std::vector<OwnedPass> passes_;
};

const FigureRegistration registered_owners{
    {"gradient-owners", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
       ScoreTiles tiles;
       tiles.queries = static_cast<uint32_t>(parameters.number("queries", 4, 1, 4));
       tiles.keys = static_cast<uint32_t>(parameters.number("keys", 4, 1, 4));
       tiles.causal = parameters.choice("causal", {"off", "on"}) == "on";
       if (tiles.causal && tiles.queries > tiles.keys) {
         parameters.reject({"figure.fault_causal"});
         tiles.queries = tiles.keys;
       }
       return std::make_unique<GradientOwners>(tiles);
     }}};

}  // namespace

std::vector<OwnedPass> gradient_passes() {
  return {{GradientOwner::queries, true, false}, {GradientOwner::keys, false, true}, {GradientOwner::keys, true, true}};
}

uint32_t tiles_of_owner(const ScoreTiles& tiles, GradientOwner owner, uint32_t index) {
  const bool queries = owner == GradientOwner::queries;
  uint32_t count = 0;
  for (uint32_t other = 0; other < (queries ? tiles.keys : tiles.queries); ++other)
    count += tiles.visited(queries ? index : other, queries ? other : index) ? 1 : 0;
  return count;
}

uint32_t visited_tiles(const ScoreTiles& tiles) {
  uint32_t count = 0;
  for (uint32_t query = 0; query < tiles.queries; ++query)
    count += tiles_of_owner(tiles, GradientOwner::queries, query);
  return count;
}

}  // namespace tilescope
