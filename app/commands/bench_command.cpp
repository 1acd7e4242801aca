#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>

#include "app/commands/commands.hpp"
#include "app/sandbox/form/arguments.hpp"
#include "engine/bench/measure.hpp"
#include "engine/bench/recording.hpp"
#include "engine/bench/speed_unit.hpp"
#include "engine/bench/timed_place.hpp"

namespace tilescope {
namespace {

/// The series' point at a size, or null.
const TimingPoint* point_at(const TimingSeries& series, int64_t size) {
  for (const auto& point : series.points)
    if (point.size == size) return &point;
  return nullptr;
}

std::vector<int64_t> sizes_of(const SpeedReport& report) {
  std::vector<int64_t> sizes;
  for (const auto& series : report.series)
    for (const auto& point : series.points)
      if (std::find(sizes.begin(), sizes.end(), point.size) == sizes.end()) sizes.push_back(point.size);
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

/// Prints each size once it is measured: every implementation, with its ratio to the references of the same run.
class Printer {
 public:
  explicit Printer(std::ostream& out) : out_(out) {}

  void print_new(const SpeedReport& report) {
    const std::vector<int64_t> sizes = sizes_of(report);
    if (sizes.empty()) return;
    if (printed_.empty())
      out_ << fmt::format("{} on {} [{}], driver {}; {}\n", report.lab, report.gpu, name_of(report.badge),
                          report.driver_version, report.bytes_formula);
    for (const int64_t size : sizes)
      if (printed_.insert(size).second) print_size(report, size);
    out_.flush();
  }
  /// Prints what is known only at the end.
  void finish(const SpeedReport& report) {
    print_new(report);
    out_ << fmt::format("SM clock {} to {} MHz, {}\n", report.sm_clock_min_mhz, report.sm_clock_max_mhz,
                        report.clock_state);
    for (const auto& series : report.series) {
      if (!series.unavailable.empty()) out_ << fmt::format("  {}: {}\n", series.name, series.unavailable);
      for (const auto& [size, reason] : series.gaps)
        out_ << fmt::format("  {} at {} = {}: {}\n", series.name, report.size_name, place_name(report, size), reason);
    }
  }

 private:
  void print_size(const SpeedReport& report, int64_t size) {
    out_ << fmt::format("{} = {}\n", report.size_name, place_name(report, size));
    const Lab* lab = find_lab(report.lab);
    const char* unit = lab != nullptr ? speed_unit_of(*lab) : "GB/s";
    const int decimals = lab != nullptr && lab->speed_unit == SpeedUnit::teraflops ? 1 : 0;
    for (const auto& series : report.series) {
      const TimingPoint* point = point_at(series, size);
      if (point == nullptr) continue;
      const double speed = lab != nullptr ? speed_of(*lab, report, *point) : point->gigabytes_per_second();
      out_ << fmt::format("  {:<20} {:>10.5f} ms  [{:.5f}, {:.5f}]  {:>7.{}f} {} {}", series.name, point->median_ms,
                          point->low_ms, point->high_ms, speed, decimals, unit, point->cold_l2 ? "cold" : "warm");
      for (const auto& reference : report.series) {
        const TimingPoint* other = reference.is_rung ? nullptr : point_at(reference, size);
        if (series.is_rung && other != nullptr)
          out_ << fmt::format("  {:.3f} x {}", point->gigabytes_per_second() / other->gigabytes_per_second(),
                              reference.name);
      }
      if (point->burst_ms > 0)
        out_ << fmt::format("  burst {:.{}f} {}", speed * point->median_ms / point->burst_ms, decimals, unit);
      if (const auto host = series.host_us.find(size); host != series.host_us.end())
        out_ << fmt::format("  {:.1f} us of host time per call", host->second);
      if (!point->note.empty()) out_ << "  " << point->note;
      out_ << "\n";
    }
  }

  std::ostream& out_;
  std::set<int64_t> printed_;
};

/// Empty if no file is wanted.
std::filesystem::path file_for(const std::string& given, const std::string& lab, bool several) {
  std::filesystem::path file(given);
  return several ? file.parent_path() / (lab + "." + file.filename().string()) : file;
}

double seconds_of(const BenchOptions& options) {
  return options.seconds > 0 ? options.seconds : options.map ? kMapSeconds : 1.0;
}

/// The command that repeats the measurement of one lab, whatever file it was written to.
std::string repeating_command(const BenchOptions& options, const std::string& lab) {
  std::string text = "tilescope bench " + lab;
  for (const auto& set : options.set) text += " --set " + set;
  for (const auto& size : options.size) text += " --size " + size;
  for (const auto& rung : options.rung) text += " --rung " + rung;
  if (options.map) text += " --map";
  return text + fmt::format(" --seconds {}", seconds_of(options));
}

/// "8192x4096" or "8192 × 4096": the shape's number, from 1.
Result<int64_t> shape_named(const Lab& lab, const std::string& text) {
  const auto plain = [](std::string name) {
    for (size_t at; (at = name.find("×")) != std::string::npos;) name.replace(at, std::string("×").size(), "x");
    std::erase(name, ' ');
    std::erase(name, ',');
    return name;
  };
  std::string names;
  for (size_t i = 0; i < lab.points.size(); ++i) {
    if (plain(lab.points[i].name) == plain(text)) return static_cast<int64_t>(i + 1);
    names += (names.empty() ? "" : ", ") + plain(lab.points[i].name);
  }
  return fail(ErrorId::parameter_not_found, lab.name, text, names);
}

Result<BenchRequest> make_bench_request(const BenchOptions& options, const std::string& lab) {
  RunOptions run;
  run.lab = lab;
  run.set = options.set;
  run.device = "gpu";
  auto request = make_request(run);
  if (!request) return tl::unexpected<Error>(request.error());
  BenchRequest bench_request;
  bench_request.lab = lab;
  bench_request.config = request->config;
  bench_request.seconds_per_size = seconds_of(options);
  bench_request.map = options.map;
  bench_request.rungs = options.rung;
  bench_request.command = repeating_command(options, lab);
  const Lab& of = *find_lab(lab);
  if (options.map && !of.scheme_map) return fail(ErrorId::usage, fmt::format("lab '{}' has no map of schemes", lab));
  if (options.map && !options.size.empty())
    return fail(ErrorId::usage, "--map goes over its own shapes: leave --size out");
  for (const auto& text : options.size) {
    if (!of.points.empty()) {
      const auto place = shape_named(of, text);
      if (!place) return tl::unexpected<Error>(place.error());
      bench_request.sizes.push_back(*place);
      continue;
    }
    auto assignment = parse_assignment(text);
    if (!assignment) return tl::unexpected<Error>(assignment.error());
    if (assignment->name != of.sweep_size)
      return fail(ErrorId::parameter_not_found, lab, assignment->name, of.sweep_size);
    auto value = parse_integer(assignment->name, assignment->value);
    if (!value) return tl::unexpected<Error>(value.error());
    Config sized = request->config;
    sized.sizes[of.sweep_size] = *value;
    if (auto valid = validate(of, sized, DeviceKind::gpu); !valid) return tl::unexpected<Error>(valid.error());
    bench_request.sizes.push_back(*value);
  }
  std::sort(bench_request.sizes.begin(), bench_request.sizes.end());
  return bench_request;
}

/// Sizes are printed and written as they are measured: a later failure does not lose them.
int bench_one(Engine& engine, const BenchRequest& request, const std::filesystem::path& file, std::ostream& out,
              std::ostream& problems) {
  Printer printer(out);
  size_t kept = 0;
  Result<void> written;
  const auto keep = [&](const SpeedReport& report) {
    printer.print_new(report);
    const size_t sizes = sizes_of(report).size();
    if (file.empty() || sizes == kept || !written) return;
    kept = sizes;
    written = write_recording(report, file);
  };
  auto report = bench(engine, request, {}, [&](const SpeedReport& so_far, double) { keep(so_far); });
  if (report) {
    printer.finish(*report);
    if (!file.empty() && written) written = write_recording(*report, file);
  }
  if (!written) return report_error(written.error(), false, out, problems);
  if (kept > 0) out << "written to " << file.string() << "\n";
  return report ? 0 : report_error(report.error(), false, out, problems);
}

}  // namespace

int bench_command(Engine& engine, const BenchOptions& options, std::ostream& out, std::ostream& problems) {
  std::vector<std::string> names = options.labs;
  if (names.empty())
    for (const auto& lab : labs())
      if (!options.map || lab.scheme_map) names.push_back(lab.name);
  std::vector<BenchRequest> requests;
  for (const auto& name : names) {
    auto request = make_bench_request(options, name);
    if (!request) return report_error(request.error(), false, out, problems);
    requests.push_back(std::move(*request));
  }
  for (const auto& request : requests)
    if (const int status =
            bench_one(engine, request, file_for(options.json_file, request.lab, requests.size() > 1), out, problems);
        status != 0)
      return status;
  return 0;
}

}  // namespace tilescope
