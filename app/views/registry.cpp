#include <algorithm>

#include "app/exercises/submission.hpp"
#include "app/views/view.hpp"

namespace tilescope {
namespace {

/// Filled before main by the static initialisers of the views, so it must be constructed on first use.
std::vector<ViewSpec>& registry() {
  static std::vector<ViewSpec> all;
  return all;
}

}  // namespace

std::string ViewSpec::text(std::string_view key) const { return "view." + std::string(name) + "." + std::string(key); }

ViewRegistration::ViewRegistration(ViewSpec spec) {
  const auto before = [](const ViewSpec& a, const ViewSpec& b) {
    return std::pair(a.order, a.name) < std::pair(b.order, b.name);
  };
  registry().insert(std::upper_bound(registry().begin(), registry().end(), spec, before), spec);
}

const std::vector<ViewSpec>& views() { return registry(); }

const ViewSpec* find_view(std::string_view name) {
  const auto found = std::ranges::find(registry(), name, &ViewSpec::name);
  return found == registry().end() ? nullptr : &*found;
}

std::vector<std::string> view_names() {
  std::vector<std::string> names;
  for (const ViewSpec& view : registry()) names.emplace_back(view.name);
  return names;
}

WindowViews::WindowViews() {
  for (const ViewSpec& spec : views()) views_.push_back(spec.make());
}

size_t WindowViews::index_of(std::string_view name) {
  const auto found = std::ranges::find(views(), name, &ViewSpec::name);
  return found == views().end() ? 0 : static_cast<size_t>(found - views().begin());
}

bool shows_exercise(const Session& session) {
  return session.shows_own() && session.lab().name.starts_with(kExerciseLab);
}

}  // namespace tilescope
