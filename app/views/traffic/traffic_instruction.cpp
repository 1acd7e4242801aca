// One warp instruction: selecting it, and its pictures: global memory at the left, shared memory at the right, and
// beside them the same access of a different rung, or with padded rows.
#include <algorithm>
#include <cmath>

#include "app/draw/shapes.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/wording.hpp"
#include "app/views/launch_choice.hpp"
#include "app/views/playback.hpp"
#include "app/views/traffic/traffic_view.hpp"

namespace tilescope {
namespace {

constexpr float kLeastRow = 2;  // of the banks' grid, unscaled: lower rows cannot be distinguished

/// The shown access, and the alternatives.
struct Choice {
  TraceIndex& index;
  AccessPlace at;
  uint32_t blocks;
  std::vector<size_t> statements;  // those that the block executes
};

/// ‹ value ›: returns −1 or +1 if an arrow was pressed.
int stepper(PanelContext& context, const char* id, float& x, float y, std::string_view label, std::string_view value,
            std::string_view help) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  ImFont* small = context.fonts.small;
  ImFont* bold = context.fonts.small_semibold;
  const float button = context.px(18), half = context.px(4);
  x += draw_text(list, small, {x, centred_top(small, y)}, theme.muted, label).x + context.px(4);
  int by = 0;
  ImGui::PushID(id);
  for (const int side : {-1, 1}) {
    ImGui::SetCursorScreenPos({x, y - context.px(10)});
    ImGui::PushID(side);
    if (hit_area("step", {button, context.px(20)})) by = side;
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    explain(context, help);
    mark(context, std::string("traffic.") + (side < 0 ? "previous_" : "next_") + id, {x, y - context.px(10)},
         {x + button, y + context.px(10)});
    const float centre = x + button / 2, tip = static_cast<float>(side) * half * 0.9F;
    const ImVec2 points[] = {{centre - tip / 2, y - half}, {centre + tip / 2, y}, {centre - tip / 2, y + half}};
    list->AddPolyline(points, 3, hovered ? theme.text : theme.muted, 0, context.px(1.5F));
    x += button;
    if (side < 0) x += draw_text(list, bold, {x, centred_top(bold, y)}, theme.text, value).x;
  }
  ImGui::PopID();
  x += context.px(10);
  return by;
}

void choose(PanelContext& context, Choice& choice, size_t statement, uint32_t block, uint32_t warp, uint32_t step) {
  const BlockAccesses& accesses = choice.index.block(block);
  if (const auto access = accesses.nearest(statement, warp, step)) {
    context.view.selection = select_access(choice.index.result(), *access, context.view.selection.lane);
    return;
  }
  context.view.selection = {.block = block,
                            .access = {},
                            .lane = {},
                            .line = choice.index.statements()[statement].line,
                            .buffer = {},
                            .element = {}};
}

uint32_t moved_by(uint32_t value, int by, uint32_t count) {
  return static_cast<uint32_t>((static_cast<int64_t>(value) + by + count) % count);
}

/// Returns the right edge.
float draw_steppers(PanelContext& context, Choice& choice, ImVec2 low) {
  const Strings& strings = context.strings;
  const Statement& statement = choice.index.statements()[choice.at.statement];
  const BlockAccesses& block = choice.index.block(choice.at.block);
  const uint32_t warps = block.warps(), steps = block.steps(choice.at.statement);
  const AccessPlace at = choice.at;
  float x = low.x;
  const float y = low.y + context.px(12);
  if (const int by = stepper(context, "line", x, y, strings("traffic.line"), std::to_string(statement.line),
                             strings("traffic.line_meaning"))) {
    const auto here = std::find(choice.statements.begin(), choice.statements.end(), at.statement);
    const auto place = static_cast<uint32_t>(here - choice.statements.begin());
    choose(context, choice, choice.statements[moved_by(place, by, static_cast<uint32_t>(choice.statements.size()))],
           at.block, at.warp, at.step);
  }
  if (const int by =
          stepper(context, "block", x, y, strings("traffic.block"),
                  block_number(choice.index.result().tiles.grid, at.block), strings("traffic.block_meaning")))
    choose(context, choice, at.statement, moved_by(at.block, by, choice.blocks), at.warp, at.step);
  if (const int by = stepper(context, "warp", x, y, strings("traffic.warp"), std::to_string(at.warp),
                             strings("traffic.warp_meaning")))
    choose(context, choice, at.statement, at.block, moved_by(at.warp, by, warps), at.step);
  if (steps <= 1) return x;
  if (const int by = stepper(context, "step", x, y, strings("traffic.step"), std::to_string(at.step),
                             strings("traffic.step_meaning")))
    choose(context, choice, at.statement, at.block, at.warp, moved_by(at.step, by, steps));
  return x;
}

struct SectorLegend {
  ImU32 colour;
  std::string text;
};

std::vector<SectorLegend> legend_of(const PanelContext& context, const WarpAccess* global, const BankPicture* shared) {
  const Theme& theme = context.theme;
  const Strings& strings = context.strings;
  std::vector<SectorLegend> entries;
  if (global != nullptr) {
    entries.push_back({global->writes ? theme.write : theme.read, strings("traffic.used_bytes")});
    if (global->moved_bytes() > global->cost.useful_bytes)
      entries.push_back({unused_colour(theme), strings("traffic.unused_bytes")});
    entries.push_back({idle_colour(theme), strings("traffic.rest_of_line")});
  }
  if (shared == nullptr) return entries;
  if (shared->ways > 1) entries.push_back({theme.error, strings("traffic.conflicting")});
  for (uint32_t group = 0; group < shared->groups && shared->groups > 1 && shared->ways == 1; ++group)
    entries.push_back({pass_colour(theme, group, shared->groups),
                       strings.format("traffic.pass_number", fmt::arg("pass", group + 1))});
  if (shared->groups <= 1 || shared->ways > 1) entries.push_back({theme.ok, strings("traffic.one_pass")});
  return entries;
}

float legend_width(const PanelContext& context, const std::vector<SectorLegend>& entries) {
  float width = 0;
  for (const SectorLegend& entry : entries) width += text_size(context.fonts.small, entry.text).x + context.px(30);
  return width;
}

void draw_legend(PanelContext& context, const std::vector<SectorLegend>& entries, float x, float y) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* small = context.fonts.small;
  for (const SectorLegend& entry : entries) {
    list->AddRectFilled({x, y - context.px(4)}, {x + context.px(8), y + context.px(4)}, entry.colour);
    x += context.px(14);
    x += draw_text(list, small, {x, centred_top(small, y)}, context.theme.muted, entry.text).x + context.px(16);
  }
}

/// The picture's content at the left, its cost at the right. 24 pixels high.
void draw_caption(PanelContext& context, ImVec2 low, float width, std::string_view what, std::string_view detail,
                  std::string_view cost, ImU32 cost_colour) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* small = context.fonts.small;
  const std::string whole =
      std::string(what) + (detail.empty() ? "" : ", ") + std::string(detail) + ": " + std::string(cost);
  // The cost may be cut after its first part: "8 lines, 8 sectors: …".
  if (const size_t part = cost.find(": ");
      part != std::string_view::npos && text_size(small, cost).x + text_size(small, what).x + context.px(12) > width)
    cost = cost.substr(part + 2);
  const float y = low.y + context.px(10), cost_width = text_size(small, cost).x;
  draw_text_right(list, small, {low.x + width, centred_top(small, y)}, cost_colour, cost);
  float x = low.x, room = width - cost_width - context.px(12);
  x += draw_text(list, small, {x, centred_top(small, y)}, context.theme.text, fit_text(small, what, room)).x;
  room -= x - low.x + context.px(8);
  if (!detail.empty() && room > context.px(40))
    draw_text(list, small, {x + context.px(8), centred_top(small, y)}, context.theme.muted,
              fit_text(small, detail, room));
  explain_rect(context, low, {low.x + width, low.y + context.px(20)}, whole);
}

std::string global_caption(const PanelContext& context, const WarpAccess& shown, AccessKind kind) {
  const char* key = shown.writes ? "traffic.store_to" : "traffic.load_of";
  if (kind == AccessKind::async_copy) key = "traffic.copy_of";
  if (kind == AccessKind::atomic || kind == AccessKind::reduction) key = "traffic.atomic_on";
  const std::string name = shown.buffer < 0 ? context.strings("tiles.memory")
                                            : context.result->plan.buffers[static_cast<size_t>(shown.buffer)].name;
  return context.strings.format(key, fmt::arg("buffer", name), fmt::arg("bytes", shown.bytes_per_lane));
}

/// The access to global memory, and below it that of a different rung.
struct GlobalPicture {
  bool compact = false, other_beside = false;  // the other rung's access is at its right
  WarpAccess shown;
  AccessKind kind = AccessKind::load;
  const SeenAccess* other = nullptr;
  ImVec2 low;
  float width = 0, fan = 44;
  std::optional<uint32_t> partner;
  SectorView view() const {
    SectorView view{.access = &shown, .partner = partner, .fan = fan};
    if (compact) view.lanes = view.bar = 16;
    return view;
  }
  SectorView other_view() const {
    if (other_beside) return {.access = &other->access, .interactive = false, .lanes = 16, .fan = fan, .bar = 16};
    if (compact) return {.access = &other->access, .interactive = false, .lanes = 8, .fan = 10, .bar = 10};
    return {.access = &other->access, .interactive = false, .lanes = 12, .fan = 14, .bar = 12};
  }
};

GlobalPicture prepare_global(const PanelContext& context, const TrafficPicture& all, const ShownAccesses& accesses,
                             ImVec2 low, float width) {
  const RunResult& result = *all.result;
  GlobalPicture picture;
  picture.compact = all.compact;
  picture.shown = warp_access(result, *accesses.global);
  picture.kind = result.trace.sites[result.trace.accesses[*accesses.global].site].kind;
  // For a copy that bypasses the L1, the destination also affects the number of sectors.
  if (picture.kind == AccessKind::async_copy)
    picture.shown.cost.sectors =
        static_cast<uint32_t>(traffic_of(result.trace, *accesses.global, *accesses.global + size_t{1}).global_sectors);
  picture.other = access_of_neighbour(context.view, result, picture.shown);
  picture.low = low;
  picture.other_beside = all.compact && picture.other != nullptr && !accesses.shared && width >= context.px(640);
  picture.width = picture.other_beside ? std::floor((width - context.px(32)) / 2) : width;
  picture.partner = accesses.shared;
  const float room = (ImGui::GetWindowPos().y + ImGui::GetWindowHeight() - low.y) / context.view.scale - 124;
  const float least = all.compact ? 16 : 44;
  picture.fan =
      picture.other != nullptr && !picture.other_beside ? (all.compact ? 12 : 16) : std::clamp(room, least, 80.0F);
  return picture;
}

void point_at_global(PanelContext& context, const GlobalPicture& picture) {
  point_at_sectors(context, picture.view(), {picture.low.x, picture.low.y + context.px(24)}, picture.width);
}

float draw_global(PanelContext& context, const GlobalPicture& picture) {
  const Theme& theme = context.theme;
  const ImVec2 low = picture.low;
  const float width = picture.width;
  const auto cost_colour = [&](const WarpAccess& one) { return is_wasteful(one) ? theme.error : theme.muted; };
  draw_caption(context, low, width, global_caption(context, picture.shown, picture.kind), {},
               cost_text(context.strings, picture.shown), cost_colour(picture.shown));
  float y = low.y + context.px(24);
  y += draw_sectors(context, picture.view(), {low.x, y}, width);
  const SeenAccess* other = picture.other;
  if (other == nullptr) return y - low.y;
  const float end = y, x = picture.other_beside ? low.x + width + context.px(32) : low.x;
  if (picture.other_beside) {
    y = low.y;
  } else {
    y += context.px(picture.compact ? 2 : 6);
    ImGui::GetWindowDrawList()->AddRectFilled({low.x, y}, {low.x + width, y + std::max(1.0F, context.px(1))},
                                              theme.separator);
    y += context.px(picture.compact ? 2 : 4);
  }
  const std::string what =
      context.strings.format(other->writes ? "traffic.store_in_rung" : "traffic.load_in_rung",
                             fmt::arg("number", other->number + 1), fmt::arg("title", context.strings(other->title)));
  draw_caption(context, {x, y}, width, what, {}, cost_text(context.strings, other->access), cost_colour(other->access));
  y += context.px(picture.other_beside ? 24 : 22);
  y += draw_sectors(context, picture.other_view(), {x, y}, width);
  return std::max(y, end) - low.y;
}

std::string passes_text(const Strings& strings, const BankPicture& picture) {
  return strings.format(picture.passes == 1 ? "traffic.one_pass_count" : "traffic.pass_count",
                        fmt::arg("passes", picture.passes));
}

float draw_shared_pictures(PanelContext& context, const TrafficPicture& picture, uint32_t index,
                           const std::optional<uint32_t>& partner, ImVec2 low, float width) {
  const Theme& theme = context.theme;
  const Strings& strings = context.strings;
  const BankPicture shown = bank_picture(*picture.result, index);
  const auto padded = with_padding(shown);
  const float gap = context.px(24), wide = std::min(padded ? std::floor((width - gap) / 2) : width, context.px(520));
  const ImU32 bad = theme.error, good = theme.ok;
  const char* key = shown.is_matrix                        ? "traffic.bank_matrix"
                    : shown.kind == AccessKind::load       ? "traffic.bank_read"
                    : shown.kind == AccessKind::async_copy ? "traffic.bank_copy"
                    : shown.kind == AccessKind::store      ? "traffic.bank_write"
                                                           : "traffic.bank_atomic";
  const std::string detail =
      bank_text(strings, shown) + ", " + strings.format("traffic.a_lane", fmt::arg("bytes", shown.bytes_per_lane));
  draw_caption(context, low, wide, strings(key), detail, passes_text(strings, shown), shown.ways > 1 ? bad : good);
  const float y = low.y + context.px(24);
  // As high as the view allows; if there is too little room, it scrolls.
  const float below_grid = picture.compact ? 78 : 64;  // fan, axis, legend
  const float room = (ImGui::GetWindowPos().y + ImGui::GetWindowHeight() - y) / context.view.scale - below_grid;
  const size_t rows = std::max(bank_rows(shown), padded ? bank_rows(padded->picture) : 0);
  const float height = room < kLeastRow * static_cast<float>(rows) ? 128 : std::min(room, 224.0F);
  float below = draw_banks(context, {.picture = &shown, .partner = partner, .height = height, .least_rows = rows},
                           {low.x, y}, wide);
  if (!padded) return y + below - low.y;
  const float x = low.x + wide + gap;
  const std::string apart = strings.format("traffic.words_apart", fmt::arg("to", padded->to));
  draw_caption(context, {x, low.y}, wide, apart, strings.format("traffic.in_place_of", fmt::arg("from", padded->from)),
               passes_text(strings, padded->picture), padded->picture.ways > 1 ? bad : good);
  explain_rect(
      context, {x, low.y}, {x + wide, y},
      strings.format("traffic.words_apart_meaning", fmt::arg("to", padded->to), fmt::arg("from", padded->from)));
  below = std::max(
      below,
      draw_banks(
          context,
          {.picture = &padded->picture, .partner = partner, .interactive = false, .height = height, .least_rows = rows},
          {x, y}, wide));
  return y + below - low.y;
}

float draw_nothing(PanelContext& context, const RunResult& result, uint32_t focus, ImVec2 low, float width) {
  const bool recorded = focus < result.tiles.blocks_observed;
  const std::string text = result.blocks_sampled > 0
                               ? context.strings("traffic.sampled_no_access")
                               : context.strings.format(recorded ? "tiles.no_access" : "traffic.not_recorded",
                                                        fmt::arg("block", block_number(result.tiles.grid, focus)));
  const TextRun run[] = {{context.fonts.small, context.theme.muted, text}};
  return flow_text(ImGui::GetWindowDrawList(), low, width, context.px(20), run);
}

/// Both pictures side by side, or stacked if there is too little room.
float draw_pictures(PanelContext& context, const TrafficPicture& picture, const ShownAccesses& shown, ImVec2 low,
                    float width) {
  if (!shown.global) return draw_shared_pictures(context, picture, *shown.shared, {}, low, width);
  const bool beside = shown.shared && width >= context.px(640);
  const float left = beside ? std::floor(width * 0.455F) : width, gap = context.px(beside ? 32 : 12);
  const GlobalPicture global = prepare_global(context, picture, shown, low, left);
  // The pointer first: a lane is highlighted in both pictures, whichever one it is on.
  point_at_global(context, global);
  if (!shown.shared) return draw_global(context, global);
  if (beside) {
    const float shared = draw_shared_pictures(context, picture, *shown.shared, shown.global,
                                              {low.x + left + gap, low.y}, width - left - gap);
    return std::max(shared, draw_global(context, global));
  }
  const float first = draw_global(context, global) + gap;
  return first + draw_shared_pictures(context, picture, *shown.shared, shown.global, {low.x, low.y + first}, width);
}

}  // namespace

float draw_instruction(PanelContext& context, TrafficPicture& picture, ImVec2 low, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const RunResult& result = *picture.result;
  const uint64_t blocks = result.tiles.grid.count();
  TraceIndex& index = trace_index(context.view, context.result);
  const float title = context.px(26);
  ImFont* font = context.fonts.body_semibold;
  float x = low.x + draw_text(list, font, {low.x, centred_top(font, low.y + context.px(12))}, context.theme.text,
                              context.strings("traffic.one_instruction"))
                        .x;
  const float behind = draw_launch_choice(context, x + context.px(20), low.y + context.px(12), low.x + width);
  x = std::max(x, behind - context.px(20));
  const bool one_row = width >= context.px(640) && low.x + width - x >= context.px(420);
  const uint32_t focus = focus_block(context.view, blocks);
  const ShownAccesses shown =
      blocks == 0 ? ShownAccesses{}
                  : shown_accesses(index, picture.rows, context.view.hover, context.view.selection, focus);
  const auto place = shown.chosen() ? index.place(*shown.chosen()) : std::nullopt;
  if (!place) return title + draw_nothing(context, result, focus, {low.x, low.y + title}, width);
  Choice choice{index, *place, static_cast<uint32_t>(blocks), statements_of(index, place->block)};
  ImGui::PushID("instruction");
  float y = low.y;
  x = draw_steppers(context, choice, one_row ? ImVec2(x + context.px(20), y) : ImVec2(low.x, y + title));
  y += one_row ? title : 2 * title;
  const WarpAccess global = shown.global ? warp_access(result, *shown.global) : WarpAccess{};
  const BankPicture shared = shown.shared ? bank_picture(result, *shown.shared) : BankPicture{};
  const auto legend = legend_of(context, shown.global ? &global : nullptr, shown.shared ? &shared : nullptr);
  const float needed = legend_width(context, legend), right = low.x + width;
  const bool beside = one_row && x + needed <= right;
  if (beside) draw_legend(context, legend, right - needed + context.px(16), low.y + context.px(12));
  y += draw_pictures(context, picture, shown, {low.x, y}, width);
  if (!beside) {
    draw_legend(context, legend, low.x, y + context.px(12));
    y += context.px(24);
  }
  ImGui::PopID();
  return y - low.y;
}

}  // namespace tilescope
