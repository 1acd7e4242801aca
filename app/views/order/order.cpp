// The order view: when each tile is computed, and what the resident tiles need of the operands.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/result_verdict.hpp"
#include "app/views/order/order_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr float kPadding = 24, kBetween = 48, kPlayback = 40, kLeastMap = 72;
constexpr float kLower = 64;  // maps are high, so the area below them starts lower

const ViewRegistration registered_order{{"order", 40, make_view<OrderView>}};

float draw_sentence(OrderFrame& frame, ImVec2 low, float right) {
  const PanelContext& context = frame.context;
  const OrderModel& model = frame.model();
  // Chinese needs no space between sentences.
  const std::string space = context.strings.language == Language::en ? " " : "";
  const std::string reason = space + context.strings(model.why);
  const std::string failure = space + failure_sentence(*context.result, context.strings);
  const TextRun runs[] = {{context.fonts.body_semibold, context.theme.text, context.strings(model.finding)},
                          {context.fonts.body, context.theme.text, reason},
                          {context.fonts.body, context.theme.error, failure}};
  const float badge = badge_width(context, Badge::modelled) + context.px(24);
  draw_badge(frame.context, frame.list, {right, low.y + context.px(2)}, Badge::modelled);
  return flow_text(frame.list, low, right - low.x - badge, context.px(24), runs);
}

/// Explains the tile under the pointer, and selects it on a click.
void react(OrderFrame& frame, const ShownOrder& order, uint32_t tile) {
  const OrderPicture& picture = frame.picture;
  const Strings& strings = frame.context.strings;
  const uint32_t position = order.position_of[tile];
  if (position >= frame.model().blocks) return;
  const uint32_t block = picture.block_of_tile(tile);
  frame.context.view.hover.block = block;
  const uint64_t wave = position / std::max<uint64_t>(1, frame.model().resident_blocks);
  std::string text;
  if (picture.matrix) {
    const auto& operands = frame.model().operands;
    text = strings.format(
        "order.explain_tile", fmt::arg("row", with_separators(picture.row_of(tile))),
        fmt::arg("column", with_separators(picture.column_of(tile))), fmt::arg("position", with_separators(position)),
        fmt::arg("all", with_separators(frame.model().blocks)), fmt::arg("wave", with_separators(wave + 1)),
        fmt::arg("a", operand_name(operands[frame.model().row_operand].name)),
        fmt::arg("b", operand_name(operands[frame.model().column_operand].name)));
  } else {
    text = strings.format("order.explain_block", fmt::arg("block", with_separators(position)),
                          fmt::arg("all", with_separators(frame.model().blocks)),
                          fmt::arg("wave", with_separators(wave + 1)));
  }
  if (!order.launched) text += strings.format("order.explain_launched", fmt::arg("block", with_separators(block)));
  explain(frame.context, text);
  if (ImGui::IsItemClicked()) {
    Selection picked;
    picked.block = block;
    picked.line = frame.context.view.selection.line;
    frame.context.view.selection = picked;
  }
}

std::optional<uint32_t> tile_of(const OrderFrame& frame, const std::optional<uint32_t>& block) {
  if (!block || *block >= frame.model().blocks) return {};
  return frame.picture.tile_of_block(*block);
}

void draw_maps(OrderFrame& frame, ImVec2 low, ImVec2 high) {
  const auto& orders = frame.picture.orders;
  const auto count = static_cast<float>(orders.size());
  const float between = kBetween * frame.unit();
  const float width = std::floor((high.x - low.x - between * (count - 1)) / count);
  const auto corner = [&](size_t i) { return ImVec2(low.x + static_cast<float>(i) * (width + between), low.y); };
  for (size_t i = 0; i < orders.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (const auto tile = point_at_order_map(frame, orders[i], corner(i), {corner(i).x + width, high.y}))
      react(frame, orders[i], *tile);
    ImGui::PopID();
  }
  frame.hovered = tile_of(frame, frame.context.view.hover.block);
  for (size_t i = 0; i < orders.size(); ++i) draw_order_map(frame, orders[i], corner(i), {corner(i).x + width, high.y});
}

}  // namespace

void OrderView::draw_modelled(PanelContext& context) {
  const OrderPicture& picture = this->picture(context.result);
  advance_order(context.view, picture.model(), static_cast<double>(ImGui::GetIO().DeltaTime));
  const ImVec2 origin = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float unit = context.view.scale, left = origin.x + kPadding * unit;
  const float right = origin.x + size.x - kPadding * unit, bottom = origin.y + size.y;
  OrderFrame frame{.context = context,
                   .picture = picture,
                   .list = ImGui::GetWindowDrawList(),
                   .window = window_of(context.view, picture.model()),
                   .hovered = {},
                   .selected = {}};
  frame.selected = tile_of(frame, context.view.selection.block);
  const float top = origin.y + 12 * unit;
  const float said = draw_sentence(frame, {left, top}, right);
  const ImVec2 low{left, std::floor(top + said + 6 * unit)}, high{right, std::floor(bottom - (kPlayback + 4) * unit)};
  if (high.y - low.y >= kLeastMap * unit && right - left >= 120 * unit) draw_maps(frame, low, high);
  if (bottom - kPlayback * unit < top + said) return;
  separator_line(context, bottom - kPlayback * unit);
  draw_order_playback(frame, {left, bottom - kPlayback * unit}, {right, bottom});
}

namespace {

/// A lab without an order model: what is missing, and a button that computes it.
void draw_absent(PanelContext& context) {
  const Strings& strings = context.strings;
  const RunResult& result = *context.result;
  if (result.block_order) {
    const Phrase& reason = result.block_order->reason;
    return empty_state(context, strings("order.not_modelled_title"),
                       reason.empty()
                           ? strings("order.no_blocks")
                           : strings.format("order.not_modelled_hint", fmt::arg("reason", strings.say(reason))));
  }
  empty_state(context, strings("order.not_asked_title"), strings("order.not_asked_hint"));
  if (empty_state_button(context, "order.model_it", strings("order.model_it"), strings("order.model_it_meaning"))) {
    context.session.set_model_order(true);
    context.session.submit();
  }
}

}  // namespace

const OrderPicture& OrderView::picture(const std::shared_ptr<const RunResult>& result) {
  if (!picture_.result.is(result)) picture_ = make_order_picture(result);
  return picture_;
}

const char* OrderView::empty_reason(const std::shared_ptr<const RunResult>& result) const {
  return has_order(result) ? nullptr : "view.order.empty_reason";
}

bool OrderView::moving(const Session&, const ViewState& view) const { return view.playback.playing; }

Lower OrderView::lower(const PanelContext& context, bool) const {
  if (!has_order(context.result)) return {};
  return {.areas = Lower::Areas::own, .lowered = kLower};
}

void OrderView::apply(ViewState&, const ShotWishes& wishes) {
  static constexpr std::array<std::pair<std::string_view, OrderTab>, 5> kTabs{{{"bytes", OrderTab::bytes},
                                                                               {"waves", OrderTab::waves},
                                                                               {"source", OrderTab::source},
                                                                               {"sweep", OrderTab::sweep},
                                                                               {"ladder", OrderTab::ladder}}};
  tab_ = OrderTab::groups;
  for (const auto& [name, tab] : kTabs)
    if (wishes.bottom == name) tab_ = tab;
}

void OrderView::draw(PanelContext& context) {
  if (!context.result) {
    empty_state(context, context.strings("order.empty_title"), context.strings("order.empty_hint"));
    return;
  }
  follow_result(context.view, context.result);
  if (has_order(context.result))
    draw_modelled(context);
  else
    draw_absent(context);
  dim_if_stale(context);
}

bool OrderView::keys(PanelContext& context) {
  if (!has_order(context.result)) return true;
  const OrderModel& model = *context.result->block_order;
  ViewState& view = context.view;
  const bool by_wave = ImGui::GetIO().KeyShift;
  const auto step = [&](int64_t by) { by_wave ? step_wave(view, model, by) : step_block(view, model, by); };
  if (key_went_down(Key::space)) toggle_order(view, model);
  if (key_repeats(Key::left)) step(-1);
  if (key_repeats(Key::right)) step(1);
  if (key_went_down(Key::home)) show_wave(view, model, 0);
  if (key_went_down(Key::end)) show_wave(view, model, model.launched.waves.size() - 1);
  return true;
}

/// Bars beside plots if there is room for both, else everything as tabs.
void OrderView::draw_lower(PanelContext& context, const Area& left, const Area& right) {
  begin_area("order bytes", left, kFixedArea);
  draw_bytes(context);
  ImGui::EndChild();
  begin_area("order plots", right, kFixedArea);
  draw_tabs(context, /*with_bytes=*/false);
  edge(context.theme, right.left, right.top, right.left + std::max(1.0F, std::round(context.view.scale)), right.bottom);
  ImGui::EndChild();
}

void OrderView::draw_lower_stacked(PanelContext& context, const Area& whole) {
  begin_area("order tabs", whole, kFixedArea);
  draw_tabs(context, /*with_bytes=*/true);
  ImGui::EndChild();
}

}  // namespace tilescope
