#include "engine/reference/registry.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "engine/reference/reference.hpp"

namespace tilescope {
namespace {

/// Filled before main by static initialisers, so it must be constructed on first use. Entries never move.
std::deque<ReferenceRegistration>& registry() {
  static std::deque<ReferenceRegistration> all;
  return all;
}

}  // namespace

bool register_reference(ReferenceRegistration registration) {
  registry().push_back(std::move(registration));
  return true;
}

const ReferenceRegistration* find_reference(const std::string& name) {
  const auto found = std::ranges::find_if(
      registry(), [&](const ReferenceRegistration& one) { return std::ranges::count(one.names, name) != 0; });
  return found != registry().end() ? &*found : nullptr;
}

bool only_moves_bytes(const ReferenceSpec& spec) {
  const ReferenceRegistration* registration = find_reference(spec.implementation);
  return registration != nullptr && registration->only_moves_bytes;
}

}  // namespace tilescope
