#include "engine/tune/maps/tune_map.hpp"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

constexpr std::array<std::string_view, 5> kStates{"untried", "timed", "wrong", "failed", "impossible"};
constexpr std::array<std::string_view, 7> kLimiters{"none",         "threads",  "registers", "shared memory",
                                                    "divisibility", "compiler", "other"};

template <class Enum, size_t N>
std::optional<Enum> named(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view name_of(TuneState state) { return kStates.at(static_cast<size_t>(state)); }
std::string_view name_of(Limiter limiter) { return kLimiters.at(static_cast<size_t>(limiter)); }
std::optional<TuneState> tune_state_named(std::string_view name) { return named<TuneState>(kStates, name); }
std::optional<Limiter> limiter_named(std::string_view name) { return named<Limiter>(kLimiters, name); }

size_t TuneMap::count(TuneState state) const {
  return static_cast<size_t>(std::ranges::count(entries, state, &TuneEntry::state));
}

std::map<Limiter, size_t> TuneMap::limiters() const {
  std::map<Limiter, size_t> counts;
  for (const TuneEntry& entry : entries)
    if (entry.state == TuneState::impossible) ++counts[entry.limiter];
  return counts;
}

std::optional<size_t> TuneMap::best() const {
  std::optional<size_t> best;
  const bool finals = std::ranges::any_of(entries, [](const TuneEntry& entry) { return entry.final_ms > 0; });
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].state != TuneState::timed || (finals && entries[i].final_ms <= 0)) continue;
    if (!best || entries[i].milliseconds() < entries[*best].milliseconds()) best = i;
  }
  return best;
}

double TuneMap::times_best(size_t entry) const {
  const auto index = best();
  if (!index || entries[entry].state != TuneState::timed) return 0;
  const TuneEntry &one = entries[entry], &fastest = entries[*index];
  const bool finals = one.final_ms > 0 && fastest.final_ms > 0;
  return finals ? one.final_ms / fastest.final_ms : one.median_ms / fastest.median_ms;
}

std::vector<size_t> TuneMap::ranking() const {
  std::vector<size_t> order;
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].state == TuneState::timed) order.push_back(i);
  // Those that were timed again come first: their times are not comparable with first ones.
  std::ranges::stable_sort(order, [this](size_t a, size_t b) {
    const bool again = entries[a].final_ms > 0, other = entries[b].final_ms > 0;
    return again != other ? again : entries[a].milliseconds() < entries[b].milliseconds();
  });
  return order;
}

std::optional<size_t> TuneMap::index_of(const std::map<std::string, int64_t>& values) const {
  size_t index = 0;
  for (const TuneAxis& axis : axes) {
    const auto value = values.find(axis.name);
    if (value == values.end()) return std::nullopt;
    const auto found = std::ranges::find(axis.values, value->second);
    if (found == axis.values.end()) return std::nullopt;
    index = index * axis.values.size() + static_cast<size_t>(found - axis.values.begin());
  }
  return index;
}

std::map<std::string, int64_t> TuneMap::params_of(size_t entry) const {
  std::map<std::string, int64_t> values;
  for (size_t i = 0; i < axes.size(); ++i) values[axes[i].name] = entries[entry].values[i];
  return values;
}

std::map<std::string, int64_t> TuneMap::configuration_of(size_t entry, const std::vector<std::string>& used) const {
  std::map<std::string, int64_t> values = params_of(entry);
  for (const auto& [name, value] : params)
    if (std::ranges::count(used, name) > 0) values[name] = value;
  return values;
}

bool TuneMap::complete() const { return !entries.empty() && count(TuneState::untried) == 0; }

std::string TuneMap::text_of(size_t entry) const {
  std::string text;
  for (size_t i = 0; i < axes.size(); ++i)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", axes[i].name, entries[entry].values[i]);
  return text;
}

}  // namespace tilescope
