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

#include "engine/clock.hpp"
#include "engine/compile/compile_log.hpp"
#include "engine/compile/cubin.hpp"
#include "engine/compile/device_source.hpp"
#include "engine/compile/known_module.hpp"
#include "engine/compile/linked_sources.hpp"
#include "engine/compile/module_cache.hpp"
#include "engine/compile/nvrtc_library.hpp"
#include "engine/compile/nvrtc_process.hpp"
#include "engine/compile/ptx_text.hpp"
#include "engine/compile/source_key.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

/// The name, for messages, of the text prepended to a source.
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

/// NVRTC's two runs for one request. The waiting caller may leave before they end; the last owner frees them.
struct NvrtcRuns {
  CompileRequest request;
  NvrtcInput input;                                 // options without the architecture
  std::map<std::string, std::string> header_paths;  // of headers given as text
  bool one_program = false;                         // PTX and cubin have the same architecture, so one run gives both
  std::stop_source stop;

  std::mutex mutex;
  std::condition_variable_any changed;
  bool ptx_done = false, cubin_done = false;
  NvrtcOutput for_ptx, for_cubin;

  /// That of the run that failed, if one did.
  const NvrtcOutput& last_output() const {
    return for_ptx.result != NVRTC_SUCCESS || !request.machine_code ? for_ptx : for_cubin;
  }
  bool has_ptx() const { return ptx_done; }
  bool decided() const { return ptx_done && (cubin_done || !request.machine_code || for_ptx.result != NVRTC_SUCCESS); }
};

enum class Part { ptx, cubin };

/// The threads on which NVRTC runs, so that a caller can leave at once and the PTX and the cubin of one request
/// overlap. (NVRTC 13.0 runs its front end for one program at a time, and its back ends concurrently.) There are four,
/// so that the two runs of a cancelled request, which NVRTC ends late, do not delay the next request.
class NvrtcWorkers {
 public:
  explicit NvrtcWorkers(NvrtcProcesses& processes) : processes_(processes) {
    for (int i = 0; i < 4; ++i) threads_.emplace_back([this](std::stop_token stop) { work(stop); });
  }
  ~NvrtcWorkers() {
    for (std::jthread& thread : threads_) thread.request_stop();
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    for (const auto& runs : running_) runs->stop.request_stop();
  }
  NvrtcWorkers(const NvrtcWorkers&) = delete;
  NvrtcWorkers& operator=(const NvrtcWorkers&) = delete;

  void post(const std::shared_ptr<NvrtcRuns>& runs) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back({runs, Part::ptx});
      if (runs->request.machine_code && !runs->one_program) waiting_.push_back({runs, Part::cubin});
    }
    changed_.notify_all();
  }

 private:
  struct Job {
    std::shared_ptr<NvrtcRuns> runs;
    Part part = Part::ptx;
  };

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
      const Job job = std::move(waiting_.front());
      waiting_.pop_front();
      if (job.runs->stop.stop_requested()) continue;  // its caller has left
      running_.push_back(job.runs);
      lock.unlock();
      run(job);
      lock.lock();
      running_.erase(std::ranges::find(running_, job.runs));
    }
  }

  void run(const Job& job) {
    NvrtcRuns& runs = *job.runs;
    const CompileRequest& request = runs.request;
    NvrtcInput input = runs.input;
    const bool makes_cubin = job.part == Part::cubin || runs.one_program;
    input.options.push_back("--gpu-architecture=" + (makes_cubin ? request.cubin_target : request.ptx_target));
    if (makes_cubin) {
      input.options.emplace_back("--ptxas-options=-v");
      input.options.push_back(fmt::format("--ptxas-options=-O{}", request.assembler_level));
    }
    NvrtcOutput output = processes_.run(input, runs.stop.get_token());
    output.ptx = with_given_file_name(std::move(output.ptx), request.file, request.file);
    for (const auto& [name, path] : runs.header_paths) {
      if (name == path) continue;
      output.ptx = with_given_file_name(std::move(output.ptx), name, path);
      output.log = with_text_replaced(std::move(output.log), name, path);
    }
    {
      const std::lock_guard lock(runs.mutex);
      if (job.part == Part::ptx) {
        runs.for_ptx = std::move(output);
        runs.ptx_done = true;
        if (runs.one_program) {
          runs.for_cubin = runs.for_ptx;
          runs.cubin_done = true;
        }
      } else {
        runs.for_cubin = std::move(output);
        runs.cubin_done = true;
      }
    }
    runs.changed.notify_all();
  }

  NvrtcProcesses& processes_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Job> waiting_;
  std::vector<std::shared_ptr<NvrtcRuns>> running_;
  std::vector<std::jthread> threads_;  // declared last: joined before the members that it uses are destroyed
};

/// Registers and other usage as printed by ptxas; from the cubin if this NVRTC prints nothing.
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

/// The errors of a failed run; those of ptxas get their source lines.
std::vector<CompileError> errors_of(const NvrtcOutput& output) {
  return compile_errors(place_ptxas_errors(output.log, output.ptx));
}

Error compile_error(const NvrtcLibrary& library, const NvrtcRuns& runs, const NvrtcOutput& output,
                    const DeviceSource& source) {
  if (!output.failure.empty()) return make_error(ErrorId::compiler_ended, runs.request.file, output.failure);
  const std::vector<CompileError> errors = source.causes(errors_of(output));
  if (auto refusal = source.refusal(errors)) return std::move(*refusal);
  const CompileRequest& request = runs.request;
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
  return make_error(ErrorId::compile_failed, runs.request.file, phrase("{}{}", text, source.notes(errors)));
}

/// The part of the module that the PTX alone determines.
CompiledModule module_of_ptx(const NvrtcRuns& runs) {
  CompiledModule module;
  module.kernel_of_expression = runs.for_ptx.lowered_names;
  module.ptx = runs.for_ptx.ptx;
  module.cubin_target = runs.request.cubin_target;
  module.kernels = kernel_infos_of_ptx(module.ptx);
  return module;
}

/// With the machine code, if it was asked for, or as if it was not.
Result<CompiledModule> module_of(const NvrtcLibrary& library, NvrtcRuns& runs, const DeviceSource& source,
                                 bool machine_code) {
  if (const NvrtcOutput& last = runs.last_output(); last.result != NVRTC_SUCCESS)
    return tl::unexpected(compile_error(library, runs, last, source));
  CompiledModule module = module_of_ptx(runs);
  if (machine_code) add_resource_usage(module.kernels, runs.for_cubin);
  // The front end says the same in both runs; only ptxas adds to it.
  module.log = runs.for_ptx.log;
  if (machine_code && !runs.one_program) module.log += ptxas_lines(runs.for_cubin.log);
  module.messages = parse_compile_messages(module.log);
  module.left_out = source.kernels_left_out();
  std::ranges::move(source.warnings(), std::back_inserter(module.messages));
  if (machine_code && runs.request.want_cubin) module.cubin = std::move(runs.for_cubin.cubin);
  return module;
}

class NvrtcCompiler;

/// Runs NVRTC in as many rounds as the source needs.
class NvrtcCompilation final : public Compilation {
 public:
  /// The keys are those of the module and of its PTX alone. Empty ones keep it out of the cache.
  NvrtcCompilation(std::shared_ptr<NvrtcCompiler> compiler, const CompileRequest& request, DeviceSource source,
                   std::string key, std::string ptx_key, std::stop_token stop, Clock::time_point start);
  ~NvrtcCompilation() override { runs_->stop.request_stop(); }  // the caller has left
  NvrtcCompilation(const NvrtcCompilation&) = delete;
  NvrtcCompilation& operator=(const NvrtcCompilation&) = delete;

  Result<CompiledModule> ptx() override;
  Result<CompiledModule> machine_code() override;

 private:
  void start_round();
  bool starts_another_round();
  bool waits_until(bool (NvrtcRuns::*ready)() const);
  Result<CompiledModule> finish();

  std::shared_ptr<NvrtcCompiler> compiler_;
  CompileRequest request_;
  bool may_try_cxx20_;
  DeviceSource source_;
  std::string key_, ptx_key_;
  std::stop_token stop_;
  Clock::time_point start_;
  std::shared_ptr<NvrtcRuns> runs_;              // of this round
  std::optional<Error> error_in_cxx17_;          // if C++20 is tried next
  std::optional<Result<CompiledModule>> ended_;  // with the whole module or an error
};

class NvrtcCompiler final : public Compiler, public std::enable_shared_from_this<NvrtcCompiler> {
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

  void keep_warm() override { keeps_warm_ = true; }

  std::string nearest_target(const std::string& architecture) const override {
    int wanted = 0;
    const std::string number = architecture_of(architecture);
    std::from_chars(number.data(), number.data() + number.size(), wanted);
    const std::vector<int>& all = library_->architectures;  // ascending
    if (all.empty()) return architecture;
    const auto above = std::ranges::upper_bound(all, wanted);
    const int nearest = above == all.begin() ? all.front() : *std::prev(above);
    // "sm_90a" is a target of its own, available if sm_90 is.
    return nearest == wanted ? architecture : fmt::format("sm_{}", nearest);
  }

  std::unique_ptr<Compilation> start(const CompileRequest& request, std::stop_token stop) override {
    const auto start = Clock::now();
    if (stop.stop_requested()) return known(fail(ErrorId::cancelled));
    if (!request.more_sources.empty())
      return known(compile_linked(request, [&](const CompileRequest& one) { return compile(one, stop); }));
    DeviceSource source(request, library_->toolkit_include_folders);
    std::string key, ptx_key;
    if (!source.includes_by_macro()) {
      CompileRequest alone = request;
      alone.machine_code = false;
      const std::string compiler = identity() + " " + source.hash();
      key = cache_key_of(request, compiler);
      ptx_key = cache_key_of(alone, compiler);
      if (auto module = cache_.find(key)) {
        if (keeps_warm_) warm_up();
        module->from_cache = true;
        module->cubin_target = request.cubin_target;  // PTX alone is the same for every one
        module->milliseconds = milliseconds_since(start);
        return known(std::move(*module));
      }
    }
    warm_ = true;
    return std::make_unique<NvrtcCompilation>(shared_from_this(), request, std::move(source), std::move(key),
                                              std::move(ptx_key), std::move(stop), start);
  }

 private:
  friend class NvrtcCompilation;

  static std::unique_ptr<Compilation> known(Result<CompiledModule> module) {
    return std::make_unique<KnownModule>(std::move(module));
  }

  std::shared_ptr<NvrtcRuns> start_runs(const CompileRequest& request, const DeviceSource& source) {
    auto runs = std::make_shared<NvrtcRuns>();
    runs->request = request;
    runs->input = {source.text(), request.file, source.headers(), request.kernel_expressions, options_of(request)};
    runs->header_paths = source.header_paths();
    if (!source.prelude().empty()) {
      runs->input.headers[kPreludeName] = source.prelude();
      runs->input.options.push_back(std::string("--pre-include=") + kPreludeName);
    }
    runs->one_program =
        request.machine_code && architecture_of(request.ptx_target) == architecture_of(request.cubin_target);
    workers_.post(runs);
    return runs;
  }

  std::vector<std::string> options_of(const CompileRequest& request) const {
    // The source's folder is also given with -I, so that the search order is the one that the cache key follows.
    // --no-source-include is not used: it would also keep the toolkit's headers (mma.h) from those beside them.
    const std::string standard = request.standard.empty() ? "c++17" : request.standard;
    std::vector<std::string> options = {"-std=" + standard, request.relocatable ? "-rdc=true" : "-rdc=false",
                                        "-lineinfo", "-default-device", "--device-int128",
                                        // A narrowing conversion in {…} is an error in NVRTC, but only a warning in
                                        // nvcc.
                                        "--diag-warn=2361"};
    for (const Define& define : request.defines) options.push_back("-D" + define.name + "=" + define.value);
    for (const std::string& folder : include_folders_of(request)) options.push_back("-I" + folder);
    for (const std::string& folder : library_->toolkit_include_folders) options.push_back("-I" + folder);
    return options;
  }

  /// Everything about this compiler that affects a result.
  std::string identity() const {
    std::string text = version();
    for (const std::string& folder : library_->toolkit_include_folders) text += " " + folder;
    return text;
  }

  /// NVRTC's first run takes some 300 ms longer than later ones. If everything so far came from the cache, the first
  /// move of a slider should not have to wait for it.
  void warm_up() {
    if (warm_.exchange(true)) return;
    const auto runs = std::make_shared<NvrtcRuns>();
    runs->request.file = "warm_up.cu";
    runs->input = {.text = "extern \"C\" __global__ void warm_up(float* p) { p[threadIdx.x] = 1.0f; }\n",
                   .file = runs->request.file,
                   .headers = {},
                   .name_expressions = {},
                   .options = options_of(runs->request)};
    workers_.post(runs);
  }

  std::shared_ptr<const NvrtcLibrary> library_;
  ModuleCache cache_;
  std::atomic<bool> keeps_warm_ = false;
  std::atomic<bool> warm_ = false;
  NvrtcProcesses processes_;
  NvrtcWorkers workers_;  // declared last: ends before the members that it uses
};

NvrtcCompilation::NvrtcCompilation(std::shared_ptr<NvrtcCompiler> compiler, const CompileRequest& request,
                                   DeviceSource source, std::string key, std::string ptx_key, std::stop_token stop,
                                   Clock::time_point start)
    : compiler_(std::move(compiler)),
      request_(request),
      source_(std::move(source)),
      key_(std::move(key)),
      ptx_key_(std::move(ptx_key)),
      stop_(std::move(stop)),
      start_(start) {
  // C++17 first: it is nvcc's default, and code written for it may have a different meaning in C++20.
  if (request_.standard.empty()) request_.standard = source_.needs_cxx20() ? "c++20" : "c++17";
  may_try_cxx20_ = request.standard.empty() && request_.standard == "c++17";
  start_round();
}

void NvrtcCompilation::start_round() { runs_ = compiler_->start_runs(request_, source_); }

/// Called after a failed run. Each round omits more code that is not for the device or not wanted, so the rounds end;
/// then the newer standard is tried.
bool NvrtcCompilation::starts_another_round() {
  const NvrtcOutput& output = runs_->last_output();
  if (output.result == NVRTC_SUCCESS) return false;
  runs_->stop.request_stop();                                    // the other run
  if (runs_->for_ptx.result == NVRTC_SUCCESS) ptx_key_.clear();  // the PTX alone needs no further round
  if (output.failure.empty() && source_.drop(errors_of(output))) return start_round(), true;
  if (!std::exchange(may_try_cxx20_, false)) return false;
  Error error = compile_error(*compiler_->library_, *runs_, output, source_);
  if (error.id != ErrorId::compile_failed) return false;
  error_in_cxx17_ = std::move(error);
  request_.standard = "c++20";
  source_ = DeviceSource(request_, compiler_->library_->toolkit_include_folders);
  start_round();
  return true;
}

/// False if the caller has requested a stop.
bool NvrtcCompilation::waits_until(bool (NvrtcRuns::*ready)() const) {
  std::unique_lock lock(runs_->mutex);
  runs_->changed.wait(lock, stop_, [&] { return ((*runs_).*ready)(); });
  return !stop_.stop_requested();
}

Result<CompiledModule> NvrtcCompilation::ptx() {
  while (!ended_) {
    if (!waits_until(&NvrtcRuns::has_ptx)) return finish();
    if (runs_->for_ptx.result == NVRTC_SUCCESS) {
      if (!request_.machine_code) return finish();
      CompiledModule module = module_of_ptx(*runs_);
      module.left_out = source_.kernels_left_out();
      return module;
    }
    if (!starts_another_round()) return finish();
  }
  return *ended_;
}

Result<CompiledModule> NvrtcCompilation::machine_code() {
  while (!ended_)
    if (!waits_until(&NvrtcRuns::decided) || !starts_another_round()) return finish();
  return *ended_;
}

Result<CompiledModule> NvrtcCompilation::finish() {
  runs_->stop.request_stop();
  if (stop_.stop_requested()) {
    ended_ = fail(ErrorId::cancelled);
    return *ended_;
  }
  // Whoever asks for the PTX alone next need not wait. (Where one run gave both, its log is not that of the PTX.)
  if (request_.machine_code && !ptx_key_.empty() && !runs_->one_program)
    if (const auto ptx = module_of(*compiler_->library_, *runs_, source_, false))
      compiler_->cache_.store(ptx_key_, *ptx);
  Result<CompiledModule> module = module_of(*compiler_->library_, *runs_, source_, request_.machine_code);
  if (!module && error_in_cxx17_) module = tl::unexpected<Error>(*error_in_cxx17_);
  if (module && !key_.empty()) compiler_->cache_.store(key_, *module);
  if (module) module->milliseconds = milliseconds_since(start_);
  ended_ = std::move(module);
  return *ended_;
}

}  // namespace

Result<CompiledModule> Compiler::compile(const CompileRequest& request, std::stop_token stop) {
  return start(request, std::move(stop))->machine_code();
}

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
