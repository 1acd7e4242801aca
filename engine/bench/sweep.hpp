// State of one running benchmark of a lab: what `bench` keeps from size to size, and the state of the current size.
// measure.cpp runs it; sweep_references.cpp adds the references that the rungs are compared with.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/bench/measure.hpp"
#include "engine/bench/race.hpp"
#include "engine/gpu/buffer_sets.hpp"
#include "engine/gpu/timing_method.hpp"
#include "engine/reference/reference.hpp"

namespace tilescope {

/// A rung that computed the right result, with all that is needed to run it again.
struct CheckedRung {
  size_t series;
  CompiledModule compiled;
  std::vector<Launch> launches;
  std::vector<double> pilot = {};  // cold times, ms
};

class Sweep {
 public:
  Sweep(Engine& engine, const Lab& lab, const BenchRequest& request, std::stop_token stop,
        const BenchProgress& progress);

  Result<SpeedReport> carry_out();

 private:
  Result<void> name_series();
  Result<void> name_schemes();
  Config config_at(int64_t size) const;
  void open_references();
  Result<void> measure_size(int64_t size);
  void keep_buffers(std::vector<std::shared_ptr<DeviceBuffer>> more);
  Result<std::vector<CheckedRung>> check_rungs(const Config& config, int64_t size);
  Result<void> add_rungs(std::span<const CheckedRung> rungs);
  Result<void> add_references(const Config& config, int64_t size);
  Result<void> add_reference(size_t series, const Config& config, int64_t size);
  Result<bool> agrees(const TimedWork& work, const AddressSet& addresses, const Config& config) const;
  Result<void> add_contestant(Contestant contestant);
  Result<void> add_work(size_t series, TimedWork work, const TimingMethod& method, double estimate_ms = 0);
  Result<void> choose_method(std::span<CheckedRung> rungs);
  Result<void> settle();
  std::map<std::string, int64_t> tuned(const std::string& rung, const Config& config) const;
  void keep_points(const Config& config, int64_t size);
  static void miss(TimingSeries& series, int64_t size, const std::string& reason);
  void report_progress(double within_size) const;

  const ReferenceSpec& reference(size_t series) const { return lab_.references[series - first_reference_]; }
  uint32_t clock() const { return (*engine_.gpu())->device().sm_clock_mhz; }

  Engine& engine_;
  const Lab& lab_;
  const BenchRequest& request_;
  std::stop_token stop_;
  const BenchProgress& progress_;
  SpeedReport report_;
  std::vector<int64_t> sizes_;
  size_t sizes_done_ = 0;
  size_t first_reference_ = 0;
  OpenReferences references_;
  bool settled_ = true;
  GpuSpec gpu_;  // for a map: the GPU that its schemes are tuned for

  // State of the size being measured. The order matters: members declared last are destroyed first.
  std::vector<std::shared_ptr<DeviceBuffer>> buffers_;
  std::unique_ptr<GpuTimer> timer_;
  TimingMethod method_;
  double fastest_ms_ = 0;                                         // the fastest pilot of any rung
  std::vector<std::pair<size_t, std::vector<double>>> hopeless_;  // series too slow to race, with their pilots
  std::optional<BufferSets> rotated_;
  std::vector<Contestant> contestants_;
};

}  // namespace tilescope
