#include "engine/compile/triton/triton_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "engine/clock.hpp"
#include "engine/compile/compile_log.hpp"
#include "engine/compile/module_cache.hpp"
#include "engine/compile/ptx_link.hpp"
#include "engine/compile/ptx_text.hpp"
#include "engine/compile/triton/shipped.hpp"
#include "engine/json_text.hpp"
#include "engine/sha256.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

/// "compute_80" and "sm_90a" → 80 and 90.
int capability_of(const std::string& target) {
  int number = 0;
  const size_t at = target.find('_') + 1;
  std::from_chars(target.data() + at, target.data() + target.size(), number);
  return number;
}

/// The target of machine code that Triton lowers for a capability: from 9.0 on it uses instructions of the "a" kind.
std::string native_target(int capability) { return fmt::format("sm_{}{}", capability, capability >= 90 ? "a" : ""); }

/// Renames a kernel and its parameters: two specializations of one function have the same name.
std::string with_kernel_renamed(const std::string& ptx, const std::string& from, const std::string& to) {
  std::string renamed;
  size_t done = 0;
  for (size_t at = ptx.find(from); at != std::string::npos; at = ptx.find(from, at + from.size())) {
    const bool begins = at == 0 || !is_ptx_name_character(ptx[at - 1]);
    const std::string_view rest = std::string_view(ptx).substr(at + from.size());
    const bool ends = rest.empty() || !is_ptx_name_character(rest.front());
    if (!begins || (!ends && !rest.starts_with("_param_"))) continue;
    renamed.append(ptx, done, at - done).append(to);
    done = at + from.size();
  }
  return renamed.append(ptx, done);
}

TritonCode code_of(const json& answer) {
  TritonCode code;
  code.kernel = answer.at("entry");
  code.num_warps = answer.at("num_warps");
  code.num_stages = answer.at("num_stages");
  code.threads = answer.at("threads");
  code.shared_bytes = answer.at("shared");
  code.kept = answer.at("kept").get<std::vector<uint32_t>>();
  code.hidden_pointers = answer.at("hidden");
  code.scratch_bytes = answer.at("scratch").at(0);
  for (const auto& [name, value] : answer.at("constexprs").items())
    code.constexprs.emplace_back(name, value.is_string() ? value.get<std::string>() : json_text(value));
  code.ttir = answer.at("ttir");
  code.ttgir = answer.at("ttgir");
  return code;
}

std::vector<std::byte> bytes_of_base64(const std::string& text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr int kBitsOfDigit = 6, kBitsOfByte = 8;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t pending = 0;
  int bits = 0;
  for (const char character : text) {
    const size_t digit = kDigits.find(character);
    if (digit == std::string_view::npos) break;
    pending = pending << kBitsOfDigit | static_cast<uint32_t>(digit);
    bits += kBitsOfDigit;
    if (bits < kBitsOfByte) continue;
    bits -= kBitsOfByte;
    bytes.push_back(static_cast<std::byte>(pending >> bits & 0xff));
  }
  return bytes;
}

/// A rung of a lab needs Triton only for settings whose PTX does not ship.
Error with_lab_hint(const Error& missing) {
  return make_error(ErrorId::triton_missing, missing.what.places(),
                    phrase("Without it the rung runs at its default settings only. Run './tilescope triton', which "
                           "installs it in a folder of its own, or set TILESCOPE_PYTHON to a Python that has it."));
}

/// One kernel of a request while it is compiled.
struct Specialization {
  json question;  // to the Python process
  json answer = {};
};

/// The PTX of several kernels as one module; `codes` get the names that they have in it.
Result<std::string> linked_ptx(const std::vector<Specialization>& kernels, std::vector<TritonCode>& codes) {
  std::set<std::string> names;
  std::vector<LinkInput> parts;
  for (size_t i = 0; i < kernels.size(); ++i) {
    TritonCode& code = codes[i];
    const std::string symbol = code.kernel;
    std::string ptx = kernels[i].answer.at("ptx");
    for (int number = 2; !names.insert(code.kernel).second; ++number)
      code.kernel = fmt::format("{}_{}", symbol, number);
    if (code.kernel != symbol) ptx = with_kernel_renamed(ptx, symbol, code.kernel);
    parts.push_back({code.kernel, std::move(ptx)});
  }
  if (parts.size() == 1) return std::move(parts.front().ptx);
  auto linked = link_ptx(parts, {});
  if (!linked) return forward(linked);
  return std::move(linked->ptx);
}

class Triton;

class TritonCompilation final : public Compilation {
 public:
  TritonCompilation(std::shared_ptr<Triton> compiler, CompileRequest request, std::stop_token stop)
      : compiler_(std::move(compiler)), request_(std::move(request)), stop_(std::move(stop)), start_(Clock::now()) {}

  Result<CompiledModule> ptx() override {
    if (!module_) {
      module_ = lower();
      if (*module_ && !whole_ && !request_.machine_code) {
        whole_ = true;
        finish();
      }
    }
    return *module_;
  }
  Result<CompiledModule> machine_code() override {
    if (!ptx() || whole_) return *module_;
    whole_ = true;
    if (auto assembled = assemble(); !assembled) module_ = forward(assembled);
    if (*module_) finish();
    return *module_;
  }

 private:
  Result<CompiledModule> lower();
  Result<std::vector<Specialization>> compile(int target, bool may_ship);
  std::string key(const std::string& triton, bool by_value) const;
  bool is_of_lab() const { return std::filesystem::path(request_.file).is_relative(); }
  Result<json> compile_one(json& question, const TritonKernel& kernel, int target);
  Result<std::optional<std::string>> native_ptx(int capability, CompiledModule& module);
  std::string cubin_target() const;
  Result<void> assemble();
  void finish();

  std::shared_ptr<Triton> compiler_;
  CompileRequest request_;
  std::stop_token stop_;
  Clock::time_point start_;
  std::string key_;  // in the cache; empty: not known, so nothing is stored
  bool whole_ = false;
  bool with_numbers_ = false;  // heuristics depend on the values of floating-point arguments
  std::string shipped_log_;    // what ptxas said, where the PTX was shipped
  std::optional<Result<CompiledModule>> module_;
};

class Triton final : public TritonCompiler, public std::enable_shared_from_this<Triton> {
 public:
  explicit Triton(const TritonFolders& folders)
      : root_(folders.root),
        child_({.script = script_in(folders), .folder = folders.root}),
        assembler_({.script = script_in(folders), .folder = folders.root, .grace = std::chrono::milliseconds(0)}),
        cache_(folders.cache_folder) {}

  std::unique_ptr<Compilation> start(const CompileRequest& request, std::stop_token stop) override {
    return std::make_unique<TritonCompilation>(shared_from_this(), request, std::move(stop));
  }
  void keep_warm() override { keeps_warm_ = true; }
  Result<json> ask(json question, std::stop_token stop) override {
    return child_.ask(std::move(question), std::move(stop));
  }
  Result<TritonOrigin> triton_origin(std::stop_token stop) override { return child_.origin(std::move(stop)); }

 private:
  friend class TritonCompilation;
  static std::filesystem::path script_in(const TritonFolders& folders) {
    return folders.root / "assets" / "python" / "triton_child.py";
  }
  std::filesystem::path root_;
  TritonChild child_;
  std::atomic<bool> keeps_warm_ = false;
  TritonChild assembler_;  // a process of its own: ptxas takes longer than the next compilation, which need not wait
  ModuleCache cache_;
};

/// The same question for a number that stands for all that Triton compiles to the same code: 1, a multiple of 16,
/// others.
json without_values(json question) {
  constexpr int64_t kAligned = 16, kOther = 2;
  for (json& argument : question.at("arguments"))
    if (const auto value = argument.find("value"); value != argument.end() && value->is_number_integer() && *value != 1)
      *value = value->get<int64_t>() % kAligned == 0 ? kAligned : kOther;
  return question;
}

/// Everything that the module depends on; by_value: a heuristic of the file also sees the values of numbers.
std::string TritonCompilation::key(const std::string& triton, bool by_value) const {
  // Increment whenever the stored data changes, or what the Python process compiles for a question.
  constexpr std::string_view kFormat = "triton-module-3";
  std::string all = fmt::format("{} {} {} {} {} {}\n", kFormat, triton, request_.cubin_target, request_.machine_code,
                                request_.native, by_value);
  for (const TritonKernel& kernel : request_.triton) {
    json question = compile_question(request_, kernel, capability_of(request_.ptx_target), with_numbers_);
    all += json_text(by_value ? question : without_values(std::move(question))) + "\n";
  }
  return sha256_of(all);
}

/// The process's answer; if a heuristic asks for the values of floating-point arguments, to the question with them.
Result<json> TritonCompilation::compile_one(json& question, const TritonKernel& kernel, int target) {
  auto answer = compiler_->ask(question, stop_);
  if (!answer || with_numbers_ || !answer->contains("needs_numbers")) return answer;
  with_numbers_ = true;
  question = compile_question(request_, kernel, target, with_numbers_);
  return compiler_->ask(question, stop_);
}

/// Compiles every kernel for a capability.
Result<std::vector<Specialization>> TritonCompilation::compile(int target, bool may_ship) {
  std::vector<Specialization> kernels;
  for (const TritonKernel& kernel : request_.triton) {
    kernels.push_back({compile_question(request_, kernel, target, with_numbers_)});
    auto answer = compile_one(kernels.back().question, kernel, target);
    if (!answer && may_ship && answer.error().id == ErrorId::triton_missing)
      if (auto shipped = read_shipped(compiler_->root_, kernels.back().question)) answer = std::move(*shipped);
    if (!answer && is_of_lab() && answer.error().id == ErrorId::triton_missing)
      return tl::unexpected<Error>(with_lab_hint(answer.error()));
    if (!answer) return forward(answer);
    kernels.back().answer = std::move(*answer);
  }
  return kernels;
}

/// The PTX of all kernels of the request, as one module.
Result<CompiledModule> TritonCompilation::lower() {
  std::optional<std::string> version = triton_in_environment();
  if (!version)
    if (const auto origin = compiler_->triton_origin(stop_)) version = origin->triton;
  // What a heuristic of the file sees is unknown until the kernels were compiled: no values, integers, or all numbers.
  for (const auto& [by_value, with_numbers] :
       {std::pair(false, false), std::pair(true, false), std::pair(true, true)}) {
    with_numbers_ = with_numbers;
    auto known = version ? compiler_->cache_.find(key(*version, by_value)) : std::nullopt;
    if (!known) continue;
    known->from_cache = true;
    known->milliseconds = milliseconds_since(start_);
    whole_ = true;
    if (compiler_->keeps_warm_)
      compiler_->child_.warm_up();  // so that the first move of a slider does not wait for Python
    return std::move(*known);
  }
  with_numbers_ = false;
  auto kernels = compile(capability_of(request_.ptx_target), true);
  if (!kernels) return forward(kernels);
  const auto any_says = [&](const char* what) {
    return std::ranges::any_of(*kernels, [what](const Specialization& one) { return one.answer.contains(what); });
  };
  // The key knows nothing of the files that this one imports.
  if (version && !any_says("imported")) key_ = key(*version, with_numbers_ || any_says("by_value"));
  CompiledModule module;
  module.cubin_target = request_.cubin_target;
  for (const Specialization& one : *kernels) {
    module.triton.push_back(code_of(one.answer));
    module.triton.back().machine_threads = module.triton.back().threads;
    module.triton.back().machine_shared_bytes = module.triton.back().shared_bytes;
    shipped_log_ += one.answer.value("ptxas", "");
  }
  auto ptx = linked_ptx(*kernels, module.triton);
  if (!ptx) return forward(ptx);
  module.ptx = std::move(*ptx);
  module.kernels = kernel_infos_of_ptx(module.ptx);
  return module;
}

/// The PTX that Triton lowers for the GPU; `module` gets the threads and the shared memory of its launch. Nothing if it
/// takes arguments that the other PTX does not: a descriptor that the launcher encodes for TMA, or memory in which the
/// kernel makes descriptors.
Result<std::optional<std::string>> TritonCompilation::native_ptx(int capability, CompiledModule& module) {
  for (const TritonKernel& kernel : request_.triton)
    for (const TritonKernel::Argument& argument : kernel.arguments)
      if (argument.type.starts_with("tensordesc")) return std::nullopt;
  auto kernels = compile(capability, false);
  if (!kernels) return forward(kernels);
  std::vector<TritonCode> codes;
  for (const Specialization& one : *kernels) codes.push_back(code_of(one.answer));
  for (size_t i = 0; i < codes.size(); ++i)
    if (codes[i].scratch_bytes != module.triton[i].scratch_bytes) return std::nullopt;
  auto linked = linked_ptx(*kernels, codes);
  if (!linked) return forward(linked);
  for (size_t i = 0; i < codes.size(); ++i) {
    module.triton[i].machine_threads = codes[i].threads;
    module.triton[i].machine_shared_bytes = codes[i].shared_bytes;
  }
  return std::move(*linked);
}

/// What the module's PTX is assembled for: PTX of the "a" kind runs on no other architecture, and other PTX on no older
/// one.
std::string TritonCompilation::cubin_target() const {
  const int lowered = capability_of(request_.ptx_target);
  const bool possible =
      native_target(lowered) == fmt::format("sm_{}", lowered) && lowered <= capability_of(request_.cubin_target);
  return possible ? request_.cubin_target : native_target(lowered);
}

/// The cubin, and what ptxas says about it. Where no Triton is installed there is no cubin, but what ptxas said ships
/// with the PTX.
Result<void> TritonCompilation::assemble() {
  CompiledModule& module = **module_;
  module.log = shipped_log_;
  if (module.log.empty()) {
    std::string ptx = module.ptx, target = cubin_target();
    if (request_.native) {
      const int capability = capability_of(target);
      auto native = native_ptx(capability, module);
      if (!native) return forward(native);
      if (*native) {
        ptx = std::move(**native);
        target = native_target(capability);
      }
    }
    auto answer = compiler_->assembler_.ask(
        {{"do", "assemble"}, {"ptx", ptx}, {"target", target}, {"file", request_.file}}, stop_);
    if (!answer) return forward(answer);
    module.log = answer->at("log");
    if (request_.want_cubin) module.cubin = bytes_of_base64(answer->at("cubin"));
  }
  auto usage = parse_resource_usage(module.log);
  for (KernelInfo& kernel : module.kernels) {
    const auto found = usage.find(kernel.name);
    if (found == usage.end()) continue;
    found->second.name = kernel.name;
    found->second.parameter_bytes = std::move(kernel.parameter_bytes);
    kernel = std::move(found->second);
  }
  return {};
}

void TritonCompilation::finish() {
  CompiledModule& module = **module_;
  if (!key_.empty()) compiler_->cache_.store(key_, module);
  module.milliseconds = milliseconds_since(start_);
}

}  // namespace

std::shared_ptr<TritonCompiler> open_triton(const TritonFolders& folders) { return std::make_shared<Triton>(folders); }

}  // namespace tilescope
