#include "engine/bench/roofline.hpp"

#include <algorithm>

#include "engine/bench/counters.hpp"
#include "engine/bench/timed_place.hpp"
#include "engine/reference/registry.hpp"

namespace tilescope {
namespace {

PeakRate rate_of(const Lab& lab, const std::string& rung, const Config& config) {
  return lab.peak_rate ? lab.peak_rate(rung, config) : PeakRate::fp32;
}

void add_time(RooflinePoint& point, const SpeedReport* report, std::optional<int64_t> place, double flops) {
  if (report == nullptr || !place) return;
  point.time = timed_point(*report, point.name, *place);
  if (point.time != nullptr && point.time->median_ms > 0)
    point.flops_per_second = flops / (point.time->median_ms * 1e-3);
}

}  // namespace

bool has_roofline(const Lab& lab) {
  if (!lab.flops || !lab.useful_bytes) return false;
  const Config config = default_config(lab, DeviceKind::sim);
  return lab.flops(config) > 0 && lab.useful_bytes(config) > 0;
}

std::optional<double> device_bytes_of(const RunResult& result) {
  if (result.block_order && result.block_order->modelled()) {
    const OrderTraffic& launched = result.block_order->launched;
    return static_cast<double>(launched.device_bytes_read + launched.device_bytes_written);
  }
  const HierarchyUse& use = result.hierarchy.total;
  if (!result.hierarchy.modelled || !result.observed) return {};
  return static_cast<double>(use.device_bytes_read + use.device_bytes_written + use.bytes_left_in_l2);
}

std::vector<Roof> roofs_of(const GpuSpec& gpu, const std::vector<PeakRate>& used) {
  std::vector<Roof> roofs;
  for (const PeakRate rate : {PeakRate::fp64, PeakRate::fp64_tensor, PeakRate::fp32, PeakRate::tf32, PeakRate::fp16,
                              PeakRate::bf16, PeakRate::fp8, PeakRate::int8}) {
    const bool shown = rate == PeakRate::fp32 || rate == PeakRate::tf32 || rate == PeakRate::fp16 ||
                       rate == PeakRate::bf16 || rate == PeakRate::fp8 ||
                       std::find(used.begin(), used.end(), rate) != used.end();
    const std::optional<double> peak = gpu.peak.of(rate);
    if (!shown || !peak) continue;
    const auto same =
        std::find_if(roofs.begin(), roofs.end(), [&](const Roof& roof) { return roof.flops_per_second == *peak; });
    if (same != roofs.end())
      same->rates.push_back(rate);
    else
      roofs.push_back({{rate}, *peak});
  }
  std::sort(roofs.begin(), roofs.end(),
            [](const Roof& a, const Roof& b) { return a.flops_per_second < b.flops_per_second; });
  return roofs;
}

Roofline make_roofline(const Lab& lab, const Config& config, const GpuSpec& gpu, const SpeedReport* report,
                       const CountedBytes& counted) {
  Roofline roofline{.gpu = gpu.name, .bytes_per_second = gpu.memory_bytes_per_second, .roofs = {}, .config = config};
  if (!has_roofline(lab)) return roofline;
  roofline.flops = lab.flops(config);
  const double useful = lab.useful_bytes(config);
  if (report != nullptr && !same_gpu(report->gpu, gpu.driver_name)) report = nullptr;
  const std::optional<int64_t> place = report != nullptr ? exact_place(lab, *report, config) : std::nullopt;
  std::vector<PeakRate> used;
  const auto add = [&](RooflinePoint point) {
    point.intensity = point.bytes > 0 ? roofline.flops / point.bytes : 0;
    const double memory = point.intensity * roofline.bytes_per_second;
    point.attainable = std::min(memory, gpu.peak.of(point.rate).value_or(memory));
    add_time(point, report, place, roofline.flops);
    used.push_back(point.rate);
    roofline.points.push_back(std::move(point));
  };
  for (const Rung& rung : lab.rungs) {
    const auto known = counted.find(rung.name);
    const bool is_known = known != counted.end() && known->second > 0;
    add({.name = rung.name,
         .counted = is_known,
         .bytes = is_known ? known->second : useful,
         .rate = rate_of(lab, rung.name, config)});
  }
  if (report != nullptr && place)
    for (const TimingSeries& series : report->series) {
      const auto spec = std::find_if(lab.references.begin(), lab.references.end(),
                                     [&](const ReferenceSpec& one) { return one.name == series.name; });
      const bool copy = spec != lab.references.end() && only_moves_bytes(*spec);
      if (series.is_rung || copy || timed_point(*report, series.name, *place) == nullptr) continue;
      add({.name = series.name,
           .is_rung = false,
           .bytes = useful,
           .rate = rate_of(lab, default_rung(lab).name, config)});
    }
  roofline.roofs = roofs_of(gpu, used);
  return roofline;
}

}  // namespace tilescope
