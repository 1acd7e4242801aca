#include "engine/bench/fusion.hpp"

#include <algorithm>
#include <numeric>

namespace tilescope {
namespace {

constexpr double kCountedBytes = 4 << 20;  // over all buffers

std::vector<BufferSpec> buffers_of(const Lab& lab, const Rung& rung, const Config& config) {
  return rung.buffers ? rung.buffers(config) : lab.buffers(config);
}

double bytes_of(const BufferSpec& buffer) {
  return static_cast<double>(buffer.count()) * static_cast<double>(size_of(buffer.type));
}

bool within_simulator(const Lab& lab, const Config& config) {
  return std::all_of(lab.sizes.begin(), lab.sizes.end(),
                     [&](const Size& size) { return config.size(size.name) <= size.max_sim; });
}

std::vector<std::string> kernels_of(const std::vector<Launch>& launches) {
  std::vector<std::string> names;
  names.reserve(launches.size());
  for (const Launch& launch : launches) names.push_back(launch.kernel);
  return names;
}

/// The bytes that the run's launches requested from global memory, with each buffer's part multiplied by its `scale`.
std::vector<LaunchBytes> sum_launches(const RunResult& run, const std::vector<double>& scale) {
  std::vector<LaunchBytes> launches;
  for (const Launch& launch : run.plan.launches) launches.push_back({launch.kernel, 0, 0});
  for (const SiteCount& count : run.traffic.sites) {
    const Site& site = run.trace.sites[count.site];
    if (count.buffer < 0 || site.launch >= launches.size()) continue;
    const double bytes = static_cast<double>(count.useful_bytes) * scale[static_cast<size_t>(count.buffer)];
    const bool load = site.kind == AccessKind::load || site.kind == AccessKind::async_copy;
    (load ? launches[site.launch].read : launches[site.launch].written) += bytes;
  }
  return launches;
}

}  // namespace

double FusionSide::read() const {
  return std::accumulate(launches.begin(), launches.end(), 0.0,
                         [](double sum, const LaunchBytes& one) { return sum + one.read; });
}
double FusionSide::written() const {
  return std::accumulate(launches.begin(), launches.end(), 0.0,
                         [](double sum, const LaunchBytes& one) { return sum + one.written; });
}

double FusionAccount::predicted_ms(const FusionSide& side, double launch_seconds) const {
  const double seconds = static_cast<double>(side.launches.size()) * launch_seconds +
                         (bytes_per_second > 0 ? (side.read() + side.written()) / bytes_per_second : 0);
  return 1000 * seconds;
}

LaunchCost launch_cost_of(const GpuSpec& gpu, const std::vector<GpuSpec>& gpus) {
  const GpuSpec* usual = find_gpu(gpus, kUsualGpu);
  for (const GpuSpec* one : {&gpu, usual})
    if (one != nullptr && one->launch_seconds && one->graph_launch_seconds)
      return {*one->launch_seconds, *one->graph_launch_seconds, one->name};
  return {};
}

Config countable(const Lab& lab, Config config) {
  const auto too_large = [&] {
    double bytes = 0;
    for (const BufferSpec& buffer : lab.buffers(config)) bytes += bytes_of(buffer);
    return bytes > kCountedBytes || !within_simulator(lab, config);
  };
  const auto size =
      std::find_if(lab.sizes.begin(), lab.sizes.end(), [&](const Size& one) { return one.name == lab.sweep_size; });
  if (size == lab.sizes.end()) return config;
  int64_t& value = config.sizes[lab.sweep_size];
  while (value / 2 >= size->min && (value / 2) % size->multiple_of == 0 && too_large()) value /= 2;
  return config;
}

Result<FusionAccount> account_fusion(Engine& engine, const Lab& lab, const Config& config, const std::string& gpu,
                                     std::stop_token stop) {
  if (!lab.fusion) return fail(ErrorId::usage, phrase("lab '{}' has no rungs that are fused", lab.name));
  auto spec = engine.modelled_gpu(gpu);
  if (!spec) return forward(spec);
  FusionAccount account{.config = config, .simulated = countable(lab, config), .gpu = spec->name};
  account.bytes_per_second = spec->memory_bytes_per_second;
  if (engine.gpus()) account.cost = launch_cost_of(*spec, *engine.gpus());
  for (const auto& [name, side] :
       {std::pair{lab.fusion->unfused, &account.unfused}, {lab.fusion->fused, &account.fused}}) {
    Request request;
    request.lab = lab.name;
    request.rung = side->rung = name;
    request.config = account.simulated;
    request.gpu = gpu;
    const Rung* rung = find_rung(lab, name);
    if (rung == nullptr || rung->pick)
      return fail(ErrorId::usage, phrase("lab '{}' has no rung '{}' of its own kernels", lab.name, name));
    if (kernels_of(rung->launches(config)) != kernels_of(rung->launches(account.simulated)))
      return fail(ErrorId::usage, phrase("rung '{}' launches other kernels at the size that can be counted", name));
    auto run = engine.run(request, stop);
    if (!run) return forward(run);
    const auto wanted = buffers_of(lab, *rung, config);
    std::vector<double> ones(wanted.size(), 1), scale;
    for (size_t i = 0; i < wanted.size(); ++i) scale.push_back(bytes_of(wanted[i]) / bytes_of(run->plan.buffers[i]));
    side->counted = sum_launches(*run, ones);
    side->launches = sum_launches(*run, scale);
  }
  return account;
}

}  // namespace tilescope
