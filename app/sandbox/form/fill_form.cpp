#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "app/sandbox/form/arguments.hpp"
#include "app/sandbox/form/kernel_form.hpp"
#include "app/sandbox/reading/expression.hpp"
#include "engine/run/inputs.hpp"
#include "engine/specs.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};
// Largest extents of a launch (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
constexpr std::array<int64_t, 3> kLargestGrid{0x7fffffff, 65535, 65535}, kLargestBlock{1024, 1024, 64};

/// The range of an integer type.
std::pair<long double, long double> range_of(DType type) {
  const auto bits = static_cast<int>(size_of(type) * 8);
  if (type == DType::boolean) return {0.0L, 1.0L};
  const bool is_signed = is_signed_integer(type);
  const long double all = std::ldexp(1.0L, bits);
  return is_signed ? std::pair{-all / 2, all / 2 - 1} : std::pair{0.0L, all - 1};
}

uint64_t host_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) : uint64_t{1} << 40;
}

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const auto* raw = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

void append_number(std::vector<std::byte>& bytes, DType type, long double value) {
  if (type == DType::u64) return append(bytes, static_cast<uint64_t>(value));
  if (type == DType::i64) return append(bytes, static_cast<int64_t>(value));
  HostBuffer element(type, 1);
  store_value(element, 0, static_cast<double>(value));
  bytes.insert(bytes.end(), element.bytes.begin(), element.bytes.end());
}

/// Evaluates the fields of a form, each when it is first needed by a different one.
class Filling {
 public:
  Filling(const KernelForm& form, int64_t n) : form_(form), n_(n) {}

  FilledForm fill() {
    fill_kernel();
    fill_defines();
    fill_extent("grid", kLargestGrid, filled_.launch.grid);
    if (form_.language == KernelLanguage::triton) {
      fill_triton();
    } else {
      fill_extent("block", kLargestBlock, filled_.launch.block);
      fill_threads();
      if (const auto shared = whole("shared", 0, static_cast<long double>(usual_gpu().shared_bytes_per_block)))
        filled_.launch.shared_bytes = static_cast<uint32_t>(*shared);
    }
    for (const ParameterType& parameter : form_.parameters) {
      filled_.launch.arguments.push_back(argument(parameter, parameter.name));
      filled_.specs.push_back(spec_);
      const bool declared = parameter.declared.find(parameter.name) != std::string::npos;
      filled_.names.push_back(declared ? parameter.name : "");
    }
    for (const FormVariable& variable : form_.variables) fill_variable(variable);
    return std::move(filled_);
  }

 private:
  void problem(const std::string& field, Problem what) { filled_.problems.try_emplace(field, std::move(what)); }
  void problem(const std::string& field, std::string key,
               std::vector<std::pair<std::string, std::string>> places = {}) {
    problem(field, Problem{std::move(key), std::move(places)});
  }

  NameLookup names() {
    return [this](std::string_view name) { return named(std::string(name)); };
  }

  std::optional<Checked<long double>> named(const std::string& name) {
    if (name == "n") return static_cast<long double>(n_);
    for (const std::string object : {"grid", "block"}) {
      if (name == object) {
        long double product = 1;
        for (const char* axis : kAxes) {
          auto one = field_value(object + "." + axis);
          if (!one) return one;
          product *= *one;
        }
        return product;
      }
      for (const char* axis : kAxes)
        if (name == object + "." + axis) return field_value(name);
    }
    for (const ParameterType& parameter : form_.parameters) {
      const bool number = parameter.kind == ParameterType::Kind::scalar && parameter.components == 1;
      if (parameter.name == name && number) return field_value(name + ".value");
      for (const ParameterType& member : parameter.members) {
        if (parameter.name + "." + member.name != name || member.kind != ParameterType::Kind::scalar) continue;
        return field_value(name + ".value");
      }
    }
    if (form_.language == KernelLanguage::triton)
      for (const Define& define : filled_.defines)
        if (define.name == name) return constexpr_value(define);
    if (const auto constant = form_.constants.find(name); constant != form_.constants.end())
      return static_cast<long double>(constant->second);
    return std::nullopt;
  }

  /// The value of a different field, for a name in this one.
  Checked<long double> field_value(const std::string& field) {
    if (!under_way_.insert(field).second) return wrong("sandbox.circular", {{"name", field}});
    auto value = evaluate(form_.text(field), names());
    under_way_.erase(field);
    return value;
  }

  Checked<long double> constexpr_value(const Define& define) {
    if (!under_way_.insert("-D" + define.name).second) return wrong("sandbox.circular", {{"name", define.name}});
    auto value = evaluate(define.value, names());
    under_way_.erase("-D" + define.name);
    return value;
  }

  /// What the compiler fixes: constexprs, some of them expressions over the sizes, warps and stages.
  void fill_triton() {
    std::vector<Define> constexprs;
    for (const Define& define : filled_.defines) {
      under_way_.clear();
      const bool is_expression = define.value.find_first_of("*/+(^") != std::string::npos || define.value == "n" ||
                                 named(define.value).has_value();
      const auto value = is_expression ? constexpr_value(define) : wrong("");
      constexprs.push_back({define.name, value ? number_text(*value) : define.value});
    }
    under_way_.clear();
    filled_.defines = filled_.launch.triton.constexprs = std::move(constexprs);
    constexpr long double kMostWarps = 32, kMostStages = 16;
    if (const auto warps = whole("num_warps", 1, kMostWarps))
      filled_.launch.triton.num_warps = static_cast<int>(*warps);
    if (const auto stages = whole("num_stages", 1, kMostStages))
      filled_.launch.triton.num_stages = static_cast<int>(*stages);
    const std::string& target = form_.text("target");
    const auto architecture = parse_architecture(target);
    if (!architecture) return problem("target", "sandbox.bad_target", {{"text", target}});
    if (target != kUsualTarget) filled_.architecture = *architecture;
  }

  /// A field that takes a whole number; records its value if the text is an expression.
  std::optional<long double> whole(const std::string& field, long double low, long double high) {
    under_way_ = {field};
    auto value = evaluate_whole(form_.text(field), names(), low, high);
    under_way_.clear();
    if (!value) {
      problem(field, value.error());
      return std::nullopt;
    }
    note_value(field, *value);
    return *value;
  }
  void note_value(const std::string& field, long double value) {
    const std::string& text = form_.text(field);
    const bool plain = text.find_first_not_of("0123456789.- ") == std::string::npos;
    if (!plain) filled_.values[field] = value_as_text(value);
  }

  void fill_kernel() {
    filled_.kernel = form_.kernel;
    if (form_.kernel.empty()) return problem("kernel", "sandbox.no_kernel");
    if (!form_.known) return problem("kernel", "sandbox.kernel_gone", {{"name", form_.kernel}});
    if (!form_.is_template) {
      filled_.launch.kernel = form_.kernel;
      return;
    }
    const std::string& arguments = form_.text("template");
    const TypedKernel typed = read_typed_kernel(form_.kernel + "<" + arguments + ">");
    if (typed.arguments.empty()) problem("template", "sandbox.template_empty");
    filled_.launch.kernel = filled_.kernel = form_.kernel + "<" + arguments + ">";
  }

  void fill_extent(const std::string& object, const std::array<int64_t, 3>& largest, Dim3& extent) {
    const std::array<uint32_t*, 3> axes{&extent.x, &extent.y, &extent.z};
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const auto value = whole(object + "." + kAxes[axis], 1, static_cast<long double>(largest[axis]));
      *axes[axis] = value ? static_cast<uint32_t>(*value) : 1;
    }
  }

  void fill_threads() {
    const uint64_t threads = filled_.launch.block.count();
    if (threads <= usual_gpu().max_threads_per_block) return;
    const auto most_on = [&](uint32_t extent) { return uint64_t{extent} * extent * extent >= threads; };
    const char* axis = most_on(filled_.launch.block.x) ? "x" : most_on(filled_.launch.block.y) ? "y" : "z";
    problem(std::string("block.") + axis, "sandbox.too_many_threads",
            {{"threads", value_as_text(static_cast<long double>(threads))}});
  }

  void fill_defines() {
    const std::string& text = form_.text("defines");
    for (size_t at = 0; at < text.size();) {
      const size_t begin = text.find_first_not_of(" \t", at);
      if (begin == std::string::npos) break;
      at = std::min(text.find_first_of(" \t", begin), text.size());
      std::string one = text.substr(begin, at - begin);
      if (one.starts_with("-D")) one.erase(0, 2);
      const size_t sign = one.find('=');
      const std::string name = one.substr(0, sign);
      const bool letter = !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_');
      if (!letter) {
        problem("defines", "sandbox.bad_define", {{"text", one}});
        continue;
      }
      filled_.defines.push_back({name, sign == std::string::npos ? "1" : one.substr(sign + 1)});
    }
    for (const std::string& folder : split(form_.text("includes"), ':', std::numeric_limits<size_t>::max())) {
      if (folder.empty()) continue;
      std::error_code ignored;
      if (!std::filesystem::is_directory(folder, ignored))
        problem("includes", "sandbox.no_folder", {{"folder", folder}});
      filled_.include_folders.push_back(folder);
    }
  }

  Argument argument(const ParameterType& parameter, const std::string& name) {
    switch (parameter.kind) {
      case ParameterType::Kind::pointer:
        return pointer(parameter, name);
      case ParameterType::Kind::scalar:
        return number(parameter, name);
      case ParameterType::Kind::structure:
        return structure(parameter, name);
      case ParameterType::Kind::unknown:
        break;
    }
    return specified(parameter, name);
  }

  Argument number(const ParameterType& parameter, const std::string& name) {
    const std::string field = name + ".value";
    ScalarArgument result;
    result.text = form_.text(field);
    result.number = is_floating(parameter.type) ? ScalarArgument::Number::floating : ScalarArgument::Number::whole;
    if (parameter.type == DType::f16 || parameter.type == DType::bf16) result.number = ScalarArgument::Number::unknown;
    if (parameter.components == 1) result.type = parameter.type;
    const auto texts = split_at_commas(form_.text(field));
    const auto wanted = static_cast<size_t>(parameter.components);
    if (texts.size() != wanted && texts.size() != 1)
      problem(field, "sandbox.components",
              {{"wanted", std::to_string(wanted)}, {"given", std::to_string(texts.size())}});
    spec_ = std::string(name_of(parameter.type)) + ":";
    for (size_t i = 0; i < wanted; ++i) {
      std::string text = i < texts.size() ? texts[i] : texts.front();
      if (parameter.type == DType::boolean && (text == "true" || text == "false")) text = text == "true" ? "1" : "0";
      const long double value = component(parameter, field, text);
      append_number(result.bytes, parameter.type, value);
      spec_ += (i > 0 ? "," : "") + number_text(value);
    }
    return result;
  }

  long double component(const ParameterType& parameter, const std::string& field, const std::string& text) {
    under_way_ = {field};
    const auto [low, high] = range_of(parameter.type);
    const bool floating = is_floating(parameter.type);
    auto value = floating ? evaluate(text, names()) : evaluate_whole(text, names(), low, high);
    under_way_.clear();
    if (!value) {
      problem(field, value.error());
      return 0;
    }
    if (parameter.components == 1 && parameter.type != DType::boolean) note_value(field, *value);
    return *value;
  }

  Argument structure(const ParameterType& parameter, const std::string& name) {
    ScalarArgument whole_struct;
    whole_struct.text = parameter.declared;
    std::string spec = "struct:";
    for (const ParameterType& member : parameter.members) {
      auto& bytes = whole_struct.bytes;
      bytes.resize((bytes.size() + member.alignment - 1) / member.alignment * member.alignment);
      const Argument one = argument(member, name + "." + member.name);
      spec += (spec.ends_with(':') ? "" : ";") + spec_;
      if (const auto* target = std::get_if<BufferArgument>(&one)) {
        whole_struct.pointers.push_back({bytes.size(), *target});
        bytes.resize(bytes.size() + sizeof(uint64_t));
      } else {
        const auto& inner = std::get<ScalarArgument>(one);
        for (ScalarArgument::Pointer pointer : inner.pointers) {
          pointer.offset += bytes.size();
          whole_struct.pointers.push_back(pointer);
        }
        bytes.insert(bytes.end(), inner.bytes.begin(), inner.bytes.end());
      }
    }
    whole_struct.bytes.resize(parameter.size);
    spec_ = std::move(spec);
    return whole_struct;
  }

  /// What the host would have copied into a variable: numbers, or a fill for all of its elements.
  void fill_variable(const FormVariable& variable) {
    const std::string field = "@" + variable.name, &text = form_.text(field);
    if (text.find_first_not_of(' ') == std::string::npos || text == "zero") return;
    std::string spec = text;
    if (variable.type.kind == ParameterType::Kind::scalar) {
      int64_t count = variable.type.components;
      for (const int64_t extent : variable.extents) count *= extent;
      const std::string type(name_of(variable.type.type));
      const std::string as_buffer = fmt::format("buf:{}:{}:{}", name_of(variable.type.type), count, fill_spec(text));
      const bool is_fill = std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '@';
      spec = is_fill && parse_buffer(as_buffer) ? as_buffer : type + ":" + numbers(variable, field, text);
    }
    std::vector<BufferSpec> none;
    auto read = parse_arguments({}, {variable.name + "=" + spec}, none, no_names);
    if (!read || !none.empty()) return problem(field, "sandbox.bad_variable", {{"text", text}});
    read->variables.front().may_be_absent = true;
    filled_.variables.push_back(std::move(read->variables.front()));
    filled_.symbols.push_back(variable.name + "=" + spec);
  }

  /// "n, 2*n" → "4096,8192".
  std::string numbers(const FormVariable& variable, const std::string& field, const std::string& text) {
    std::string values;
    for (std::string one : split_at_commas(text)) {
      if (variable.type.type == DType::boolean && (one == "true" || one == "false")) one = one == "true" ? "1" : "0";
      values += (values.empty() ? "" : ",") + number_text(component(variable.type, field, one));
    }
    if (values.find(',') != std::string::npos) filled_.values.erase(field);  // it contains one number
    return values;
  }

  static std::string number_text(long double value) {
    const bool whole = value == std::floor(value) && std::fabs(value) < 1e18L;
    return whole ? fmt::format("{:.0f}", value) : fmt::format("{}", static_cast<double>(value));
  }

  /// An unknown type, or an array of pointers: in the form of `exec`.
  Argument specified(const ParameterType&, const std::string& name) {
    const std::string field = name + ".spec", &text = form_.text(field);
    std::vector<BufferSpec> buffers = filled_.buffers;
    under_way_ = {field};
    spec_ = with_counts(text);
    auto read = parse_arguments({name + "=" + spec_}, {}, buffers, names());
    under_way_.clear();
    if (!text.empty() && read && read->arguments.size() == 1) {
      filled_.buffers = std::move(buffers);
      for (Preset& preset : read->presets) filled_.launch.presets.push_back(std::move(preset));
      number_textures(read->arguments.front());
      for (TextureSpec& texture : read->textures) filled_.launch.textures.push_back(texture);
      return read->arguments.front();
    }
    problem(field, "sandbox.unknown_type", {{"text", text}});
    return ScalarArgument{};
  }

  /// The texture objects of an argument are numbered after those of earlier arguments.
  void number_textures(Argument& argument) const {
    const size_t before = filled_.launch.textures.size();
    if (auto* object = std::get_if<BufferArgument>(&argument); object != nullptr && object->texture)
      *object->texture += before;
    if (auto* value = std::get_if<ScalarArgument>(&argument))
      for (ScalarArgument::Pointer& pointer : value->pointers)
        if (pointer.target.texture) *pointer.target.texture += before;
  }

  /// "ptrs:4*buf:f32:n:normal" → "ptrs:4*buf:f32:4096:normal": the command line does not know n.
  std::string with_counts(const std::string& text) {
    constexpr size_t kAll = std::numeric_limits<size_t>::max();
    const bool table = text.starts_with("ptrs:");
    if (!table && !text.starts_with("tex:") && !text.starts_with("desc:")) return text;
    std::string result;
    for (const std::string& element : split(table ? text.substr(5) : text, ';', kAll)) {
      std::vector<std::string> parts = split(element, ':', kAll);
      if (parts.size() >= 4 && (parts[0].ends_with("buf") || !table)) {
        std::string extents;
        for (const std::string& extent : split_extents(parts[2])) {
          const auto value = evaluate_whole(extent, names(), 1, 1e18L);
          extents += (extents.empty() ? "" : "x") + (value ? number_text(*value) : extent);
        }
        parts[2] = extents;
      }
      std::string joined;
      for (const std::string& part : parts) joined += (joined.empty() ? "" : ":") + part;
      result += (!result.empty() ? ";" : table ? "ptrs:" : "") + joined;
    }
    return result;
  }

  Argument pointer(const ParameterType& parameter, const std::string& name) {
    if (form_.text(name + ".shape") == "null") {
      spec_ = "null";
      ScalarArgument null = scalar(uint64_t{0});
      null.number = ScalarArgument::Number::unknown;
      return null;
    }
    BufferSpec buffer = content(name);
    buffer.name = name;
    buffer.role = role_from(form_.text(name + ".role")).value_or(parameter.is_const ? Role::input : Role::inout);
    buffer.shape = shape(name, buffer.type);
    std::string extents;
    for (const int64_t extent : buffer.shape) extents += (extents.empty() ? "" : "x") + std::to_string(extent);
    spec_ = fmt::format("buf:{}:{}:{}:{}", name_of(buffer.type), extents, fill_spec(form_.text(name + ".fill")), name);
    filled_.buffers.push_back(std::move(buffer));
    return BufferArgument{filled_.buffers.size() - 1};
  }

  /// uniform(-1, 1) in the form of `exec`, without blanks.
  static std::string fill_spec(std::string fill) {
    if (!fill.starts_with('@')) std::erase(fill, ' ');
    return fill;
  }

  /// Type and initial contents.
  BufferSpec content(const std::string& name) {
    const std::string &type = form_.text(name + ".type"), &fill = form_.text(name + ".fill");
    if (!dtype_from(type)) {
      problem(name + ".type", "sandbox.bad_type", {{"text", type}});
      return {};
    }
    auto buffer = parse_buffer(fmt::format("buf:{}:1:{}", type, fill_spec(fill)));
    if (buffer && !buffer->file.empty()) {
      std::error_code absent;
      if (!std::filesystem::is_regular_file(buffer->file, absent))
        problem(name + ".fill", "sandbox.no_file", {{"file", buffer->file}});
    }
    if (buffer) return *buffer;
    problem(name + ".fill", "sandbox.bad_fill", {{"text", fill}});
    BufferSpec zero;
    zero.type = *dtype_from(type);
    zero.fill = Fill::zero;
    return zero;
  }

  std::vector<int64_t> shape(const std::string& name, DType type) {
    const std::string field = name + ".shape";
    const long double most = static_cast<long double>(host_memory() / size_of(type));
    std::vector<int64_t> extents;
    long double total = 1;
    std::string shown;
    bool plain = true;
    for (const std::string& text : split_extents(form_.text(field))) {
      under_way_ = {field};
      auto value = evaluate_whole(text, names(), 1, 1e30L);
      under_way_.clear();
      if (!value) {
        problem(field, value.error());
        return {1};
      }
      extents.push_back(static_cast<int64_t>(*value));
      total *= *value;
      plain = plain && text.find_first_not_of("0123456789") == std::string::npos;
      shown += (shown.empty() ? "" : " × ") + value_as_text(*value);
    }
    if (total > most) {
      problem(field, "sandbox.too_much_memory",
              {{"bytes", three_figures(static_cast<double>(total * static_cast<long double>(size_of(type))))},
               {"most", three_figures(static_cast<double>(host_memory()))}});
      return {1};
    }
    if (!plain) filled_.values[field] = shown;
    return extents;
  }

  const KernelForm& form_;
  int64_t n_;
  std::string spec_;                 // the argument filled in last
  std::set<std::string> under_way_;  // fields being evaluated
  FilledForm filled_;
};

}  // namespace

FilledForm fill_in(const KernelForm& form, int64_t n) { return Filling(form, n).fill(); }

}  // namespace tilescope
