#include "engine/graph/fuse.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "engine/graph/operators.hpp"

namespace tilescope {
namespace {

using enum OperatorClass;

unsigned bit(OperatorClass kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned kRows = (1U << static_cast<unsigned>(reduction)) | (1U << static_cast<unsigned>(row_wise));

OperatorClass kind_of(const OperatorGraph& graph, size_t node) { return find_operator(graph.nodes[node].type)->kind; }

/// The groups while they grow.
class Grouping {
 public:
  Grouping(const OperatorGraph& graph, const std::vector<bool>& apart)
      : graph_(graph),
        apart_(apart),
        uses_(uses_of(graph)),
        group_of_(graph.nodes.size()),
        members_(graph.nodes.size()) {
    std::iota(group_of_.begin(), group_of_.end(), size_t{0});
    producers_.resize(graph.nodes.size());
    for (size_t node = 0; node < graph.nodes.size(); ++node) {
      members_[node] = {node};
      holds_.push_back(bit(kind_of(graph, node)));
      auto& producers = producers_[node];
      for (const size_t input : graph.nodes[node].inputs)
        if (uses_.writer[input]) producers.push_back(*uses_.writer[input]);
      // The latest first: a chain grows before a side branch joins it.
      std::ranges::sort(producers, std::greater<>());
      producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
    }
  }

  FusedGroups run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t consumer = 0; consumer < graph_.nodes.size(); ++consumer)
        for (const size_t producer : producers_[consumer]) changed = consider(producer, consumer) || changed;
    }
    return finish();
  }

 private:
  bool kept_apart(size_t node) const { return !apart_.empty() && apart_[node]; }

  /// Whether the consumer has joined.
  bool consider(size_t producer, size_t consumer) {
    const bool joined = group_of_[producer] == group_of_[consumer];
    if (joined || kept_apart(producer) || kept_apart(consumer)) return false;
    FusionStep step{.producer = producer,
                    .consumer = consumer,
                    .tensor = graph_.nodes[producer].output,
                    .rule = {},
                    .refusal = {},
                    .because = {}};
    step.because = reader_outside(step.tensor, group_of_[producer], group_of_[consumer]);
    if (step.because)
      step.refusal = FusionRefusal::several_readers;
    else
      step.rule = rule_for(producer, consumer, step.refusal);
    if (step.rule) check_other_edges(step);
    if (step.rule) join(group_of_[producer], group_of_[consumer]);
    steps_[{consumer, producer}] = step;
    return step.rule.has_value();
  }

  void join(size_t to, size_t from) {
    for (const size_t node : members_[from]) group_of_[node] = to;
    members_[to].insert(members_[to].end(), members_[from].begin(), members_[from].end());
    members_[from].clear();
    holds_[to] |= holds_[from];
  }

  std::optional<size_t> reader_outside(size_t tensor, size_t from, size_t to) const {
    for (const size_t reader : uses_.readers[tensor])
      if (group_of_[reader] != from && group_of_[reader] != to) return reader;
    return std::nullopt;
  }

  /// Other nodes of the consumer's group that read the producer's output must be able to join it too.
  void check_other_edges(FusionStep& step) const {
    for (const size_t reader : uses_.readers[step.tensor]) {
      if (reader == step.consumer || group_of_[reader] != group_of_[step.consumer]) continue;
      if (rule_for(step.producer, reader, step.refusal)) continue;
      step.rule.reset();
      step.because = reader;
      return;
    }
  }

  static std::optional<FusionRule> no(std::optional<FusionRefusal>& refusal, FusionRefusal why) {
    refusal = why;
    return std::nullopt;
  }

  /// The rule by which the consumer joins; else why none allows it.
  std::optional<FusionRule> rule_for(size_t producer, size_t consumer, std::optional<FusionRefusal>& refusal) const {
    using enum FusionRefusal;
    const unsigned made_by = holds_[group_of_[producer]], joined = holds_[group_of_[consumer]];
    const OperatorClass kind = kind_of(graph_, consumer);
    const auto has = [](unsigned classes, OperatorClass one) { return (classes & bit(one)) != 0; };
    if (kind == view || made_by == bit(view)) return FusionRule::view;
    if (((made_by | joined) & (bit(gather) | bit(copy))) != 0) return no(refusal, moves_elements);
    if (has(made_by, matmul) && has(joined, matmul)) return no(refusal, two_matmuls);
    if (kind == matmul) return no(refusal, before_matmul);
    if (has(made_by | joined, matmul) && ((made_by | joined) & kRows) != 0) return no(refusal, needs_whole_rows);
    const Shape &made = graph_.tensors[graph_.nodes[producer].output].shape,
                &wanted = graph_.tensors[graph_.nodes[consumer].output].shape;
    if ((made_by & kRows) != 0) {
      if ((joined & kRows) != 0) return no(refusal, two_rows);
      if (made == wanted) return FusionRule::suffix;
      return no(refusal, has(made_by, reduction) ? needs_whole_rows : shapes);
    }
    if ((joined & kRows) != 0 && kind != elementwise) return FusionRule::prefix;
    if (made != wanted && (has(made_by, matmul) || broadcast_shape(made, wanted) != wanted)) return no(refusal, shapes);
    if (has(made_by, matmul)) return FusionRule::epilogue;
    return made == wanted ? FusionRule::elementwise : FusionRule::broadcast;
  }

  FusedGroups finish() {
    FusedGroups result{.groups = {}, .group_of = std::vector<size_t>(graph_.nodes.size()), .steps = {}};
    for (const auto& [edge, step] : steps_) result.steps.push_back(step);
    std::map<size_t, size_t> numbers;
    for (size_t node = 0; node < graph_.nodes.size(); ++node) {
      const auto [number, added] = numbers.try_emplace(group_of_[node], result.groups.size());
      if (added) result.groups.emplace_back();
      result.groups[number->second].push_back(node);
      result.group_of[node] = number->second;
    }
    return result;
  }

  const OperatorGraph& graph_;
  const std::vector<bool>& apart_;
  GraphUses uses_;
  std::vector<std::vector<size_t>> producers_;             // by node
  std::vector<size_t> group_of_;                           // by node
  std::vector<std::vector<size_t>> members_;               // by group
  std::vector<unsigned> holds_;                            // classes of operators, by group
  std::map<std::pair<size_t, size_t>, FusionStep> steps_;  // by consumer and producer
};

/// The tensor whose memory a tensor shows: that of a view's input, else its own.
std::vector<size_t> roots_of(const OperatorGraph& graph) {
  std::vector<size_t> roots(graph.tensors.size());
  std::iota(roots.begin(), roots.end(), size_t{0});
  for (size_t node = 0; node < graph.nodes.size(); ++node)
    if (kind_of(graph, node) == view) roots[graph.nodes[node].output] = roots[graph.nodes[node].inputs.front()];
  return roots;
}

/// Bytes that the group reads from outside: of each memory at most what it holds, however often it is read.
double read_by_group(const OperatorGraph& graph, const std::vector<size_t>& roots, const std::vector<bool>& inside,
                     const std::vector<size_t>& group, const GraphUses& uses) {
  std::map<size_t, std::map<size_t, double>> reads;  // root → tensor → bytes
  for (const size_t node : group) {
    if (kind_of(graph, node) == view) continue;
    for (const size_t input : graph.nodes[node].inputs) {
      const size_t root = roots[input];
      if (uses.writer[root] && inside[*uses.writer[root]]) continue;
      double& bytes = reads[root][input];
      bytes = std::max(bytes, bytes_read_of(graph, graph.nodes[node], input));
    }
  }
  double total = 0;
  for (const auto& [root, tensors] : reads) {
    double bytes = 0;
    for (const auto& [tensor, one] : tensors) bytes += one;
    total += std::min(bytes, graph.tensors[root].bytes());
  }
  return total;
}

Phrase joins_text(FusionRule rule, const std::string& one, const std::string& other) {
  switch (rule) {
    case FusionRule::elementwise:
      return phrase("'{}' joins '{}': both are element-wise, with equal shapes", other, one);
    case FusionRule::broadcast:
      return phrase("'{}' joins '{}': both are element-wise, and the output of '{}' is broadcast", other, one, one);
    case FusionRule::prefix:
      return phrase("'{}' joins '{}': it applies '{}' to each element as it reads", other, one, one);
    case FusionRule::suffix:
      return phrase("'{}' joins '{}': it is applied while the block has the row", other, one);
    case FusionRule::epilogue:
      return phrase("'{}' joins '{}': it is applied to the accumulators, before they are stored", other, one);
    case FusionRule::view:
      return phrase("'{}' joins '{}': a view moves nothing", other, one);
  }
  return {};
}

Phrase stays_text(FusionRefusal refusal, const std::string& one, const std::string& other, const std::string& because) {
  switch (refusal) {
    case FusionRefusal::several_readers:
      return phrase("'{}' stays apart from '{}', whose output '{}' reads too, so it has to be written", other, one,
                    because);
    case FusionRefusal::moves_elements:
      return phrase("'{}' stays apart from '{}': a gather or a copy places elements elsewhere", other, one);
    case FusionRefusal::shapes:
      return phrase("'{}' stays apart from '{}': their shapes differ", other, one);
    case FusionRefusal::before_matmul:
      return phrase("'{}' stays apart from '{}': every tile of the matmul would compute '{}' again", other, one, one);
    case FusionRefusal::two_matmuls:
      return phrase("'{}' stays apart from '{}': a tile of one matmul needs many tiles of the other", other, one);
    case FusionRefusal::needs_whole_rows:
      return phrase("'{}' stays apart from '{}': it needs a whole row, which no single tile or partial sum is", other,
                    one);
    case FusionRefusal::two_rows:
      return phrase("'{}' stays apart from '{}': both reduce along rows, one after the other", other, one);
  }
  return {};
}

}  // namespace

std::string_view name_of(FusionRule rule) {
  switch (rule) {
    case FusionRule::elementwise:
      return "element-wise";
    case FusionRule::broadcast:
      return "broadcast";
    case FusionRule::prefix:
      return "prefix";
    case FusionRule::suffix:
      return "suffix";
    case FusionRule::epilogue:
      return "epilogue";
    case FusionRule::view:
      return "view";
  }
  return "";
}

std::string_view name_of(FusionRefusal refusal) {
  switch (refusal) {
    case FusionRefusal::several_readers:
      return "several-readers";
    case FusionRefusal::moves_elements:
      return "moves-elements";
    case FusionRefusal::shapes:
      return "shapes";
    case FusionRefusal::before_matmul:
      return "before-matmul";
    case FusionRefusal::two_matmuls:
      return "two-matmuls";
    case FusionRefusal::needs_whole_rows:
      return "needs-whole-rows";
    case FusionRefusal::two_rows:
      return "two-rows";
  }
  return "";
}

FusedGroups fuse_greedily(const OperatorGraph& graph, const std::vector<bool>& apart) {
  return Grouping(graph, apart).run();
}

Phrase sentence_of(const OperatorGraph& graph, const FusionStep& step) {
  const std::string &one = graph.nodes[step.producer].name, &other = graph.nodes[step.consumer].name;
  if (step.rule) return joins_text(*step.rule, one, other);
  return stays_text(*step.refusal, one, other, step.because ? graph.nodes[*step.because].name : std::string());
}

std::vector<NodeCost> costs_of_groups(const OperatorGraph& graph, const std::vector<NodeCost>& costs,
                                      const std::vector<std::vector<size_t>>& groups, const GpuRates& gpu) {
  const GraphUses uses = uses_of(graph);
  const std::vector<size_t> roots = roots_of(graph);
  std::vector<bool> inside(graph.nodes.size());
  std::vector<NodeCost> sums;
  sums.reserve(groups.size());
  for (const auto& group : groups) {
    for (const size_t node : group) inside[node] = true;
    NodeCost sum{.rate = costs[group.front()].rate};
    std::map<size_t, double> written;  // by root
    for (const size_t node : group) {
      sum.flops += costs[node].flops;
      sum.flops_seconds += costs[node].flops_seconds;
      if (costs[node].flops > 0 && kind_of(graph, node) == matmul) sum.rate = costs[node].rate;
      const size_t output = graph.nodes[node].output, root = roots[output];
      const auto& readers = uses.readers[output];
      const bool needed =
          readers.empty() || std::ranges::any_of(readers, [&](size_t reader) { return !inside[reader]; });
      if (needed && uses.writer[root] && inside[*uses.writer[root]]) written[root] = graph.tensors[root].bytes();
    }
    for (const auto& [root, bytes] : written) sum.written += bytes;
    sum.read = read_by_group(graph, roots, inside, group, uses);
    if (gpu.bytes_per_second > 0) sum.bytes_seconds = sum.bytes() / gpu.bytes_per_second;
    sums.push_back(sum);
    for (const size_t node : group) inside[node] = false;
  }
  return sums;
}

NodeCost cost_of_group(const OperatorGraph& graph, const std::vector<NodeCost>& costs, const std::vector<size_t>& group,
                       const GpuRates& gpu) {
  return costs_of_groups(graph, costs, {group}, gpu).front();
}

double predicted_seconds(const NodeCost& cost, const GpuRates& gpu) {
  return gpu.launch_seconds + cost.bytes_seconds + cost.flops_seconds;
}

std::optional<FuseDecision> decide(const OperatorGraph& graph, const std::vector<NodeCost>& costs, size_t producer,
                                   const GpuRates& gpu) {
  const GraphNode& node = graph.nodes[producer];
  const GraphUses uses = uses_of(graph);
  const auto& readers = uses.readers[node.output];
  if (kind_of(graph, producer) != elementwise || readers.empty()) return std::nullopt;
  const NodeCost& own = costs[producer];
  const auto count = static_cast<double>(readers.size());
  const auto seconds = [&](double bytes) { return gpu.bytes_per_second > 0 ? bytes / gpu.bytes_per_second : 0; };
  FuseDecision decision{.readers = readers.size(), .break_even_flops = {}};
  decision.separate_seconds = predicted_seconds(own, gpu);
  for (const size_t reader : readers) {
    const double one = predicted_seconds(costs[reader], gpu);
    decision.separate_seconds += one;
    decision.fused_seconds += one + seconds(own.read - own.written) + own.flops_seconds;
  }
  // Without the FLOPs that are computed again, separate − fused is what fusing saves.
  if (readers.size() > 1 && own.flops > 0 && own.flops_seconds > 0) {
    const double saved = gpu.launch_seconds + seconds(own.bytes()) + count * seconds(own.written - own.read);
    const double flops_per_second = own.flops / own.flops_seconds;
    const auto elements = static_cast<double>(elements_of(graph.tensors[node.output].shape));
    decision.break_even_flops = std::max(0.0, saved * flops_per_second / (count - 1) / elements);
  }
  return decision;
}

}  // namespace tilescope
