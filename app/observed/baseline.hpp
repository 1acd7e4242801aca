// A pinned result that later results are compared with, like a baseline in Nsight Compute. It keeps numbers and the
// request that they belong to, not the result, and survives changes of rung, values and lab. No ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/strings.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// The numbers that results are compared by. A number that the run does not have is absent.
struct RunFigures {
  std::optional<double> time_ms;          // MEASURED: the median of the timing
  std::optional<uint64_t> read, written;  // SIMULATED: bytes of the global memory sectors that loads and stores touch
  std::optional<uint64_t> atomics;        // SIMULATED: the same for atomics; absent without atomics
  std::optional<uint64_t> sectors;        // SIMULATED: 32-byte sectors of loads, stores and atomics together
  std::optional<double> useful;           // SIMULATED: useful bytes / moved bytes, 0 … 1
  std::optional<uint64_t> wavefronts;     // SIMULATED: in shared memory; absent if it is not used
  std::optional<uint64_t> conflicts;      // SIMULATED: wavefronts that bank conflicts add
  std::optional<double> device_bytes;     // MODELLED: bytes read from and written to device memory
  std::optional<bool> correct;            // on_gpu: MEASURED, else SIMULATED; absent: nothing was compared
  bool on_gpu = false;                    // where it ran
  uint64_t findings = 0;
};
RunFigures figures_of(const RunResult& result);

struct Baseline {
  Request request;   // the request; it keeps the lab of a user's own file alive
  std::string rung;  // the rung that ran: the request's, or the one that it picked
  Config config;     // the configuration that it ran with
  RunFigures figures;
  std::optional<TimingPoint> timing;  // GPU only
};
Baseline make_baseline(const RunResult& result);
/// Whether the result is the one that was pinned.
bool is_baseline(const Baseline& baseline, const RunResult& result);
/// "Vector add, Several tiles per CTA".
std::string baseline_name(const Baseline& baseline, const Strings& strings);
/// "n = 98,432, BLOCK 256, TILES 4": the sizes, the parameters that the rung uses, and whether bugs or edits are
/// active.
std::string baseline_values(const Baseline& baseline, const Strings& strings);

/// One line of the comparison.
struct ComparedFigure {
  enum class Change { none, better, worse };
  const char* key;  // key of its label in the interface strings
  Badge badge = Badge::simulated;
  std::string before, now;  // "–" if the value is absent
  std::string ratio;        // now relative to before: "0.50×", "=", "−50 pt"; empty if a value is absent
  Change change = Change::none;
};
/// The numbers that at least one side has, grouped by badge: simulated, modelled, measured.
std::vector<ComparedFigure> compare_figures(const RunFigures& before, const RunFigures& now);

}  // namespace tilescope
