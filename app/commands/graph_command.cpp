#include "app/commands/graph_command.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/command_parts.hpp"
#include "app/commands/commands.hpp"
#include "engine/graph/fuse.hpp"
#include "engine/graph/graph_file.hpp"
#include "engine/graph/graph_text.hpp"
#include "engine/graph/operators.hpp"
#include "engine/json_text.hpp"
#include "engine/report/report.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

using nlohmann::ordered_json;

tl::unexpected<Error> setting_error(const Phrase& what) { return fail(ErrorId::bad_graph, phrase("options"), what); }

struct Names {
  const char* name;
  int value;
};
/// The value of a name: phase=decode.
template <class T>
Result<void> set_name(T& value, const std::string& option, const std::string& text,
                      std::initializer_list<Names> names) {
  std::string known;
  for (const Names& one : names) {
    if (text == one.name) {
      value = static_cast<T>(one.value);
      return {};
    }
    known.append(known.empty() ? "" : ", ").append(one.name);
  }
  return setting_error(phrase("{} = {} is not one of {}", option, text, known));
}

Result<void> set_number(int64_t& value, const std::string& option, const std::string& text) {
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc() && stop == text.data() + text.size()) return {};
  return setting_error(phrase("{} = {} is no whole number", option, text));
}

Result<void> set_flag(bool& value, const std::string& option, const std::string& text) {
  return set_name(value, option, text, {{"0", 0}, {"1", 1}});
}

Result<void> set_option(TransformerOptions& options, const std::string& name, const std::string& text) {
  struct Number {
    const char* name;
    int64_t TransformerOptions::*member;
  };
  struct Flag {
    const char* name;
    bool TransformerOptions::*member;
  };
  constexpr Number kNumbers[] = {
      {"batch", &TransformerOptions::batch},       {"sequence", &TransformerOptions::sequence},
      {"hidden", &TransformerOptions::hidden},     {"heads", &TransformerOptions::heads},
      {"kv_heads", &TransformerOptions::kv_heads}, {"mlp", &TransformerOptions::mlp},
      {"experts", &TransformerOptions::experts},   {"experts_per_token", &TransformerOptions::experts_per_token}};
  constexpr Flag kFlags[] = {{"biases", &TransformerOptions::biases},
                             {"causal", &TransformerOptions::causal},
                             {"rotary", &TransformerOptions::rotary},
                             {"fused_qkv", &TransformerOptions::fused_qkv},
                             {"flash", &TransformerOptions::flash}};
  for (const Number& one : kNumbers)
    if (name == one.name) return set_number(options.*one.member, name, text);
  for (const Flag& one : kFlags)
    if (name == one.name) return set_flag(options.*one.member, name, text);
  if (name == "phase") return set_name(options.phase, name, text, {{"prefill", 0}, {"decode", 1}});
  if (name == "norm") return set_name(options.norm, name, text, {{"layernorm", 0}, {"rmsnorm", 1}});
  if (name == "norm_place") return set_name(options.norm_place, name, text, {{"before", 0}, {"after", 1}});
  if (name == "mlp_kind")
    return set_name(options.mlp_kind, name, text, {{"gelu", 0}, {"relu", 1}, {"swiglu", 2}, {"experts", 3}});
  if (name == "type") {
    const auto type = dtype_from(text);
    if (!type) return setting_error(phrase("there is no type '{}'", text));
    options.type = *type;
    return {};
  }
  return setting_error(phrase("there is no option '{}'", name));
}

/// What is printed: nodes or modules, and the groups.
struct Shown {
  OperatorGraph graph;
  GpuRates gpu;
  std::vector<NodeCost> costs;
  FusedGroups fused;
  std::vector<NodeCost> group_costs;
};

Result<Shown> make_shown(Engine& engine, const GraphOptions& options) {
  std::vector<std::string> settings = options.set;
  const auto name = take_gpu(settings);
  if (!name) return forward(name);
  const auto gpu = engine.modelled_gpu(*name);
  if (!gpu) return forward(gpu);
  Result<OperatorGraph> graph = OperatorGraph();
  if (!options.file.empty()) {
    if (!settings.empty()) return setting_error(phrase("only a layer has options, and '{}' is a file", options.file));
    graph = read_graph(options.file);
  } else {
    const auto layer = with_settings(options.layer == "llama" ? llama_7b() : bert_base(), settings);
    if (!layer) return forward(layer);
    graph = transformer_layer(*layer);
  }
  if (!graph) return forward(graph);
  Shown shown{.graph = std::move(*graph), .gpu = rates_of(*gpu), .costs = {}, .fused = {}, .group_costs = {}};
  shown.costs = costs_of(shown.graph, shown.gpu);
  shown.fused = fuse_greedily(shown.graph);
  shown.group_costs = costs_of_groups(shown.graph, shown.costs, shown.fused.groups, shown.gpu);
  return shown;
}

std::string micro(double seconds) { return fmt::format("{:.2f}", seconds * 1e6); }

std::string row(const std::string& name, const std::string& shape, const NodeCost& cost, double seconds) {
  return fmt::format("{:<28} {:<26} {:>10.4g} {:>10} {:>9.3g} {:>10}  {}\n", name, shape, cost.flops / 1e6,
                     bytes_text(cost.bytes()), cost.intensity(), micro(seconds),
                     cost.bytes() == 0        ? "view"
                     : cost.bound_by_memory() ? "memory"
                                              : "compute");
}

std::string header(const Shown& shown) {
  const ModuleCost total = total_cost(shown.graph, shown.costs);
  return fmt::format(
      "{}: {} operators, {} matmuls, on {} (MODELLED, data sheet)\n\n{:<28} {:<26} {:>10} {:>10} {:>9} {:>10}  {}\n",
      shown.graph.name, shown.graph.nodes.size(), total.matmuls, shown.gpu.name, "", "output", "MFLOP", "bytes",
      "FLOP/B", "bound, us", "by");
}

std::string total_text(const Shown& shown) {
  const ModuleCost total = total_cost(shown.graph, shown.costs);
  double fused_bytes = 0, fused_seconds = 0;
  for (const NodeCost& cost : shown.group_costs) {
    fused_bytes += cost.bytes();
    fused_seconds += cost.seconds();
  }
  std::string text = row("total, a kernel each", "", total.cost, total.seconds);
  return text + fmt::format("{:<28} {:<26} {:>10} {:>10} {:>9} {:>10}\n", "total, fused",
                            fmt::format("{} kernels", shown.fused.groups.size()), "", bytes_text(fused_bytes), "",
                            micro(fused_seconds));
}

std::string shown_text(const Shown& shown, bool modules) {
  if (shown.graph.nodes.empty()) return fmt::format("{}: there is no operator in it\n", shown.graph.name);
  std::string text = header(shown);
  const auto numbers = matmul_numbers(shown.graph);
  if (modules)
    for (const ModuleCost& one : module_costs(shown.graph, shown.costs))
      text += row(one.module.empty() ? "(none)" : one.module, fmt::format("{} operators", one.nodes), one.cost,
                  one.seconds);
  else
    for (size_t node = 0; node < shown.graph.nodes.size(); ++node) {
      const GraphNode& one = shown.graph.nodes[node];
      const std::string number = numbers[node] > 0 ? fmt::format("{}. ", numbers[node]) : "";
      text += row(number + one.name, text_of_shape(shown.graph.tensors[one.output].shape), shown.costs[node],
                  shown.costs[node].seconds());
    }
  text += "\n" + total_text(shown) + "\nGroups of more than one operator:\n";
  for (size_t number = 0; number < shown.fused.groups.size(); ++number) {
    const auto& group = shown.fused.groups[number];
    if (group.size() < 2) continue;
    double before = 0;
    std::string names;
    for (const size_t node : group) {
      names.append(names.empty() ? "" : " + ").append(shown.graph.nodes[node].name);
      before += shown.costs[node].bytes();
    }
    const double after = shown.group_costs[number].bytes();
    text += fmt::format("  {}: {} instead of {}\n", names, bytes_text(after), bytes_text(before));
  }
  std::string apart;
  for (const FusionStep& step : shown.fused.steps)
    if (step.refusal && shown.fused.group_of[step.producer] != shown.fused.group_of[step.consumer])
      apart += "  " + sentence_of(shown.graph, step).english() + "\n";
  return apart.empty() ? text : text + "\nWhat keeps the others apart:\n" + apart;
}

ordered_json cost_json(const NodeCost& cost) {
  return {{"flops", cost.flops},
          {"bytes_read", cost.read},
          {"bytes_written", cost.written},
          {"seconds", cost.seconds()},
          {"bound_by", cost.bound_by_memory() ? "memory" : "compute"}};
}

ordered_json shown_json(const Shown& shown) {
  ordered_json object{{"graph", graph_json(shown.graph)},  {"gpu", shown.gpu.name},
                      {"badge", name_of(Badge::modelled)}, {"nodes", ordered_json::array()},
                      {"groups", ordered_json::array()},   {"steps", ordered_json::array()}};
  for (size_t node = 0; node < shown.graph.nodes.size(); ++node) {
    ordered_json one{{"name", shown.graph.nodes[node].name}, {"group", shown.fused.group_of[node]}};
    one.update(cost_json(shown.costs[node]));
    object["nodes"].push_back(std::move(one));
  }
  for (size_t number = 0; number < shown.fused.groups.size(); ++number) {
    ordered_json one{{"nodes", ordered_json::array()}};
    for (const size_t node : shown.fused.groups[number]) one["nodes"].push_back(shown.graph.nodes[node].name);
    one.update(cost_json(shown.group_costs[number]));
    object["groups"].push_back(std::move(one));
  }
  for (const FusionStep& step : shown.fused.steps)
    object["steps"].push_back({{"producer", shown.graph.nodes[step.producer].name},
                               {"consumer", shown.graph.nodes[step.consumer].name},
                               {"joined", step.rule.has_value()},
                               {"by", step.rule ? name_of(*step.rule) : name_of(*step.refusal)},
                               {"what", sentence_of(shown.graph, step).english()}});
  return object;
}

}  // namespace

Result<TransformerOptions> with_settings(TransformerOptions options, const std::vector<std::string>& settings) {
  bool kv_heads = false, heads = false;
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) return setting_error(phrase("'{}' is not NAME=VALUE", setting));
    const std::string name = setting.substr(0, equals);
    if (auto good = set_option(options, name, setting.substr(equals + 1)); !good) return forward(good);
    kv_heads = kv_heads || name == "kv_heads";
    heads = heads || name == "heads";
  }
  if (heads && !kv_heads) options.kv_heads = options.heads;  // as many as there are, unless the learner says otherwise
  return options;
}

int graph_command(Engine& engine, const GraphOptions& options, std::ostream& out, std::ostream& problems) {
  if (options.pairs) return pairs_command(engine, options.json, out, problems);
  if (!options.loops.empty()) return loops_command(options.loops, options.json, out, problems);
  const auto shown = make_shown(engine, options);
  if (!shown) return report_error(shown.error(), options.json, out, problems);
  if (options.text)
    out << text_of(shown->graph);
  else if (options.json)
    out << json_text(shown_json(*shown), 2) << "\n";
  else
    out << shown_text(*shown, options.modules);
  return kClean;
}

}  // namespace tilescope
