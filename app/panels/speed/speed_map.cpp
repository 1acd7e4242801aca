// The map of schemes: number of rows across, number of columns down, both in powers; a cell has the colour and the mark
// of the scheme that wins there, more intense the larger its lead, and the lead in percent. An outline marks cells
// where the lab's own choice differs.
//
//       rows      1      4     16    64 …
//   idle SMs    131    128    116    68
//        128  4 87%  4 82%  4 75%
//      1,024  3f 9%  …
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/plots/axis.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/speed_model.hpp"
#include "app/panels/speed/speed_views.hpp"
#include "app/views/panels.hpp"
#include "engine/bench/scheme_map.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kLabels = 62, kHead = 18, kLegend = 20, kMostCell = 96, kMostHeight = 34, kTwoLines = 26, kName = 16;

/// The colours of the schemes: those of the roles, which are distinguishable for colour-blind users.
ImU32 scheme_colour(const Theme& theme, size_t scheme) {
  const std::array<ImU32, 6> colours{theme.read, theme.ok, theme.write, theme.waiting, theme.reference, theme.error};
  return colours[scheme % colours.size()];
}

size_t points_of(const SpeedReport* report) {
  size_t points = 0;
  if (report != nullptr)
    for (const TimingSeries& series : report->series) points += series.points.size();
  return points;
}

/// The timed GPU if the table has it, else the modelled one.
GpuSpec gpu_of(const PanelContext& context, const SpeedReport* report) {
  Engine& engine = context.session.engine();
  if (report != nullptr && engine.gpus())
    if (const GpuSpec* timed = find_gpu_of_driver(*engine.gpus(), report->gpu)) return *timed;
  auto modelled = engine.modelled_gpu(context.session.request().gpu);
  return modelled ? *modelled : GpuSpec{};
}

const SchemeGrid& grid_of(const PanelContext& context, const SpeedReport* report, const GpuSpec& gpu) {
  KnownGrid& known = context.panels->speed->grid;
  const Config& config = context.session.request().config;
  const std::string date = report != nullptr ? report->date : std::string();
  const bool same = known.lab == &context.lab() && known.report == report && known.date == date &&
                    known.gpu == gpu.id && known.points == points_of(report) && known.config.params == config.params;
  if (same) return known.grid;
  known = {.lab = &context.lab(),
           .report = report,
           .date = date,
           .gpu = gpu.id,
           .points = points_of(report),
           .config = config};
  if (report != nullptr) known.copy = *report;
  known.grid = make_scheme_grid(context.lab(), config, gpu, report != nullptr ? &known.copy : nullptr);
  return known.grid;
}

std::string margin_text(double margin) {
  return margin >= 1 ? fmt::format("{:.1f}×", 1 + margin) : fmt::format("{:.0f}%", 100 * margin);
}

std::string params_text(const Lab& lab, const TimingPoint& point, const Strings& strings) {
  std::string text;
  for (const auto& [name, value] : point.params)
    text += (text.empty() ? "" : strings("speed.comma")) + name + " " + param_text(lab, name, value);
  return text;
}

/// Draws the map once.
class MapDrawing {
 public:
  MapDrawing(PanelContext& context, const SchemeGrid& grid, const GpuSpec& gpu)
      : context_(context), grid_(grid), map_(*context.lab().scheme_map), gpu_(gpu), list_(ImGui::GetWindowDrawList()) {}

  void draw(ImVec2 low, ImVec2 size) {
    const float top = low.y + draw_finding(low, size.x);
    const auto rows = static_cast<float>(grid_.row_values.size()),
               columns = static_cast<float>(grid_.column_values.size());
    const float wide = size.x - px(kLabels);
    low_ = {low.x + px(kLabels), top + px(2 * kHead + 4)};
    cell_ = {std::min(std::floor(wide / rows), px(kMostCell)), 0};
    // The largest shapes are omitted: the legend is drawn in their space if it fits.
    const size_t used = cells_of_last_columns();
    const float corner = low_.x + cell_.x * static_cast<float>(used) + px(8), room = low_.x + cell_.x * rows - corner;
    const float below = draw_legend(nullptr, {low_.x, 0}, wide), beside = draw_legend(nullptr, {corner, 0}, room);
    const bool fits = legend_fits(room) && beside <= 2 * px(kLegend) && size.y > px(120);
    const float high = low.y + size.y - low_.y - (fits ? px(kName) : below + px(6));
    cell_.y = std::min(std::floor(high / columns), px(kMostHeight));
    if (cell_.x < px(8) || cell_.y < px(6)) return;
    draw_axes(top);
    for (size_t row = 0; row < grid_.row_values.size(); ++row)
      for (size_t column = 0; column < grid_.column_values.size(); ++column) draw_cell(row, column);
    const float end = low_.y + cell_.y * columns;
    put_label(end + (fits ? px(kName) / 2 : px(6) + px(kLegend) / 2), words()("speed.map_columns"));
    if (fits)
      draw_legend(list_, {corner, end - beside + px(4)}, room);
    else
      draw_legend(list_, {low_.x, end + px(6)}, wide);
  }

 private:
  float px(float value) const { return context_.px(value); }
  const Theme& theme() const { return context_.theme; }
  const Strings& words() const { return context_.strings; }
  ImFont* small() const { return context_.fonts.small; }

  float draw_finding(ImVec2 low, float width) {
    const Lab& lab = context_.lab();
    std::string finding, rest;
    if (grid_.timed > 0) {
      finding =
          words().format("speed.map_finding", fmt::arg("auto", map_.automatic), fmt::arg("best", grid_.picked_winner),
                         fmt::arg("ties", grid_.ties_picked), fmt::arg("cells", grid_.timed));
      rest = grid_.worst_loss > 0 ? words().format("speed.map_rest", fmt::arg("longer", longer_text(grid_.worst_loss)))
                                  : "";
    } else {
      finding = words().format("speed.map_empty", fmt::arg("cells", grid_.inside));
      rest = context_.session.engine().gpu() ? words()("speed.map_empty_measure")
                                             : words().format("speed.map_empty_record", fmt::arg("lab", lab.name));
    }
    const TextRun runs[] = {{context_.fonts.small_semibold, theme().text, finding}, {small(), theme().muted, rest}};
    return flow_text(list_, low, width, px(18), runs) + px(6);
  }

  /// Number of row counts for which the last two column counts have cells.
  size_t cells_of_last_columns() const {
    size_t used = 0;
    const size_t columns = grid_.column_values.size();
    for (size_t row = 0; row < grid_.row_values.size(); ++row)
      for (size_t column = columns - std::min<size_t>(columns, 2); column < columns; ++column)
        if (grid_.cell(row, column).inside) used = row + 1;
    return used;
  }
  std::string outline_text() const {
    return words().format(grid_.timed > 0 ? "speed.map_outline" : "speed.map_choice", fmt::arg("auto", map_.automatic));
  }
  bool legend_fits(float room) const { return px(17) + text_size(small(), outline_text()).x <= room; }

  /// Left of the grid, right-aligned to it.
  void put_label(float centre, const std::string& text) {
    draw_text_right(list_, small(), {low_.x - px(8), centred_top(small(), centre)}, theme().muted,
                    fit_text(small(), text, px(kLabels) - px(8)));
  }

  /// The axes, and for each number of rows the SMs that one block per row leaves idle.
  void draw_axes(float top) {
    const float rows = top + px(kHead) / 2, idle = rows + px(kHead);
    put_label(rows, words()("speed.map_rows"));
    if (!map_.one_per_row.empty()) put_label(idle, words()("speed.map_idle"));
    for (size_t i = 0; i < grid_.row_values.size(); ++i) {
      const float centre = low_.x + (static_cast<float>(i) + 0.5F) * cell_.x;
      draw_text_centred(list_, small(), {centre, rows}, theme().muted, plots::size_text(grid_.row_values[i]));
      if (map_.one_per_row.empty()) continue;
      draw_text_centred(list_, small(), {centre, idle}, grid_.idle[i] > 0 ? scheme_colour(theme(), 0) : theme().muted,
                        with_separators(grid_.idle[i]));
      explain_rect(
          context_, {centre - cell_.x / 2, top}, {centre + cell_.x / 2, top + px(2 * kHead)},
          words().format("speed.map_idle_meaning", fmt::arg("rows", with_separators(grid_.row_values[i])),
                         fmt::arg("idle", grid_.idle[i]), fmt::arg("all", grid_.multiprocessors),
                         fmt::arg("gpu", gpu_.name), fmt::arg("badge", badge_text(context_, Badge::modelled))));
    }
    const auto step = static_cast<size_t>(std::max(1.0F, std::ceil(px(14) / cell_.y)));
    for (size_t i = 0; i < grid_.column_values.size(); i += step)
      put_label(low_.y + (static_cast<float>(i) + 0.5F) * cell_.y, plots::size_text(grid_.column_values[i]));
  }

  ImU32 fill_of(const SchemeCell& cell) const {
    if (!cell.winner) return theme().panel;
    const auto lead = static_cast<float>(std::clamp(cell.margin / 0.5, 0.0, 1.0));
    return mix(theme().window, scheme_colour(theme(), *cell.winner), cell.tie ? 0.2F : 0.45F + 0.45F * lead);
  }

  void draw_cell(size_t row, size_t column) {
    const SchemeCell& cell = grid_.cell(row, column);
    if (!cell.inside) return;
    const ImVec2 low(low_.x + static_cast<float>(row) * cell_.x + px(1),
                     low_.y + static_cast<float>(column) * cell_.y + px(1));
    const ImVec2 high(low.x + cell_.x - px(2), low.y + cell_.y - px(2));
    const ImU32 fill = fill_of(cell);
    list_->AddRectFilled(low, high, fill, px(2));
    if (cell.picked_another())
      list_->AddRect({low.x - px(0.5F), low.y - px(0.5F)}, {high.x + px(0.5F), high.y + px(0.5F)},
                     scheme_colour(theme(), *cell.picked), px(3), 0, px(2));
    const auto shown = cell.winner ? cell.winner : cell.picked;
    if (shown) draw_words(cell, *shown, low, high, fill);
    if (!cell.winner && cell.picked)
      list_->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F},
                     with_alpha(scheme_colour(theme(), *cell.picked), 0.7F), px(2), 0, px(1));
    mark(context_, fmt::format("map.{}.{}", row, column), low, high);
    if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(low, high)) return;
    explain_rect(context_, low, high, sentence_of(cell));
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (!ImGui::IsMouseClicked(0)) return;
    context_.session.set_size(map_.rows, cell.rows);
    context_.session.set_size(map_.columns, cell.columns);
    if (shown) context_.session.select_rung(map_.schemes[*shown].rung);
  }

  void draw_words(const SchemeCell& cell, size_t scheme, ImVec2 low, ImVec2 high, ImU32 fill) {
    const ImU32 colour = cell.winner ? readable_on(fill, theme()) : scheme_colour(theme(), scheme);
    const std::string& mark_text = map_.schemes[scheme].mark;
    const std::string margin = !cell.winner ? "" : cell.tie ? "=" : margin_text(cell.margin);
    ImFont* bold = context_.fonts.small_semibold;
    const ImVec2 first = text_size(bold, mark_text), second = text_size(small(), margin);
    const ImVec2 room(high.x - low.x, high.y - low.y), centre((low.x + high.x) / 2, (low.y + high.y) / 2);
    if (room.y < first.y * 0.72F || first.x > room.x) return;
    const float both = first.x + px(5) + second.x;
    const ImU32 quiet = with_alpha(colour, 0.85F);
    if (!margin.empty() && both <= room.x - px(4)) {
      const float x = std::round(centre.x - both / 2);
      draw_text(list_, bold, {x, centred_top(bold, centre.y)}, colour, mark_text);
      draw_text(list_, small(), {x + first.x + px(5), centred_top(small(), centre.y)}, quiet, margin);
    } else if (!margin.empty() && second.x <= room.x && room.y >= px(kTwoLines) - px(2)) {
      draw_text_centred(list_, bold, {centre.x, centre.y - px(5.5F)}, colour, mark_text);
      draw_text_centred(list_, small(), {centre.x, centre.y + px(5.5F)}, quiet, margin);
    } else {
      draw_text_centred(list_, bold, centre, colour, mark_text);
    }
  }

  std::string sentence_of(const SchemeCell& cell) const {
    std::string text = words().format("speed.map_cell", fmt::arg("rows", with_separators(cell.rows)),
                                      fmt::arg("columns", with_separators(cell.columns)));
    for (size_t i = 0; i < map_.schemes.size(); ++i) {
      if (cell.times[i] == nullptr) continue;
      text +=
          fmt::format("\n{} {}  {}", map_.schemes[i].mark, title_of(i), milliseconds_text(cell.times[i]->median_ms));
      if (const std::string params = params_text(context_.lab(), *cell.times[i], words()); !params.empty())
        text += fmt::format("  ({})", params);
    }
    if (cell.winner && cell.second)
      text += "\n" + (cell.tie ? words()("speed.map_tie")
                               : words().format("speed.map_margin", fmt::arg("first", map_.schemes[*cell.winner].mark),
                                                fmt::arg("second", map_.schemes[*cell.second].mark),
                                                fmt::arg("longer", longer_text(cell.margin))));
    if (cell.picked)
      text += "\n" + words().format("speed.map_picked", fmt::arg("auto", map_.automatic),
                                    fmt::arg("scheme", title_of(*cell.picked)));
    if (cell.picked_another() && cell.picked_loss > 0)
      text += words().format("speed.map_loss", fmt::arg("longer", longer_text(cell.picked_loss)));
    return text;
  }
  std::string longer_text(double margin) const {
    if (margin >= 1) return words().format("speed.map_times", fmt::arg("times", fmt::format("{:.1f}", 1 + margin)));
    return words().format("speed.map_longer", fmt::arg("percent", fmt::format("{:.0f}", 100 * margin)));
  }
  std::string title_of(size_t scheme) const {
    const Rung* rung = find_rung(context_.lab(), map_.schemes[scheme].rung);
    return rung != nullptr ? words()(rung->title) : map_.schemes[scheme].rung;
  }

  /// Returns its height; draws if `list` is not null.
  float draw_legend(ImDrawList* list, ImVec2 low, float width) {
    float x = low.x, y = low.y;
    const auto entry = [&](float wide, const auto& paint) {
      if (x > low.x && x + wide > low.x + width) {
        x = low.x;
        y += px(kLegend);
      }
      if (list != nullptr) paint(ImVec2(x, y));
      x += wide + px(14);
    };
    for (size_t i = 0; i < map_.schemes.size(); ++i) {
      const std::string& name = map_.schemes[i].mark;
      entry(px(13) + text_size(small(), name).x, [&](ImVec2 at) {
        list->AddRectFilled({at.x, at.y + px(6)}, {at.x + px(8), at.y + px(14)}, scheme_colour(theme(), i), px(1));
        const ImVec2 text(at.x + px(13), centred_top(small(), at.y + px(10)));
        const float wide = draw_text(list, small(), text, theme().text, name).x;
        explain_rect(context_, at, {text.x + wide, at.y + px(kLegend)}, title_of(i));
      });
    }
    const std::string outline = outline_text();
    entry(px(17) + text_size(small(), outline).x, [&](ImVec2 at) {
      list->AddRect({at.x + 0.5F, at.y + px(5) + 0.5F}, {at.x + px(12), at.y + px(15)}, theme().text, px(1), 0,
                    px(1.5F));
      draw_text(list, small(), {at.x + px(17), centred_top(small(), at.y + px(10))}, theme().muted, outline);
    });
    return y + px(kLegend) - low.y;
  }

  PanelContext& context_;
  const SchemeGrid& grid_;
  const SchemeMap& map_;
  const GpuSpec& gpu_;
  ImDrawList* list_;
  ImVec2 low_{}, cell_{};
};

}  // namespace

void draw_scheme_map(PanelContext& context, const SpeedReport* report, ImVec2 low, ImVec2 size) {
  const GpuSpec gpu = gpu_of(context, report);
  const SchemeGrid& grid = grid_of(context, report, gpu);
  MapDrawing(context, grid, gpu).draw(low, size);
}

}  // namespace tilescope
