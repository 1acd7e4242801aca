// The cards of the block-order model: bytes from device memory and the L2's hit rate, compared with row-major order.
#include "app/observed/order_model.hpp"
#include "app/panels/controls/controls_parts.hpp"
#include "engine/traffic/block_order/model_error.hpp"

namespace tilescope {
namespace {

void value_row(Column& column, const std::string& value) {
  column.text(column.fonts().title_semibold, column.left, 20, column.theme().text, value);
  column.y += column.px(28);
}

/// A line of a card that a tooltip explains.
void explained_line(Column& column, const char* name, const std::string& value, ImU32 color,
                    const std::string& meaning) {
  const float top = column.y;
  card_line(column, column.context.strings(name), value, color);
  explain_rect(column.context, {column.left, top}, {column.right, column.y}, meaning);
}

void bytes_card(Column& column, const OrderModel& model, const OrderTraffic* row_major) {
  const Strings& text = column.context.strings;
  const OrderTraffic& here = model.launched;
  const float top = column.y;
  card_title(column, "order.device_bytes", Badge::modelled);
  value_row(column, three_figures(modelled_bytes(here, OrderBytes::device)));
  if (row_major != nullptr)
    card_line(column, text("order.in_row_major"), three_figures(modelled_bytes(*row_major, OrderBytes::device)),
              column.theme().text);
  explained_line(column, "order.strip_bytes", three_figures(static_cast<double>(here.strip_bytes())),
                 column.theme().text, text("order.strip_meaning"));
  explained_line(column, "order.bounds",
                 three_figures(static_cast<double>(model.least_read())) + " – " +
                     three_figures(static_cast<double>(model.most_read())),
                 model.is_sure() ? column.theme().text : column.theme().waiting, order_certainty(text, model));
  const KeptOutError& error = kSteadyOrderKeptOut;
  explained_line(column, "order.steady", three_figures(static_cast<double>(model.read_at_steady_clock)),
                 column.theme().text,
                 text.format("order.steady_meaning", fmt::arg("cases", error.cases), fmt::arg("gpu", error.gpu),
                             fmt::arg("held", error.within_15_percent)));
  card_line(column, text("order.l2_bytes_read"), three_figures(modelled_bytes(here, OrderBytes::l2)),
            column.theme().text);
  explain_rect(column.context, {column.left, top}, {column.right, column.y},
               text.format("order.card_meaning", fmt::arg("gpu", model.gpu)) + " " +
                   text.format("order.kept_out", fmt::arg("cases", kOrderKeptOut.cases),
                               fmt::arg("gpu", kOrderKeptOut.gpu), fmt::arg("held", kOrderKeptOut.within_15_percent),
                               fmt::arg("median", fmt::format("{:.1f}", kOrderKeptOut.median_percent))));
  mark(column.context, "card.device_bytes", {column.left, top}, {column.right, column.y});
}

void hit_rate_card(Column& column, const OrderModel& model, const OrderTraffic* row_major) {
  const Strings& text = column.context.strings;
  card_title(column, "order.hit_rate", Badge::modelled);
  value_row(column, percent_text(model.launched.l2_hit_rate));
  if (row_major != nullptr)
    card_line(column, text("order.in_row_major"), percent_text(row_major->l2_hit_rate), column.theme().text);
  paragraph(column, text("order.hit_rate_note"), column.theme().muted);
}

}  // namespace

void order_cards(Column& column) {
  const auto& result = column.context.result;
  if (!has_order(result)) return;
  const OrderModel& model = *result->block_order;
  const OrderTraffic* row_major = model.find(OrderTraffic::Kind::row_major);
  {
    const Dimmed dimmed(column);
    bytes_card(column, model, row_major);
  }
  column.separator(16);
  {
    const Dimmed dimmed(column);
    hit_rate_card(column, model, row_major);
  }
  column.separator(16);
}

}  // namespace tilescope
