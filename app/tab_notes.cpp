#include "app/tab_notes.hpp"

#include <algorithm>
#include <array>

#include "app/panels/order_view.hpp"

namespace tilescope {
namespace {

/// The text that says why a tab is empty; null if it is not, or if nothing has run.
const char* reason_of(const std::shared_ptr<const RunResult>& result, Tab tab) {
  if (result == nullptr) return nullptr;
  switch (tab) {
    case Tab::order:
      return has_order(result) ? nullptr : "tab.no_order";
    case Tab::shared: {
      const bool used = std::ranges::any_of(result->traffic.lines,
                                            [](const LineTraffic& line) { return line.space == Space::shared; });
      return !result->observed || used ? nullptr : "tab.no_shared";
    }
    case Tab::correctness: {
      const bool anything = !result->correctness.empty() || !result->statistics.empty() || !result->output.empty() ||
                            !result->findings.empty();
      return anything ? nullptr : "tab.not_compared";
    }
    default:
      return nullptr;
  }
}

}  // namespace

TabNote note_of_tab(const PanelContext& context, Tab tab) {
  static constexpr std::array<const char*, 8> kMeanings{
      "tab.lesson_meaning", "tab.tiles_meaning",  "tab.traffic_meaning", "tab.order_meaning",
      "tab.step_meaning",   "tab.shared_meaning", "tab.waves_meaning",   "tab.correctness_meaning"};
  TabNote note{context.strings(kMeanings[static_cast<size_t>(tab)]), false};
  const char* reason = reason_of(context.result, tab);
  if (reason == nullptr) return note;
  note.meaning += "\n" + context.strings(reason);
  note.empty = true;
  return note;
}

}  // namespace tilescope
