// The lanes of one access to shared memory, and the words that they request on the grid of 32 banks.
#include <algorithm>
#include <bit>
#include <cmath>

#include "app/draw/shapes.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/traffic/traffic_view.hpp"

namespace tilescope {
namespace {

constexpr float kLanes = 16, kFan = 18, kAxis = 16;  // unscaled heights
constexpr size_t kBankMostRows = 40;                 // drawn contiguously, including untouched ones

/// The visible rows of words. If they are far apart, only the touched ones are drawn.
struct BankGrid {
  ImVec2 low;
  float cell_x = 0, cell_y = 0;
  std::vector<int64_t> rows;
  ImVec2 corner(int64_t row, int bank) const {
    const auto at = std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
    return {low.x + static_cast<float>(bank) * cell_x, std::round(low.y + static_cast<float>(at) * cell_y)};
  }
  float bottom(int64_t row) const {
    const auto at = std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
    return std::round(low.y + static_cast<float>(at + 1) * cell_y);
  }
  float height() const { return static_cast<float>(rows.size()) * cell_y; }
};

/// The rows to draw: all between the first and the last one if there are few.
std::vector<int64_t> rows_to_draw(const BankPicture& picture) {
  std::vector<int64_t> rows = picture.rows();
  if (rows.empty() || rows.back() - rows.front() >= static_cast<int64_t>(kBankMostRows)) return rows;
  const int64_t first = rows.front(), last = rows.back();
  rows.clear();
  for (int64_t row = first; row <= last; ++row) rows.push_back(row);
  return rows;
}

BankGrid lay_out_banks(const PanelContext& context, const BankView& view, ImVec2 low, float width) {
  BankGrid grid;
  grid.low = low;
  grid.cell_x = width / kBanks;
  grid.rows = rows_to_draw(*view.picture);
  const size_t rows = std::max({grid.rows.size(), view.least_rows, size_t{1}});
  grid.cell_y = std::clamp(context.px(view.height) / static_cast<float>(rows), context.px(2), context.px(14));
  return grid;
}

ImU32 word_colour(const Theme& theme, const BankPicture& picture, const BankWord& word) {
  return word.ways > 1 ? theme.error : pass_colour(theme, word.pass, picture.groups);
}

std::string lanes_of(const BankWord& word) {
  std::string text;
  for (uint32_t left = word.lanes; left != 0;) {
    const int first = std::countr_zero(left);
    int last = first;
    while (last < 31 && (left >> (last + 1) & 1) != 0) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(first);
    if (last > first) text += "–" + std::to_string(last);
    for (int lane = first; lane <= last; ++lane) left &= ~(1U << lane);
  }
  return text;
}

void draw_cells(PanelContext& context, const BankView& view, const BankGrid& grid) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const float gap_x = grid.cell_x >= context.px(4) ? 1.0F : 0.0F, gap_y = grid.cell_y >= context.px(3) ? 1.0F : 0.0F;
  const ImU32 idle = mix(theme.window, theme.separator, 0.75F);
  // One surface divided by lines: a thousand separate cells would take longer than the rest of the view.
  const ImVec2 high{grid.low.x + grid.cell_x * kBanks - gap_x, std::round(grid.low.y + grid.height()) - gap_y};
  list->AddRectFilled(grid.low, high, idle);
  for (int bank = 1; bank < kBanks && gap_x > 0; ++bank) {
    const float x = grid.low.x + static_cast<float>(bank) * grid.cell_x;
    list->AddRectFilled({x - gap_x, grid.low.y}, {x, high.y}, theme.window);
  }
  for (size_t i = 0; i + 1 < grid.rows.size() && gap_y > 0; ++i) {
    const float y = grid.bottom(grid.rows[i]);
    list->AddRectFilled({grid.low.x, y - gap_y}, {high.x, y}, theme.window);
  }
  for (const BankWord& word : view.picture->words) {
    const ImVec2 low = grid.corner(word.row(), word.bank());
    list->AddRectFilled(low, {low.x + grid.cell_x - gap_x, grid.bottom(word.row()) - gap_y},
                        word_colour(theme, *view.picture, word));
  }
}

void draw_axis(PanelContext& context, const BankGrid& grid) {
  ImFont* small = context.fonts.small;
  const float y = grid.low.y + grid.height() + context.px(9);
  for (const int bank : {0, 8, 16, 24, 31})
    draw_text_centred(ImGui::GetWindowDrawList(), small,
                      {grid.low.x + (static_cast<float>(bank) + 0.5F) * grid.cell_x, y}, context.theme.muted,
                      std::to_string(bank));
}

/// The word under the pointer; null if none.
const BankWord* word_under_pointer(PanelContext& context, const BankView& view, const BankGrid& grid, float width) {
  ImGui::SetCursorScreenPos(grid.low);
  hit_area("banks", {std::max(width, 1.0F), std::max(grid.height(), 1.0F)});
  if (view.interactive) mark(context, "traffic.banks", grid.low, {grid.low.x + width, grid.low.y + grid.height()});
  if (!ImGui::IsItemHovered() || grid.rows.empty()) return nullptr;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const int bank = std::clamp(static_cast<int>((pointer.x - grid.low.x) / grid.cell_x), 0, kBanks - 1);
  const auto at =
      std::min(static_cast<size_t>(std::max((pointer.y - grid.low.y) / grid.cell_y, 0.0F)), grid.rows.size() - 1);
  for (const BankWord& word : view.picture->words)
    if (word.bank() == bank && word.row() == grid.rows[at]) return &word;
  const Strings& strings = context.strings;
  explain(context, strings.format("traffic.explain_idle_word", fmt::arg("bank", bank),
                                  fmt::arg("word", with_separators(grid.rows[at] * kBanks + bank))));
  return nullptr;
}

void explain_word(PanelContext& context, const BankPicture& picture, const BankWord& word) {
  const Strings& strings = context.strings;
  std::string text = strings.format(
      "traffic.explain_word", fmt::arg("bank", word.bank()), fmt::arg("word", with_separators(word.word)),
      fmt::arg("byte", with_separators(word.word * 4)), fmt::arg("lanes", lanes_of(word)));
  if (picture.groups > 1)
    text += " " + strings.format("traffic.explain_group", fmt::arg("group", word.pass + 1),
                                 fmt::arg("groups", picture.groups));
  text += " " + (word.ways > 1 ? strings.format("traffic.explain_turn", fmt::arg("turn", word.turn + 1),
                                                fmt::arg("ways", word.ways))
                               : strings("traffic.explain_no_conflict"));
  explain(context, text);
}

/// Hover and click on a lane of this access set the view's selection.
void point_at(PanelContext& context, const BankPicture& picture, int lane) {
  context.view.hover = select_access(*context.result, picture.access, lane);
  if (ImGui::IsItemClicked()) context.view.selection = context.view.hover;
}

int lane_under_pointer(PanelContext& context, const BankView& view, ImVec2 low, float width) {
  ImGui::SetCursorScreenPos(low);
  hit_area("bank lanes", {std::max(width, 1.0F), context.px(kLanes)});
  mark(context, "traffic.bank_lanes", low, {low.x + width, low.y + context.px(kLanes)});
  if (!ImGui::IsItemHovered()) return -1;
  const int lane = std::clamp(static_cast<int>((ImGui::GetIO().MousePos.x - low.x) / width * 32), 0, 31);
  const BankPicture& picture = *view.picture;
  if (!picture.is_active(lane)) {
    explain(context, context.strings.format("tiles.explain_lane_masked", fmt::arg("lane", lane)));
    return -1;
  }
  const int64_t offset = picture.offset[static_cast<size_t>(lane)];
  explain(context,
          context.strings.format(picture.reads() ? "traffic.explain_lane_reads" : "traffic.explain_lane_writes",
                                 fmt::arg("lane", lane), fmt::arg("bytes", picture.bytes_per_lane),
                                 fmt::arg("byte", with_separators(offset)), fmt::arg("bank", picture.bank_of(lane))));
  point_at(context, picture, lane);
  return lane;
}

void draw_lane(PanelContext& context, const BankView& view, const BankGrid& grid, int lane, ImVec2 low, ImVec2 high,
               bool lit) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const BankPicture& picture = *view.picture;
  if (!picture.is_active(lane)) {
    hatch(list, low, high, mix(theme.window, theme.muted, 0.4F), context.px(4));
    return;
  }
  const ImU32 role = picture.ways > 1 ? theme.error : pass_colour(theme, picture.group_of(lane), picture.groups);
  const ImU32 surface = lit ? role : mix(theme.window, role, 0.42F);
  list->AddRectFilled(low, high, surface);
  if (grid.cell_x >= context.px(16) && (lane % 4 == 0 || lane == 31))
    draw_text_centred(list, context.fonts.small, {(low.x + high.x) / 2, (low.y + high.y) / 2},
                      readable_on(surface, theme), std::to_string(lane));
  const int words = std::max(1, static_cast<int>(picture.bytes_per_lane / 4));
  const float to =
      grid.low.x + (static_cast<float>(picture.bank_of(lane)) + static_cast<float>(words) / 2) * grid.cell_x;
  list->AddLine({(low.x + high.x) / 2, high.y + 1}, {to, grid.low.y - 1}, lit ? role : mix(theme.window, role, 0.42F),
                lit ? context.px(1.5F) : 1.0F);
}

void frame_words(PanelContext& context, const BankView& view, const BankGrid& grid, uint32_t lanes) {
  for (const BankWord& word : view.picture->words) {
    if ((word.lanes & lanes) == 0) continue;
    const ImVec2 low = grid.corner(word.row(), word.bank());
    ImGui::GetWindowDrawList()->AddRect({low.x - 1, low.y - 1}, {low.x + grid.cell_x, low.y + grid.cell_y},
                                        context.theme.accent, 0, 0, context.px(1.5F));
  }
}

}  // namespace

size_t bank_rows(const BankPicture& picture) { return rows_to_draw(picture).size(); }

float draw_banks(PanelContext& context, const BankView& view, ImVec2 low, float width) {
  const BankPicture& picture = *view.picture;
  ImGui::PushID(view.interactive ? "shown" : "compared");
  const ImVec2 grid_low{low.x, low.y + context.px(kLanes + kFan)};
  const BankGrid grid = lay_out_banks(context, view, grid_low, width);
  uint32_t lit = 0;
  if (view.interactive) {
    if (const int lane = lane_under_pointer(context, view, low, width); lane >= 0) lit |= 1U << lane;
  }
  if (const BankWord* word = word_under_pointer(context, view, grid, width)) {
    explain_word(context, picture, *word);
    lit |= word->lanes;
    if (view.interactive) point_at(context, picture, std::countr_zero(word->lanes));
  }
  for (int lane = 0; lane < 32; ++lane)
    if (is_lit(context.view, lane, picture.access, view.partner) ||
        is_selected(context.view, lane, picture.access, view.partner))
      lit |= 1U << lane;
  draw_cells(context, view, grid);
  const float pitch = width / 32, gap = std::max(1.0F, context.px(1));
  for (int lane = 0; lane < 32; ++lane) {
    const float x = low.x + static_cast<float>(lane) * pitch;
    draw_lane(context, view, grid, lane, {x, low.y}, {x + pitch - gap, low.y + context.px(kLanes)},
              (lit >> lane & 1) != 0);
  }
  frame_words(context, view, grid, lit & picture.mask);
  draw_axis(context, grid);
  ImGui::PopID();
  return grid_low.y + grid.height() + context.px(kAxis) - low.y;
}

}  // namespace tilescope
