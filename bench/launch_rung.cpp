// Runs rungs of one lab on the GPU, each at the sizes and parameters of one line, and writes what was run as JSON:
//
//   launch_rung LAB POINTS.txt --out RUNS.json          lines: RUNG NAME=VALUE …
//   launch_rung LAB POINTS.txt --out RUNS.json --time   with a short timing of each
//
// Without --time every line is one launch (of each kernel of the rung), so that a profiler's table has the launches in
// the order of the lines. A line that cannot be run is named on stderr and left out, and the exit status is 1. Results
// are not compared with the lab's reference, which would take longer than all else: `tilescope run` does that.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/bench/measure.hpp"
#include "engine/run.hpp"

namespace {

using namespace tilescope;
using nlohmann::json;

/// A line as a request; a name that the lab does not have is an error.
Result<Request> request_of(const Lab& lab, const std::string& line) {
  Request request;
  request.lab = lab.name;
  request.device = DeviceKind::gpu;
  request.observe = false;
  request.config = default_config(lab, DeviceKind::gpu);
  std::istringstream words(line);
  words >> request.rung;
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const int64_t value = equals == std::string::npos ? 0 : std::stoll(word.substr(equals + 1));
    if (request.config.sizes.count(name) != 0)
      request.config.sizes[name] = value;
    else if (request.config.params.count(name) != 0)
      request.config.params[name] = value;
    else
      return fail(ErrorId::bad_argument, name, lab.name + " has no such size or parameter");
  }
  return request;
}

Result<json> run_line(Engine& engine, const Lab& lab, const std::string& line, bool time) {
  auto request = request_of(lab, line);
  if (!request) return tl::make_unexpected(request.error());
  auto without_reference = std::make_shared<Lab>(lab);
  without_reference->reference = nullptr;
  request->own_lab = without_reference;
  const auto result = engine.run(*request);
  if (!result) return tl::make_unexpected(result.error());
  json run = {
      {"rung", request->rung},      {"sizes", request->config.sizes},          {"params", request->config.params},
      {"gpu", result->device.name}, {"driver", result->device.driver_version}, {"date", result->date}};
  for (const auto& launch : result->plan.launches) run["launches"].push_back(launch.kernel);
  if (time) {
    const auto timing = time_once(engine, *result, {});
    if (!timing) return tl::make_unexpected(timing.error());
    run["median_ms"] = timing->median_ms;
  }
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  std::string name, points, out;
  bool time = false;
  CLI::App app("Runs rungs of a lab on the GPU, one for each line");
  app.add_option("lab", name, "name of the lab")->required();
  app.add_option("points", points, "file of lines: RUNG NAME=VALUE …")->required()->check(CLI::ExistingFile);
  app.add_option("--out", out, "JSON file to write")->required();
  app.add_flag("--time", time, "time each");
  CLI11_PARSE(app, argc, argv);
  const Lab* lab = find_lab(name);
  if (lab == nullptr) {
    fmt::print(stderr, "there is no lab {}\n", name);
    return 1;
  }
  const auto engine = Engine::open({});
  std::ifstream file(points);
  json runs = json::array();
  bool all_ran = true;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    auto run = run_line(*engine, *lab, line, time);
    if (!run) {
      fmt::print(stderr, "{}: {} ({})\n", line, run.error().message, run.error().hint);
      all_ran = false;
      continue;
    }
    runs.push_back(std::move(*run));
    std::ofstream(out) << runs.dump(1) << "\n";  // after each, so that an end from outside loses nothing
  }
  return all_ran ? 0 : 1;
}
