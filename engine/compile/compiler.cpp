#include "engine/compile/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <thread>

#include "engine/compile/compile_log.hpp"
#include "engine/compile/cubin.hpp"
#include "engine/compile/device_source.hpp"
#include "engine/compile/linked_sources.hpp"
#include "engine/compile/module_cache.hpp"
#include "engine/compile/nvrtc_library.hpp"
#include "engine/compile/nvrtc_process.hpp"
#include "engine/compile/ptx_text.hpp"
#include "engine/compile/source_key.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// What is included in front of a source, by the name that messages would give it.
constexpr const char* kPreludeName = "tilescope_prelude.h";

std::string with_text_replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// "compute_90a" and "sm_90a" → "90a".
std::string architecture_of(const std::string& target) { return target.substr(target.find('_') + 1); }

std::string name_of(NvrtcSource source) {
  switch (source) {
    case NvrtcSource::cuda_path:
      return "cuda-path";
    case NvrtcSource::loader:
      return "loader";
    case NvrtcSource::toolkit:
      return "toolkit";
    case NvrtcSource::download:
      return "download";
  }
  return {};
}

/// One request while it is being compiled. The waiting caller may leave before it ends; the last owner frees it.
struct Compilation {
  CompileRequest request;
  NvrtcInput input;                                 // its options without the architecture
  std::map<std::string, std::string> header_paths;  // of headers that are given as text
  bool one_program = false;                         // PTX and cubin are of one architecture, so one run gives both
  std::stop_source stop;

  std::mutex mutex;
  std::condition_variable_any changed;
  bool ptx_done = false, cubin_done = false;
  NvrtcOutput for_ptx, for_cubin;

  /// That of the run that failed, if one did.
  const NvrtcOutput& last_output() const { return for_ptx.result != NVRTC_SUCCESS ? for_ptx : for_cubin; }
  bool decided() const { return ptx_done && (cubin_done || for_ptx.result != NVRTC_SUCCESS); }
};

enum class Part { ptx, cubin };

/// The threads on which NVRTC runs, so that a caller can leave at once and the PTX and the cubin of one request
/// overlap. (NVRTC 13.0 runs its front end for one program at a time, and its back ends side by side.) Four, so that
/// the two runs of a request that was cancelled, and that NVRTC ends late, do not hold up the next.
class NvrtcWorkers {
 public:
  explicit NvrtcWorkers(NvrtcProcesses& processes) : processes_(processes) {
    for (int i = 0; i < 4; ++i) threads_.emplace_back([this](std::stop_token stop) { work(stop); });
  }
  ~NvrtcWorkers() {
    for (std::jthread& thread : threads_) thread.request_stop();
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    for (const auto& compilation : running_) compilation->stop.request_stop();
  }
  NvrtcWorkers(const NvrtcWorkers&) = delete;
  NvrtcWorkers& operator=(const NvrtcWorkers&) = delete;

  void post(const std::shared_ptr<Compilation>& compilation) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back({compilation, Part::ptx});
      if (!compilation->one_program) waiting_.push_back({compilation, Part::cubin});
    }
    changed_.notify_all();
  }

 private:
  struct Job {
    std::shared_ptr<Compilation> compilation;
    Part part = Part::ptx;
  };

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
      const Job job = std::move(waiting_.front());
      waiting_.pop_front();
      if (job.compilation->stop.stop_requested()) continue;  // its caller has left
      running_.push_back(job.compilation);
      lock.unlock();
      run(job);
      lock.lock();
      running_.erase(std::ranges::find(running_, job.compilation));
    }
  }

  void run(const Job& job) {
    Compilation& compilation = *job.compilation;
    const CompileRequest& request = compilation.request;
    NvrtcInput input = compilation.input;
    const bool makes_cubin = job.part == Part::cubin || compilation.one_program;
    input.options.push_back("--gpu-architecture=" + (makes_cubin ? request.cubin_target : request.ptx_target));
    if (makes_cubin) {
      input.options.emplace_back("--ptxas-options=-v");
      input.options.push_back(fmt::format("--ptxas-options=-O{}", request.assembler_level));
    }
    NvrtcOutput output = processes_.run(input, compilation.stop.get_token());
    output.ptx = with_given_file_name(std::move(output.ptx), request.file, request.file);
    for (const auto& [name, path] : compilation.header_paths) {
      if (name == path) continue;
      output.ptx = with_given_file_name(std::move(output.ptx), name, path);
      output.log = with_text_replaced(std::move(output.log), name, path);
    }
    {
      const std::lock_guard lock(compilation.mutex);
      if (job.part == Part::ptx) {
        compilation.for_ptx = std::move(output);
        compilation.ptx_done = true;
        if (compilation.one_program) {
          compilation.for_cubin = compilation.for_ptx;
          compilation.cubin_done = true;
        }
      } else {
        compilation.for_cubin = std::move(output);
        compilation.cubin_done = true;
      }
    }
    compilation.changed.notify_all();
  }

  NvrtcProcesses& processes_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Job> waiting_;
  std::vector<std::shared_ptr<Compilation>> running_;
  std::vector<std::jthread> threads_;  // last, so that it is joined before what it uses is destroyed
};

/// Registers and the rest as ptxas printed them; from the cubin where this NVRTC prints nothing.
void add_resource_usage(std::vector<KernelInfo>& kernels, const NvrtcOutput& output) {
  std::map<std::string, KernelInfo> printed;
  std::map<std::string, CubinKernel> in_cubin;
  for (auto& [name, info] : parse_resource_usage(output.log)) printed[without_process(name)] = info;
  for (const auto& [name, kernel] : read_cubin(output.cubin)) in_cubin[without_process(name)] = kernel;
  for (KernelInfo& kernel : kernels) {
    const std::string plain = without_process(kernel.name);
    if (const auto found = printed.find(plain); found != printed.end()) {
      KernelInfo info = found->second;
      info.name = kernel.name;
      info.parameter_bytes = std::move(kernel.parameter_bytes);
      kernel = std::move(info);
    }
    const auto found = in_cubin.find(plain);
    if (found == in_cubin.end()) continue;
    kernel.constant_bytes = found->second.constant_bytes;
    if (kernel.registers == 0) {
      kernel.registers = found->second.registers;
      kernel.local_bytes = found->second.frame_bytes;
    }
  }
}

/// The errors of a failed run; those of ptxas at their lines of the source.
std::vector<CompileError> errors_of(const NvrtcOutput& output) {
  return compile_errors(place_ptxas_errors(output.log, output.ptx));
}

Error compile_error(const NvrtcLibrary& library, const Compilation& compilation, const NvrtcOutput& output,
                    const DeviceSource& source) {
  if (!output.failure.empty()) return make_error(ErrorId::compiler_ended, compilation.request.file, output.failure);
  const std::vector<CompileError> errors = source.causes(errors_of(output));
  if (auto refusal = source.refusal(errors)) return std::move(*refusal);
  const CompileRequest& request = compilation.request;
  const bool named = !request.wanted_kernels.empty() && !request.wanted_kernels.front().empty();
  const auto is_of_name = [](const CompileError& error) { return error.message.file == "__nv_name_map"; };
  if (!errors.empty() && std::ranges::all_of(errors, is_of_name))
    return make_error(ErrorId::kernel_not_instantiated,
                      named ? request.wanted_kernels.front() : request.kernel_expressions.front(), request.file,
                      errors.front().message.text);
  std::string text;
  for (const CompileError& error : errors) text += error.text;
  if (errors.empty()) text = error_text(output.log);
  while (text.ends_with('\n')) text.pop_back();
  if (text.empty()) text = library.error_string(output.result);
  return make_error(ErrorId::compile_failed, compilation.request.file, phrase("{}{}", text, source.notes(errors)));
}

/// What is known with the PTX alone.
CompiledModule module_of_ptx(const Compilation& compilation) {
  CompiledModule module;
  module.kernel_of_expression = compilation.for_ptx.lowered_names;
  module.ptx = compilation.for_ptx.ptx;
  module.cubin_target = compilation.request.cubin_target;
  for (PtxKernel& kernel : kernels_of_ptx(module.ptx)) {
    KernelInfo info;
    info.name = std::move(kernel.name);
    info.parameter_bytes = std::move(kernel.parameter_bytes);
    module.kernels.push_back(std::move(info));
  }
  return module;
}

Result<CompiledModule> module_of(const NvrtcLibrary& library, Compilation& compilation, const DeviceSource& source) {
  for (const NvrtcOutput* output : {&compilation.for_ptx, &compilation.for_cubin})
    if (output->result != NVRTC_SUCCESS) return tl::unexpected(compile_error(library, compilation, *output, source));
  CompiledModule module = module_of_ptx(compilation);
  add_resource_usage(module.kernels, compilation.for_cubin);
  // The front end says the same in both runs; only ptxas adds to it.
  module.log = compilation.for_ptx.log;
  if (!compilation.one_program) module.log += ptxas_lines(compilation.for_cubin.log);
  module.messages = parse_compile_messages(module.log);
  module.left_out = source.kernels_left_out();
  std::ranges::move(source.warnings(), std::back_inserter(module.messages));
  if (compilation.request.want_cubin) module.cubin = std::move(compilation.for_cubin.cubin);
  return module;
}

class NvrtcCompiler final : public Compiler {
 public:
  NvrtcCompiler(std::shared_ptr<const NvrtcLibrary> library, const std::filesystem::path& cache_folder,
                const std::filesystem::path& worker)
      : library_(std::move(library)), cache_(cache_folder), processes_(library_, worker), workers_(processes_) {}

  std::string version() const override { return fmt::format("{}.{}", library_->major, library_->minor); }

  CompilerOrigin origin() const override {
    return {version(),
            name_of(library_->source),
            library_->path.string(),
            library_->builtins_path.string(),
            library_->toolkit_include_folders,
            processes_.separate()};
  }

  std::string nearest_target(const std::string& architecture) const override {
    int wanted = 0;
    const std::string number = architecture_of(architecture);
    std::from_chars(number.data(), number.data() + number.size(), wanted);
    const std::vector<int>& all = library_->architectures;  // ascending
    if (all.empty()) return architecture;
    const auto above = std::ranges::upper_bound(all, wanted);
    const int nearest = above == all.begin() ? all.front() : *std::prev(above);
    // "sm_90a" is one of its own, where there is an sm_90.
    return nearest == wanted ? architecture : fmt::format("sm_{}", nearest);
  }

  Result<CompiledModule> compile(const CompileRequest& request, std::stop_token stop,
                                 const PtxReady& ptx_ready) override {
    const auto start = Clock::now();
    if (stop.stop_requested()) return fail(ErrorId::cancelled);
    if (!request.more_sources.empty())
      return compile_linked(request, [&](const CompileRequest& one) { return compile(one, stop, {}); });
    DeviceSource source(request, library_->toolkit_include_folders);
    const std::string key = source.includes_by_macro() ? "" : cache_key_of(request, identity() + " " + source.hash());
    if (!key.empty()) {
      if (auto module = cache_.find(key)) {
        warm_up();
        module->from_cache = true;
        module->milliseconds = milliseconds_since(start);
        return std::move(*module);
      }
    }
    warm_ = true;
    auto module = compile_in_some_standard(request, std::move(source), stop, ptx_ready);
    if (!module) return module;
    if (!key.empty()) cache_.store(key, *module);
    module->milliseconds = milliseconds_since(start);
    return module;
  }

 private:
  /// C++17 first: that is nvcc's own default, and what is written for it may mean something else in C++20.
  Result<CompiledModule> compile_in_some_standard(const CompileRequest& request, DeviceSource source,
                                                  const std::stop_token& stop, const PtxReady& ptx_ready) {
    CompileRequest as = request;
    if (as.standard.empty()) as.standard = source.needs_cxx20() ? "c++20" : "c++17";
    auto module = compile_now(as, source, stop, ptx_ready);
    const bool may_try = request.standard.empty() && as.standard == "c++17" && !stop.stop_requested();
    if (module || !may_try || module.error().id != ErrorId::compile_failed) return module;
    as.standard = "c++20";
    DeviceSource again(request, library_->toolkit_include_folders);
    auto newer = compile_now(as, again, stop, ptx_ready);
    return newer ? std::move(newer) : std::move(module);
  }

  Result<CompiledModule> compile_now(const CompileRequest& request, DeviceSource& source, const std::stop_token& stop,
                                     const PtxReady& ptx_ready) {
    // Each round leaves out more of what is not for the device or not wanted, so the rounds come to an end.
    while (true) {
      const auto compilation = run_once(request, source, stop, ptx_ready);
      if (stop.stop_requested()) return fail(ErrorId::cancelled);
      const NvrtcOutput& output = compilation->last_output();
      if (output.result != NVRTC_SUCCESS && output.failure.empty() && source.drop(errors_of(output))) continue;
      return module_of(*library_, *compilation, source);
    }
  }

  std::shared_ptr<Compilation> run_once(const CompileRequest& request, const DeviceSource& source,
                                        const std::stop_token& stop, const PtxReady& ptx_ready) {
    auto compilation = std::make_shared<Compilation>();
    compilation->request = request;
    compilation->input = {source.text(), request.file, source.headers(), request.kernel_expressions,
                          options_of(request)};
    compilation->header_paths = source.header_paths();
    if (!source.prelude().empty()) {
      compilation->input.headers[kPreludeName] = source.prelude();
      compilation->input.options.push_back(std::string("--pre-include=") + kPreludeName);
    }
    compilation->one_program = architecture_of(request.ptx_target) == architecture_of(request.cubin_target);
    workers_.post(compilation);
    std::unique_lock lock(compilation->mutex);
    if (ptx_ready && !compilation->one_program) {
      compilation->changed.wait(lock, stop, [&] { return compilation->ptx_done; });
      if (compilation->ptx_done && compilation->for_ptx.result == NVRTC_SUCCESS && !compilation->cubin_done) {
        CompiledModule module = module_of_ptx(*compilation);
        module.left_out = source.kernels_left_out();
        lock.unlock();  // the cubin's thread goes on
        ptx_ready(module);
        lock.lock();
      }
    }
    compilation->changed.wait(lock, stop, [&] { return compilation->decided(); });
    compilation->stop.request_stop();  // ends what still runs: the caller left, or the PTX did not compile
    return compilation;
  }

  std::vector<std::string> options_of(const CompileRequest& request) const {
    // The folder of the source is named with -I too, so that the search is the one that the cache key follows. Without
    // --no-source-include, which would also keep headers of the toolkit (mma.h) from those beside them.
    const std::string standard = request.standard.empty() ? "c++17" : request.standard;
    std::vector<std::string> options = {"-std=" + standard, request.relocatable ? "-rdc=true" : "-rdc=false",
                                        "-lineinfo", "-default-device", "--device-int128",
                                        // A narrowing conversion in {…}, of which nvcc only warns.
                                        "--diag-warn=2361"};
    for (const Define& define : request.defines) options.push_back("-D" + define.name + "=" + define.value);
    for (const std::string& folder : include_folders_of(request)) options.push_back("-I" + folder);
    for (const std::string& folder : library_->toolkit_include_folders) options.push_back("-I" + folder);
    return options;
  }

  /// Everything about this compiler that a result depends on.
  std::string identity() const {
    std::string text = version();
    for (const std::string& folder : library_->toolkit_include_folders) text += " " + folder;
    return text;
  }

  /// NVRTC's first run takes some 300 ms longer than the next. When everything so far came from the cache, the first
  /// move of a slider should not pay for it.
  void warm_up() {
    if (warm_.exchange(true)) return;
    const auto compilation = std::make_shared<Compilation>();
    compilation->request.file = "warm_up.cu";
    compilation->input = {.text = "extern \"C\" __global__ void warm_up(float* p) { p[threadIdx.x] = 1.0f; }\n",
                          .file = compilation->request.file,
                          .headers = {},
                          .name_expressions = {},
                          .options = options_of(compilation->request)};
    workers_.post(compilation);
  }

  std::shared_ptr<const NvrtcLibrary> library_;
  ModuleCache cache_;
  std::atomic<bool> warm_ = false;
  NvrtcProcesses processes_;
  NvrtcWorkers workers_;  // last: ends before what it uses
};

}  // namespace

Result<std::shared_ptr<Compiler>> Compiler::open(const std::filesystem::path& cache_folder) {
  return open(cache_folder, NvrtcProcesses::worker_beside_this_program());
}

Result<std::shared_ptr<Compiler>> Compiler::open(const std::filesystem::path& cache_folder,
                                                 const std::filesystem::path& worker) {
  auto library = NvrtcLibrary::open();
  if (!library) return forward(library);
  return std::make_shared<NvrtcCompiler>(*library, cache_folder, worker);
}

}  // namespace tilescope
