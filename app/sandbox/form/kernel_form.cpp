#include "app/sandbox/form/kernel_form.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace tilescope {

const std::string& KernelForm::text(const std::string& field) const {
  static const std::string empty;
  if (const auto found = edits.find(field); found != edits.end()) return found->second;
  const auto found = defaults.find(field);
  return found != defaults.end() ? found->second : empty;
}

void KernelForm::set(const std::string& field, const std::string& value) {
  const auto found = defaults.find(field);
  if (value == (found != defaults.end() ? found->second : std::string()))
    edits.erase(field);
  else
    edits[field] = value;
}

int64_t n_of(const KernelForm& form) {
  int64_t n = 0;
  const std::string& text = form.text("n");
  std::from_chars(text.data(), text.data() + text.size(), n);
  return std::clamp(n, kSmallestN, kLargestN);
}

std::string_view name_of(Role role) {
  constexpr std::array<std::string_view, 4> kNames{"input", "output", "inout", "scratch"};
  return kNames[static_cast<size_t>(role)];
}

std::optional<Role> role_from(std::string_view name) {
  for (const Role role : {Role::input, Role::output, Role::inout, Role::scratch})
    if (name_of(role) == name) return role;
  return std::nullopt;
}

}  // namespace tilescope
