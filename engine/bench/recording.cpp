#include "engine/bench/recording.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "engine/json_file.hpp"
#include "engine/json_reader.hpp"
#include "engine/json_text.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

constexpr std::uintmax_t kLargestRecording = 16u << 20;
constexpr int kFormatWithRates = 1, kMapFormatWithRates = 2;  // written by earlier versions of the program

json to_json(const TimingPoint& point, bool of_map) {
  json object{{"size", point.size},
              {"median_ms", six_digits(point.median_ms)},
              {"low_ms", six_digits(point.low_ms)},
              {"high_ms", six_digits(point.high_ms)},
              {"samples", point.samples},
              {"useful_bytes", point.useful_bytes},
              {"cold_l2", point.cold_l2},
              {"sm_clock_mhz", point.sm_clock_mhz}};
  if (of_map) object["params"] = point.params;
  if (point.burst_ms > 0) object["burst_ms"] = six_digits(point.burst_ms);
  if (!point.note.empty()) object["note"] = point.note;
  return object;
}

json to_json(const TimingSeries& series, bool of_map) {
  json points = json::array();
  for (const TimingPoint& point : series.points) points.push_back(to_json(point, of_map));
  json object{{"name", series.name},
              {"is_rung", series.is_rung},
              {"unavailable", series.unavailable},
              {"points", std::move(points)}};
  for (const auto& [size, microseconds] : series.host_us)
    object["host_us"].push_back({{"size", size}, {"us", six_digits(microseconds)}});
  for (const auto& [size, reason] : series.gaps) object["gaps"].push_back({{"size", size}, {"reason", reason}});
  return object;
}

/// The members of a recording, by its format.
struct Format {
  bool is_map = false, has_rates = false;
};

/// The whole number of bytes from which a rate was computed.
uint64_t bytes_of_rate(double gigabytes_per_second, double median_ms) {
  constexpr double kMost = 1e18;  // a damaged file may hold any rate
  return static_cast<uint64_t>(std::llround(std::min(gigabytes_per_second * median_ms * 1e6, kMost)));
}

TimingPoint read_point(JsonReader reader, Format format) {
  TimingPoint point;
  reader.read("size", point.size);
  reader.read("median_ms", point.median_ms);
  reader.read("low_ms", point.low_ms);
  reader.read("high_ms", point.high_ms);
  reader.read("samples", point.samples);
  if (format.has_rates) {
    double rate = 0;
    reader.read("gigabytes_per_second", rate);
    point.useful_bytes = bytes_of_rate(rate, point.median_ms);
  } else {
    reader.read("useful_bytes", point.useful_bytes);
  }
  reader.read("cold_l2", point.cold_l2);
  reader.read("sm_clock_mhz", point.sm_clock_mhz);
  if (reader.has("burst_ms")) reader.read("burst_ms", point.burst_ms);
  if (reader.has("note")) reader.read("note", point.note);
  if (format.is_map) reader.read("params", point.params);
  return point;
}

TimingSeries read_series(JsonReader reader, Format format) {
  TimingSeries series;
  reader.read("name", series.name);
  reader.read("is_rung", series.is_rung);
  reader.read("unavailable", series.unavailable);
  reader.each("points", [&](JsonReader point) { series.points.push_back(read_point(std::move(point), format)); });
  if (reader.has("host_us"))
    reader.each("host_us", [&](JsonReader one) {
      int64_t size = 0;
      one.read("size", size);
      one.read("us", series.host_us[size]);
    });
  if (reader.has("gaps"))
    reader.each("gaps", [&](JsonReader gap) {
      int64_t size = 0;
      gap.read("size", size);
      gap.read("reason", series.gaps[size]);
    });
  return series;
}

SpeedReport read_report(JsonReader reader, Format format) {
  SpeedReport report;
  report.is_map = format.is_map;
  reader.read("lab", report.lab);
  reader.read("gpu", report.gpu);
  reader.read("driver_version", report.driver_version);
  reader.read("tilescope_version", report.tilescope_version);
  reader.read("date", report.date);
  reader.read("cuda_version", report.cuda_version);
  reader.read("nvrtc_version", report.nvrtc_version);
  reader.read("torch_version", report.torch_version);
  reader.read("triton_version", report.triton_version);
  reader.read("sm_clock_min_mhz", report.sm_clock_min_mhz);
  reader.read("sm_clock_max_mhz", report.sm_clock_max_mhz);
  reader.read("memory_clock_mhz", report.memory_clock_mhz);
  reader.read("clock_state", report.clock_state);
  reader.read("command", report.command);
  reader.read("size_name", report.size_name);
  reader.read("bytes_formula", report.bytes_formula);
  JsonReader config = reader.object("config");
  config.read("sizes", report.config.sizes);
  config.read("params", report.config.params);
  if (format.is_map || reader.has("shapes"))
    reader.each("shapes", [&](JsonReader shape) {
      shape.read("name", report.shapes.emplace_back().name);
      shape.read("sizes", report.shapes.back().sizes);
    });
  reader.each("series", [&](JsonReader series) { report.series.push_back(read_series(std::move(series), format)); });
  report.badge = Badge::recorded;
  return report;
}

/// The inconsistency in the values of a well-formed report; empty if there is none.
std::string inconsistency(const SpeedReport& report) {
  for (const TimingSeries& series : report.series) {
    for (size_t i = 0; i < series.points.size(); ++i) {
      const TimingPoint& point = series.points[i];
      if (point.size <= 0 || point.median_ms <= 0 || point.low_ms > point.median_ms ||
          point.median_ms > point.high_ms || point.burst_ms < 0)
        return fmt::format("the figures of '{}' at size {} contradict each other", series.name, point.size);
      if ((report.is_map || !report.shapes.empty()) && static_cast<size_t>(point.size) > report.shapes.size())
        return fmt::format("'{}' has a point of shape {}, and there are {}", series.name, point.size,
                           report.shapes.size());
      if (i > 0 && series.points[i - 1].size >= point.size)
        return fmt::format("the sizes of '{}' do not ascend", series.name);
    }
  }
  return {};
}

/// Whether values of the parameter are different problems, so that their times are not compared.
bool tells_problems_apart(const Param& param) { return !param.choices.empty() || param.of_problem; }

/// A recording may be older than a choice that its lab offers. What was timed then is what the default gives now.
void add_newer_choices(SpeedReport& report) {
  const Lab* lab = find_lab(report.lab);
  if (lab == nullptr) return;
  for (const Param& param : lab->params)
    if (tells_problems_apart(param)) report.config.params.emplace(param.name, param.value);
}

}  // namespace

json to_json(const SpeedReport& report) {
  json series = json::array();
  for (const TimingSeries& one : report.series) series.push_back(to_json(one, report.is_map));
  json document{{"format", report.is_map ? SpeedReport::kMapFormat : SpeedReport::kFormat},
                {"lab", report.lab},
                {"gpu", report.gpu},
                {"driver_version", report.driver_version},
                {"tilescope_version", report.tilescope_version},
                {"date", report.date},
                {"cuda_version", report.cuda_version},
                {"nvrtc_version", report.nvrtc_version},
                {"torch_version", report.torch_version},
                {"triton_version", report.triton_version},
                {"sm_clock_min_mhz", report.sm_clock_min_mhz},
                {"sm_clock_max_mhz", report.sm_clock_max_mhz},
                {"memory_clock_mhz", report.memory_clock_mhz},
                {"clock_state", report.clock_state},
                {"command", report.command},
                {"size_name", report.size_name},
                {"bytes_formula", report.bytes_formula},
                {"config", {{"sizes", report.config.sizes}, {"params", report.config.params}}},
                {"series", std::move(series)}};
  for (const SweepPoint& shape : report.shapes)
    document["shapes"].push_back({{"name", shape.name}, {"sizes", shape.sizes}});
  document["sha256"] = json_fingerprint(document);
  return document;
}

Result<SpeedReport> report_from_json(const json& document, const std::string& source) {
  if (!document.is_object()) return fail(ErrorId::recording_refused, source, "it is not a JSON object");
  const json version = document.value("format", json());
  if (!version.is_number_integer()) return fail(ErrorId::recording_refused, source, "it names no format version");
  if (version < json(kFormatWithRates) || version > json(SpeedReport::kMapFormat)) {
    return fail(ErrorId::recording_refused, source,
                phrase("it has format version {}, and this program reads versions {} to {}", json_text(version),
                       kFormatWithRates, SpeedReport::kMapFormat));
  }
  const Format format{.is_map = version == json(kMapFormatWithRates) || version == json(SpeedReport::kMapFormat),
                      .has_rates = version <= json(kMapFormatWithRates)};
  const json sha256 = document.value("sha256", json());
  if (!sha256.is_string()) return fail(ErrorId::recording_refused, source, "it has no sha256");
  if (sha256.get<std::string>() != json_fingerprint(document)) {
    return fail(ErrorId::recording_refused, source, "it was altered: its sha256 does not match its contents");
  }
  std::string fault;
  SpeedReport report = read_report(JsonReader(document, "", fault), format);
  if (fault.empty()) fault = inconsistency(report);
  if (!fault.empty()) return fail(ErrorId::recording_refused, source, fault);
  return report;
}

Result<void> write_recording(const SpeedReport& report, const std::filesystem::path& file) {
  return write_json(to_json(report), file);
}

Result<SpeedReport> read_recording(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) return fail(ErrorId::file_not_found, file.string(), error.message());
  if (size > kLargestRecording) return fail(ErrorId::recording_refused, file.string(), "it is too large");
  const auto text = read_text(file);
  if (!text) return fail(ErrorId::file_not_found, file.string(), "it cannot be read");
  const json document = parse_json(*text);
  if (document.is_discarded()) {
    return fail(ErrorId::recording_refused, file.string(), "it is not JSON, or its end is missing");
  }
  return report_from_json(document, file.string());
}

const SpeedReport* Recordings::find(const Lab& lab, const Config& config, bool map, const std::string& driver_name,
                                    const std::string& rung) const {
  const std::vector<SweepPoint> shapes = map ? map_points(lab) : lab.points;
  const auto fits = [&](const SpeedReport& report) {
    if (report.lab != lab.name || report.is_map != map || report.shapes != shapes) return false;
    return std::all_of(lab.params.begin(), lab.params.end(), [&](const Param& param) {
      if (!tells_problems_apart(param)) return true;
      const auto recorded = report.config.params.find(param.name), wanted = config.params.find(param.name);
      return recorded != report.config.params.end() && wanted != config.params.end() &&
             recorded->second == wanted->second;
    });
  };
  const auto has_rung = [&](const SpeedReport& report) {
    return std::any_of(report.series.begin(), report.series.end(),
                       [&](const TimingSeries& series) { return series.is_rung && series.name == rung; });
  };
  const auto is_better = [&](const SpeedReport& one, const SpeedReport& other) {
    if (const bool first = has_rung(one); first != has_rung(other)) return first;
    const bool first = one.gpu == driver_name, second = other.gpu == driver_name;
    return first != second ? first : one.date > other.date;
  };
  const SpeedReport* best = nullptr;
  for (const SpeedReport& report : reports)
    if (fits(report) && (best == nullptr || is_better(report, *best))) best = &report;
  return best;
}

const SpeedReport* Recordings::find(const std::string& lab) const {
  const SpeedReport* newest = nullptr;
  for (const SpeedReport& report : reports) {
    if (report.lab == lab && !report.is_map && (!newest || report.date > newest->date)) newest = &report;
  }
  return newest;
}

Recordings read_recordings(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  Recordings recordings;
  for (const auto& file : files) {
    auto report = read_recording(file);
    if (report) {
      add_newer_choices(*report);
      recordings.reports.push_back(std::move(*report));
    } else {
      recordings.refused.push_back(report.error());
    }
  }
  return recordings;
}

}  // namespace tilescope
