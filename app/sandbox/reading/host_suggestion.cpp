#include "app/sandbox/reading/host_suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope {
namespace {

using ParameterKind = ParameterType::Kind;
constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};

class Suggester {
 public:
  Suggester(const SourceKernel& kernel, const SourceFacts& facts, const std::vector<ParameterType>& parameters,
            const KernelReading& reading)
      : launch_(*kernel.launch),
        facts_(facts),
        parameters_(parameters),
        reading_(reading),
        variables_(launch_.variables) {
    find_dependencies();
  }

  HostFields make() {
    // kernel<<<1, 1>>>(nullptr, 0): written for the compiler, not to be run.
    const bool any_pointer = std::ranges::any_of(parameters_, is_pointer);
    arguments_count_ = launch_.arguments.size() == parameters_.size();
    for (size_t i = 0; any_pointer && arguments_count_ && i < parameters_.size(); ++i)
      if (is_pointer(parameters_[i]) && !launch_.arguments[i].is_null) any_memory_ = true;
    if (!any_pointer) any_memory_ = true;
    arguments_count_ = arguments_count_ && any_memory_;
    if (arguments_count_) choose_driver();
    name_parameters();
    block();
    if (!any_memory_) return std::move(fields_);
    grid();
    if (host_value_of(launch_.shared, variables_).value_or(0) >= 0)
      put("shared", print(launch_.shared, true, true), launch_.place);
    for (size_t i = 0; arguments_count_ && i < parameters_.size(); ++i) argument(parameters_[i], launch_.arguments[i]);
    return std::move(fields_);
  }

 private:
  static bool is_pointer(const ParameterType& one) { return one.kind == ParameterKind::pointer; }
  static bool is_whole(const ParameterType& one) {
    return one.kind == ParameterKind::scalar && one.components == 1 && one.type != DType::boolean &&
           !is_floating(one.type);
  }

  void put(const std::string& field, const std::optional<std::string>& text, const HostPlace& place) {
    if (text) fields_[field] = {*text, place};
  }

  /// int m = n: m originates in n.
  size_t origin_of(size_t variable) const {
    for (int i = 0; i < 32; ++i) {
      const HostValue& value = variables_[variable].value;
      if (value == nullptr || value->kind != HostNode::Kind::variable) break;
      variable = value->variable;
    }
    return variable;
  }
  /// A constant that the kernel was compiled with: it cannot differ here.
  bool is_fixed(size_t variable) const {
    const HostVariable& one = variables_[variable];
    const bool parameter =
        std::ranges::any_of(parameters_, [&](const ParameterType& other) { return other.name == one.name; });
    return launch_.template_variables.contains(variable) ||
           (one.is_constant && !parameter && facts_.device_names.contains(one.name));
  }
  /// A named variable that does not depend on others.
  bool is_free(size_t variable) const {
    return !is_fixed(variable) && !variables_[variable].name.empty() && !depends_[variable];
  }
  /// A variable depends only on earlier ones, so one pass finds for all whether they depend on any that is not fixed.
  void find_dependencies() {
    depends_.assign(variables_.size(), false);
    for (size_t i = 0; i < variables_.size(); ++i)
      for (const size_t other : variables_in(variables_[i].value))
        depends_[i] = depends_[i] || depends_[other] || !is_fixed(other);
  }
  std::vector<size_t> free_of(const HostValue& value) const {
    std::vector<size_t> found;
    for_each_variable(value, variables_, [&](size_t variable) {
      if (is_free(variable)) found.push_back(variable);
    });
    return found;
  }
  bool is_of_block(size_t variable) const {
    return std::ranges::any_of(launch_.block, [&](const auto& axis) { return axis && origin_of(*axis) == variable; });
  }
  bool depends_on_driver(const HostValue& value) const {
    const auto all = free_of(value);
    return driver_ && std::ranges::find(all, *driver_) != all.end();
  }

  /// Chooses the size that the launch depends on: the number that bounds the kernel's indices, the largest of several;
  /// else the one that determines the most memory.
  void choose_driver() {
    long double best = -1;
    const auto offer = [&](size_t variable, long double bonus) {
      const long double weight = variables_[variable].number.value_or(1e18L) + bonus;
      if (weight > best) driver_ = variable, best = weight;
    };
    for (size_t i = 0; i < parameters_.size(); ++i) {
      if (!is_whole(parameters_[i]) || !reading_.sizes.contains(parameters_[i].name)) continue;
      // n is a name reserved by the form.
      for (const size_t variable : free_of(launch_.arguments[i].value))
        offer(variable, parameters_[i].name == "n" ? 1e19L : 0);
    }
    if (driver_) return;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      if (!is_pointer(parameters_[i]) || !launch_.arguments[i].buffer) continue;
      for (const size_t variable : free_of(launch_.buffers[*launch_.arguments[i].buffer].bytes))
        if (!is_of_block(variable) && variables_[variable].number) offer(variable, 0);
    }
    if (driver_ || !launch_.grid[0]) return;
    for (const size_t variable : free_of(host_variable(*launch_.grid[0], false)))
      if (!is_of_block(variable) && variables_[variable].number) offer(variable, 0);
  }

  /// An argument passed unchanged can be written as the parameter's name. Equal sizes are varied together.
  void name_parameters() {
    if (driver_) names_[*driver_] = "n";
    for (size_t i = 0; arguments_count_ && i < parameters_.size(); ++i) {
      const ParameterType& parameter = parameters_[i];
      const HostValue& value = launch_.arguments[i].value;
      if (!is_whole(parameter) || value == nullptr || value->kind != HostNode::Kind::variable) continue;
      const size_t variable = origin_of(value->variable);
      if (is_fixed(variable)) continue;
      const bool same = driver_ && variable != *driver_ && is_free(variable) &&
                        reading_.sizes.contains(parameter.name) && variables_[variable].number &&
                        variables_[variable].number == variables_[*driver_].number;
      if (same) equals_.insert(variable);
      const bool is_n = driver_ && (variable == *driver_ || same);
      const bool taken = parameter.name == "n" || parameter.name == "grid" || parameter.name == "block";
      if (!taken || (is_n && parameter.name == "n")) names_[variable] = parameter.name;
    }
    name_twins();
    for (size_t axis = 0; axis < 3; ++axis) {
      if (launch_.grid[axis] && !depends_within(*launch_.grid[axis])) {
        const size_t variable = origin_of(*launch_.grid[axis]);
        if (!is_fixed(variable)) grid_names_.try_emplace(variable, std::string("grid.") + kAxes[axis]);
      }
      if (!launch_.block[axis]) continue;
      const size_t variable = origin_of(*launch_.block[axis]);
      if (!is_fixed(variable) && variable != driver_)
        block_names_.try_emplace(variable, std::string("block.") + kAxes[axis]);
    }
  }
  /// const int nx = 256, ny = 256: a square stays a square.
  void name_twins() {
    if (!driver_) return;
    const HostVariable& driver = variables_[*driver_];
    for (size_t i = 0; i < variables_.size() && driver.number; ++i) {
      const HostVariable& one = variables_[i];
      const bool beside = one.line == driver.line && one.function == driver.function && one.number == driver.number;
      if (i == *driver_ || !beside || !is_free(i) || is_of_block(i)) continue;
      equals_.insert(i);
      names_.try_emplace(i, names_.at(*driver_));
    }
  }

  /// The grid of one axis is n itself: other fields refer to n.
  bool depends_within(size_t variable) const { return driver_ && origin_of(variable) == *driver_; }

  std::optional<std::string> print(const HostValue& value, bool with_block, bool with_grid) const {
    const HostNames names = [&](size_t variable) -> std::optional<std::string> {
      const size_t origin = origin_of(variable);
      if (with_block)
        if (const auto found = block_names_.find(origin); found != block_names_.end()) return found->second;
      if (const auto found = names_.find(origin); found != names_.end()) return found->second;
      if (with_grid)
        if (const auto found = grid_names_.find(origin); found != grid_names_.end()) return found->second;
      // A constant of the kernel keeps its name if the form knows it by that name.
      const HostVariable& one = variables_[origin];
      const auto constant = facts_.constants.find(one.name);
      const bool known =
          constant != facts_.constants.end() && one.number && static_cast<long double>(constant->second) == *one.number;
      if (one.is_constant && known && !one.name.empty() && one.name != "n") return one.name;
      return std::nullopt;
    };
    return host_text(value, variables_, names);
  }

  HostPlace place_of_variable(size_t variable) const {
    const HostVariable& one = variables_[variable];
    return one.line > 0 ? HostPlace{one.function, one.line} : launch_.place;
  }

  void block() {
    std::array<std::optional<std::string>, 3> texts;
    for (size_t axis = 0; axis < 3; ++axis) {
      if (!launch_.block[axis]) return;
      const size_t variable = *launch_.block[axis];
      const HostValue& value = variables_[variable].value;
      const bool moves = depends_on_driver(host_variable(variable, false));
      const auto& number = variables_[variable].number;
      if (number && *number < 1) return;  // for example a number that is not set yet
      if (!moves && number)
        texts[axis] = fmt::format("{:.0f}", *number);
      else
        texts[axis] = driver_ == origin_of(variable) ? names_.at(*driver_) : print(value, false, false);
      if (!texts[axis]) return;
    }
    for (size_t axis = 0; axis < 3; ++axis)
      put(std::string("block.") + kAxes[axis], texts[axis], place_of_variable(*launch_.block[axis]));
  }

  void grid() {
    for (const auto& axis : launch_.grid)
      if (!axis || variables_[*axis].number.value_or(1) < 1) return;
    std::array<std::optional<std::string>, 3> texts;
    for (size_t axis = 0; axis < 3; ++axis) {
      const size_t variable = *launch_.grid[axis];
      const bool named = names_.contains(origin_of(variable)) || block_names_.contains(origin_of(variable));
      texts[axis] = print(named ? host_variable(variable, false) : variables_[origin_of(variable)].value, true, false);
      if (!texts[axis]) return;
    }
    for (size_t axis = 0; axis < 3; ++axis)
      put(std::string("grid.") + kAxes[axis], texts[axis], place_of_variable(*launch_.grid[axis]));
  }

  void argument(const ParameterType& parameter, const HostArgument& given) {
    if (is_pointer(parameter)) return buffer(parameter, given);
    if (parameter.kind != ParameterKind::scalar || parameter.components > 1 || given.value == nullptr) return;
    const std::string field = parameter.name + ".value";
    HostPlace place = launch_.place;
    const HostValue& value = given.value;
    if (value->kind == HostNode::Kind::variable) {
      const size_t variable = origin_of(value->variable);
      place = place_of_variable(variable);
      if (driver_ == variable || equals_.contains(variable)) {
        put(field, "n", place);
        if (driver_ == variable) put_n(place);
        return;
      }
      if (names_.contains(variable)) {  // has a name of its own
        put(field, print(variables_[variable].value, true, true), place);
        return;
      }
    } else if (!driver_ && value->kind == HostNode::Kind::number && is_whole(parameter) &&
               reading_.sizes.contains(parameter.name) && value->number >= 1 && !fields_.contains("n")) {
      put(field, "n", place);
      put("n", fmt::format("{:.0f}", value->number), place);
      return;
    }
    put(field, print(value, true, true), place);
  }

  void put_n(const HostPlace& place) {
    const auto& number = variables_[*driver_].number;
    if (number && *number >= 1 && *number <= 0x1p30L) put("n", fmt::format("{:.0f}", *number), place);
  }

  void buffer(const ParameterType& parameter, const HostArgument& given) {
    if (given.is_null) return put(parameter.name + ".shape", "null", launch_.place);
    if (!given.buffer) return;
    const HostMemory& memory = launch_.buffers[*given.buffer];
    const auto element = static_cast<int64_t>(size_of(parameter.type));
    const HostValue count = host_elements(memory.bytes, element, variables_);
    const auto known = host_value_of(count, variables_);
    if (!known || *known >= 1) put(parameter.name + ".shape", print(count, true, true), memory.place);
    if (driver_ && !fields_.contains("n") && depends_on_driver(count)) put_n(place_of_variable(*driver_));
    if (!memory.set_to) return;
    if (const auto fill = fill_of(parameter.type, *memory.set_to)) put(parameter.name + ".fill", fill, memory.set_at);
  }

  /// A fill in which every byte of every element is `byte`.
  static std::optional<std::string> fill_of(DType type, int byte) {
    if (byte == 0) return "zero";
    if (is_floating(type)) return std::nullopt;
    uint64_t bits = 0;
    for (size_t i = 0; i < size_of(type); ++i) bits = bits << 8 | static_cast<uint64_t>(byte);
    const bool is_signed = is_signed_integer(type);
    if (byte == 255 && is_signed) return "-1";
    const uint64_t largest = uint64_t{1} << 53;  // fills are floating-point numbers
    return bits < largest && (!is_signed || byte < 128) ? std::optional(std::to_string(bits)) : std::nullopt;
  }

  const HostLaunch& launch_;
  const SourceFacts& facts_;
  const std::vector<ParameterType>& parameters_;
  const KernelReading& reading_;
  const HostVariables& variables_;
  std::vector<bool> depends_;  // by variable
  bool arguments_count_ = false, any_memory_ = false;
  std::optional<size_t> driver_;
  std::set<size_t> equals_;  // sizes equal to it
  std::map<size_t, std::string> names_, block_names_, grid_names_;
  HostFields fields_;
};

/// "T" for "const T* __restrict__ x"; empty if the type has more than one word.
std::string pointee_word(const std::string& declaration) {
  std::string word;
  for (const SourceToken& token : source_tokens(declaration)) {
    if (token.is("*")) return word;
    if (token.is("const") || token.is("volatile")) continue;
    if (token.kind != SourceToken::Kind::name || !word.empty()) return {};
    word = token.text;
  }
  return {};
}

}  // namespace

HostFields fields_from_host(const SourceKernel& kernel, const SourceFacts& facts,
                            const std::vector<ParameterType>& parameters, const KernelReading& reading) {
  if (kernel.launch == nullptr || kernel.launch->count == 0) return {};
  return Suggester(kernel, facts, parameters, reading).make();
}

std::vector<std::string> template_arguments_from_host(const SourceKernel& kernel) {
  if (kernel.launch == nullptr || kernel.launch->count == 0) return {};
  const HostLaunch& launch = *kernel.launch;
  std::vector<std::string> arguments = launch.template_arguments;
  if (launch.arguments.size() != kernel.parameters.size()) return arguments;
  for (size_t i = arguments.size(); i < kernel.templated.size(); ++i) {
    const TemplateParameter& parameter = kernel.templated[i];
    std::string found;
    for (size_t k = 0; k < kernel.parameters.size() && parameter.is_type; ++k)
      if (launch.arguments[k].buffer && found.empty() && pointee_word(kernel.parameters[k]) == parameter.name)
        found = launch.buffers[*launch.arguments[k].buffer].type;
    if (found.empty()) found = parameter.default_value;
    if (found.empty() || parameter.name.empty()) return {};
    arguments.push_back(found);
  }
  return arguments;
}

}  // namespace tilescope
