#include "app/views/lesson/figures/figure.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilescope {
namespace {

std::vector<std::string> parts_between(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<FigureKind>& registered_figures() {
  static std::vector<FigureKind> kinds;
  return kinds;
}

}  // namespace

FigureParameters::FigureParameters(std::string_view text, std::span<const GpuSpec> gpus) : gpus_(gpus) {
  for (const std::string& word : parts_between(text, ' ')) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      reject({"figure.fault_word", {{"word", word}}});
    else
      given_.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
}

void FigureParameters::reject(FigureFault fault) {
  if (!fault_) fault_ = std::move(fault);
}

void FigureParameters::reject_value(const char* key, const std::string& name, const std::string& value,
                                    const std::string& expected) {
  reject({key, {{"name", name}, {"value", value}, {"expected", expected}}});
}

std::string FigureParameters::taken(const std::string& name, const std::string& usual) {
  known_.insert(name);
  const auto found = std::ranges::find(given_, name, &std::pair<std::string, std::string>::first);
  return found == given_.end() ? usual : found->second;
}

std::vector<int64_t> FigureParameters::numbers(const std::string& name, const std::string& usual, int64_t low,
                                               int64_t high, size_t most) {
  const std::string text = taken(name, usual);
  std::vector<int64_t> numbers;
  for (const std::string& part : parts_between(text, ',')) {
    const auto number = parsed<int64_t>(part);
    if (!number || *number < low || *number > high) {
      reject_value("figure.fault_number", name, text, fmt::format("{} … {}", low, high));
      return {low};
    }
    numbers.push_back(*number);
  }
  if (numbers.empty() || numbers.size() > most) {
    reject_value("figure.fault_count", name, text, fmt::format("1 … {}", most));
    return {low};
  }
  return numbers;
}

int64_t FigureParameters::number(const std::string& name, int64_t usual, int64_t low, int64_t high) {
  return numbers(name, std::to_string(usual), low, high, 1).front();
}

std::vector<double> FigureParameters::values(const std::string& name, const std::string& usual, size_t fewest,
                                             size_t most) {
  const std::string text = taken(name, usual);
  std::vector<double> values;
  for (const std::string& part : parts_between(text, ',')) {
    const auto value = parsed<double>(part);
    if (!value || !std::isfinite(*value)) {
      reject_value("figure.fault_value", name, text, part);
      return std::vector<double>(fewest);
    }
    values.push_back(*value);
  }
  if (values.size() >= fewest && values.size() <= most) return values;
  reject_value("figure.fault_count", name, text, fmt::format("{} … {}", fewest, most));
  return std::vector<double>(fewest);
}

std::vector<std::string> FigureParameters::chosen(const std::string& name, const std::vector<std::string>& choices) {
  const std::string text = taken(name, fmt::format("{}", fmt::join(choices, ",")));
  std::vector<std::string> chosen = parts_between(text, ',');
  const auto known = [&](const std::string& one) { return std::ranges::find(choices, one) != choices.end(); };
  if (!chosen.empty() && std::ranges::all_of(chosen, known)) return chosen;
  reject_value("figure.fault_choice", name, text, fmt::format("{}", fmt::join(choices, ", ")));
  return {choices.front()};
}

std::string FigureParameters::choice(const std::string& name, const std::vector<std::string>& choices) {
  std::string text = taken(name, choices.front());
  if (std::ranges::find(choices, text) != choices.end()) return text;
  reject_value("figure.fault_choice", name, text, fmt::format("{}", fmt::join(choices, ", ")));
  return choices.front();
}

std::optional<GpuSpec> FigureParameters::gpu(const std::string& name) {
  const std::string id = taken(name, "");
  if (id.empty()) return std::nullopt;
  const auto found = std::ranges::find(gpus_, id, &GpuSpec::id);
  if (found != gpus_.end()) return *found;
  std::vector<std::string> ids;
  for (const GpuSpec& gpu : gpus_) ids.push_back(gpu.id);
  reject_value("figure.fault_choice", name, id, fmt::format("{}", fmt::join(ids, ", ")));
  return std::nullopt;
}

std::optional<FigureFault> FigureParameters::fault() const {
  if (fault_) return fault_;
  for (const auto& [name, value] : given_)
    if (!known_.contains(name))
      return FigureFault{"figure.fault_parameter",
                         {{"name", name}, {"names", fmt::format("{}", fmt::join(known_, ", "))}}};
  return std::nullopt;
}

FigureRegistration::FigureRegistration(FigureKind kind) {
  auto& kinds = registered_figures();
  kinds.insert(std::ranges::upper_bound(kinds, kind.name, {}, &FigureKind::name), kind);
}

const std::vector<FigureKind>& figure_kinds() { return registered_figures(); }

tl::expected<std::unique_ptr<Figure>, FigureFault> read_figure(std::string_view text, std::span<const GpuSpec> gpus) {
  const std::string name(text.substr(0, text.find(' ')));
  const auto kind = std::ranges::find(figure_kinds(), name, &FigureKind::name);
  if (kind == figure_kinds().end()) {
    std::vector<std::string_view> names;
    for (const FigureKind& one : figure_kinds()) names.push_back(one.name);
    return tl::unexpected(
        FigureFault{"figure.fault_kind", {{"kind", name}, {"kinds", fmt::format("{}", fmt::join(names, ", "))}}});
  }
  FigureParameters parameters(text.substr(name.size()), gpus);
  std::unique_ptr<Figure> figure = kind->make(parameters);
  if (auto fault = parameters.fault()) return tl::unexpected(std::move(*fault));
  return figure;
}

std::string figure_number(double value) {
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  std::string text = fmt::format("{:.3f}", std::abs(value));
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return value < 0 && text != "0" ? "−" + text : text;
}

}  // namespace tilescope
