#include "app/panel_context.hpp"

namespace tilescope {

ChosenRung chosen_rung(const PanelContext& context) {
  if (!context.rung().pick) return {&context.rung(), context.session.request().config, nullptr};
  const Session::Chosen* chosen = context.session.chosen();
  if (chosen == nullptr) return {};
  return {chosen->resolved.rung, chosen->resolved.config, &*chosen->resolved.pick};
}

const std::string& shown_kernel(const PanelContext& context) {
  if (const Session::Chosen* chosen = context.session.chosen(); chosen != nullptr) return chosen->kernels.front();
  const Rung& rung = context.rung().pick ? context.lab().rungs.front() : context.rung();
  return rung.kernels.front();
}

}  // namespace tilescope
