#include "engine/torch_operator/operator_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "engine/compile/kernel_names.hpp"

namespace tilescope {
namespace {

/// What a rung launches at one configuration: everything that is a whole number, and a text of all the rest.
struct Observation {
  std::string structure;
  std::vector<int64_t> numbers;
  bool operator==(const Observation&) const = default;
};

bool is_whole(const ScalarArgument& argument) {
  return argument.number == ScalarArgument::Number::whole && argument.pointers.empty() &&
         (argument.bytes.size() == 4 || argument.bytes.size() == 8);
}

int64_t whole_value(const ScalarArgument& argument) {
  if (argument.bytes.size() == 4) {
    int32_t value = 0;
    std::memcpy(&value, argument.bytes.data(), sizeof(value));
    return value;
  }
  int64_t value = 0;
  std::memcpy(&value, argument.bytes.data(), sizeof(value));
  return value;
}

std::optional<int64_t> whole_text(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Scratch memory of other rungs is none of the operator's.
bool is_seen(const BufferSpec& spec, bool used) { return used || spec.role != Role::scratch; }

std::set<size_t> buffers_of(const std::vector<Launch>& launches) {
  std::set<size_t> used;
  for (const Launch& launch : launches)
    for (const Argument& argument : launch.arguments)
      if (const auto* buffer = std::get_if<BufferArgument>(&argument)) used.insert(buffer->buffer);
  return used;
}

/// Lists what an observation holds, in one order for observing and for giving the rules their places.
class Observer {
 public:
  Observation observation;

  void buffers(const std::vector<BufferSpec>& specs, const std::set<size_t>& used) {
    for (size_t i = 0; i < specs.size(); ++i) {
      const BufferSpec& spec = specs[i];
      if (!is_seen(spec, used.contains(i))) continue;
      text(fmt::format("buffer {} {} {} {} {}", spec.name, name_of(spec.type), static_cast<int>(spec.role),
                       static_cast<int>(spec.fill), spec.shape.size()));
      for (const int64_t extent : spec.shape) number(extent);
    }
  }
  void launch(const Launch& launch) {
    text(fmt::format("launch {} {} {} {} {} {}", launch.kernel, launch.block.x, launch.block.y, launch.block.z,
                     launch.triton.num_warps, launch.triton.num_stages));
    for (const uint32_t extent : {launch.grid.x, launch.grid.y, launch.grid.z}) number(extent);
    number(launch.shared_bytes);
    for (const Argument& argument : launch.arguments) {
      if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
        text(fmt::format("in {} {}", buffer->buffer, buffer->offset_bytes));
        continue;
      }
      const auto& by_value = std::get<ScalarArgument>(argument);
      if (is_whole(by_value)) {
        text(fmt::format("whole {}", by_value.bytes.size()));
        number(whole_value(by_value));
        continue;
      }
      std::string bytes;
      for (const std::byte byte : by_value.bytes) bytes += fmt::format("{:02x}", static_cast<unsigned>(byte));
      text("value " + bytes);
    }
    for (const Define& define : launch.triton.constexprs) {
      const auto value = whole_text(define.value);
      text("constexpr " + define.name + (value ? "" : "=" + define.value));
      if (value) number(*value);
    }
  }

 private:
  void text(const std::string& one) { observation.structure += one + "\n"; }
  void number(int64_t one) { observation.numbers.push_back(one); }
};

class Fitting {
 public:
  Fitting(const Lab& lab, const Rung& rung, const Config& config) : lab_(lab), rung_(rung), config_(config) {}

  /// Nothing where the lab refuses the sizes.
  const std::optional<Observation>& at(const SizeValues& sizes) {
    auto found = known_.find(sizes);
    if (found == known_.end()) found = known_.emplace(sizes, observe(sizes)).first;
    return found->second;
  }

  /// Rules for all numbers over these domains; nothing if there are none.
  std::optional<std::vector<SizeRule>> rules(const std::vector<SizeDomain>& domains) {
    const std::vector<SizeValues> probes = probes_of(domains);
    const std::optional<Observation>& exported = at(config_.sizes);
    std::vector<const Observation*> observed;
    for (const SizeValues& sizes : probes) {
      const std::optional<Observation>& one = at(sizes);
      if (!one || one->structure != exported->structure || one->numbers.size() != exported->numbers.size())
        return std::nullopt;
      observed.push_back(&*one);
    }
    for (const SizeDomain& domain : domains) {  // what the marginals of find_rule look at
      SizeValues sizes;
      for (const SizeDomain& other : domains) sizes[other.name] = probes_of(other).front();
      for (const int64_t value : probes_of(domain)) {
        sizes[domain.name] = value;
        if (const auto& one = at(sizes); !one || one->structure != exported->structure) return std::nullopt;
      }
    }
    std::vector<SizeRule> all;
    std::vector<int64_t> values(probes.size());
    for (size_t i = 0; i < exported->numbers.size(); ++i) {
      std::ranges::transform(observed, values.begin(), [&](const Observation* one) { return one->numbers[i]; });
      const auto number_at = [&](const SizeValues& sizes) { return at(sizes)->numbers[i]; };
      auto rule = find_rule(number_at, domains, probes, values);
      if (!rule) return std::nullopt;
      all.push_back(std::move(*rule));
    }
    return all;
  }

  Config config_at(const SizeValues& sizes) const {
    Config config = config_;
    config.sizes = sizes;
    return config;
  }
  std::vector<BufferSpec> buffers_at(const Config& config) const {
    return rung_.buffers ? rung_.buffers(config) : lab_.buffers(config);
  }

 private:
  std::optional<Observation> observe(const SizeValues& sizes) const {
    const Config config = config_at(sizes);
    if (!validate(lab_, config, DeviceKind::gpu)) return std::nullopt;
    if (rung_.check && !rung_.check(config)) return std::nullopt;
    Observer observer;
    const std::vector<Launch> launches = rung_.launches(config);
    observer.buffers(buffers_at(config), buffers_of(launches));
    for (const Launch& launch : launches) observer.launch(launch);
    return std::move(observer.observation);
  }

  const Lab& lab_;
  const Rung& rung_;
  const Config& config_;
  std::map<SizeValues, std::optional<Observation>> known_;
};

SizeDomain fixed_domain(const std::string& name, int64_t value) {
  return {.name = name, .value = value, .min = value, .max = value};
}

/// The domains that a size may have, the widest first.
std::vector<SizeDomain> domains_for(const Size& size, int64_t value) {
  std::vector<SizeDomain> domains;
  for (const int64_t most : {size.max_gpu, value})
    for (const int64_t multiple : {int64_t{1}, int64_t{4}, int64_t{8}, int64_t{16}}) {
      if (value % multiple != 0 || multiple % size.multiple_of != 0) continue;
      const int64_t least = (std::max(size.min, multiple) + multiple - 1) / multiple * multiple;
      if (least >= most) continue;
      domains.push_back({size.name, value, least, most, multiple, true});
    }
  domains.push_back(fixed_domain(size.name, value));
  return domains;
}

/// Each size as free as it can be beside the others at their values; then together, fewer as long as that fails. With
/// the rules that hold there.
std::pair<std::vector<SizeDomain>, std::optional<std::vector<SizeRule>>> choose_domains(const Lab& lab,
                                                                                        const Config& config,
                                                                                        Fitting& fitting) {
  std::vector<SizeDomain> all_fixed;
  for (const Size& size : lab.sizes) all_fixed.push_back(fixed_domain(size.name, config.size(size.name)));
  std::vector<SizeDomain> chosen = all_fixed;
  for (size_t i = 0; i < lab.sizes.size(); ++i)
    for (const SizeDomain& domain : domains_for(lab.sizes[i], config.size(lab.sizes[i].name))) {
      std::vector<SizeDomain> tried = all_fixed;
      tried[i] = domain;
      if (!fitting.rules(tried)) continue;
      chosen[i] = domain;
      break;
    }
  auto rules = fitting.rules(chosen);
  for (size_t i = chosen.size(); i > 0 && !rules; --i) {
    if (!chosen[i - 1].is_free) continue;
    chosen[i - 1] = all_fixed[i - 1];
    rules = fitting.rules(chosen);
  }
  return {std::move(chosen), std::move(rules)};
}

/// Hands out the rules in the order in which Observer took the numbers.
class RuleReader {
 public:
  explicit RuleReader(std::vector<SizeRule> rules) : rules_(std::move(rules)) {}
  SizeRule next() { return rules_[at_++]; }

 private:
  std::vector<SizeRule> rules_;
  size_t at_ = 0;
};

OperatorLaunch read_launch(const Launch& launch, RuleReader& rules) {
  OperatorLaunch one;
  one.kernel = kernel_name(launch.kernel);
  one.block = launch.block;
  for (SizeRule& extent : one.grid) extent = rules.next();
  one.shared_bytes = rules.next();
  for (const Argument& argument : launch.arguments) {
    OperatorArgument read;
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      read.kind = OperatorArgument::Kind::buffer;
      read.buffer = buffer->buffer;
      read.offset_bytes = buffer->offset_bytes;
    } else {
      read.constant = std::get<ScalarArgument>(argument);
      if (is_whole(read.constant)) {
        read.kind = OperatorArgument::Kind::number;
        read.number = rules.next();
      }
    }
    one.arguments.push_back(std::move(read));
  }
  for (const Define& define : launch.triton.constexprs) {
    OperatorConstexpr constant{.name = define.name, .value = define.value};
    if (whole_text(define.value)) constant.value = rules.next();
    one.constexprs.push_back(std::move(constant));
  }
  one.num_warps = launch.triton.num_warps;
  one.num_stages = launch.triton.num_stages;
  return one;
}

/// What no operator can take, whatever its sizes.
Phrase obstacle(const Rung& rung, const std::vector<BufferSpec>& buffers, const std::vector<Launch>& launches) {
  if (rung.variables) return Phrase("its host sets variables of the module, for which no operator is written");
  const std::set<size_t> used = buffers_of(launches);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferSpec& buffer = buffers[i];
    if (!is_seen(buffer, used.contains(i))) continue;
    if (buffer.role == Role::inout)
      return phrase("it changes '{}' in place, and an exported operator only returns new tensors", buffer.name);
    const bool floats = buffer.type == DType::f32 || buffer.type == DType::f16 || buffer.type == DType::bf16;
    if (buffer.role == Role::input && (!floats || buffer.fill != Fill::normal))
      return phrase("its input '{}' is not a tensor of any floating-point numbers", buffer.name);
    if (buffer.role != Role::input && buffer.fill != Fill::poison && buffer.fill != Fill::zero)
      return phrase("'{}' must hold certain values before the launch", buffer.name);
  }
  for (const Launch& launch : launches) {
    if (!launch.textures.empty() || !launch.presets.empty())
      return phrase("{} takes texture objects or variables, for which no operator is written", launch.kernel);
    for (const Argument& argument : launch.arguments)
      if (const auto* scalar = std::get_if<ScalarArgument>(&argument); scalar != nullptr && !scalar->pointers.empty())
        return phrase("{} takes a struct with pointers, for which no operator is written", launch.kernel);
  }
  return {};
}

}  // namespace

const SizeDomain& OperatorLaunches::size(const std::string& name) const {
  return *std::ranges::find(sizes, name, &SizeDomain::name);
}

std::string python_name(const std::string& name) {
  static const std::set<std::string> taken{"in",   "is",    "or",     "and",    "as",   "def",       "del",
                                           "for",  "from",  "if",     "not",    "pass", "lambda",    "with",
                                           "math", "torch", "triton", "kernel", "op",   "reference", "cases"};
  std::string text = name;
  for (char& letter : text)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return taken.contains(text) ? text + "_" : text;
}

OperatorLaunchesResult operator_launches(const Lab& lab, const Rung& rung, const Config& config) {
  Fitting fitting(lab, rung, config);
  const std::vector<BufferSpec> buffers = fitting.buffers_at(config);
  const std::vector<Launch> launches = rung.launches(config);
  if (Phrase reason = obstacle(rung, buffers, launches); !reason.empty()) return tl::unexpected<Phrase>(reason);
  auto [domains, rules] = choose_domains(lab, config, fitting);
  OperatorLaunches found{.sizes = std::move(domains)};
  if (!rules) return tl::unexpected<Phrase>(Phrase("its launches are not the same each time they are asked for"));
  found.probes = probes_of(found.sizes).size();
  RuleReader reader(std::move(*rules));
  const std::set<size_t> used = buffers_of(launches);
  for (size_t i = 0; i < buffers.size(); ++i) {
    OperatorBuffer buffer{.name = python_name(buffers[i].name), .spec = buffers[i], .is_used = used.contains(i)};
    if (is_seen(buffers[i], buffer.is_used))
      for (size_t dimension = 0; dimension < buffers[i].shape.size(); ++dimension)
        buffer.shape.push_back(reader.next());
    found.buffers.push_back(std::move(buffer));
  }
  for (const Launch& launch : launches) found.launches.push_back(read_launch(launch, reader));
  return found;
}

}  // namespace tilescope
