#include "engine/compile/triton/triton_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "engine/clock.hpp"
#include "engine/compile/compile_log.hpp"
#include "engine/compile/module_cache.hpp"
#include "engine/compile/ptx_link.hpp"
#include "engine/compile/ptx_text.hpp"
#include "engine/compile/triton/shipped.hpp"
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
    code.constexprs.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
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
    if (!module_) module_ = lower();
    return *module_;
  }
  Result<CompiledModule> machine_code() override {
    if (!ptx() || whole_) return *module_;
    whole_ = true;
    if (request_.machine_code)
      if (auto assembled = assemble(); !assembled) module_ = forward(assembled);
    if (*module_) finish();
    return *module_;
  }

 private:
  Result<CompiledModule> lower();
  Result<std::vector<Specialization>> compile(int target, bool may_ship);
  std::string key(const std::string& triton, bool by_value) const;
  Result<void> assemble();
  void finish();

  std::shared_ptr<Triton> compiler_;
  CompileRequest request_;
  std::stop_token stop_;
  Clock::time_point start_;
  std::string key_;  // in the cache; empty: not known, so nothing is stored
  bool whole_ = false;
  std::string shipped_log_;  // what ptxas said, where the PTX was shipped
  std::optional<Result<CompiledModule>> module_;
};

class Triton final : public TritonCompiler, public std::enable_shared_from_this<Triton> {
 public:
  explicit Triton(const TritonFolders& folders)
      : root_(folders.root),
        child_({.script = folders.root / "assets" / "python" / "triton_child.py", .folder = folders.root}),
        cache_(folders.cache_folder) {}

  std::unique_ptr<Compilation> start(const CompileRequest& request, std::stop_token stop) override {
    return std::make_unique<TritonCompilation>(shared_from_this(), request, std::move(stop));
  }
  Result<json> ask(json question, std::stop_token stop) override {
    return child_.ask(std::move(question), std::move(stop));
  }
  Result<TritonOrigin> triton_origin(std::stop_token stop) override { return child_.origin(std::move(stop)); }

 private:
  friend class TritonCompilation;
  std::filesystem::path root_;
  TritonChild child_;
  ModuleCache cache_;
};

/// The same question for a number that stands for all that Triton compiles to the same code: 1, a multiple of 16,
/// others.
json without_values(json question) {
  constexpr int64_t kAligned = 16, kOther = 2;
  for (json& argument : question.at("arguments"))
    if (const auto value = argument.find("value"); value != argument.end() && *value != 1)
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
    json question = compile_question(request_, kernel, capability_of(request_.ptx_target));
    all += (by_value ? question : without_values(std::move(question))).dump() + "\n";
  }
  return sha256_of(all);
}

/// Compiles every kernel for a capability.
Result<std::vector<Specialization>> TritonCompilation::compile(int target, bool may_ship) {
  std::vector<Specialization> kernels;
  for (const TritonKernel& kernel : request_.triton) {
    kernels.push_back({compile_question(request_, kernel, target)});
    auto answer = compiler_->ask(kernels.back().question, stop_);
    if (!answer && may_ship && answer.error().id == ErrorId::triton_missing)
      if (auto shipped = read_shipped(compiler_->root_, kernels.back().question)) answer = std::move(*shipped);
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
  for (const bool by_value : {false, true}) {
    auto known = version ? compiler_->cache_.find(key(*version, by_value)) : std::nullopt;
    if (!known) continue;
    known->from_cache = true;
    known->milliseconds = milliseconds_since(start_);
    whole_ = true;
    compiler_->child_.warm_up();  // so that the first move of a slider does not wait for Python
    return std::move(*known);
  }
  auto kernels = compile(capability_of(request_.ptx_target), true);
  if (!kernels) return forward(kernels);
  const auto any_says = [&](const char* what) {
    return std::ranges::any_of(*kernels, [what](const Specialization& one) { return one.answer.contains(what); });
  };
  // The key knows nothing of the files that this one imports.
  if (version && !any_says("imported")) key_ = key(*version, any_says("by_value"));
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

/// The cubin, and what ptxas says about it. Where no Triton is installed there is no cubin, but what ptxas said ships
/// with the PTX.
Result<void> TritonCompilation::assemble() {
  CompiledModule& module = **module_;
  module.log = shipped_log_;
  if (module.log.empty()) {
    std::string ptx = module.ptx, target = request_.cubin_target;
    if (request_.native) {
      const int capability = capability_of(target);
      target = native_target(capability);
      auto kernels = compile(capability, false);
      if (!kernels) return forward(kernels);
      std::vector<TritonCode> codes;
      for (const Specialization& one : *kernels) codes.push_back(code_of(one.answer));
      auto linked = linked_ptx(*kernels, codes);
      if (!linked) return forward(linked);
      ptx = std::move(*linked);
      for (size_t i = 0; i < codes.size(); ++i) {
        module.triton[i].machine_threads = codes[i].threads;
        module.triton[i].machine_shared_bytes = codes[i].shared_bytes;
      }
    }
    auto answer =
        compiler_->ask({{"do", "assemble"}, {"ptx", ptx}, {"target", target}, {"file", request_.file}}, stop_);
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
