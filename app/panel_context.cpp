#include "app/panel_context.hpp"

namespace tilescope {

ChosenRung chosen_rung(const PanelContext& context) {
  const Request& request = context.session.request();
  if (!context.rung().pick) return {&context.rung(), request.config, nullptr};
  const RunResult* result = context.result.get();
  if (result == nullptr || !result->pick || result->request.lab != request.lab || result->request.rung != request.rung)
    return {};
  return {find_rung(context.lab(), result->rung), result->config, &*result->pick};
}

const std::string& shown_kernel(const PanelContext& context) {
  const ChosenRung chosen = chosen_rung(context);
  const Rung& rung = chosen.rung != nullptr ? *chosen.rung : context.lab().rungs.front();
  return rung.kernels.front();
}

}  // namespace tilescope
