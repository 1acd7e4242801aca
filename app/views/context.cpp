#include "app/views/context.hpp"

namespace tilescope {

ChosenRung chosen_rung(const PanelContext& context) {
  if (!context.rung().pick) return {&context.rung(), context.session.request().config, nullptr};
  const Session::Chosen* chosen = context.session.chosen();
  if (chosen == nullptr) return {};
  return {chosen->resolved.rung, chosen->resolved.config, &*chosen->resolved.pick};
}

const std::string& shown_kernel(const PanelContext& context) {
  // With several launches, the one that the other views show, once that is known.
  if (const auto& result = context.result; result && !result->request.own_lab && result->plan.launches.size() > 1) {
    const bool current = result->request.lab == context.lab().name && result->request.rung == context.rung().name;
    if (current && result->launch < result->plan.launches.size()) return result->plan.launches[result->launch].kernel;
  }
  if (const Session::Chosen* chosen = context.session.chosen(); chosen != nullptr) return chosen->kernels.front();
  const Rung& rung = context.rung().pick ? context.lab().rungs.front() : context.rung();
  return rung.kernels.front();
}

}  // namespace tilescope
