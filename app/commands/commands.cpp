#include "app/commands/commands.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/command_parts.hpp"
#include "app/commands/triton_installation.hpp"
#include "app/sandbox/form/arguments.hpp"
#include "engine/bench/measure.hpp"
#include "engine/json_text.hpp"
#include "engine/names.hpp"
#include "engine/report/report.hpp"

namespace tilescope {

using nlohmann::json;

namespace {

Result<const Lab*> require_lab(const std::string& name) {
  if (const Lab* lab = find_lab(name); lab != nullptr) return lab;
  return fail(ErrorId::lab_not_found, name, join_names(labs()));
}

/// "fp16, bf16"; empty for a parameter whose values are numbers.
std::string names_of_values(const Lab& lab, const std::string& param) {
  for (const Param& one : lab.params)
    if (one.name == param && !one.choices.empty()) return join_names(one.choices).english();
  return {};
}

Result<void> assign_values(const std::vector<std::string>& texts, std::map<std::string, int64_t>& values,
                           const std::string& lab) {
  for (const auto& text : texts) {
    auto assignment = parse_assignment(text);
    if (!assignment) return tl::unexpected<Error>(assignment.error());
    if (!values.contains(assignment->name)) {
      std::string names;
      for (const auto& [name, value] : values) names += (names.empty() ? "" : ", ") + name;
      return fail(ErrorId::parameter_not_found, lab, assignment->name, names);
    }
    const Lab* of = find_lab(lab);
    if (of != nullptr)
      if (const auto named = value_named(*of, assignment->name, assignment->value)) {
        values[assignment->name] = *named;
        continue;
      }
    auto value = parse_integer(assignment->name, assignment->value);
    const std::string names = of != nullptr ? names_of_values(*of, assignment->name) : std::string();
    if (!value && !names.empty())
      return fail(ErrorId::parameter_range, assignment->name, "'" + assignment->value + "'", names);
    if (!value) return tl::unexpected<Error>(value.error());
    values[assignment->name] = *value;
  }
  return {};
}

Result<void> check_switches(const Lab& lab, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    const bool known =
        std::any_of(lab.break_it.begin(), lab.break_it.end(), [&](const BreakIt& one) { return one.name == name; });
    if (known) continue;
    std::string all;
    for (const auto& one : lab.break_it) all += (all.empty() ? "" : ", ") + one.name;
    return fail(ErrorId::parameter_not_found, lab.name, name, all.empty() ? Phrase("none") : all);
  }
  return {};
}

void add_timing(Engine& engine, RunResult& result) {
  if (result.device.kind != DeviceKind::gpu || !result.passed()) return;
  if (auto timing = time_once(engine, result, {})) result.timing = *timing;
}

json nvrtc_json(const Engine& engine) {
  if (!engine.compiler()) {
    const Error& error = engine.compiler().error();
    return {{"available", false}, {"reason", error.message}, {"hint", error.hint}};
  }
  const CompilerOrigin origin = (*engine.compiler())->origin();
  return {{"available", true},          {"version", origin.version},   {"source", origin.source},
          {"library", origin.library},  {"builtins", origin.builtins}, {"include_folders", origin.include_folders},
          {"separate", origin.separate}};
}

/// "13.0, from the installed CUDA Toolkit: /usr/local/cuda/lib64/libnvrtc.so.13; in a process of its own".
std::string nvrtc_text(const Engine& engine) {
  if (!engine.compiler()) return "not found. " + engine.compiler().error().hint;
  const CompilerOrigin origin = (*engine.compiler())->origin();
  static const std::map<std::string, std::string> sources = {{"cuda-path", "from CUDA_PATH"},
                                                             {"loader", "from the loader's path"},
                                                             {"toolkit", "from the installed CUDA Toolkit"},
                                                             {"download", "downloaded by ./tilescope"}};
  return fmt::format("{}, {}: {}; {}", origin.version, sources.at(origin.source), origin.library,
                     origin.separate ? "in a process of its own"
                                     : "in this process, which ends if NVRTC crashes: tilescope-worker is missing");
}

}  // namespace

Result<DeviceKind> parse_device(const std::string& text) {
  if (text == "sim") return DeviceKind::sim;
  if (text == "gpu") return DeviceKind::gpu;
  return fail(ErrorId::usage, fmt::format("--on takes 'sim' or 'gpu', not '{}'", text));
}

Result<std::string> take_gpu(std::vector<std::string>& settings) {
  std::string gpu;
  for (auto text = settings.begin(); text != settings.end();) {
    auto assignment = parse_assignment(*text);
    if (!assignment) return tl::unexpected<Error>(assignment.error());
    if (assignment->name != "GPU") {
      ++text;
      continue;
    }
    gpu = assignment->value;
    text = settings.erase(text);
  }
  return gpu;
}

int report_error(const Error& error, bool as_json, std::ostream& out, std::ostream& problems,
                 const std::string& suggestion) {
  if (as_json) {
    json object = to_json(error);
    if (!suggestion.empty()) object["suggestion"] = suggestion;
    out << json_text(object, 2) << "\n";
    return exit_status(error);
  }
  problems << "tilescope: " << to_text(error);
  if (!suggestion.empty())
    problems << "The source suggests this line; check its sizes and contents:\n  " << suggestion << "\n";
  return exit_status(error);
}

Result<Request> make_request(const RunOptions& options, Config (*values)(const Lab&, DeviceKind)) {
  auto lab = require_lab(options.lab);
  if (!lab) return tl::unexpected<Error>(lab.error());
  auto device = parse_device(options.device);
  if (!device) return tl::unexpected<Error>(device.error());
  Request request;
  request.lab = options.lab;
  request.rung = options.rung.empty() || options.rung == "all" ? default_rung(**lab).name : options.rung;
  request.device = *device;
  request.config = values(**lab, *device);
  auto sized = assign_values(options.size, request.config.sizes, options.lab);
  if (!sized) return tl::unexpected<Error>(sized.error());
  auto settings = options.set;
  auto gpu = take_gpu(settings);
  if (!gpu) return tl::unexpected<Error>(gpu.error());
  request.gpu = *gpu;
  auto set = assign_values(settings, request.config.params, options.lab);
  if (!set) return tl::unexpected<Error>(set.error());
  auto valid = validate(**lab, request.config, *device);
  if (!valid) return tl::unexpected<Error>(valid.error());
  auto switches = check_switches(**lab, options.broken);
  if (!switches) return tl::unexpected<Error>(switches.error());
  request.broken = options.broken;
  auto seed = parse_integer("seed", options.seed);
  if (!seed) return tl::unexpected<Error>(seed.error());
  request.seed = static_cast<uint64_t>(*seed);
  if (!options.launch.empty()) {
    auto launch = parse_integer("launch", options.launch);
    if (!launch) return tl::unexpected<Error>(launch.error());
    if (*launch < 1 || *launch > INT32_MAX)
      return fail(ErrorId::usage, fmt::format("--launch {}: launches are numbered from 1", *launch));
    request.launch = static_cast<uint32_t>(*launch - 1);
  }
  return request;
}

Result<void> check_launch(const Engine& engine, const Request& request) {
  if (!request.launch) return {};
  const auto plan = engine.plan(request);
  if (!plan) return tl::unexpected<Error>(plan.error());
  const size_t launches = plan->launches.size();
  if (*request.launch < launches) return {};
  return fail(ErrorId::usage, fmt::format("--launch {}: {} {} has {} launch{}", *request.launch + 1, request.lab,
                                          request.rung, launches, launches == 1 ? "" : "es"));
}

int list_command(Engine& engine, const ListOptions& options, std::ostream& out) {
  json all = json::array();
  const std::string gpu = engine.gpu() ? "" : engine.gpu().error().message;
  const std::string compiler = engine.compiler() ? "" : engine.compiler().error().message;
  for (const auto& lab : labs()) {
    json object = {{"name", lab.name}, {"title", lab.title.en}, {"stage", lab.stage}, {"kernel_file", lab.kernel_file}};
    for (const auto& size : lab.sizes)
      object["sizes"].push_back({{"name", size.name},
                                 {"default", size.value},
                                 {"min", size.min},
                                 {"max_sim", size.max_sim},
                                 {"max_gpu", size.max_gpu}});
    for (const auto& param : lab.params) {
      object["parameters"].push_back(
          {{"name", param.name}, {"help", param.help.en}, {"default", param.value}, {"values", values_of(param)}});
      for (const NamedValue& choice : param.choices) object["parameters"].back()["names"].push_back(choice.name);
    }
    for (const auto& one : lab.break_it) object["break_it"].push_back({{"name", one.name}, {"title", one.title.en}});
    for (const auto& rung : lab.rungs)
      object["rungs"].push_back({{"name", rung.name}, {"title", rung.title.en}, {"parameters", rung.params}});
    object["available"] = {{"sim", compiler.empty()}, {"gpu", compiler.empty() && gpu.empty()}};
    if (!compiler.empty())
      object["unavailable_reason"] = {{"sim", compiler}, {"gpu", compiler}};
    else if (!gpu.empty())
      object["unavailable_reason"] = {{"gpu", gpu}};
    all.push_back(object);
  }
  if (options.json) {
    const json listed{
        {"version", TILESCOPE_VERSION}, {"labs", all}, {"nvrtc", nvrtc_json(engine)}, {"triton", triton_json()}};
    out << json_text(listed, 2) << "\n";
    return kClean;
  }
  for (const auto& lab : labs()) {
    out << fmt::format("stage {}  {}  ({})\n", lab.stage, lab.name, lab.title.en);
    for (const auto& rung : lab.rungs) out << fmt::format("    --rung {:<20} {}\n", rung.name, rung.title.en);
    for (const auto& size : lab.sizes)
      out << fmt::format("    --size {:<20} {} to {} on a GPU, to {} on the simulator; default {}\n", size.name,
                         size.min, size.max_gpu, size.max_sim, size.value);
    for (const auto& param : lab.params)
      out << fmt::format("    --set  {:<20} {}; default {}\n", param.name, allowed_text(param),
                         param_text(param, param.value));
    for (const auto& one : lab.break_it) out << fmt::format("    --break {:<19} {}\n", one.name, one.title.en);
  }
  out << "NVRTC: " << nvrtc_text(engine) << "\n";
  out << "Triton: " << triton_text() << "\n";
  out << (compiler.empty() ? "simulator: available\n" : "simulator: " + compiler + "\n");
  out << (gpu.empty() ? "gpu: " + (*engine.gpu())->device().name + "\n" : "gpu: " + gpu + "\n");
  return kClean;
}

int run_command(Engine& engine, const RunOptions& options, std::ostream& out, std::ostream& problems) {
  auto request = make_request(options);
  if (!request) return report_error(request.error(), options.json, out, problems);
  const Lab& lab = *find_lab(request->lab);
  std::vector<std::string> rungs{request->rung};
  if (options.rung == "all") {
    rungs.clear();
    for (const auto& rung : lab.rungs) rungs.push_back(rung.name);
  }
  int status = kClean;
  json all = json::array();
  for (const auto& rung : rungs) {
    request->rung = rung;
    if (options.rung != "all")
      if (auto possible = check_launch(engine, *request); !possible)
        return report_error(possible.error(), options.json, out, problems);
    auto result = engine.run(*request);
    if (!result) return report_error(result.error(), options.json, out, problems);
    add_timing(engine, *result);
    status = std::max<int>(status, exit_status(*result));
    if (options.json)
      all.push_back(to_json(*result));
    else
      out << to_text(*result, options.traffic) << "\n";
  }
  if (options.json && options.rung == "all")
    out << json_text(json{{"status", status == kClean ? "ok" : "findings"}, {"runs", all}}, 2) << "\n";
  else if (options.json)
    out << json_text(all.front(), 2) << "\n";
  return status;
}

int tour_table(Engine& engine, std::span<const Lab> labs, std::ostream& out, std::ostream& problems) {
  int status = kClean;
  out << fmt::format("{:<18} {:<20} {:>8} {:<10} {:>14} {:>13} {:>10}\n", "lab", "rung", "blocks", "result",
                     "largest error", "sectors moved", "useful");
  for (const Lab& lab : labs) {
    for (const Rung& rung : lab.rungs) {
      Request request;
      request.lab = lab.name;
      request.rung = rung.name;
      request.config = default_config(lab, DeviceKind::sim);
      auto result = engine.run(request);
      if (!result) return report_error(result.error(), false, out, problems);
      status = std::max<int>(status, exit_status(*result));
      double largest = 0;
      for (const auto& one : result->correctness) largest = std::max(largest, one.largest_error);
      const Counters& c = result->traffic.counters;
      const uint64_t sectors = c.global_sectors(), useful = c.global_bytes_useful();
      const double share = sectors == 0 ? 0 : 100.0 * static_cast<double>(useful) / static_cast<double>(sectors * 32);
      out << fmt::format("{:<18} {:<20} {:>8} {:<10} {:>14.3g} {:>13} {:>9.1f}%\n", lab.name, rung.name,
                         result->tiles.grid.count(), result->passed() ? "correct" : "WRONG", largest, sectors, share);
    }
  }
  out << "All of the above is SIMULATED.\n";
  return status;
}

}  // namespace tilescope
