#include "engine/sim/simulator.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <thread>
#include <unordered_map>

#include "engine/sim/checks/race_watch.hpp"
#include "engine/sim/lower/decode.hpp"
#include "engine/sim/lower/variables.hpp"
#include "engine/sim/machine/collect.hpp"
#include "engine/sim/machine/run_blocks.hpp"
#include "engine/sim/program/isa.hpp"
#include "engine/sim/program/launch_work.hpp"
#include "engine/sim/program/shared_names.hpp"
#include "engine/sim/ptx/parser.hpp"
#include "engine/sim/state/device_heap.hpp"
#include "engine/sim/state/residency.hpp"
#include "engine/sim/steps/step_recorder.hpp"

namespace tilescope {
namespace {

constexpr size_t kWorkspaceBytes = 64;

/// A parsed module with the state of its variables, and its kernels decoded so far.
struct LoadedModule {
  std::shared_ptr<const PtxModule> module;
  ModuleVariables variables;
  HostPages global, constant;
  std::unordered_map<std::string, std::shared_ptr<const Program>> kernels;
  uint64_t last_use = 0;

  void reset() {
    const auto global_bytes = initial_bytes(*module, variables, Space::global);
    const auto constant_bytes = initial_bytes(*module, variables, Space::constant);
    std::copy(global_bytes.begin(), global_bytes.end(), global.data());
    std::copy(constant_bytes.begin(), constant_bytes.end(), constant.data());
  }
};

Result<void> check_limit(const char* name, uint64_t value, uint64_t limit) {
  if (value == 0) return fail(ErrorId::bad_launch, Phrase(name), value, "it must be at least 1");
  if (value > limit) return fail(ErrorId::bad_launch, Phrase(name), value, phrase("the limit is {}", limit));
  return {};
}

Result<void> check_launch(const Launch& launch, const Program& program, const GpuSpec& gpu) {
  // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
  const struct {
    const char* name;
    uint64_t value, limit;
  } limits[] = {{"grid.x", launch.grid.x, 0x7fffffff},
                {"grid.y", launch.grid.y, 65535},
                {"grid.z", launch.grid.z, 65535},
                {"block.x", launch.block.x, 1024},
                {"block.y", launch.block.y, 1024},
                {"block.z", launch.block.z, 64},
                {"threads per block", launch.block.count(), 1024}};
  for (const auto& limit : limits)
    if (auto good = check_limit(limit.name, limit.value, limit.limit); !good) return good;
  const uint64_t shared = uint64_t{program.dynamic_shared_offset} + launch.shared_bytes;
  if (shared > gpu.shared_bytes_per_block)
    return fail(ErrorId::bad_launch, "shared memory", shared,
                phrase("the limit is {} bytes", gpu.shared_bytes_per_block));
  const PtxFunction& function = *program.function;
  const uint64_t most = uint64_t{function.max_threads[0]} * function.max_threads[1] * function.max_threads[2];
  if (most != 0 && launch.block.count() > most)
    return fail(ErrorId::bad_launch, "threads per block", launch.block.count(),
                phrase("the kernel's launch bounds allow {}", most));
  const Dim3 required{function.required_threads[0], function.required_threads[1], function.required_threads[2]};
  if (required.x != 0 && !(required == launch.block))
    return fail(ErrorId::bad_launch, "threads per block", launch.block.count(),
                phrase("the kernel requires blocks of {} x {} x {}", required.x, required.y, required.z));
  return {};
}

class Simulator : public Executor {
 public:
  explicit Simulator(int threads)
      : threads_(threads > 0 ? static_cast<unsigned>(threads) : std::max(1U, std::thread::hardware_concurrency())) {}

  DeviceInfo device() const override {
    DeviceInfo info;
    info.kind = DeviceKind::sim;
    info.name = fmt::format("CPU simulator, {} thread{}, {}", threads_, threads_ == 1 ? "" : "s", simd_name());
    info.memory_bytes = host_memory();
    return info;
  }

  Result<std::shared_ptr<DeviceBuffer>> allocate(const BufferRequest& request) override {
    const size_t element = size_of(request.type);
    const uint64_t limit = std::min(host_memory(), uint64_t{1} << (kRegionBits - 1));
    if (request.count > limit / element)
      return fail(ErrorId::out_of_memory, phrase("{}", double(request.count) * double(element)), limit);
    const size_t bytes = request.count * element;
    HostPages data(bytes), written(bytes);
    if (!data.ok() || !written.ok()) return fail(ErrorId::out_of_memory, bytes, limit);
    auto buffer = std::make_shared<SimulatedBuffer>(request, std::move(data), std::move(written));
    if (request.zeros) buffer->count_as_written();
    return buffer;
  }

  Result<void> upload(DeviceBuffer& buffer, std::span<const std::byte> bytes, bool poison) override {
    auto* simulated = dynamic_cast<SimulatedBuffer*>(&buffer);
    if (simulated == nullptr || bytes.size() > buffer.bytes())
      return fail(ErrorId::bad_argument, "buffer", phrase("{} bytes do not fit", bytes.size()));
    simulated->upload(bytes, poison);
    return {};
  }

  Result<void> download(const DeviceBuffer& buffer, std::span<std::byte> bytes) override {
    const auto* simulated = dynamic_cast<const SimulatedBuffer*>(&buffer);
    if (simulated == nullptr || bytes.size() > buffer.bytes())
      return fail(ErrorId::bad_argument, "buffer", phrase("it does not hold {} bytes", bytes.size()));
    simulated->download(bytes);
    return {};
  }

  Result<LaunchReport> launch(const CompiledModule& module, const Launch& launch,
                              std::span<const std::shared_ptr<DeviceBuffer>> buffers, const LaunchOptions& options,
                              std::stop_token stop) override {
    const std::lock_guard lock(mutex_);
    try {
      return launch_locked(module, launch, buffers, options, stop);
    } catch (const std::bad_alloc&) {
      return fail(ErrorId::out_of_memory, "more", host_memory());
    }
  }

 private:
  static uint64_t host_memory() {
    return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }

  Result<LoadedModule*> load(const std::string& ptx) {
    constexpr size_t kMostModules = 16;  // some megabytes each for large kernels
    if (const auto found = modules_.find(ptx); found != modules_.end()) {
      found->second->last_use = ++uses_;
      return found->second.get();
    }
    auto parsed = parse_ptx(ptx);
    if (!parsed) return forward(parsed);
    auto loaded = std::make_unique<LoadedModule>();
    loaded->module = *parsed;
    loaded->variables = place_module_variables(**parsed);
    if (loaded->variables.global_bytes > host_memory() || loaded->variables.constant_bytes > host_memory())
      return fail(ErrorId::out_of_memory, loaded->variables.global_bytes, host_memory());
    loaded->global = HostPages(loaded->variables.global_bytes);
    loaded->constant = HostPages(loaded->variables.constant_bytes);
    if (!loaded->global.ok() || !loaded->constant.ok())
      return fail(ErrorId::out_of_memory, loaded->variables.global_bytes, host_memory());
    loaded->reset();
    loaded->last_use = ++uses_;
    if (modules_.size() >= kMostModules)
      modules_.erase(std::ranges::min_element(modules_, {}, [](const auto& one) { return one.second->last_use; }));
    return (modules_[ptx] = std::move(loaded)).get();
  }

  static Result<std::shared_ptr<const Program>> program_of(LoadedModule& module, const std::string& kernel) {
    if (const auto found = module.kernels.find(kernel); found != module.kernels.end()) return found->second;
    auto program = decode_kernel(module.module, kernel);
    if (program) module.kernels.emplace(kernel, *program);
    return program;
  }

  /// The bytes of the parameters, each at its offset.
  static Result<std::vector<uint8_t>> parameters_of(const Launch& launch, const Program& program,
                                                    std::span<const std::shared_ptr<DeviceBuffer>> buffers) {
    const auto& declared = program.function->parameters;
    if (declared.size() != launch.arguments.size())
      return fail(ErrorId::argument_count, launch.kernel, declared.size(), launch.arguments.size());
    std::vector<uint8_t> parameters(program.parameter_bytes, 0);
    const std::vector<uint64_t> addresses = addresses_of(buffers);
    const std::vector<uint64_t> textures = texture_objects(launch);
    for (size_t i = 0; i < declared.size(); ++i) {
      const auto* buffer = std::get_if<BufferArgument>(&launch.arguments[i]);
      const Phrase text =
          buffer != nullptr ? Phrase("a buffer") : Phrase(std::get<ScalarArgument>(launch.arguments[i]).text);
      if (buffer != nullptr && (buffer->buffer >= buffers.size() || buffers[buffer->buffer] == nullptr))
        return fail(ErrorId::bad_argument, phrase("buffer {}", buffer->buffer), "there is no such buffer");
      const std::vector<std::byte> bytes = argument_bytes(launch.arguments[i], addresses, textures);
      if (bytes.size() != declared[i].bytes)
        return fail(ErrorId::argument_size, i + 1, launch.kernel, declared[i].bytes, text, bytes.size());
      if (!bytes.empty()) std::memcpy(parameters.data() + program.parameter_offsets[i], bytes.data(), bytes.size());
    }
    return parameters;
  }

  static std::vector<uint64_t> texture_objects(const Launch& launch) {
    std::vector<uint64_t> objects;
    for (size_t i = 0; i < launch.textures.size(); ++i) objects.push_back(texture_object(i));
    return objects;
  }

  static std::vector<uint64_t> addresses_of(std::span<const std::shared_ptr<DeviceBuffer>> buffers) {
    std::vector<uint64_t> addresses;
    for (const auto& buffer : buffers) addresses.push_back(buffer != nullptr ? buffer->address() : 0);
    return addresses;
  }

  /// Stores the launch's values of variables and arrays of pointers.
  static Result<void> store_presets(LoadedModule& module, const Launch& launch,
                                    std::span<const std::shared_ptr<DeviceBuffer>> buffers) {
    const std::vector<uint64_t> addresses = addresses_of(buffers);
    for (const Preset& preset : launch.presets) {
      const std::vector<std::byte> bytes = argument_bytes(Argument{preset.value}, addresses, texture_objects(launch));
      if (preset.variable.empty()) {
        if (auto* simulated = dynamic_cast<SimulatedBuffer*>(buffers[preset.buffer].get())) simulated->store(0, bytes);
        continue;
      }
      const auto found = module.variables.places.find(preset.variable);
      if (found == module.variables.places.end() || bytes.size() > found->second.bytes)
        return fail(ErrorId::variable_not_found, preset.variable, "the compiled module", "others");
      const VariablePlace& place = found->second;
      std::memcpy((place.space == Space::constant ? module.constant : module.global).data() + place.offset,
                  bytes.data(), bytes.size());
    }
    return {};
  }

  static void add_buffers(std::span<const std::shared_ptr<DeviceBuffer>> buffers, LaunchSetup& setup) {
    for (const auto& buffer : buffers) {
      const auto* simulated = dynamic_cast<const SimulatedBuffer*>(buffer.get());
      if (simulated == nullptr) continue;
      Extent extent = simulated->extent();
      setup.buffers = std::max(setup.buffers, static_cast<size_t>(extent.buffer) + 1);
      setup.memory.add(std::move(extent));
    }
  }

  static void add_textures(const Launch& launch, std::span<const std::shared_ptr<DeviceBuffer>> buffers,
                           LaunchSetup& setup) {
    for (const TextureSpec& texture : launch.textures)
      setup.textures.push_back({texture, buffers[texture.buffer]->address()});
  }

  static void add_variables(const LoadedModule& module, LaunchSetup& setup) {
    for (const auto& [name, place] : module.variables.places) {
      Extent extent;
      extent.low = window_of(place.space) + place.offset;
      extent.high = extent.low + place.bytes;
      extent.space = place.space;
      extent.read_only = place.space == Space::constant;
      extent.data = (place.space == Space::constant ? module.constant : module.global).data() + place.offset;
      extent.name = name;
      setup.memory.add(std::move(extent));
    }
  }

  Result<LaunchReport> launch_locked(const CompiledModule& module, const Launch& launch,
                                     std::span<const std::shared_ptr<DeviceBuffer>> buffers,
                                     const LaunchOptions& options, const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    auto loaded = load(module.ptx);
    if (!loaded) return forward(loaded);
    auto program = program_of(**loaded, launch.kernel);
    if (!program) return forward(program);
    const GpuSpec& gpu = options.gpu != nullptr ? *options.gpu : usual_gpu();
    if (auto good = check_launch(launch, **program, gpu); !good) return forward(good);
    for (const uint32_t block : options.blocks)
      if (block >= launch.grid.count())
        return fail(ErrorId::bad_launch, "block", block, phrase("the grid has {} blocks", launch.grid.count()));
    auto parameters = parameters_of(launch, **program, buffers);
    if (!parameters) return forward(parameters);
    if (options.launch_index == 0 || options.begins_run) {  // a new run starts with the module as loaded
      (*loaded)->reset();
      heap_.reset();
    }
    if (auto stored = store_presets(**loaded, launch, buffers); !stored) return forward(stored);

    LaunchSetup setup;
    setup.program = program->get();
    setup.grid = launch.grid;
    setup.block = launch.block;
    setup.dynamic_shared_bytes = launch.shared_bytes;
    setup.shared_bytes = launch.shared_bytes != 0 ? (*program)->dynamic_shared_offset + launch.shared_bytes
                                                  : (*program)->static_shared_bytes;
    setup.shared_names = std::make_shared<const SharedNames>(**program, options.source, setup.shared_bytes);
    setup.parameters = std::move(*parameters);
    setup.heap = &heap_;
    setup.memory.set_heap(&heap_);
    setup.checks = options.checks;
    setup.count = options.count_traffic;
    setup.record = options.record_accesses;
    setup.access_budget = options.access_budget;
    setup.step_budget = options.step_budget;
    setup.hang_budget = options.hang_budget;
    setup.launch_index = options.launch_index;
    setup.chosen = options.blocks;
    setup.steps_per_block = options.steps_per_block;
    setup.record_shared = options.record_shared;
    setup.multiprocessors = gpu.multiprocessors;
    setup.warps_per_multiprocessor = gpu.max_warps_per_multiprocessor;
    add_buffers(buffers, setup);
    add_textures(launch, buffers, setup);
    add_variables(**loaded, setup);
    limit_resident_blocks(module, launch, gpu, setup);
    const HostPages workspace(kWorkspaceBytes);
    add_workspace(workspace, setup);
    if (setup.checks) watch_written_memory(setup);

    if (options.step_window) return follow_block(setup, options, stop);
    std::vector<uint64_t> executed(options.count_work ? (*program)->operations.size() : 0);
    if (options.count_work) setup.executed = &executed;
    Collector collector(setup, options, setup.blocks());
    if (!run_blocks(setup, collector, stop, options.count_work ? 1 : threads_))
      return fail(ErrorId::out_of_memory, "more", host_memory());
    if (!collector.complete()) return fail(ErrorId::cancelled);
    LaunchReport report = collector.take_report();
    if (options.count_work) report.work = work_of(**program, executed);
    report.elapsed_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return report;
  }

  /// Runs the block of a step window, alone if possible.
  static Result<LaunchReport> follow_block(LaunchSetup& setup, const LaunchOptions& options,
                                           const std::stop_token& stop) {
    const uint64_t blocks = setup.grid.count();
    if (options.step_window->block >= blocks)
      return fail(ErrorId::bad_argument, "block", phrase("the grid has {} blocks", blocks));
    setup.count = false;
    setup.record = true;  // so that accesses are numbered as in the launch's trace
    setup.access_budget = std::min<uint64_t>(setup.access_budget, uint64_t{1} << 20);
    StepRecorder recorder(setup, *options.step_window);
    setup.follower = &recorder;
    Collector collector(setup, options, blocks);
    const bool alone = !setup.program->one_at_a_time && setup.heap->unused();
    const bool good =
        alone ? run_block(setup, options.step_window->block, collector, stop) : run_blocks(setup, collector, stop, 1);
    if (stop.stop_requested()) return fail(ErrorId::cancelled);
    if (!good) return fail(ErrorId::out_of_memory, "more", host_memory());
    LaunchReport report;
    report.steps = recorder.take();
    report.stopped_by_finding = report.steps->stopped;
    return report;
  }

  /// The workspace that the driver gives to a cooperative launch; here every launch has it.
  static void add_workspace(const HostPages& workspace, LaunchSetup& setup) {
    Extent extent;
    extent.low = kWorkspaceWindow;
    extent.high = kWorkspaceWindow + workspace.bytes();
    extent.data = workspace.data();
    extent.name = "the grid's barrier";
    setup.memory.add(std::move(extent));
  }

  /// Limits resident blocks to what the modelled GPU holds at a time, and to the host's memory.
  static void limit_resident_blocks(const CompiledModule& module, const Launch& launch, const GpuSpec& gpu,
                                    LaunchSetup& setup) {
    const Program& program = *setup.program;
    BlockUsage usage;
    usage.threads = static_cast<uint32_t>(setup.block.count());
    usage.dynamic_shared_bytes = setup.shared_bytes;
    if (const KernelInfo* info = module.find(launch.kernel)) {
      usage.registers_per_thread = info->registers;
      usage.barriers = info->barriers;
    }
    Residency residency = resident_blocks(gpu, usage);
    const uint64_t warps = (setup.block.count() + 31) / 32;
    const uint64_t bytes = warps * (sizeof(Warp) + program.register_slots * kSlotBytes + 64 * program.local_bytes) +
                           2 * setup.shared_bytes + program.uniform.size() +
                           program.observed_sites.size() * (setup.buffers + 2) * sizeof(SiteCount);
    const uint64_t room = std::max<uint64_t>(1, host_memory() / 4 / std::max<uint64_t>(1, bytes));
    if (room < residency.blocks) residency = {room, Phrase("the host has no memory for more")};
    setup.resident_blocks = residency.blocks;
    setup.residency_reason = residency.reason;
  }

  const unsigned threads_;
  std::mutex mutex_;
  DeviceHeap heap_;
  std::unordered_map<std::string, std::unique_ptr<LoadedModule>> modules_;
  uint64_t uses_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_simulator(int threads) { return std::make_unique<Simulator>(threads); }

}  // namespace tilescope
