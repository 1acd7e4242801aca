// The initial contents of a form, derived from the kernel's source (kernel_reading.hpp), so that a typical kernel runs
// at once. Any of it may be wrong for a given kernel; it is shown and can be changed.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/sandbox/form/kernel_form.hpp"
#include "app/sandbox/reading/expression.hpp"
#include "app/sandbox/reading/host_suggestion.hpp"
#include "app/sandbox/reading/kernel_reading.hpp"
#include "app/sandbox/reading/texture_suggestion.hpp"
#include "engine/compile/type_spelling.hpp"
#include "engine/text.hpp"

namespace tilescope {
namespace {

using Kind = ParameterType::Kind;
using Origin = FieldOrigin::Kind;
constexpr std::array<const char*, 3> kDefaultsAxes{"x", "y", "z"};

bool holds_any(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::string template_argument(const TemplateParameter& parameter) {
  if (!parameter.default_value.empty()) return parameter.default_value;
  if (parameter.is_type) return "float";
  const std::string name = lower_case(parameter.name);
  if (holds_any(name, {"block", "thread", "size"})) return "256";
  if (holds_any(name, {"tile", "bm", "bn", "bk", "dim"})) return "32";
  if (holds_any(name, {"vec", "unroll", "items", "tm", "tn"})) return "4";
  return holds_any(name, {"is_", "use", "has"}) ? "true" : "16";
}

/// "float, 256": as host code launches it, else guessed from the parameters' names.
std::string template_arguments(const SourceKernel& kernel, FieldOrigin::Kind& origin) {
  std::string known;
  for (const std::string& argument : template_arguments_from_host(kernel))
    known += (known.empty() ? "" : ", ") + argument;
  origin = FieldOrigin::Kind::host;
  if (!known.empty()) return known;
  for (const std::string& one : kernel.instantiations) {
    const TypedKernel typed = read_typed_kernel(one);
    // A name local to the launching function has no meaning here.
    const bool plain = std::none_of(typed.arguments.begin(), typed.arguments.end(), [](const std::string& argument) {
      return argument.size() == 1 && std::isupper(static_cast<unsigned char>(argument[0])) != 0;
    });
    if (!plain || typed.arguments.empty()) continue;
    std::string text;
    for (const std::string& argument : typed.arguments) text += (text.empty() ? "" : ", ") + argument;
    return text;
  }
  origin = FieldOrigin::Kind::usual;
  std::string text;
  for (const TemplateParameter& parameter : kernel.templated)
    text += (text.empty() ? "" : ", ") + template_argument(parameter);
  return text;
}

/// Defaults of one kernel, one group of fields at a time.
class Suggestion {
 public:
  Suggestion(KernelForm& form, const SourceKernel& kernel, const SourceFacts& facts)
      : form_(form), kernel_(kernel), facts_(facts), reading_(read_kernel(kernel, facts, form.parameters)) {}

  void make() {
    put("shared", "0", Origin::usual);
    form_.defaults["defines"] = form_.defaults["includes"] = "";
    for (const ParameterType& parameter : form_.parameters) suggest_argument(parameter, parameter.name);
    suggest_variables();
    suggest_block();
    suggest_grid();
    suggest_shared();
    take_host_code();
    suggest_n();
  }

 private:
  void put(const std::string& field, std::string text, FieldOrigin::Kind origin = FieldOrigin::Kind::body) {
    form_.defaults[field] = std::move(text);
    const bool declared = origin == FieldOrigin::Kind::declaration;
    form_.origins[field] = {origin, {}, declared ? kernel_.line : 0};
  }
  const AxisReading& axis(size_t i) const { return reading_.axes[i]; }

  void suggest_argument(const ParameterType& parameter, const std::string& name) {
    switch (parameter.kind) {
      case Kind::pointer:
        return suggest_buffer(parameter, name);
      case Kind::scalar:
        return suggest_number(parameter, name + ".value");
      case Kind::structure:
        for (const ParameterType& member : parameter.members) suggest_argument(member, name + "." + member.name);
        return;
      case Kind::unknown:
        if (is_texture_object(parameter.declared))
          return put(name + ".spec", suggest_texture(kernel_, name, facts_), Origin::body);
        put(name + ".spec", parameter.is_table ? fmt::format("ptrs:4*buf:{}:n:normal", name_of(parameter.type)) : "",
            Origin::usual);
    }
  }

  /// Variables that this kernel names, or a device function that it may call.
  void suggest_variables() {
    const auto is_named = [this](const SourceVariable& variable) {
      return std::any_of(kernel_.body.begin(), kernel_.body.end(),
                         [&](const SourceToken& token) { return token.is(variable.last_name); });
    };
    for (const SourceVariable& variable : facts_.variables) {
      if (!is_named(variable) && !variable.is_used_by_function) continue;
      FormVariable one{.name = variable.name,
                       .declared = variable.declared,
                       .type = read_parameter(variable.declared, facts_.types),
                       .extents = variable.extents};
      for (const int64_t extent : variable.extents) one.declared += fmt::format("[{}]", extent);
      suggest_variable(one, variable);
      form_.variables.push_back(std::move(one));
    }
  }

  void suggest_variable(const FormVariable& one, const SourceVariable& variable) {
    const std::string field = "@" + one.name;
    put(field, "", variable.is_initialised ? Origin::declaration : Origin::usual);
    if (!variable.is_set_by_host || one.type.kind != Kind::scalar) return;
    const auto copied = kernel_.launch->symbols.find(variable.last_name);
    std::string text;
    if (copied != kernel_.launch->symbols.end())
      for (const HostValue& value : copied->second.values) {
        const auto number = host_value_of(value, kernel_.launch->variables);
        if (!number) return;
        text += (text.empty() ? "" : ", ") + fmt::format("{}", static_cast<double>(*number));
      }
    if (!text.empty()) {
      put(field, text, Origin::host);
      form_.origins[field] = {Origin::host, copied->second.place.function, line_here(copied->second.place)};
      return;
    }
    // The host sets it to an unknown value.
    const bool whole = !is_floating(one.type.type);
    put(field, !one.extents.empty() ? (whole ? "uniform" : "normal") : number(one.type), Origin::usual);
  }

  void suggest_number(const ParameterType& parameter, const std::string& field) {
    const bool is_size = reading_.sizes.contains(parameter.name) && parameter.type != DType::boolean &&
                         !is_floating(parameter.type) && parameter.components == 1;
    put(field, number(parameter), is_size ? Origin::body : Origin::usual);
  }

  std::string number(const ParameterType& parameter) const {
    const std::string name = lower_case(parameter.name);
    if (parameter.type == DType::boolean) return "true";
    if (is_floating(parameter.type)) return name.starts_with("eps") ? "1e-5" : "2";
    if (parameter.components > 1) return "1";
    if (holds_any(name, {"radius", "filter", "kernel", "window", "iter", "step", "taps", "halo", "heads", "batch"}))
      return "4";
    if (holds_any(name, {"seed", "offset", "shift", "start", "begin"})) return "0";
    if (reading_.sizes.contains(parameter.name)) return "n";
    constexpr std::array<std::string_view, 12> kSizes{"n", "m",  "k",  "w",    "h",    "d",
                                                      "c", "nx", "ny", "rows", "cols", "len"};
    if (std::find(kSizes.begin(), kSizes.end(), name) != kSizes.end()) return "n";
    return holds_any(name, {"size", "length", "count", "num", "width", "height", "dim", "elem", "total"}) ? "n" : "1";
  }

  void suggest_buffer(const ParameterType& parameter, const std::string& name) {
    const auto found = reading_.buffers.find(name);
    const BufferReading use = found != reading_.buffers.end() ? found->second : BufferReading{};
    const Role role = role_of(parameter, use);
    put(name + ".type", std::string(name_of(parameter.type)), Origin::declaration);
    put(name + ".shape", shape(parameter, use), use.extents.empty() ? Origin::usual : Origin::body);
    put(name + ".role", std::string(name_of(role)), parameter.is_const ? Origin::declaration : Origin::body);
    put(name + ".fill", fill(parameter, use, role, lower_case(name)),
        role == Role::output || use.accumulated ? Origin::body : Origin::usual);
  }

  static Role role_of(const ParameterType& parameter, const BufferReading& use) {
    if (parameter.is_const) return Role::input;
    if (use.passed_on) return Role::inout;
    if (use.written) return use.read || use.accumulated ? Role::inout : Role::output;
    return use.read ? Role::input : Role::inout;
  }

  std::string shape(const ParameterType& parameter, const BufferReading& use) const {
    std::string text;
    for (const std::string& extent : use.extents) text += (text.empty() ? "" : ", ") + extent;
    if (text.empty()) text = "n";
    if (parameter.components <= 1) return text;
    // If elements consist of several numbers, the numbers are counted.
    const bool whole = use.extents.size() > 1 || text.find_first_of("+-/% ") == std::string::npos;
    return (whole ? text : "(" + text + ")") + "*" + std::to_string(parameter.components);
  }

  static std::string fill(const ParameterType& parameter, const BufferReading& use, Role role,
                          const std::string& name) {
    if (role == Role::output) return "poison";
    if (use.accumulated) return "zero";
    if (is_floating(parameter.type)) return "normal";
    return holds_any(name, {"idx", "ind", "perm", "offset", "ptr", "map", "order"}) ? "iota" : "uniform";
  }

  /// From the source: __launch_bounds__, the first launch in host code, else a size that fits the axes.
  void suggest_block() {
    std::array<int64_t, 3> block = from_launch();
    if (block[0] == 0) block = from_axes();
    const bool bounded = kernel_.launch_bounds > 0 && block[0] * block[1] * block[2] > kernel_.launch_bounds;
    if (bounded) block = {kernel_.launch_bounds, 1, 1};
    for (size_t i = 0; i < 3; ++i) {
      block_[i] = std::max<int64_t>(block[i], 1);
      put(std::string("block.") + kDefaultsAxes[i], std::to_string(block_[i]),
          bounded ? Origin::declaration : Origin::usual);
    }
  }

  /// <<<grid, block>>>: a number, dim3(16, 16), or a variable declared as one of them. Zeros: unknown.
  std::array<int64_t, 3> from_launch() const {
    if (kernel_.configuration.size() < 2) return {};
    std::vector<SourceToken> tokens = kernel_.configuration[1];
    if (tokens.size() == 1)
      if (const auto declared = facts_.declarations.find(std::string(tokens[0].text));
          declared != facts_.declarations.end())
        tokens = declared->second;
    if (tokens.size() > 3 && tokens[0].is("dim3")) tokens = {tokens.begin() + 2, tokens.end() - 1};
    std::array<int64_t, 3> block{0, 1, 1};
    size_t at = 0, piece = 0;
    for (size_t i = 0; i <= tokens.size() && piece < 3; ++i) {
      if (i < tokens.size() && !tokens[i].is(",")) continue;
      const auto value = constant_value(std::span(tokens).subspan(at, i - at), facts_.constants);
      if (!value || *value < 1 || *value > 1024) return {};
      block[piece++] = *value;
      at = i + 1;
    }
    return block[0] * block[1] * block[2] <= 1024 ? block : std::array<int64_t, 3>{};
  }

  std::array<int64_t, 3> from_axes() const {
    std::array<int64_t, 3> block{1, 1, 1};
    const bool plane = axis(1).in_block, volume = axis(2).in_block;
    const int64_t free_extent = volume ? 8 : plane ? 16 : 256;
    int64_t product = 1;
    for (size_t i = 0; i < 3; ++i) {
      const AxisReading& reading = axis(i);
      if (!reading.in_block) continue;
      const bool stepped = reading.in_grid && !reading.by_block && !reading.one_each && reading.factor > 1;
      block[i] = stepped ? reading.factor : free_extent;
      if (reading.thread_step > 0 && stepped && reading.thread_step < reading.factor) block[i] = reading.thread_step;
      product *= block[i];
    }
    if (product <= 1024) return block;
    // A tile with more elements than a block has threads: each thread handles several.
    return plane ? std::array<int64_t, 3>{16, 16, 1} : std::array<int64_t, 3>{256, 1, 1};
  }

  void suggest_grid() {
    for (size_t i = 0; i < 3; ++i) {
      const AxisReading& reading = axis(i);
      const std::string bound = reading.bound.empty() ? "n" : reading.bound;
      std::string text = "1";
      if (reading.in_grid && reading.one_each && !reading.by_block)
        text = bound;
      else if (reading.in_grid && reading.by_block)
        text = fmt::format("ceil({}/{})", bound,
                           reading.factor > 1 ? fmt::format("(block.{}*{})", kDefaultsAxes[i], reading.factor)
                                              : std::string("block.") + kDefaultsAxes[i]);
      else if (reading.in_grid)
        text = fmt::format("ceil({}/{})", bound, std::max<int64_t>(reading.factor, 1));
      put(std::string("grid.") + kDefaultsAxes[i], text, reading.in_grid ? Origin::body : Origin::usual);
    }
  }

  /// extern __shared__ float tile[]: one number per thread.
  void suggest_shared() {
    const auto& body = kernel_.body;
    for (size_t i = 0; i + 2 < body.size(); ++i) {
      if (!body[i].is("extern")) continue;
      std::string declaration;
      size_t k = i + 1;
      for (; k < body.size() && !body[k].is("[") && !body[k].is(";"); ++k)
        if (!body[k].is("__shared__") && !body[k].is("__align__")) declaration += std::string(body[k].text) + " ";
      const ParameterType element = read_parameter(declaration, facts_.types);
      const size_t bytes = element.size > 0 && element.kind == Kind::scalar ? element.size : 4;
      put("shared", fmt::format("block*{}", bytes));
      return;
    }
  }

  /// What the host code passes, allocates and launches takes precedence over the body's suggestions. For a buffer, the
  /// body may know rows and columns where the host has only bytes: they are kept if the number of elements agrees.
  void take_host_code() {
    const HostLaunch& launch = *kernel_.launch;
    form_.launches = launch.count;
    form_.launch = {Origin::host, launch.place.function, line_here(launch.place)};
    const HostFields fields = fields_from_host(kernel_, facts_, form_.parameters, reading_);
    const FieldTexts body = form_.defaults;
    for (const auto& [field, found] : fields) {
      form_.defaults[field] = found.text;
      form_.origins[field] = {Origin::host, found.place.function, line_here(found.place)};
    }
    if (const auto n = fields.find("n"); n != fields.end()) form_.host_n = std::stoll(n->second.text);
    const int64_t n = form_.host_n > 0 ? form_.host_n : 4096;
    for (const ParameterType& parameter : form_.parameters) {
      const std::string field = parameter.name + ".shape";
      if (!fields.contains(field) || split_extents(body.at(field)).size() < 2) continue;
      const auto counts = [&](const std::string& text) {
        form_.defaults[field] = text;
        return std::pair{count_of(parameter.name, n), count_of(parameter.name, n / 2 + 1)};
      };
      const std::string host = form_.defaults[field];
      const auto by_host = counts(host), by_body = counts(body.at(field));
      if (by_host != by_body || by_host.first == 0) form_.defaults[field] = host;
    }
  }

  /// 0: in a header.
  uint32_t line_here(const HostPlace& place) const { return place.line <= facts_.own_lines ? place.line : 0; }

  /// Number of elements; 0 if the form is invalid.
  int64_t count_of(const std::string& buffer, int64_t n) const {
    const FilledForm filled = fill_in(form_, n);
    if (filled.problems.contains(buffer + ".shape")) return 0;
    for (const BufferSpec& one : filled.buffers)
      if (one.name == buffer) return one.count();
    return 0;
  }

  bool is_within(int64_t n, int64_t most_elements, int64_t most_work) const {
    const FilledForm filled = fill_in(form_, n);
    int64_t elements = 0;
    for (const BufferSpec& buffer : filled.buffers) elements = std::max(elements, buffer.count());
    // The largest grid has more threads than fit in 64 bits.
    const Dim3& grid = filled.launch.grid;
    const auto threads = static_cast<long double>(grid.x) * grid.y * grid.z * filled.launch.block.count();
    const long double work = reading_.loops_over_size ? threads * static_cast<long double>(n) : threads;
    return elements <= most_elements && threads <= static_cast<long double>(most_elements) &&
           work <= static_cast<long double>(most_work);
  }
  /// With patience: about a minute.
  bool is_possible(int64_t n) const { return is_within(n, int64_t{1} << 26, int64_t{1} << 32); }

  /// The largest power of two for which buffers and work take only a moment to simulate.
  void suggest_n() {
    constexpr int64_t kMostElements = int64_t{1} << 18, kMostWork = int64_t{1} << 24;
    // The file's value is used unchanged if it takes no more than about a second.
    constexpr int64_t kMostElementsOfFile = int64_t{1} << 24, kMostWorkOfFile = int64_t{1} << 27;
    const bool given = form_.host_n > 0;
    int64_t n = given ? form_.host_n : 65536;
    while (n > 32 && !is_within(n, given ? kMostElementsOfFile : kMostElements, given ? kMostWorkOfFile : kMostWork))
      n /= 2;
    if (n == form_.host_n) form_.host_n = 0;
    form_.largest_simulated = n;
    while (form_.largest_simulated < kLargestN && is_possible(2 * form_.largest_simulated))
      form_.largest_simulated *= 2;
    const bool no_grid = !axis(0).in_grid && !axis(1).in_grid && !axis(2).in_grid;
    if (no_grid && !reading_.loops_over_size && !given) n = std::min(n, block_[0]);
    if (!given) return put("n", std::to_string(n), Origin::usual);
    form_.defaults["n"] = std::to_string(n);
  }

  KernelForm& form_;
  const SourceKernel& kernel_;
  const SourceFacts& facts_;
  KernelReading reading_;
  std::array<int64_t, 3> block_{1, 1, 1};
};

/// What a front end suggests for a kernel that is not CUDA C++.
void suggest_foreign(KernelForm& form, const SourceKernel& kernel) {
  form.parameters = kernel.foreign->parameters;
  form.variables.clear();
  form.constants.clear();
  form.defaults = kernel.foreign->fields;
  form.defaults.try_emplace("defines", "");
  form.defaults.try_emplace("includes", "");
  form.defaults.try_emplace("shared", "0");
  for (const auto& [field, text] : form.defaults)
    form.origins[field] = {field.starts_with("num_") ? Origin::declaration : Origin::body, {}, 0};
  form.largest_simulated = int64_t{1} << 20;
}

}  // namespace

void suggest(KernelForm& form, const SourceFacts& facts) {
  const SourceKernel* kernel = facts.find(form.kernel);
  form.known = kernel != nullptr;
  if (kernel == nullptr) {
    // Nothing to suggest: fields that any launch has.
    if (form.defaults.empty())
      form.defaults = {{"n", "1"},       {"grid.x", "1"},  {"grid.y", "1"}, {"grid.z", "1"}, {"block.x", "1"},
                       {"block.y", "1"}, {"block.z", "1"}, {"shared", "0"}, {"defines", ""}, {"includes", ""}};
    return;
  }
  form.last_name = kernel->last_name;
  form.is_template = !kernel->templated.empty();
  form.instantiations = kernel->instantiations;
  form.defaults.clear();
  form.origins.clear();
  form.host_n = 0;
  form.language = kernel->foreign ? kernel->foreign->language : KernelLanguage::cuda;
  if (kernel->foreign) return suggest_foreign(form, *kernel);
  if (form.is_template) {
    FieldOrigin::Kind origin = Origin::usual;
    form.defaults["template"] = template_arguments(*kernel, origin);
    const HostPlace& place = kernel->launch->place;
    const bool host = origin == Origin::host && kernel->launch->count > 0;
    form.origins["template"] =
        host ? FieldOrigin{origin, place.function, place.line <= facts.own_lines ? place.line : 0} : FieldOrigin{};
  }
  const TypedKernel typed = read_typed_kernel(form.kernel + "<" + form.text("template") + ">");
  const SourceFacts inside = with_template_arguments(facts, *kernel, typed.arguments);
  form.constants = inside.constants;
  form.parameters.clear();
  form.variables.clear();
  for (const std::string& declaration : kernel->parameters) {
    ParameterType parameter = read_parameter(declaration, inside.types);
    if (parameter.name.empty()) parameter.name = fmt::format("arg{}", form.parameters.size());
    form.parameters.push_back(std::move(parameter));
  }
  Suggestion(form, *kernel, inside).make();
}

KernelForm form_of(const std::string& kernel, const SourceFacts& facts, FieldTexts edits) {
  KernelForm form;
  form.kernel = form.last_name = kernel;
  form.edits = std::move(edits);
  suggest(form, facts);
  return form;
}

}  // namespace tilescope
