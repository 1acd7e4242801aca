#include "engine/host_program/cuda_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/compile/declared_kernels.hpp"
#include "engine/compile/kernel_names.hpp"
#include "engine/compile/type_spelling.hpp"
#include "engine/host_program/input_code.hpp"
#include "engine/host_program/kernel_text.hpp"
#include "engine/host_program/scalar_code.hpp"

namespace tilescope {
namespace {

// Bytes of dynamic shared memory above which the program asks for more: the limit is 48 KiB together with static shared
// memory, which only the compiler knows.
constexpr uint32_t kSharedWithoutAsking = 32 * 1024;

constexpr std::string_view kCheck = R"(
// Each call of the CUDA runtime returns an error code. CHECK ends the program at the first error and names its line.
#define CHECK(call) check_call((call), #call, __FILE__, __LINE__)
static void check_call(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s\n  %s: %s\n", file, line, call, cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(EXIT_FAILURE);
}
)";

constexpr std::string_view kReport = R"(
/// Prints a checksum and the first elements. The checksum is the sum of the words of 32 bits, each times a power of an
/// odd number, so that their order counts.
template <class T>
void report(const char* name, const std::vector<T>& elements) {
  const size_t bytes = elements.size() * sizeof(T);
  uint64_t checksum = 0, power = 1;
  for (size_t first = 0; first < bytes; first += 4) {
    uint32_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(elements.data()) + first, bytes - first < 4 ? bytes - first : 4);
    power *= 0x9e3779b97f4a7c15U;
    checksum += word * power;
  }
  std::printf("%s: %zu elements, checksum %016llx, begins with", name, elements.size(),
              static_cast<unsigned long long>(checksum));
  for (size_t i = 0; i < elements.size() && i < 4; ++i) std::printf(" %.9g", static_cast<double>(as_number(elements[i])));
  std::printf("\n");
}
)";

/// "out" for "out", "row_sums" for "row sums".
std::string identifier(const std::string& name) {
  std::string text = name;
  for (char& letter : text)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return text;
}

/// "98,432 elements", "64 x 128".
std::string shape_text(const BufferSpec& spec) {
  std::string text;
  for (const int64_t extent : spec.shape) text += (text.empty() ? "" : " × ") + std::to_string(extent);
  return text;
}

/// "385" for (385, 1, 1), "dim3(385, 4)" for (385, 4, 1).
std::string extent_code(const Dim3& extent) {
  if (extent.y == 1 && extent.z == 1) return std::to_string(extent.x);
  if (extent.z == 1) return fmt::format("dim3({}, {})", extent.x, extent.y);
  return fmt::format("dim3({}, {}, {})", extent.x, extent.y, extent.z);
}

/// "float" of "const float*", for comparing what two parameters point to.
std::string pointee(const std::string& parameter_type) {
  std::string text = canonical_type(parameter_type);  // "float const*"
  if (!text.ends_with("*")) return {};
  text.pop_back();
  if (text.ends_with(" const")) text.resize(text.size() - 6);
  return text;
}

class CudaProgram {
 public:
  explicit CudaProgram(const HostProgramSubject& subject)
      : subject_(subject),
        plan_(subject.plan),
        kernel_(kernel_text(subject.plan, subject.root, subject.kernels_folder)),
        declared_(declared_kernels(kernel_.text)) {}

  HostProgramResult make() {
    for (const Launch& launch : plan_.launches) {
      const std::vector<std::string> parameters = parameters_of(launch);
      if (parameters.size() != launch.arguments.size())
        return tl::unexpected<Phrase>(phrase("the parameters of {} are not known", kernel_name(launch.kernel)));
    }
    choose_types();
    if (auto reason = name_scalars(); !reason.empty()) return tl::unexpected<Phrase>(std::move(reason));
    HostProgram program{.language = KernelLanguage::cuda, .needs_sm_80 = needs_sm_80()};
    program.text = head(program.needs_sm_80) + includes() + kernels() + helpers() + "\nint main() {\n";
    const std::string body[] = {host_memory(), device_memory(), variables(), launches(), results()};
    for (const std::string& part : body)
      if (!part.empty()) program.text += (program.text.ends_with("{\n") ? "" : "\n") + part;
    program.text += "}\n";
    return program;
  }

 private:
  std::vector<std::string> parameters_of(const Launch& launch) const {
    return declared_parameters(launch.kernel, declared_);
  }

  /// Instructions that need compute capability 8.0, by their PTX and CUDA names.
  bool needs_sm_80() const {
    for (const char* word : {"cp.async", "mma.sync", "__reduce_", "__pipeline_", "redux.sync"})
      if (kernel_.text.find(word) != std::string::npos) return true;
    // Blocks of an SM that are asked for: older SMs hold fewer threads.
    const size_t bounds = kernel_.text.find("__launch_bounds__(");
    return bounds != std::string::npos && kernel_.text.find(',', bounds) < kernel_.text.find(')', bounds);
  }

  std::string head(bool sm_80) const {
    std::string text = fmt::format("// {}: the whole program, kernel and host side.\n//\n", subject_.title);
    if (sm_80)
      text +=
          "//   nvcc -arch=native -o program program.cu && ./program\n//\n"
          "// It needs a GPU of compute capability 8.0 or newer (sm_80): without -arch, nvcc compiles for an older "
          "one.\n";
    else
      text += "//   nvcc -o program program.cu && ./program\n//\n";
    if (!subject_.command.empty())
      text += "// The inputs are those of this run, bit for bit; with --json it reports the same checksums:\n//   " +
              subject_.command + "\n";
    return text;
  }

  std::string includes() const {
    std::set<std::string> headers{"cstdio", "cstdlib", "cstdint", "cstring", "vector", "cmath"};
    std::vector<std::string> cuda{"cuda_runtime.h"};
    const auto add = [&](const std::string& header) {
      if (std::ranges::find(cuda, header) == cuda.end() && !headers.contains(header)) cuda.push_back(header);
    };
    for (const BufferSpec& buffer : plan_.buffers) {
      if (buffer.type == DType::f16) add("cuda_fp16.h");
      if (buffer.type == DType::bf16) add("cuda_bf16.h");
    }
    for (const std::string& header : kernel_.system_headers) add(header);
    std::string text = "\n";
    for (const std::string& header : cuda) text += fmt::format("#include <{}>\n", header);
    text += "\n";
    for (const std::string& header : headers) text += fmt::format("#include <{}>\n", header);
    return text;
  }

  std::string kernels() const {
    std::string text = fmt::format("\n// ---- {} ----\n\n", plan_.launches.size() == 1 ? "The kernel" : "The kernels");
    for (const Define& define : kernel_.defines) {
      const auto meaning = subject_.meaning.find(define.name);
      text += fmt::format("#define {} {}{}\n", define.name, define.value,
                          meaning == subject_.meaning.end() ? "" : "  // " + meaning->second);
    }
    if (!kernel_.defines.empty()) text += "\n";
    return text + kernel_.text;
  }

  /// Outputs are printed as doubles.
  std::string as_number_code() const {
    std::set<DType> types;
    for (const BufferSpec& buffer : plan_.buffers)
      if (is_output(buffer)) types.insert(buffer.type);
    std::string text;
    if (types.erase(DType::f16) > 0)
      text += "inline float as_number(__half element) { return __half2float(element); }\n";
    if (types.erase(DType::bf16) > 0)
      text += "inline float as_number(__nv_bfloat16 element) { return __bfloat162float(element); }\n";
    if (!types.empty()) text += "template <class T>\nT as_number(T element) {\n  return element;\n}\n";
    return text;
  }

  std::string helpers() const {
    std::vector<BufferSpec> filled;
    for (size_t i = 0; i < plan_.buffers.size(); ++i)
      if (is_needed(i) && on_host(plan_.buffers[i])) filled.push_back(plan_.buffers[i]);
    for (const VariableInput& variable : plan_.variables)
      if (variable.contents) filled.push_back(*variable.contents);
    std::string generator = generator_code(filled);
    const std::string close = "\n}  // namespace host\n";
    generator.resize(generator.size() - close.size());
    const bool reports = std::ranges::any_of(plan_.buffers, is_output);
    if (reports) generator += "\n" + as_number_code() + std::string(kReport);
    return "\n// ---- The host side ----\n" + std::string(kCheck) + "\n" + generator + close;
  }

  /// Outputs are reported even if no launch writes them; other buffers of the lab may belong to other rungs.
  bool is_needed(size_t buffer) const {
    if (is_output(plan_.buffers[buffer])) return true;
    return std::ranges::any_of(plan_.launches, [&](const Launch& launch) {
      return std::ranges::any_of(launch.arguments, [&](const Argument& argument) {
        const auto* one = std::get_if<BufferArgument>(&argument);
        return one != nullptr && one->buffer == buffer;
      });
    });
  }

  static bool is_output(const BufferSpec& buffer) { return buffer.role == Role::output || buffer.role == Role::inout; }
  /// Scratch is set on the device.
  static bool on_host(const BufferSpec& buffer) { return buffer.role != Role::scratch || !is_plain(buffer); }
  static bool is_plain(const BufferSpec& buffer) { return buffer.fill == Fill::zero || buffer.fill == Fill::poison; }

  std::string name_of(size_t buffer) const {
    const std::string wanted = identifier(plan_.buffers[buffer].name);
    for (size_t i = 0; i < buffer; ++i)
      if (identifier(plan_.buffers[i].name) == wanted) return fmt::format("{}_{}", wanted, buffer + 1);
    return wanted.empty() ? fmt::format("buffer_{}", buffer + 1) : wanted;
  }

  /// A pointer has the type that the kernels give it, if all agree, and else that of the buffer's elements.
  void choose_types() {
    std::vector<std::set<std::string>> seen(plan_.buffers.size());
    for (const Launch& launch : plan_.launches) {
      const std::vector<std::string> parameters = parameters_of(launch);
      for (size_t i = 0; i < parameters.size(); ++i) {
        const auto* buffer = std::get_if<BufferArgument>(&launch.arguments[i]);
        if (buffer == nullptr) continue;
        // From an address inside the buffer the elements are counted, in the buffer's own type.
        const bool begins = buffer->offset_bytes == 0;
        seen[buffer->buffer].insert(begins ? pointee(parts_of_parameter(parameters[i]).type) : std::string());
      }
    }
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      const bool usable = seen[i].size() == 1 && !seen[i].contains("void") && !seen[i].contains("") &&
                          seen[i].begin()->find('*') == std::string::npos &&
                          is_one_element(*seen[i].begin(), plan_.buffers[i].type);
      types_.push_back(usable ? *seen[i].begin() : cuda_type(plan_.buffers[i].type));
    }
  }

  /// Whether a type of the kernel's means the buffer's own elements: "Element" may, "float4" does not.
  bool is_one_element(const std::string& type, DType element) const {
    if (canonical_type(type) == canonical_type(cuda_type(element))) return true;
    return kernel_.text.find("using " + type + " =") != std::string::npos;
  }

  std::string pointer_argument(const BufferArgument& argument, const std::string& parameter_type) const {
    const BufferSpec& spec = plan_.buffers[argument.buffer];
    std::string text = "d_" + name_of(argument.buffer);
    const auto size = static_cast<int64_t>(size_of(spec.type));
    if (argument.offset_bytes % size != 0)
      text = fmt::format("reinterpret_cast<char*>({}) + {}", text, argument.offset_bytes);
    else if (argument.offset_bytes != 0)
      text += fmt::format(" + {}", argument.offset_bytes / size);
    const std::string wanted = pointee(parameter_type);
    if (wanted == "void" || (wanted == canonical_type(types_[argument.buffer]) && argument.offset_bytes % size == 0))
      return text;
    return fmt::format("reinterpret_cast<{}>({})", parameter_type, text);
  }

  /// A number that all launches pass under the same name gets a variable; others are written where they are passed.
  Phrase name_scalars() {
    std::map<std::string, std::set<std::pair<std::string, std::string>>> values;  // by name: type and literal
    for (const Launch& launch : plan_.launches) {
      const std::vector<std::string> parameters = parameters_of(launch);
      for (size_t i = 0; i < parameters.size(); ++i) {
        const auto* scalar = std::get_if<ScalarArgument>(&launch.arguments[i]);
        if (scalar == nullptr) continue;
        const ParameterParts parts = parts_of_parameter(parameters[i]);
        auto literal = cuda_literal(*scalar, parts.type);
        if (!literal) literal = struct_literal(*scalar, parts.type, kernel_.text);
        if (!literal)
          return phrase("the argument '{}' of {} is no number that can be written in the program", parts.name,
                        kernel_name(launch.kernel));
        const std::string type = parts.type.starts_with("const ") ? parts.type.substr(6) : parts.type;
        values[parts.name].insert({type, *literal});
      }
    }
    for (const auto& [name, seen] : values)
      if (!name.empty() && seen.size() == 1 && seen.begin()->first.find('*') == std::string::npos)
        named_.insert({name, *seen.begin()});
    return {};
  }

  std::string host_memory() const {
    std::string text = "  // Host memory.";
    const bool poisons = std::ranges::any_of(
        plan_.buffers, [](const BufferSpec& one) { return is_output(one) && one.fill == Fill::poison; });
    if (poisons) text += " Outputs begin as a pattern, so that an element that no thread writes is noticed.";
    text += "\n  const uint64_t seed = " + std::to_string(subject_.seed) + ";\n";
    std::string lines;
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      const BufferSpec& spec = plan_.buffers[i];
      if (!is_needed(i) || !on_host(spec)) continue;
      lines += fmt::format("  std::vector<{}> h_{}({});", cuda_type(spec.type), name_of(i), spec.count());
      lines += spec.shape.size() > 1 ? fmt::format("  // {}\n", shape_text(spec)) : "\n";
      lines += fill_code(spec, "h_" + name_of(i), i, "  ");
    }
    for (size_t i = 0; i < plan_.variables.size(); ++i)
      if (const auto& contents = plan_.variables[i].contents) {
        const std::string name = "h_" + identifier(plan_.variables[i].name);
        lines += fmt::format("  std::vector<{}> {}({});\n", cuda_type(contents->type), name, contents->count());
        lines += fill_code(*contents, name, plan_.buffers.size() + i, "  ");
      }
    if (lines.find("seed") == std::string::npos) text.resize(text.rfind("  const uint64_t seed"));
    return text + lines;
  }

  std::string device_memory() const {
    std::string text =
        "  // Device memory. cudaMalloc allocates bytes on the GPU; the pointer must not be followed on the host.\n";
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (!is_needed(i)) continue;
      const BufferSpec& spec = plan_.buffers[i];
      const std::string name = name_of(i);
      text += fmt::format("  const size_t {}_bytes = {};\n", name,
                          on_host(spec) ? fmt::format("h_{0}.size() * sizeof(h_{0}[0])", name)
                                        : fmt::format("{} * sizeof({})", spec.count(), cuda_type(spec.type)));
      text += fmt::format("  {}* d_{} = nullptr;\n", types_[i], name);
      text += fmt::format("  CHECK(cudaMalloc(&d_{0}, {0}_bytes));\n", name);
    }
    text += "  // Copies to the GPU. cudaMemcpy returns when the host vector may be changed again.\n";
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (!is_needed(i)) continue;
      const BufferSpec& spec = plan_.buffers[i];
      const std::string name = name_of(i);
      if (on_host(spec))
        text += fmt::format("  CHECK(cudaMemcpy(d_{0}, h_{0}.data(), {0}_bytes, cudaMemcpyHostToDevice));\n", name);
    }
    for (const auto& [fill, value, comment] :
         {std::tuple{Fill::zero, "0", "Scratch memory that begins as zeros."},
          std::tuple{Fill::poison, "0xff",
                     "Scratch memory begins as NaN, so that a read before the first write is noticed."}}) {
      std::string lines;
      for (size_t i = 0; i < plan_.buffers.size(); ++i)
        if (is_needed(i) && !on_host(plan_.buffers[i]) && plan_.buffers[i].fill == fill)
          lines += fmt::format("  CHECK(cudaMemset(d_{0}, {1}, {0}_bytes));\n", name_of(i), value);
      if (!lines.empty()) text += fmt::format("  // {}\n", comment) + lines;
    }
    return text;
  }

  std::string variables() const {
    std::string text;
    for (const VariableInput& variable : plan_.variables) {
      const std::string name = identifier(variable.name);
      if (variable.contents) {
        text += fmt::format("  CHECK(cudaMemcpyToSymbol({}, h_{}.data(), {}));\n", variable.name, name,
                            static_cast<uint64_t>(variable.contents->count()) * size_of(variable.contents->type));
        continue;
      }
      std::string bytes;
      for (const std::byte byte : variable.value.bytes)
        bytes += fmt::format("{}{:#04x}", bytes.empty() ? "" : ", ", static_cast<unsigned>(byte));
      text += fmt::format("  const unsigned char {0}_value[] = {{{1}}};{2}\n", name, bytes,
                          variable.value.text.empty() ? "" : "  // " + variable.value.text);
      text += fmt::format("  CHECK(cudaMemcpyToSymbol({}, {}_value, sizeof({}_value)));\n", variable.name, name, name);
    }
    return text.empty() ? text : "  // Variables of the kernel's file.\n" + text;
  }

  std::string arguments_code(const Launch& launch) const {
    const std::vector<std::string> parameters = parameters_of(launch);
    std::string text;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const ParameterParts parts = parts_of_parameter(parameters[i]);
      std::string one;
      if (const auto* buffer = std::get_if<BufferArgument>(&launch.arguments[i]))
        one = pointer_argument(*buffer, parts.type);
      else if (named_.contains(parts.name))
        one = parts.name;
      else
        one = value_code(std::get<ScalarArgument>(launch.arguments[i]), parts.type);
      text += (text.empty() ? "" : ", ") + one;
    }
    return text;
  }

  std::string value_code(const ScalarArgument& argument, const std::string& type) const {
    if (const auto literal = cuda_literal(argument, type)) return *literal;
    return type + *struct_literal(argument, type, kernel_.text);
  }

  std::string launch_code(const Launch& launch, const std::string& grid, const std::string& block) const {
    const std::string name = kernel_name(launch.kernel);
    std::string shared;
    if (launch.shared_bytes > 0) shared = fmt::format(", {}", launch.shared_bytes);
    return fmt::format("  {}<<<{}, {}{}>>>({});\n", name, grid, block, shared, arguments_code(launch));
  }

  std::string about_check() const {
    return plan_.unchecked ? " No check follows: nothing tells of a launch that the runtime refused.\n"
                           : " cudaGetLastError tells of a launch that the runtime refused.\n";
  }
  std::string check() const { return plan_.unchecked ? "" : "  CHECK(cudaGetLastError());\n"; }

  std::string launches() const {
    std::string text;
    for (const auto& [name, value] : named_)
      text += fmt::format("  const {} {}{}{};\n", value.first, name, value.second.starts_with("{") ? "" : " = ",
                          value.second);
    std::set<std::string> allowed;
    for (const Launch& launch : plan_.launches)
      if (launch.shared_bytes > kSharedWithoutAsking && allowed.insert(kernel_name(launch.kernel)).second)
        text += fmt::format(
            "  // More than 48 KiB of dynamic shared memory must be asked for, once for each kernel.\n"
            "  CHECK(cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {}));\n",
            kernel_name(launch.kernel), most_shared(launch.kernel));
    if (plan_.launches.size() == 1) {
      const Launch& launch = plan_.launches.front();
      if (!subject_.grid_formula.empty()) text += "  // Blocks: " + subject_.grid_formula + ".\n";
      const auto row = [](const char* what, const Dim3& extent) {
        std::string numbers = std::to_string(extent.x);
        if (extent.y != 1 || extent.z != 1) numbers += fmt::format(", {}", extent.y);
        if (extent.z != 1) numbers += fmt::format(", {}", extent.z);
        return fmt::format("  const dim3 {}({});\n", what, numbers);
      };
      text += row("grid", launch.grid);
      text += row("block", launch.block);
      text +=
          "  // <<<blocks, threads of a block>>>. The launch returns at once: it puts the kernel in a queue, and the "
          "host\n"
          "  // continues." +
          about_check();
      text += launch_code(launch, "grid", "block") + check();
    } else {
      text +=
          "  // <<<blocks, threads of a block>>>. A launch returns at once: it puts the kernel in a queue, in which "
          "the\n"
          "  // kernels run one after the other." +
          about_check();
      for (const Launch& launch : plan_.launches)
        text += launch_code(launch, extent_code(launch.grid), extent_code(launch.block)) + check();
    }
    text += fmt::format(
        "  // Waits until the GPU has finished, and tells of errors while {} ran.\n  CHECK(cudaDeviceSynchronize());\n",
        plan_.launches.size() == 1 ? "the kernel" : "the kernels");
    return text;
  }

  uint32_t most_shared(const std::string& kernel) const {
    uint32_t most = 0;
    for (const Launch& launch : plan_.launches)
      if (launch.kernel == kernel) most = std::max(most, launch.shared_bytes);
    return most;
  }

  std::string results() const {
    std::string copies, reports, frees;
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (!is_needed(i)) continue;
      const std::string name = name_of(i);
      if (is_output(plan_.buffers[i])) {
        copies += fmt::format("  CHECK(cudaMemcpy(h_{0}.data(), d_{0}, {0}_bytes, cudaMemcpyDeviceToHost));\n", name);
        reports += fmt::format("  host::report(\"{0}\", h_{0});\n", name);
      }
      frees += fmt::format("  CHECK(cudaFree(d_{}));\n", name);
    }
    const std::string back = copies.empty() ? "" : "  // Results back to the host.\n" + copies;
    return back + reports + frees;
  }

  const HostProgramSubject& subject_;
  const Plan& plan_;
  KernelText kernel_;
  std::vector<DeclaredKernel> declared_;
  std::vector<std::string> types_;  // of the device pointers' elements, parallel to the buffers
  std::map<std::string, std::pair<std::string, std::string>> named_;  // scalars with a variable: type and literal
};

}  // namespace

HostProgramResult cuda_program(const HostProgramSubject& subject) { return CudaProgram(subject).make(); }

}  // namespace tilescope
