// Runs rungs of one lab on the GPU, each with the sizes and parameters of one line, and writes the runs as JSON:
//
//   launch_rung LAB POINTS.txt --out RUNS.json          lines: RUNG NAME=VALUE …
//   launch_rung LAB POINTS.txt --out RUNS.json --keep FOLDER    every output as raw elements: FOLDER/LINE.NAME.bin
//
// NAME=@FILE on a line fills an input from a file of raw elements.
//
// Every line is one launch (of each kernel of the rung), so that a profiler's table lists the launches in the order of
// the lines. A line that cannot run is reported on stderr and left out, and the exit status is 1. Results are not
// compared with the lab's reference, which would take longer than everything else: `tilescope run` does that.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/run/engine.hpp"

namespace {

using namespace tilescope;
using nlohmann::json;

/// The lab without its reference, with the inputs of these files, by buffer name.
std::shared_ptr<Lab> made_of(const Lab& lab, const std::map<std::string, std::string>& files) {
  auto own = std::make_shared<Lab>(lab);
  own->reference = nullptr;
  const auto fill = [files](const auto& buffers) {
    return [files, buffers](const Config& config) {
      std::vector<BufferSpec> specs = buffers(config);
      for (BufferSpec& spec : specs)
        if (const auto file = files.find(spec.name); file != files.end()) {
          spec.fill = Fill::file;
          spec.file = file->second;
        }
      return specs;
    };
  };
  own->buffers = fill(lab.buffers);
  for (Rung& rung : own->rungs)
    if (rung.buffers) rung.buffers = fill(rung.buffers);
  return own;
}

Result<void> keep_outputs(const RunResult& result, const std::string& folder, size_t line) {
  for (size_t i = 0; i < result.plan.buffers.size(); ++i) {
    if (result.plan.buffers[i].role == Role::input || result.plan.buffers[i].role == Role::scratch) continue;
    const std::string file = fmt::format("{}/{}.{}.bin", folder, line, result.plan.buffers[i].name);
    const auto& bytes = result.buffers[i]->bytes;
    std::ofstream stream(file, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!stream) return fail(ErrorId::file_not_written, file, "the write failed");
  }
  return {};
}

/// A line as a request; a name that the lab does not have is an error.
Result<Request> request_of(const Lab& lab, const std::string& line) {
  std::map<std::string, std::string> files;
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
    if (equals != std::string::npos && word.compare(equals, 2, "=@") == 0) {
      files[name] = word.substr(equals + 2);
      continue;
    }
    const int64_t value = equals == std::string::npos ? 0 : std::stoll(word.substr(equals + 1));
    if (request.config.sizes.count(name) != 0)
      request.config.sizes[name] = value;
    else if (request.config.params.count(name) != 0)
      request.config.params[name] = value;
    else
      return fail(ErrorId::bad_argument, name, lab.name + " has no such size or parameter");
  }
  request.own_lab = made_of(lab, files);
  return request;
}

Result<json> run_line(Engine& engine, const Lab& lab, const std::string& line, size_t number, const std::string& keep) {
  auto request = request_of(lab, line);
  if (!request) return tl::make_unexpected(request.error());
  const auto result = engine.run(*request);
  if (!result) return tl::make_unexpected(result.error());
  json run = {
      {"rung", request->rung},      {"sizes", request->config.sizes},          {"params", request->config.params},
      {"gpu", result->device.name}, {"driver", result->device.driver_version}, {"date", result->date}};
  for (const auto& launch : result->plan.launches) run["launches"].push_back(launch.kernel);
  if (!keep.empty())
    if (auto kept = keep_outputs(*result, keep, number); !kept) return tl::make_unexpected(kept.error());
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  std::string name, points, out, keep;
  CLI::App app("Runs rungs of a lab on the GPU, one for each line");
  app.add_option("lab", name, "name of the lab")->required();
  app.add_option("points", points, "file of lines: RUNG NAME=VALUE …")->required()->check(CLI::ExistingFile);
  app.add_option("--out", out, "JSON file to write")->required();
  app.add_option("--keep", keep, "folder for the outputs")->check(CLI::ExistingDirectory);
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
  size_t number = 0;  // line number, from 1
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty()) continue;
    auto run = run_line(*engine, *lab, line, number, keep);
    if (!run) {
      fmt::print(stderr, "{}: {} ({})\n", line, run.error().message, run.error().hint);
      all_ran = false;
      continue;
    }
    runs.push_back(std::move(*run));
    std::ofstream(out) << runs.dump(1) << "\n";  // after each line, so that nothing is lost if the process is killed
  }
  return all_ran ? 0 : 1;
}
