#include "app/observed/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/bench/roofline.hpp"
#include "engine/numbers.hpp"
#include "engine/traffic/access/coalesce.hpp"

namespace tilescope {
namespace {

/// "0.50×": now / before; "=" if they are equal, "–" if before is zero.
std::string ratio_text(double before, double now) {
  if (before == now) return "=";
  if (before <= 0) return "–";
  const double ratio = now / before;
  if (ratio < 0.0095) return "< 0.01×";
  if (ratio >= 9.95) return with_separators(std::llround(ratio)) + "×";
  const bool close = ratio >= 0.995 && ratio < 1.005;  // a third decimal, since "1.00×" would suggest that nothing
                                                       // changed
  return fmt::format("{:.{}f}×", ratio, close ? 3 : 2);
}

using Change = ComparedFigure::Change;
Change change_of(double before, double now, bool less_is_better) {
  if (before == now) return Change::none;
  return (now < before) == less_is_better ? Change::better : Change::worse;
}

/// A quantity for which less is better.
template <class T, class Text>
void add_quantity(std::vector<ComparedFigure>& figures, const char* key, Badge badge, const std::optional<T>& before,
                  const std::optional<T>& now, const Text& text) {
  if (!before && !now) return;
  ComparedFigure figure{.key = key, .badge = badge, .before = "–", .now = "–", .ratio = {}};
  if (before) figure.before = text(*before);
  if (now) figure.now = text(*now);
  if (before && now) {
    figure.ratio = ratio_text(static_cast<double>(*before), static_cast<double>(*now));
    figure.change = change_of(static_cast<double>(*before), static_cast<double>(*now), /*less_is_better=*/true);
  }
  figures.push_back(std::move(figure));
}

/// Percentages are compared by their difference.
void add_useful(std::vector<ComparedFigure>& figures, const RunFigures& before, const RunFigures& now) {
  if (!before.useful && !now.useful) return;
  ComparedFigure figure{.key = "baseline.useful", .badge = Badge::simulated, .before = "–", .now = "–", .ratio = {}};
  const auto percent = [](double share) { return std::lround(100 * share); };
  if (before.useful) figure.before = fmt::format("{}%", percent(*before.useful));
  if (now.useful) figure.now = fmt::format("{}%", percent(*now.useful));
  if (before.useful && now.useful) {
    const long points = percent(*now.useful) - percent(*before.useful);
    figure.ratio = points == 0 ? "=" : fmt::format("{}{} pt", points < 0 ? "−" : "+", std::labs(points));
    if (points != 0) figure.change = points > 0 ? Change::better : Change::worse;
  }
  figures.push_back(std::move(figure));
}

void add_correctness(std::vector<ComparedFigure>& figures, const RunFigures& before, const RunFigures& now) {
  const auto text = [](const RunFigures& run) -> std::string {
    if (run.findings > 0) return "✗ " + with_separators(run.findings);
    return !run.correct ? "–" : *run.correct ? "✓" : "✗";
  };
  const auto right = [](const RunFigures& run) { return run.findings == 0 && run.correct.value_or(true); };
  ComparedFigure figure{.key = "baseline.correct",
                        .badge = before.on_gpu && now.on_gpu ? Badge::measured : Badge::simulated,
                        .before = text(before),
                        .now = text(now),
                        .ratio = {}};
  if (right(before) != right(now)) figure.change = right(now) ? Change::better : Change::worse;
  figures.push_back(std::move(figure));
}

}  // namespace

RunFigures figures_of(const RunResult& result) {
  RunFigures figures;
  if (result.timing) figures.time_ms = result.timing->median_ms;
  if (!result.correctness.empty()) figures.correct = result.passed();
  figures.on_gpu = result.request.device == DeviceKind::gpu;
  figures.findings = result.findings.size();
  figures.device_bytes = device_bytes_of(result);
  if (!result.observed) return figures;
  uint64_t read = 0, written = 0, atomics = 0, useful = 0, wavefronts = 0, passes = 0;
  for (const LineTraffic& line : result.traffic.lines) {
    if (line.space == Space::shared) {
      wavefronts += line.wavefronts;
      passes += line.passes;
    }
    if (line.space != Space::global) continue;
    const bool atomic = line.kind == AccessKind::atomic || line.kind == AccessKind::reduction;
    (atomic ? atomics : line.kind == AccessKind::store ? written : read) += line.sectors * kSectorBytes;
    useful += line.useful_bytes;
  }
  const uint64_t moved = read + written + atomics;
  figures.read = read;
  figures.written = written;
  if (atomics > 0) figures.atomics = atomics;
  figures.sectors = moved / kSectorBytes;
  if (moved > 0) figures.useful = static_cast<double>(useful) / static_cast<double>(moved);
  if (wavefronts > 0) {
    figures.wavefronts = wavefronts;
    figures.conflicts = wavefronts - std::min(wavefronts, passes);
  }
  return figures;
}

Baseline make_baseline(const RunResult& result) {
  return {result.request, result.rung, result.config, figures_of(result), result.timing};
}

bool is_baseline(const Baseline& baseline, const RunResult& result) { return baseline.request == result.request; }

std::string baseline_name(const Baseline& baseline, const Strings& strings) {
  const Lab* lab = lab_of(baseline.request);
  if (lab == nullptr) return baseline.request.lab;
  std::string name = strings(lab->title);
  if (const Rung* rung = find_rung(*lab, baseline.request.rung)) name += strings("speed.comma") + strings(rung->title);
  return name;
}

std::string baseline_values(const Baseline& baseline, const Strings& strings) {
  const Lab* lab = lab_of(baseline.request);
  if (lab == nullptr) return {};
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : strings("speed.comma")) + part; };
  for (const Size& size : lab->sizes)
    if (const auto value = baseline.config.sizes.find(size.name); value != baseline.config.sizes.end())
      add(fmt::format("{} = {}", size.name, with_separators(value->second)));
  const Rung* rung = find_rung(*lab, baseline.rung);
  for (const Param& param : lab->params) {
    const auto value = baseline.config.params.find(param.name);
    const bool used = rung == nullptr || std::ranges::find(rung->params, param.name) != rung->params.end();
    if (used && value != baseline.config.params.end())
      add(fmt::format("{} {}", param.name, param_text(param, value->second)));
  }
  for (const std::string& broken : baseline.request.broken) add(broken);
  if (baseline.request.edited_source) add(strings("baseline.edited"));
  return text;
}

std::vector<ComparedFigure> compare_figures(const RunFigures& before, const RunFigures& now) {
  std::vector<ComparedFigure> figures;
  const auto bytes = [](uint64_t value) { return bytes_text(static_cast<double>(value)); };
  const bool measured = before.on_gpu && now.on_gpu;
  if (!measured) add_correctness(figures, before, now);
  add_quantity(figures, "baseline.read", Badge::simulated, before.read, now.read, bytes);
  add_quantity(figures, "baseline.written", Badge::simulated, before.written, now.written, bytes);
  add_quantity(figures, "baseline.atomics", Badge::simulated, before.atomics, now.atomics, bytes);
  add_quantity(figures, "baseline.sectors", Badge::simulated, before.sectors, now.sectors, with_separators<uint64_t>);
  add_useful(figures, before, now);
  add_quantity(figures, "baseline.wavefronts", Badge::simulated, before.wavefronts, now.wavefronts,
               with_separators<uint64_t>);
  add_quantity(figures, "baseline.conflicts", Badge::simulated, before.conflicts, now.conflicts,
               with_separators<uint64_t>);
  add_quantity(figures, "baseline.device_bytes", Badge::modelled, before.device_bytes, now.device_bytes,
               [](double value) { return bytes_text(value); });
  if (measured) add_correctness(figures, before, now);
  add_quantity(figures, "baseline.time", Badge::measured, before.time_ms, now.time_ms,
               [](double value) { return milliseconds_text(value); });
  return figures;
}

}  // namespace tilescope
