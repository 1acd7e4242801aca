#include "app/views/sampled_run.hpp"

#include <string>

#include "app/draw/widgets.hpp"
#include "app/observed/wording.hpp"

namespace tilescope {

void offer_full_run(PanelContext& context) {
  Session& session = context.session;
  if (!context.result || context.result->blocks_sampled == 0 || session.shows_own()) return;
  // Everything is executed at a lab's own sizes.
  const Config full = default_config(context.lab(), session.request().device);
  if (full.sizes == session.request().config.sizes) return;
  const Strings& strings = context.strings;
  const std::string label =
      strings.format("sampled.run_at", fmt::arg("sizes", sizes_text(strings, context.lab(), full)));
  if (!empty_state_button(context, "sampled.run_at", label, strings("sampled.run_at_meaning"))) return;
  for (const auto& [name, value] : full.sizes) session.set_size(name, value);
  session.submit();
}

void draw_not_observed(PanelContext& context) {
  const RunResult& result = *context.result;
  std::string why = sentence(context.strings, result.not_observed_reason);
  if (result.blocks_sampled > 0) why += context.strings("tiles.not_observed_hint");
  empty_state(context, context.strings("tiles.not_observed_title"), why);
  offer_full_run(context);
}

}  // namespace tilescope
