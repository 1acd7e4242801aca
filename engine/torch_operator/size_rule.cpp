#include "engine/torch_operator/size_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr int64_t kMostDivisors = 4096;  // that are tried for one factor
constexpr size_t kProbesOfSeveral = 14;  // for each size, if there are several

using SizeFunction = std::function<int64_t(const SizeValues&)>;

int64_t power_of_two_from(int64_t value) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(value, 1))));
}

/// A function of one size, as a factor with the number that it is multiplied by.
struct Marginal {
  int64_t multiplier = 1;
  std::optional<SizeFactor> factor = {};  // nothing: constant
  std::optional<int64_t> most = {};
};

/// Values of a function of one size.
struct Samples {
  std::string size;
  std::vector<int64_t> at, values;
};

bool fits(const Samples& samples, const Marginal& marginal) {
  const SizeRule rule{marginal.multiplier, {*marginal.factor}, marginal.most};
  for (size_t i = 0; i < samples.at.size(); ++i)
    if (rule.at({{samples.size, samples.at[i]}}) != samples.values[i]) return false;
  return true;
}

/// Divisors d for which m · ⌈at / d⌉ is the value; powers of two first, because blocks and tiles are.
std::vector<int64_t> divisors_for(int64_t at, int64_t value, int64_t multiplier) {
  if (multiplier <= 0 || value % multiplier != 0) return {};
  const int64_t quotient = value / multiplier;
  if (quotient < 1) return {};
  const int64_t least = ceil_divide(at, quotient), most = quotient == 1 ? at : (at - 1) / (quotient - 1);
  std::vector<int64_t> divisors;
  for (int64_t power = power_of_two_from(least); power <= most; power *= 2) divisors.push_back(power);
  for (int64_t one = least; one <= most && one < least + kMostDivisors; ++one) divisors.push_back(one);
  return divisors;
}

std::optional<Marginal> rising_factor(const Samples& samples, std::optional<int64_t> most) {
  const int64_t first = samples.at.front(), value = samples.values.front();
  const SizeFactor plain{{samples.size}};
  Marginal marginal{.factor = plain, .most = most};
  if (value % first == 0 && value != 0) {
    marginal.multiplier = value / first;
    if (fits(samples, marginal)) return marginal;
  }
  if (const int64_t power = power_of_two_from(first); value % power == 0 && value != 0) {
    marginal.multiplier = value / power;
    marginal.factor->power_of_two = true;
    if (fits(samples, marginal)) return marginal;
    marginal.factor->power_of_two = false;
  }
  // The last sample that the limit does not hide tells the divisor best.
  size_t last = samples.at.size() - 1;
  while (most && last > 0 && samples.values[last] == *most) --last;
  marginal.multiplier = value;
  for (const int64_t divisor : divisors_for(samples.at[last], samples.values[last], value)) {
    marginal.factor->divisor = divisor;
    if (fits(samples, marginal)) return marginal;
  }
  return std::nullopt;
}

std::optional<Marginal> marginal_of(const Samples& samples) {
  if (std::ranges::all_of(samples.values, [&](int64_t value) { return value == samples.values.front(); }))
    return Marginal{.multiplier = samples.values.front()};
  if (auto marginal = rising_factor(samples, std::nullopt)) return marginal;
  const size_t count = samples.values.size();
  if (samples.values[count - 1] != samples.values[count - 2]) return std::nullopt;
  return rising_factor(samples, samples.values.back());
}

bool equals_everywhere(const SizeRule& rule, const std::vector<SizeValues>& probes,
                       const std::vector<int64_t>& values) {
  for (size_t i = 0; i < probes.size(); ++i)
    if (rule.at(probes[i]) != values[i]) return false;
  return true;
}

/// Rules that combine the factors: their product, and one factor of all sizes.
std::vector<SizeRule> combined(const std::vector<Marginal>& marginals, int64_t at_least, const SizeValues& least) {
  SizeRule product;
  for (const Marginal& marginal : marginals) {
    product.factors.push_back(*marginal.factor);
    if (marginal.most) product.most = marginal.most;
  }
  SizeRule joined{.factors = {{.divisor = product.factors.front().divisor}}, .most = product.most};
  for (const SizeFactor& factor : product.factors) joined.factors[0].sizes.push_back(factor.sizes[0]);
  std::vector<SizeRule> rules;
  for (SizeRule rule : {product, joined}) {
    const int64_t one = rule.at(least);
    if (one == 0 || at_least % one != 0) continue;
    rule.multiplier = at_least / one;
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace

int64_t SizeRule::at(const SizeValues& sizes) const {
  int64_t value = multiplier;
  for (const SizeFactor& factor : factors) {
    int64_t product = 1;
    for (const std::string& size : factor.sizes) product *= sizes.at(size);
    value *= factor.power_of_two ? power_of_two_from(product) : ceil_divide(product, factor.divisor);
  }
  return most ? std::min(value, *most) : value;
}

bool SizeRule::is(const std::string& size) const {
  return multiplier == 1 && !most && factors.size() == 1 && factors[0] == SizeFactor{{size}};
}

std::string SizeRule::python() const {
  std::string text;
  const auto times = [&](const std::string& factor) { text += (text.empty() ? "" : " * ") + factor; };
  for (const SizeFactor& factor : factors) {
    const std::string product = fmt::format("{}", fmt::join(factor.sizes, " * "));
    if (factor.power_of_two)
      times("next_power_of_2(" + product + ")");
    else if (factor.divisor > 1)
      times(fmt::format("cdiv({}, {})", product, factor.divisor));
    else
      times(product);
  }
  if (multiplier != 1 || text.empty()) times(std::to_string(multiplier));
  return most ? fmt::format("min({}, {})", text, *most) : text;
}

std::vector<int64_t> probes_of(const SizeDomain& domain) {
  if (!domain.is_free) return {domain.value};
  std::set<int64_t> found;
  const auto add = [&](int64_t value) {
    value = ceil_divide(value, domain.multiple_of) * domain.multiple_of;
    if (domain.has(value)) found.insert(value);
  };
  add(domain.min);
  found.insert(domain.max / domain.multiple_of * domain.multiple_of);
  for (const int64_t near : {-1, 0, 1}) {
    add(domain.value + near * domain.multiple_of);
    for (int64_t power = 1; power <= domain.max; power *= 2) add(power + near * domain.multiple_of);
  }
  for (const int64_t odd : {3, 5, 7, 13, 100, 127, 333, 504, 1000, 3000, 98432, 1000003}) add(odd);
  return {found.begin(), found.end()};
}

std::vector<SizeValues> probes_of(const std::vector<SizeDomain>& domains) {
  const auto free = std::ranges::count_if(domains, &SizeDomain::is_free);
  std::vector<SizeValues> all{{}};
  for (const SizeDomain& domain : domains) {
    std::vector<int64_t> values = probes_of(domain);
    if (free > 1 && values.size() > kProbesOfSeveral) {  // evenly, with both ends
      std::vector<int64_t> some;
      for (size_t i = 0; i < kProbesOfSeveral; ++i)
        some.push_back(values[i * (values.size() - 1) / (kProbesOfSeveral - 1)]);
      values = std::move(some);
    }
    std::vector<SizeValues> longer;
    for (const SizeValues& sizes : all)
      for (const int64_t value : values) {
        longer.push_back(sizes);
        longer.back()[domain.name] = value;
      }
    all = std::move(longer);
  }
  return all;
}

std::optional<SizeRule> find_rule(const SizeFunction& function, const std::vector<SizeDomain>& domains,
                                  const std::vector<SizeValues>& probes, const std::vector<int64_t>& at_probes) {
  SizeValues least;
  for (const SizeDomain& domain : domains) least[domain.name] = probes_of(domain).front();
  std::vector<Marginal> marginals;
  for (const SizeDomain& domain : domains) {
    if (!domain.is_free) continue;
    Samples samples{.size = domain.name, .at = probes_of(domain), .values = {}};
    SizeValues sizes = least;
    for (const int64_t at : samples.at) {
      sizes[domain.name] = at;
      samples.values.push_back(function(sizes));
    }
    auto marginal = marginal_of(samples);
    if (!marginal) return std::nullopt;
    if (marginal->factor) marginals.push_back(std::move(*marginal));
  }
  const int64_t at_least = function(least);
  if (marginals.empty()) {
    const SizeRule constant{.multiplier = at_least};
    return equals_everywhere(constant, probes, at_probes) ? std::optional(constant) : std::nullopt;
  }
  for (SizeRule& rule : combined(marginals, at_least, least))
    if (equals_everywhere(rule, probes, at_probes)) return rule;
  return std::nullopt;
}

}  // namespace tilescope
