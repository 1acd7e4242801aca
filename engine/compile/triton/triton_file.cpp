#include "engine/compile/triton/triton_file.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "engine/json_text.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

/// A value as it is written in Python: True, None, 2.5, tl.float16.
std::string python_text(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_null()) return "None";
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

void take_guess(TritonParameter& parameter, const json& guess) {
  const auto& parameters = guess.at("parameters");
  if (const auto found = parameters.find(parameter.name); found != parameters.end()) {
    parameter.is_pointer = found->at("kind") == "pointer";
    if (found->at("kind") == "descriptor") parameter.spec = found->at("value");
    parameter.type = found->value("type", parameter.type);
    parameter.number = found->value("value", parameter.number);
    parameter.shape = found->value("shape", parameter.shape);
    parameter.role = found->value("role", parameter.role);
    parameter.fill = found->value("fill", parameter.fill);
  }
  if (!parameter.is_constexpr || parameter.is_given) return;
  parameter.value = guess.at("constexprs").value(parameter.name, "");
}

TritonFunction function_from(const json& one) {
  TritonFunction function{.name = one.at("name"), .line = one.at("line")};
  const auto heuristics = one.at("heuristics").get<std::set<std::string>>();
  json configured = json::object();
  if (!one.at("configs").empty()) {
    const json& first = one.at("configs").front();
    configured = first.at("constexprs");
    function.num_warps = first.at("num_warps");
    function.num_stages = first.at("num_stages");
  }
  const json& guess = one.at("guess");
  for (const json& each : one.at("parameters")) {
    TritonParameter parameter{.name = each.at("name"), .is_constexpr = each.at("constexpr")};
    // Configurations and heuristics set any parameter by its name.
    const bool is_configured = configured.contains(parameter.name), is_computed = heuristics.contains(parameter.name);
    parameter.is_constexpr |= is_configured || is_computed;
    parameter.is_given = parameter.is_constexpr && (is_configured || is_computed || each.contains("default"));
    if (is_configured)
      parameter.value = python_text(configured.at(parameter.name));
    else if (parameter.is_constexpr && each.contains("default") && !is_computed)
      parameter.value = python_text(each.at("default"));
    if (guess.is_object()) take_guess(parameter, guess);
    function.parameters.push_back(std::move(parameter));
  }
  if (guess.is_object()) {
    function.n = std::to_string(guess.at("n").get<int64_t>());
    function.grid = guess.at("grid").get<std::array<std::string, 3>>();
  }
  return function;
}

}  // namespace

TritonFile triton_file_from(const json& answer) {
  TritonFile file;
  // A file of which every function is called by another has kernels all the same.
  bool any = false;
  for (const json& one : answer.at("kernels")) any |= !one.at("is_device_function").get<bool>();
  for (const json& one : answer.at("kernels"))
    if (!any || !one.at("is_device_function").get<bool>()) file.kernels.push_back(function_from(one));
  for (const json& one : answer.at("skipped")) file.skipped.push_back({one.at("line"), one.at("why")});
  return file;
}

Result<TritonFile> read_triton_file(TritonCompiler& triton, const std::string& file, const std::string& text,
                                    std::stop_token stop) {
  const auto answer = triton.ask({{"do", "kernels"}, {"file", file}, {"text", text}}, std::move(stop));
  if (!answer) return forward(answer);
  return triton_file_from(*answer);
}

}  // namespace tilescope
