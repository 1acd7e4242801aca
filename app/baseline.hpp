// A result that is pinned, so that the next ones are compared with it, as Nsight Compute's baselines. It keeps figures
// and what they are of, not the result: it stays while rung, values and lab change. No ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/strings.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// What a result is compared by. A figure that the run does not have is absent.
struct RunFigures {
  std::optional<double> time_ms;          // MEASURED: the median of the timing
  std::optional<uint64_t> read, written;  // SIMULATED: bytes that global memory moves in sectors
  std::optional<uint64_t> atomics;        // SIMULATED: the same of atomics; absent where there are none
  std::optional<uint64_t> sectors;        // SIMULATED: of all of these
  std::optional<double> useful;           // SIMULATED: useful bytes over moved ones, 0 … 1
  std::optional<uint64_t> wavefronts;     // SIMULATED: of shared memory; absent where none is used
  std::optional<uint64_t> conflicts;      // SIMULATED: wavefronts that bank conflicts add
  std::optional<double> device_bytes;     // MODELLED: from and to device memory
  std::optional<bool> correct;            // absent: nothing was compared
  uint64_t findings = 0;
};
RunFigures figures_of(const RunResult& result);

struct Baseline {
  Request request;   // what was run; of an own file it keeps the lab
  std::string rung;  // that ran: the request's, or what it picked
  Config config;     // that it ran with
  RunFigures figures;
  std::optional<TimingPoint> timing;  // GPU only
};
Baseline make_baseline(const RunResult& result);
/// Whether the result is the one that was pinned.
bool is_baseline(const Baseline& baseline, const RunResult& result);
/// "Vector add, Several tiles a CTA", and "n = 98,432, BLOCK 256, TILES 4": the parameters are those that the rung
/// uses.
std::string baseline_name(const Baseline& baseline, const Strings& strings);
std::string baseline_values(const Baseline& baseline, const Strings& strings);

/// One line of the comparison. Without one of the values there is no ratio.
struct ComparedFigure {
  enum class Change { none, better, worse };
  const char* key;  // of its label
  Badge badge = Badge::simulated;
  std::string before, now, ratio;  // "–" where a value is absent; ratio: "0.50×", "=", "−50 pt"
  Change change = Change::none;
};
/// What either side has, grouped by badge: simulated, modelled, measured.
std::vector<ComparedFigure> compare_figures(const RunFigures& before, const RunFigures& now);

}  // namespace tilescope
