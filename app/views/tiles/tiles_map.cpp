// Inputs, grid of blocks and outputs of the tile view.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/wording.hpp"
#include "app/views/tiles/tiles_sentence.hpp"
#include "app/views/tiles/tiles_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

CellRect cell_rect(const TileGrid& cells, int64_t cell) {
  const auto column = static_cast<double>(cell % cells.columns), row = static_cast<double>(cell / cells.columns);
  return {column, row, column + 1, row + 1};
}

ImU32 tile_colour(const TilesFrame& frame, uint32_t writer, bool lit) {
  if (writer == BufferMap::kNobody || writer >= frame.issued) return idle_colour(frame.context.theme);
  const ImU32 own = block_colour(frame.context.theme, writer, frame.result().tiles.grid.count(), lit);
  if (frame.waves == nullptr || lit) return own;
  const bool done = frame.waves->state_of(writer, frame.issued) == BlockState::done;
  return done ? done_colour(frame.context.theme, own)
              : block_colour(frame.context.theme, writer, frame.result().tiles.grid.count(), true);
}

void draw_cell_gaps(TilesFrame& frame, const Placement& at) {
  const TileGrid& cells = at.cells;
  const ImU32 colour = frame.context.theme.window;
  const float line = std::max(1.0F, std::floor(frame.context.view.scale)), least = 3 * frame.context.view.scale;
  if (std::min(at.pitch_x, at.pitch_y) < least) return;
  for (int64_t column = 1; column < cells.columns; ++column) {
    const float x = std::floor(at.x(static_cast<double>(column))) - line;
    frame.list->AddRectFilled({x, at.origin.y}, {x + line, at.origin.y + at.height()}, colour);
  }
  for (int64_t row = 1; row < cells.rows(); ++row) {
    const float y = std::floor(at.y(static_cast<double>(row))) - line;
    frame.list->AddRectFilled({at.origin.x, y}, {at.origin.x + at.width(), y + line}, colour);
  }
}

/// Thin lines between cells: window-coloured gaps over one filled rectangle, a few hundred vertices at most.
void draw_plain_cells(TilesFrame& frame, const Placement& at) {
  const Theme& theme = frame.context.theme;
  const TileGrid& cells = at.cells;
  const auto fill = [&](const CellRect& rect) {
    const ImVec2 low = at.low(rect), high = at.high(rect);
    frame.list->AddRectFilled(low, {std::max(high.x, low.x + 1), std::max(high.y, low.y + 1)}, idle_colour(theme));
  };
  const ElementRange all{0, cells.count};
  for (const CellRect& rect : rects_of(cells, {&all, 1})) fill(rect);
  draw_cell_gaps(frame, at);
}

void upload_cells(TilesFrame& frame, const TileGrid& cells, CellTexture& texture, const BufferMap* map) {
  std::vector<ImU32> colours(static_cast<size_t>(cells.columns * cells.rows()), frame.context.theme.window);
  for (int64_t cell = 0; cell < cells.cells(); ++cell) {
    const int64_t middle = cells.middle_of(cell);
    if (middle < 0) continue;
    uint32_t writer = static_cast<uint32_t>(middle);
    if (map != nullptr)
      writer = static_cast<size_t>(middle) < map->writer.size() ? map->writer[static_cast<size_t>(middle)]
                                                                : BufferMap::kNobody;
    colours[static_cast<size_t>(cell)] = tile_colour(frame, writer, false);
  }
  texture.upload(static_cast<int>(cells.columns), static_cast<int>(cells.rows()), colours);
}

void draw_texture(TilesFrame& frame, const Placement& at, const CellTexture& texture) {
  const ImVec2 high{at.origin.x + at.width(), at.origin.y + at.height()};
  if (texture.ready())
    frame.list->AddImage(texture.id(), at.origin, high);
  else
    frame.list->AddRectFilled(at.origin, high, idle_colour(frame.context.theme));
  if (at.cells.matrix) draw_cell_gaps(frame, at);
}

void refresh_textures(TilesFrame& frame) {
  TilePicture& picture = frame.picture;
  const bool dark = frame.context.theme.dark;
  // During playback, the same number of blocks has different colours.
  const uint64_t issued = frame.waves != nullptr ? frame.issued | uint64_t{1} << 63 : frame.issued;
  if (picture.texture_issued == issued && picture.texture_dark == dark) return;
  picture.texture_issued = issued;
  picture.texture_dark = dark;
  if (picture.grid.textured()) upload_cells(frame, picture.grid.cells, picture.grid_texture, nullptr);
  for (size_t i = 0; i < picture.outputs.size(); ++i) {
    const BufferPicture& one = picture.outputs[i];
    if (one.home.textured() && !frame.map(one.buffer).writer.empty())
      upload_cells(frame, one.home.cells, picture.output_textures[i], &frame.map(one.buffer));
  }
}

void draw_block_ring(TilesFrame& frame, const Placement& at, uint32_t block, bool numbers) {
  const Theme& theme = frame.context.theme;
  const float unit = frame.context.view.scale;
  const CellRect rect = cell_rect(at.cells, at.cells.cell_of(block));
  ImVec2 low = at.low(rect), high = at.high(rect);
  const float least = 8 * unit;  // visible among thousands
  const ImVec2 centre{(low.x + high.x) / 2, (low.y + high.y) / 2};
  low = {std::min(low.x, centre.x - least / 2), std::min(low.y, centre.y - least / 2)};
  high = {std::max(high.x, centre.x + least / 2), std::max(high.y, centre.y + least / 2)};
  const ImU32 surface = tile_colour(frame, block, true);
  frame.list->AddRectFilled({low.x - unit, low.y - unit}, {high.x + unit, high.y + unit}, theme.window, 5 * unit);
  frame.list->AddRectFilled(low, high, surface, 3 * unit);
  frame.list->AddRect({low.x - unit, low.y - unit}, {high.x + unit, high.y + unit}, theme.accent, 5 * unit, 0,
                      2 * unit);
  if (numbers)
    draw_text_centred(frame.list, frame.context.fonts.small_semibold, centre, readable_on(surface, theme),
                      std::to_string(block));
}

/// A vermilion corner on each block that a finding names.
void draw_finding_marks(TilesFrame& frame, const Placement& at) {
  constexpr size_t kMostMarks = 32;
  const float unit = frame.context.view.scale;
  const auto& findings = frame.result().findings;
  for (size_t i = 0; i < std::min(findings.size(), kMostMarks); ++i) {
    const auto block = shown_block_of(findings[i], frame.result());
    if (!block) continue;
    const CellRect rect = cell_rect(at.cells, at.cells.cell_of(*block));
    const ImVec2 low = at.low(rect), high = at.high(rect);
    const float size = std::max(6 * unit, std::min(high.x - low.x, high.y - low.y) * 0.4F);
    const ImVec2 corner{high.x + unit, low.y - unit};
    frame.list->AddTriangleFilled({corner.x - size - 2 * unit, corner.y - unit}, {corner.x + unit, corner.y - unit},
                                  {corner.x + unit, corner.y + size + 2 * unit}, frame.context.theme.window);
    frame.list->AddTriangleFilled({corner.x - size, corner.y}, corner, {corner.x, corner.y + size},
                                  frame.context.theme.error);
  }
}

void draw_tile_grid(TilesFrame& frame) {
  const TilePicture& picture = frame.picture;
  const Placement& at = picture.grid;
  const auto blocks = static_cast<int64_t>(frame.result().tiles.grid.count());
  ImFont* font = frame.context.fonts.small;
  const float digits = text_size(font, std::to_string(blocks - 1)).x;
  const float unit = frame.context.view.scale;
  const bool numbers = !at.textured() && at.pitch_x - at.gap_x >= digits + 4 * unit && at.pitch_y >= 16 * unit;
  if (at.textured()) {
    draw_texture(frame, at, picture.grid_texture);
  } else {
    const float corner = std::min(at.pitch_x, at.pitch_y) >= 16 * unit ? 3 * unit : 0;
    for (int64_t block = 0; block < blocks; ++block) {
      const CellRect rect = cell_rect(at.cells, at.cells.cell_of(block));
      const ImVec2 low = at.low(rect), high = at.high(rect);
      const ImU32 colour = tile_colour(frame, static_cast<uint32_t>(block), false);
      frame.list->AddRectFilled(low, high, colour, corner);
      if (numbers)
        draw_text_centred(frame.list, font, {(low.x + high.x) / 2, (low.y + high.y) / 2},
                          mix(readable_on(colour, frame.context.theme), colour, 0.15F), std::to_string(block));
    }
  }
  mark(frame.context, "tiles.grid", at.origin, {at.origin.x + at.width(), at.origin.y + at.height()});
  if (blocks > 0) draw_block_ring(frame, at, frame.focus, numbers);
  draw_finding_marks(frame, at);
}

void draw_output_cells(TilesFrame& frame, const BufferPicture& one, const CellTexture& texture) {
  if (frame.map(one.buffer).writer.empty()) {
    draw_plain_cells(frame, one.home);
  } else if (one.home.textured()) {
    draw_texture(frame, one.home, texture);
  } else {
    for (const WrittenRun& run : one.runs) {
      const CellRect rect{run.x0, static_cast<double>(run.row), run.x1, static_cast<double>(run.row) + 1};
      const ImVec2 low = one.home.low(rect), high = one.home.high(rect);
      // One element of a wide cell is thinner than a pixel, but must be visible.
      const float least = run.x1 - run.x0 < 1 ? 2 * frame.context.view.scale : 0;
      frame.list->AddRectFilled(low, {std::max(high.x, low.x + least), high.y}, tile_colour(frame, run.writer, false));
    }
  }
}

/// The masked elements of the last block, hatched, with their label.
void draw_tail(TilesFrame& frame, const BufferPicture& one) {
  const TilePicture& picture = frame.picture;
  const TileGrid& cells = one.home.cells;
  if (!picture.tail || cells.matrix || static_cast<int32_t>(one.buffer) != picture.shape.buffer) return;
  const Theme& theme = frame.context.theme;
  const float unit = frame.context.view.scale;
  const ImU32 ink = picture.tail->outside ? theme.error : theme.muted;
  TileGrid beyond = cells;  // the same cells, with the masked elements included
  beyond.count = cells.count + picture.tail->masked;
  const ElementRange masked{cells.count, beyond.count};
  float right = one.home.origin.x, top = one.home.origin.y;
  for (const CellRect& rect : rects_of(beyond, {&masked, 1})) {
    const ImVec2 low = one.home.low(rect), high = one.home.high(rect);
    hatch(frame.list, {std::max(low.x, one.home.origin.x + 2 * unit), low.y}, high, mix(theme.window, ink, 0.5F),
          5 * unit);
    right = high.x;
    top = low.y;
  }
  const std::string text = tail_text(frame.context.strings, *picture.tail);
  ImFont* font = frame.context.fonts.small;
  const float width = text_size(font, text).x, row = one.home.pitch_y - one.home.gap_y;
  const float below = one.home.origin.y + static_cast<float>(beyond.rows()) * one.home.pitch_y;
  if (row >= 6 * unit && right + 10 * unit + width <= picture.high.x) {
    draw_text(frame.list, font, {right + 10 * unit, std::max(top - unit, centred_top(font, top + row / 2))}, ink, text);
  } else if (below + line_height(font) <= (&one == &picture.outputs.back() ? picture.high.y : one.high.y) + unit) {
    draw_text_right(frame.list, font, {picture.high.x, below + 2 * unit}, ink,
                    fit_text(font, text, picture.high.x - one.home.origin.x));
  }
}

/// Overview, close-up, or the close-up growing out of the overview; an input has no texture.
void draw_buffer(TilesFrame& frame, const BufferPicture& one, const CellTexture* texture) {
  const bool home = !one.near || (!one.home.cells.matrix && one.camera.grown < 1);
  if (home) {
    if (texture != nullptr)
      draw_output_cells(frame, one, *texture);
    else
      draw_plain_cells(frame, one.home);
    if (!one.near) draw_edges(frame, one);
    if (texture != nullptr) draw_tail(frame, one);
  }
  if (one.near) draw_near(frame, one, texture != nullptr);
}

/// As much as fits, preferably whole clauses: "written" for "written, coloured by block". A list of names after a dot
/// is never cut so that it looks complete.
std::string fit_clauses(ImFont* font, std::string_view text, float room) {
  const bool has_list = text.find(" · ") != std::string_view::npos;
  for (std::string_view rest = text; !rest.empty() && !has_list;) {
    if (text_size(font, rest).x <= room) return std::string(rest);
    const size_t western = rest.rfind(", "), chinese = rest.rfind("，");
    if (western == std::string_view::npos && chinese == std::string_view::npos) break;
    const bool later = western == std::string_view::npos || (chinese != std::string_view::npos && chinese > western);
    rest = rest.substr(0, later ? chinese : western);
  }
  return fit_text(font, text, room);
}

void draw_header(TilesFrame& frame, ImVec2 origin, float width, ImU32 square, std::string_view name,
                 std::string_view what, bool code, std::string_view meaning) {
  const Theme& theme = frame.context.theme;
  const float unit = frame.context.view.scale, y = std::floor(origin.y - 14 * unit);
  float x = origin.x;
  // Both a line that passes below and the text stay readable.
  const auto plate = [&](float from, float to) {
    frame.list->AddRectFilled({from - 3 * unit, y - 9 * unit}, {to + 3 * unit, y + 9 * unit}, theme.window);
  };
  if (square != 0) {
    frame.list->AddRectFilled({x, y - 4 * unit}, {x + 8 * unit, y + 4 * unit}, square);
    x += 16 * unit;
  }
  ImFont* font = code ? frame.context.fonts.code : frame.context.fonts.small;
  plate(x, x + text_size(font, name).x);
  x += draw_text(frame.list, font, {x, centred_top(font, y)}, theme.text, name).x + 10 * unit;
  ImFont* small = frame.context.fonts.small;
  const float room = origin.x + width - x;
  const std::string shown = fit_clauses(small, what, room);
  const bool readable = !shown.ends_with("…") || room > 96 * unit;  // not only its first letters
  if (readable) {
    plate(x, x + text_size(small, shown).x);
    draw_text(frame.list, small, {x, centred_top(small, y)}, theme.muted, shown);
  }
  explain_rect(frame.context, {origin.x, y - 10 * unit}, {origin.x + width, y + 10 * unit}, meaning);
}

/// The role of a buffer; for the last one on a side also the buffers without room.
std::string with_left_out(const TilesFrame& frame, std::string role, bool last, const std::vector<size_t>& left_out) {
  if (!last || left_out.empty()) return role;
  std::string names;
  for (const size_t buffer : left_out) names += (names.empty() ? "" : ", ") + frame.map(buffer).name;
  return role + " · " + frame.context.strings.format("tiles.more_buffers", fmt::arg("names", names));
}

/// The picture shows one launch: it must not deny what others do with a buffer.
bool is_one_of_several(const TilesFrame& frame) { return frame.result().plan.launches.size() > 1; }

std::string input_role(const TilesFrame& frame, const BufferPicture& one) {
  const Strings& strings = frame.context.strings;
  if (!frame.map(one.buffer).reads.empty()) return strings("tiles.read");
  return strings(is_one_of_several(frame) ? "tiles.not_read_by_launch" : "tiles.not_read");
}

std::string output_role(const TilesFrame& frame, const BufferPicture& one) {
  const Strings& strings = frame.context.strings;
  const BufferMap& map = frame.map(one.buffer);
  if (map.writer.empty() && is_one_of_several(frame))
    return strings(map.reads.empty() ? "tiles.not_used_by_launch" : "tiles.only_read_by_launch");
  if (map.writer.empty()) return strings(map.reads.empty() ? "tiles.not_written" : "tiles.only_read");
  const TilesLevel level = frame.context.view.zoom.level;
  if (one.near && level == TilesLevel::block) return strings("tiles.written_by_warp");
  if (one.near && level > TilesLevel::block) return strings("tiles.written_by_lane");
  if (!map.reads.empty()) return strings("tiles.read_and_written");
  const TileShape& shape = frame.picture.shape;
  const bool tiles = shape.contiguous && shape.tiles_per_block > 1 && static_cast<int32_t>(one.buffer) == shape.buffer;
  if (!tiles) return strings("tiles.written_by_colour");
  return strings.format("tiles.written_by_colour_tiles", fmt::arg("tiles", shape.tiles_per_block));
}

/// The colour of what the launch does with the buffer; muted if it does nothing.
ImU32 role_colour(const TilesFrame& frame, const BufferPicture& one, ImU32 usual) {
  const BufferMap& map = frame.map(one.buffer);
  if (!map.writer.empty()) return usual;
  return map.reads.empty() ? frame.context.theme.muted : frame.context.theme.read;
}

/// "out: 200 × 504 of f32, 403 KB; written, coloured by block."
std::string buffer_meaning(const TilesFrame& frame, const BufferPicture& one, const std::string& role) {
  const BufferMap& map = frame.map(one.buffer);
  std::string shape;
  int64_t count = 1;
  for (const int64_t extent : map.shape) {
    shape += (shape.empty() ? "" : " × ") + with_separators(extent);
    count *= extent;
  }
  return frame.context.strings.format(
      "tiles.buffer_meaning", fmt::arg("name", map.name), fmt::arg("shape", shape), fmt::arg("type", name_of(map.type)),
      fmt::arg("bytes", bytes_text(static_cast<double>(count) * static_cast<double>(size_of(map.type)))),
      fmt::arg("what", role));
}

void draw_buffer_header(TilesFrame& frame, const BufferPicture& one, ImU32 usual, const std::string& role) {
  draw_header(frame, one.low, one.high.x - one.low.x, role_colour(frame, one, usual), frame.map(one.buffer).name, role,
              true, buffer_meaning(frame, one, role));
}

void draw_headers(TilesFrame& frame) {
  const Strings& strings = frame.context.strings;
  const Theme& theme = frame.context.theme;
  const TilePicture& picture = frame.picture;
  const TileMap& tiles = frame.result().tiles;
  const float gap = 12 * frame.context.view.scale;
  for (const BufferPicture& one : picture.inputs)
    draw_buffer_header(
        frame, one, theme.read,
        with_left_out(frame, input_role(frame, one), &one == &picture.inputs.back(), picture.inputs_left_out));
  const std::string what = strings.format(
      "tiles.grid_of", fmt::arg("blocks", count_of_blocks(strings, static_cast<int64_t>(tiles.grid.count()))),
      fmt::arg("threads", with_separators(tiles.block.count())));
  float right = picture.outputs.empty() ? picture.high.x : picture.outputs.front().low.x - gap;
  for (const BufferPicture& one : picture.inputs)
    if (one.low.x > picture.grid.origin.x) right = std::min(right, one.low.x - gap);
  draw_header(frame, picture.grid.origin, right - picture.grid.origin.x, 0, strings("tiles.grid"), what, false,
              strings.format("tiles.grid_meaning", fmt::arg("what", what)));
  for (const BufferPicture& one : picture.outputs)
    draw_buffer_header(
        frame, one, theme.write,
        with_left_out(frame, output_role(frame, one), &one == &picture.outputs.back(), picture.outputs_left_out));
}

}  // namespace

ImU32 done_colour(const Theme& theme, ImU32 of_block) { return mix(of_block, theme.window, 0.62F); }

ImU32 block_colour(const Theme& theme, uint64_t block, uint64_t blocks, bool lit) {
  const float t = blocks > 1 ? static_cast<float>(block) / static_cast<float>(blocks - 1) : 0.5F;
  return lit ? viridis(t) : mix(viridis(t), theme.window, 0.4F);
}

void draw_map(TilesFrame& frame) {
  refresh_textures(frame);
  draw_connectors(frame);
  const auto mark_buffer = [&](const BufferPicture& one) {
    const ImVec2 end{one.at.origin.x + one.at.width(), one.at.origin.y + one.at.height()};
    mark(frame.context, "tiles." + frame.map(one.buffer).name, one.near ? one.seen_low : one.at.origin,
         one.near ? one.seen_high : end);
  };
  for (const BufferPicture& one : frame.picture.inputs) {
    mark_buffer(one);
    draw_buffer(frame, one, nullptr);
  }
  for (size_t i = 0; i < frame.picture.outputs.size(); ++i) {
    mark_buffer(frame.picture.outputs[i]);
    draw_buffer(frame, frame.picture.outputs[i], &frame.picture.output_textures[i]);
  }
  draw_connector_ends(frame);
  draw_headers(frame);  // their background keeps lines off the text
  for (const BufferPicture& one : frame.picture.inputs) draw_lit(frame, one, /*output=*/false);
  for (const BufferPicture& one : frame.picture.outputs) draw_lit(frame, one, /*output=*/true);
  draw_tile_grid(frame);
}

}  // namespace tilescope
