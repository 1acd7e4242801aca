#include "engine/host_program/python_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "engine/compile/python_parts.hpp"
#include "engine/host_program/scalar_code.hpp"
#include "engine/run/inputs.hpp"
#include "engine/text.hpp"

namespace tilescope {
namespace {

constexpr std::string_view kGenerator = R"(

# ---- The host side ----
def scatter(value):  # SplitMix64: scatters counters over 64 bits
    with np.errstate(over="ignore"):
        value = value + np.uint64(0x9E3779B97F4A7C15)
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return value ^ (value >> np.uint64(31))


def bits_at(stream, indices):
    return scatter(scatter(np.array(stream, np.uint64)) ^ scatter(indices.astype(np.uint64)))


def normal(stream, count):  # Box-Muller: two neighbours share a draw
    i = np.arange(count)
    bits = bits_at(stream, i // 2)
    u = ((bits >> np.uint64(40)).astype(np.float64) + 1) * 2.0**-24  # (0, 1]
    angle = ((bits & np.uint64(0xFFFFFF)).astype(np.float64) * 2.0**-24) * (2 * np.pi)
    return np.sqrt(-2 * np.log(u)) * np.where(i % 2 == 0, np.cos(angle), np.sin(angle))


def uniform(stream, count):  # [0, 1)
    return (bits_at(stream, np.arange(count)) >> np.uint64(40)).astype(np.float64) * 2.0**-24


def to_gpu(values, shape, dtype):
    return torch.tensor(values, dtype=dtype).reshape(shape).cuda()


def report(name, tensor):  # a checksum and the first elements
    elements = tensor.flatten().contiguous().cpu()
    data = elements.view(torch.uint8).numpy().tobytes()
    words = np.frombuffer(data + bytes(-len(data) % 4), "<u4").astype(np.uint64)
    # Each word of 32 bits times a power of an odd number, so that their order counts.
    powers = np.multiply.accumulate(np.full(words.size, 0x9E3779B97F4A7C15, np.uint64))
    checksum = int((words * powers).sum(dtype=np.uint64))
    first = " ".join(f"{float(element):.9g}" for element in elements[:4].tolist())
    print(f"{name}: {elements.numel()} elements, checksum {checksum:016x}, begins with {first}")
)";

/// The launched kernels with what they use, without the file's imports and its other kernels.
std::string kernel_lines(const Plan& plan) {
  const std::vector<std::string> lines = lines_of(plan.source_text);
  std::vector<std::string> kernels;
  for (const Launch& launch : plan.launches) kernels.push_back(launch.kernel);
  std::string text;
  for (const UsedPart& part : used_python_parts(plan.source_text, kernels)) {
    text += "\n\n";
    for (uint32_t line = part.first_line; line <= part.last_line && line <= lines.size(); ++line)
      text += lines[line - 1] + "\n";
  }
  return text;
}

/// `import …` and `from … import …` at the top level of the file, without those that the program has anyway.
std::string imports_of(const std::string& text) {
  std::string imports;
  for (const std::string& line : lines_of(text)) {
    const bool is_import = line.starts_with("import ") || line.starts_with("from ");
    if (is_import && line != "import triton" && line != "import triton.language as tl" && line != "import torch")
      imports += line + "\n";
  }
  return imports;
}

std::string shape_of_spec(const BufferSpec& spec) {
  std::string text;
  for (const int64_t extent : spec.shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return spec.shape.size() == 1 ? "(" + text + ",)" : "(" + text + ")";
}

std::string values_code(const BufferSpec& spec, uint64_t stream) {
  const int64_t count = spec.count();
  const auto& given = spec.fill_values;
  const double first = given.empty() ? 0 : given[0], second = given.size() > 1 ? given[1] : 1;
  std::string drawn = spec.fill == Fill::normal ? fmt::format("normal({}, {})", stream, count)
                                                : fmt::format("uniform({}, {})", stream, count);
  switch (spec.fill) {
    case Fill::normal:
      return given.empty() ? drawn : fmt::format("{} + {} * {}", first, second, drawn);
    case Fill::uniform:
      return given.empty() ? drawn : fmt::format("{} + {} * {}", first, second - first, drawn);
    case Fill::iota:
      return fmt::format("{} + {} * np.arange({})", first, second, count);
    case Fill::constant:
      return fmt::format("np.full({}, {})", count, first);
    default:
      return fmt::format("np.ones({})", count);
  }
}

/// "True", "1024", "tl.float16" as they are, anything else as a string: "'add'".
std::string constexpr_code(const std::string& value) {
  const bool number = !value.empty() && value.find_first_not_of("0123456789+-.eE") == std::string::npos &&
                      value.find_first_of("0123456789") != std::string::npos;
  if (number || value == "True" || value == "False" || value == "None" || value.starts_with("tl.")) return value;
  return "\"" + value + "\"";
}

class PythonProgram {
 public:
  explicit PythonProgram(const HostProgramSubject& subject) : subject_(subject), plan_(subject.plan) {}

  HostProgramResult make() {
    for (const BufferSpec& buffer : plan_.buffers)
      if (!is_floating(buffer.type) && (buffer.fill == Fill::normal || buffer.fill == Fill::uniform))
        return tl::unexpected<Phrase>(
            phrase("the whole numbers of '{}' are random, for which the Python program has no generator", buffer.name));
    std::string launches;
    for (const Launch& launch : plan_.launches) {
      auto code = launch_code(launch);
      if (!code) return tl::unexpected<Phrase>(code.error());
      launches += *code;
    }
    const std::string imports = imports_of(plan_.source_text);
    std::string text = head() + "\nimport numpy as np\nimport torch\nimport triton\nimport triton.language as tl\n" +
                       imports + kernel_lines(plan_) + std::string(kGenerator) + "\n\n" + buffers();
    text +=
        "\n# kernel[blocks](arguments). The first launch compiles the kernel; a launch returns at once.\n" + launches;
    text += "torch.cuda.synchronize()  # waits for the GPU, and tells of errors while the kernel ran\n\n";
    return HostProgram{.text = text + results(), .language = KernelLanguage::triton};
  }

 private:
  std::string head() const {
    std::string text = fmt::format("# {}: the whole program, kernel and host side.\n#\n", subject_.title);
    text += "#   pip install numpy torch triton\n#   python3 program.py\n#\n";
    if (!subject_.command.empty())
      text +=
          "# The inputs are those of this run, except where numpy rounds the last bit of a logarithm or a cosine "
          "otherwise:\n#   " +
          subject_.command + "\n";
    return text;
  }

  /// Names of the program that a buffer must not take.
  std::string name_of(size_t buffer) const {
    static const std::set<std::string> taken{"tl",      "np",      "torch",   "triton", "normal",
                                             "uniform", "scatter", "bits_at", "to_gpu", "report"};
    std::string text = plan_.buffers[buffer].name;
    for (char& letter : text)
      if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
    return taken.contains(text) ? text + "_buffer" : text;
  }

  static bool is_used(const Plan& plan, size_t buffer) {
    return std::ranges::any_of(plan.launches, [&](const Launch& launch) {
      return std::ranges::any_of(launch.arguments, [&](const Argument& argument) {
        const auto* one = std::get_if<BufferArgument>(&argument);
        return one != nullptr && one->buffer == buffer;
      });
    });
  }

  std::string buffers() const {
    std::string text = "# Buffers on the GPU. torch allocates, and .cuda() copies.\n";
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      const BufferSpec& spec = plan_.buffers[i];
      if (!is_used(plan_, i)) continue;
      const std::string name = name_of(i), type = torch_type(spec.type), shape = shape_of_spec(spec);
      if (spec.fill == Fill::zero) {
        text += fmt::format("{} = torch.zeros({}, dtype={}, device=\"cuda\")\n", name, shape, type);
      } else if (spec.fill == Fill::poison) {
        text += fmt::format("{} = torch.full({}, {}, dtype={}, device=\"cuda\")\n", name, shape,
                            is_floating(spec.type) ? "float(\"nan\")" : "-1", type);
      } else {
        const uint64_t stream = subject_.seed * 1000003U + i;
        text += fmt::format("{} = to_gpu({}, {}, {})\n", name, values_code(spec, stream), shape, type);
        if (spec.large_rows.every > 0)
          text += fmt::format("{0}.reshape(-1, {1})[{2}::{3}] *= {4}\n", name, spec.shape.back(),
                              spec.large_rows.every - 1, spec.large_rows.every, spec.large_rows.factor);
      }
    }
    return text;
  }

  tl::expected<std::string, Phrase> launch_code(const Launch& launch) const {
    std::string arguments;
    for (const Argument& argument : launch.arguments) {
      std::string one;
      if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
        one = name_of(buffer->buffer);
        const auto size = static_cast<int64_t>(size_of(plan_.buffers[buffer->buffer].type));
        if (buffer->offset_bytes != 0) one += fmt::format(".flatten()[{}:]", buffer->offset_bytes / size);
      } else {
        const auto literal = python_literal(std::get<ScalarArgument>(argument));
        if (!literal)
          return tl::unexpected<Phrase>(
              phrase("an argument of {} is no number that can be written in the program", launch.kernel));
        one = *literal;
      }
      arguments += (arguments.empty() ? "" : ", ") + one;
    }
    for (const Define& define : launch.triton.constexprs)
      arguments += fmt::format(", {}={}", define.name, constexpr_code(define.value));
    // A kernel that takes an option as a constexpr gets it under that name, once.
    const auto is_option = [&](const char* name) {
      return std::ranges::find(launch.triton.constexprs, name, &Define::name) == launch.triton.constexprs.end();
    };
    if (launch.triton.num_warps > 0 && is_option("num_warps"))
      arguments += fmt::format(", num_warps={}", launch.triton.num_warps);
    if (launch.triton.num_stages > 0 && is_option("num_stages"))
      arguments += fmt::format(", num_stages={}", launch.triton.num_stages);
    std::string grid = std::to_string(launch.grid.x);
    if (launch.grid.y != 1 || launch.grid.z != 1) grid += fmt::format(", {}", launch.grid.y);
    if (launch.grid.z != 1) grid += fmt::format(", {}", launch.grid.z);
    if (grid.find(',') == std::string::npos) grid += ",";
    return fmt::format("{}[({})]({})\n", launch.kernel, grid, arguments);
  }

  std::string results() const {
    std::string text = "# Results. .cpu() copies back.\n";
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      const BufferSpec& spec = plan_.buffers[i];
      if ((spec.role != Role::output && spec.role != Role::inout) || !is_used(plan_, i)) continue;
      const std::string name = name_of(i);
      text += fmt::format("report(\"{0}\", {0})\n", name);
    }
    return text;
  }

  const HostProgramSubject& subject_;
  const Plan& plan_;
};

}  // namespace

std::string torch_type(DType type) {
  switch (type) {
    case DType::f32:
      return "torch.float32";
    case DType::f16:
      return "torch.float16";
    case DType::bf16:
      return "torch.bfloat16";
    case DType::f64:
      return "torch.float64";
    case DType::i8:
      return "torch.int8";
    case DType::u8:
      return "torch.uint8";
    case DType::i16:
      return "torch.int16";
    case DType::u16:
      return "torch.uint16";
    case DType::i32:
      return "torch.int32";
    case DType::u32:
      return "torch.uint32";
    case DType::i64:
      return "torch.int64";
    case DType::u64:
      return "torch.uint64";
    case DType::boolean:
      return "torch.bool";
    case DType::f8e4m3:
      return "torch.float8_e4m3fn";
    case DType::f8e5m2:
      return "torch.float8_e5m2";
  }
  return {};
}

HostProgramResult python_program(const HostProgramSubject& subject) { return PythonProgram(subject).make(); }

}  // namespace tilescope
