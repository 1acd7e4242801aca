// What the chosen rung of a plane allocates, beside a rung that stores the whole plane.
#include "app/panels/controls/controls_parts.hpp"
#include "app/panels/speed/speed_views.hpp"

namespace tilescope {

void plane_memory_card(Column& column) {
  PanelContext& context = column.context;
  const ChosenRung chosen = chosen_rung(context);
  if (!context.lab().plane || chosen.rung == nullptr) return;
  const Lab& lab = context.lab();
  const MemoryCurve* most = nullptr;
  const MemorySweep& sweep = known_sweep(context);
  for (const MemoryCurve& line : sweep.lines)
    if (line.power >= 2) most = &line;
  const double own = allocated_bytes(lab, *chosen.rung, chosen.config);
  const float top = column.y;
  card_title(column, "plane.card", Badge::modelled);
  column.text(column.fonts().title_semibold, column.left, 20, column.theme().text, bytes_text(own));
  column.y += column.px(28);
  if (most != nullptr) {
    const double unfused = allocated_bytes(lab, *most->rungs.front(), chosen.config);
    card_line(column, context.strings(most->rungs.front()->title), bytes_text(unfused), column.theme().text);
    if (own > 0) {
      const double ratio = unfused / own;
      card_line(column, context.strings("plane.card_ratio"), fmt::format("{:.{}f}×", ratio, ratio < 100 ? 1 : 0),
                column.theme().text);
    }
  }
  explain_rect(context, {column.left, top}, {column.right, column.y}, context.strings("plane.memory_note"));
  mark(context, "card.memory", {column.left, top}, {column.right, column.y});
  column.separator(16);
}

}  // namespace tilescope
