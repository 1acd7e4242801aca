// The simulator's counters, case by case, in the order in which the same launches run on the GPU; calibrate_counters.py
// runs it under Nsight Compute and compares the hardware's counters with them.
//
//   record_counters --out FILE.json
//   record_counters --out FILE.json --kind pattern --kind corpus
//
// Cases: single access patterns (tools/kernels/access_patterns.cu), the kernels of tests/differential, and every rung
// of every lab at the simulator's default sizes. A case that cannot run on the GPU has no hardware counters to compare
// with, but its counts are written nevertheless.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/compile/machine_access.hpp"
#include "engine/gpu/gpu_executor.hpp"
#include "engine/run/engine.hpp"
#include "engine/sim/simulator.hpp"
#include "engine/traffic/access/ledger.hpp"
#include "engine/traffic/access/ptxas_changes.hpp"
#include "tests/differential/access_patterns.hpp"
#include "tests/differential/runner.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

struct Options {
  std::string out = {}, only = {};
  std::vector<std::string> kinds = {"pattern", "corpus", "lab"};
  uint64_t seed = 1;
};

json to_json(const Counters& counters) {
  return {{"global_load_requests", counters.global_load_requests},
          {"global_load_sectors", counters.global_load_sectors},
          {"global_store_requests", counters.global_store_requests},
          {"global_store_sectors", counters.global_store_sectors},
          {"shared_load_wavefronts", counters.shared_load_wavefronts},
          {"shared_store_wavefronts", counters.shared_store_wavefronts},
          {"shared_load_bank_conflicts", counters.shared_load_bank_conflicts},
          {"shared_store_bank_conflicts", counters.shared_store_bank_conflicts}};
}

json names_of(std::span<const Launch> launches) {
  json names = json::array();
  for (const Launch& launch : launches) names.push_back(launch.kernel);
  return names;
}

/// Collects cases; each case launches on the GPU once what it counts, in the order of the cases.
class Recorder {
 public:
  explicit Recorder(Options options)
      : options_(std::move(options)), engine_(Engine::open({})), simulator_(make_simulator(0)) {
    if (!engine_->gpu()) std::fprintf(stderr, "no GPU: %s\n", engine_->gpu().error().message.c_str());
  }

  void record() {
    for (const std::string& kind : options_.kinds) {
      if (kind == "pattern") record_patterns();
      if (kind == "corpus") record_corpus();
      if (kind == "lab") record_labs();
    }
  }

  bool write() const {
    std::ofstream file(options_.out);
    file << json{{"cases", cases_}, {"gpu", engine_->gpu() ? json((*engine_->gpu())->device().name) : json(nullptr)}}
                .dump(1)
         << "\n";
    return file.good() && failed_ == 0;
  }

 private:
  void record_patterns();
  void record_corpus();
  void record_labs();
  void record_scenario(const std::string& kind, const std::string& name, const CompiledModule& module,
                       const differential::Scenario& scenario);
  /// For the last case: where its machine code has other memory operations than the PTX.
  void note_changes(const Traffic& traffic);
  void add_run(const std::string& name, const RunResult& result);
  void add(const std::string& kind, const std::string& name, std::span<const Launch> launches, json counters);
  void skip(const std::string& name, const std::string& why) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), why.c_str());
    ++failed_;
  }
  std::string architecture() const { return engine_->gpu() ? (*engine_->gpu())->device().architecture : "sm_90"; }
  bool wanted(const std::string& name) const { return name.find(options_.only) != std::string::npos; }

  Options options_;
  std::shared_ptr<Engine> engine_;
  std::unique_ptr<Executor> simulator_;
  json cases_ = json::array();
  int failed_ = 0;
};

void Recorder::add(const std::string& kind, const std::string& name, std::span<const Launch> launches, json counters) {
  cases_.push_back(
      {{"kind", kind}, {"name", name}, {"launches", names_of(launches)}, {"simulated", std::move(counters)}});
}

void Recorder::record_scenario(const std::string& kind, const std::string& name, const CompiledModule& module,
                               const differential::Scenario& scenario) {
  const auto simulated = run_scenario(*simulator_, module, scenario, {});
  if (!simulated) return skip(name, simulated.error().message);
  if (engine_->gpu()) {
    const auto measured = run_scenario(**engine_->gpu(), module, scenario, {});
    if (!measured) return skip(name, measured.error().message);
  }
  add(kind, name, scenario.launches, to_json(simulated->counters));
  std::vector<BufferSpec> buffers;
  for (const auto& buffer : scenario.buffers) buffers.push_back({.name = buffer.name});
  Traffic traffic = make_ledger(simulated->trace, simulated->sites, simulated->counters, buffers);
  for (size_t i = 0; i < scenario.launches.size(); ++i)
    mark_changed_lines(traffic, simulated->trace, static_cast<uint32_t>(i),
                       machine_accesses(module.cubin, scenario.launches[i].kernel));
  note_changes(traffic);
}

struct PatternKernel {
  const char* name;      // in access_patterns.cu
  uint32_t lane_bytes;   // of one lane's access
  uint32_t alignment;    // of the lanes' offsets
  uint32_t range_bytes;  // the offsets lie below it
};

constexpr PatternKernel kPatternKernels[] = {
    {"global_load_32", 4, 4, 1 << 16},    {"global_load_64", 8, 8, 1 << 16},
    {"global_load_128", 16, 16, 1 << 16}, {"global_store_32", 4, 4, 1 << 16},
    {"global_store_64", 8, 8, 1 << 16},   {"global_store_128", 16, 16, 1 << 16},
    {"global_load_8", 1, 1, 1 << 12},     {"global_store_16", 2, 2, 1 << 12},
    {"shared_load_32", 4, 4, 1 << 15},    {"shared_load_64", 8, 8, 1 << 15},
    {"shared_load_128", 16, 16, 1 << 15}, {"shared_store_32", 4, 4, 1 << 15},
    {"shared_store_64", 8, 8, 1 << 15},   {"shared_store_128", 16, 16, 1 << 15},
    {"shared_load_8", 1, 1, 1 << 12},     {"shared_store_16", 2, 2, 1 << 12},
    {"load_matrix_1", 16, 16, 1 << 15},   {"load_matrix_2", 16, 16, 1 << 15},
    {"load_matrix_4", 16, 16, 1 << 15},   {"load_matrix_4_transposed", 16, 16, 1 << 15},
    {"copy_async_4", 4, 4, 1 << 15},      {"copy_async_8", 8, 8, 1 << 15},
    {"copy_async_16", 16, 16, 1 << 15},   {"copy_async_16_bypass", 16, 16, 1 << 15},
};

void Recorder::record_patterns() {
  differential::Modules modules(engine_->compiler() ? *engine_->compiler() : nullptr,
                                (engine_->root() / "bench" / "kernels").string());
  modules.want_cubin(architecture());
  const auto module = modules.get("access_patterns.cu");
  if (!module) return skip("access_patterns.cu", module.error().message);
  for (const PatternKernel& kernel : kPatternKernels) {
    for (const differential::LanePlaces& pattern :
         differential::places_of_lanes(kernel.lane_bytes, kernel.alignment, kernel.range_bytes, options_.seed)) {
      const std::string name = std::string(kernel.name) + ", " + pattern.name;
      if (!wanted(name)) continue;
      differential::Scenario scenario;
      const auto offsets = scenario.input("offsets", pattern.offsets);
      const auto data = scenario.inout("data", std::vector<uint32_t>(1 << 15));
      const auto out = scenario.output<uint32_t>("out", 128);
      scenario.launch(kernel.name, {1, 1, 1}, {32, 1, 1}, 0, offsets, pattern.mask, data, out);
      record_scenario("pattern", name, **module, scenario);
    }
  }
}

void Recorder::record_corpus() {
  differential::Modules modules(engine_->compiler() ? *engine_->compiler() : nullptr,
                                (engine_->root() / "tests" / "differential" / "kernels").string());
  modules.want_cubin(architecture());
  for (const differential::Case& test : differential::corpus()) {
    if (!wanted(test.name)) continue;
    const auto module = modules.get(test.file);
    if (!module) {
      skip(test.name, module.error().message);
      continue;
    }
    differential::Random random(options_.seed);
    differential::Scenario scenario;
    test.draw(random, scenario);
    record_scenario("corpus", test.name, **module, scenario);
  }
}

json modelled_json(const HierarchyUse& use) {
  return {{"l1_read_hits", use.l1.read_hits},
          {"l2_read_sectors", use.l2.read_sectors},
          {"l2_write_sectors", use.l2.write_sectors},
          {"device_bytes_read", use.device_bytes_read},
          {"device_bytes_written", use.device_bytes_written}};
}

void Recorder::note_changes(const Traffic& traffic) {
  for (const LineTraffic& line : traffic.lines)
    if (line.changed_by_ptxas)
      cases_.back()["machine_code_differs"] = fmt::format("line {}: {}", line.line, describe_change(line));
}

void Recorder::add_run(const std::string& name, const RunResult& result) {
  if (!result.observed) return;
  add("lab", name, result.plan.launches, to_json(result.traffic.counters));
  if (result.hierarchy.modelled) cases_.back()["modelled"] = modelled_json(result.hierarchy.total);
  note_changes(result.traffic);
}

void Recorder::record_labs() {
  for (const Lab& lab : labs()) {
    for (const Rung& rung : lab.rungs) {
      const std::string name = lab.name + " " + rung.name;
      if (!wanted(name)) continue;
      Request request;
      request.lab = lab.name;
      request.rung = rung.name;
      request.config = default_config(lab, DeviceKind::sim);
      request.device = engine_->gpu() ? DeviceKind::gpu : DeviceKind::sim;
      const auto result = engine_->run(request);
      if (!result)
        skip(name, result.error().message);
      else
        add_run(name, *result);
    }
  }
}

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) {
  tilescope::Options options;
  CLI::App app("Counts of the simulator, to be compared with the hardware's");
  app.add_option("--out", options.out, "JSON file to write")->required();
  app.add_option("--only", options.only, "cases whose name contains this");
  app.add_option("--kind", options.kinds, "'pattern', 'corpus' or 'lab'; all if left out")
      ->check(CLI::IsMember({"pattern", "corpus", "lab"}));
  app.add_option("--seed", options.seed, "of the random patterns and shapes");
  CLI11_PARSE(app, argc, argv);
  tilescope::Recorder recorder(options);
  recorder.record();
  return recorder.write() ? 0 : 1;
}
