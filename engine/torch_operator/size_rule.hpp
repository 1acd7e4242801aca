// A whole number of a launch (the extent of a grid, an argument, the extent of a buffer) as a formula of the sizes, so
// that code outside this program can launch the kernel at sizes that this program was not asked for.
//
// A lab gives its launches as functions of a configuration. find_rule proposes a formula from a few values of such a
// function and keeps it only if it gives the function's value at every probe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

using SizeValues = std::map<std::string, int64_t>;

/// ⌈product of sizes / divisor⌉, or the smallest power of two from that product.
struct SizeFactor {
  std::vector<std::string> sizes = {};
  int64_t divisor = 1;
  bool power_of_two = false;
  bool operator==(const SizeFactor&) const = default;
};

/// min(multiplier · product of factors, most)
struct SizeRule {
  int64_t multiplier = 1;
  std::vector<SizeFactor> factors = {};
  std::optional<int64_t> most = {};
  int64_t at(const SizeValues& sizes) const;
  bool is_constant() const { return factors.empty(); }
  /// The rule is this size, unchanged.
  bool is(const std::string& size) const;
  /// "cdiv(n, 1024)", "rows * 8", "next_power_of_2(columns)".
  std::string python() const;
  bool operator==(const SizeRule&) const = default;
};

/// Values that a size may take: those from min to max that are multiples of `multiple_of`; or `value` alone.
struct SizeDomain {
  std::string name = {};
  int64_t value = 1;  // in the configuration that the domain was made from
  int64_t min = 1, max = 1, multiple_of = 1;
  bool is_free = false;
  bool has(int64_t size) const { return size >= min && size <= max && size % multiple_of == 0; }
};

/// Values of the domain at which functions of it are compared: its ends, powers of two and their neighbours, odd ones.
std::vector<int64_t> probes_of(const SizeDomain& domain);
/// All combinations of the domains' probes.
std::vector<SizeValues> probes_of(const std::vector<SizeDomain>& domains);

/// A formula that equals `function` at every probe of the domains; nothing if none is found. `at_probes` are the
/// function's values there; it is itself called for values of one size beside the least of the others.
std::optional<SizeRule> find_rule(const std::function<int64_t(const SizeValues&)>& function,
                                  const std::vector<SizeDomain>& domains, const std::vector<SizeValues>& probes,
                                  const std::vector<int64_t>& at_probes);

}  // namespace tilescope
