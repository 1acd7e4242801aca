#include "engine/sim/lower/call_graph.hpp"

#include <algorithm>
#include <unordered_map>

namespace tilescope {
namespace {

/// Maximum number of instructions in all copies of one function; beyond it the function becomes a subroutine.
constexpr uint64_t kMostCopied = 20'000;

class Planner {
 public:
  Planner(const PtxModule& module, const PtxFunction& kernel)
      : module_(module), kernel_(static_cast<uint32_t>(&kernel - module.functions.data())) {
    for (uint32_t i = 0; i < module.functions.size(); ++i)
      if (!module.functions[i].is_entry) index_.emplace(module.functions[i].name, i);
    nodes_.resize(module.functions.size());
    plan_.has_address.assign(module.functions.size(), false);
    plan_.is_copied.assign(module.functions.size(), false);
  }

  CallPlan run() {
    for (uint32_t i = 0; i < nodes_.size(); ++i) read(i);
    for (const auto* list : {&module_.global, &module_.constant})
      for (const auto& variable : *list)
        for (const auto& relocation : variable.relocations) take_address(relocation.name);
    order(kernel_);
    order_.pop_back();
    for (uint32_t function : order_) decide(function);
    return std::move(plan_);
  }

 private:
  struct Node {
    std::vector<uint32_t> callees;  // of direct calls, each listed once
    bool calls_pointers = false;
    bool visited = false;
    uint64_t size = 0;   // instructions, including those of functions inlined at its calls
    uint64_t sites = 0;  // number of calls to it
  };

  void take_address(std::string_view name) {
    if (const auto found = index_.find(name); found != index_.end()) plan_.has_address[found->second] = true;
  }
  void take_addresses(const PtxOperand& operand) {
    if (operand.kind == PtxOperand::Kind::name) take_address(operand.name);
    for (const auto& element : operand.elements) take_addresses(element);
  }

  void read(uint32_t function) {
    for (const auto& instruction : module_.functions[function].instructions) {
      if (!is_call(instruction)) {
        for (const auto& operand : instruction.operands) take_addresses(operand);
        continue;
      }
      const PtxCallParts call = parts_of_call(instruction);
      if (call.pointer != nullptr) nodes_[function].calls_pointers = true;
      if (const auto found = index_.find(call.callee); found != index_.end())
        nodes_[function].callees.push_back(found->second);
    }
  }

  std::vector<uint32_t> successors(uint32_t function) const {
    std::vector<uint32_t> all = nodes_[function].callees;
    if (nodes_[function].calls_pointers)
      for (uint32_t i = 0; i < nodes_.size(); ++i)
        if (plan_.has_address[i]) all.push_back(i);
    return all;
  }

  /// Functions reachable from the root, callees first.
  void order(uint32_t root) {
    struct Frame {
      uint32_t function;
      std::vector<uint32_t> left;
    };
    std::vector<Frame> frames;
    const auto enter = [&](uint32_t function) {
      nodes_[function].visited = true;
      for (uint32_t callee : nodes_[function].callees) ++nodes_[callee].sites;
      pointers_ = pointers_ || nodes_[function].calls_pointers;
      frames.push_back({function, successors(function)});
    };
    enter(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.left.empty()) {
        order_.push_back(frame.function);
        frames.pop_back();
        continue;
      }
      const uint32_t next = frame.left.back();
      frame.left.pop_back();
      if (!nodes_[next].visited) enter(next);
    }
  }

  bool calls_itself(uint32_t function) const {
    std::vector<bool> seen(nodes_.size(), false);
    std::vector<uint32_t> waiting = nodes_[function].callees;
    while (!waiting.empty()) {
      const uint32_t next = waiting.back();
      waiting.pop_back();
      if (next == function) return true;
      if (seen[next]) continue;
      seen[next] = true;
      waiting.insert(waiting.end(), nodes_[next].callees.begin(), nodes_[next].callees.end());
    }
    return false;
  }

  /// Functions are processed callees first, so that the sizes of functions inlined into this one are known.
  void decide(uint32_t function) {
    Node& node = nodes_[function];
    node.size = module_.functions[function].instructions.size();
    for (uint32_t callee : node.callees)
      if (plan_.is_copied[callee]) node.size += nodes_[callee].size;
    const bool too_large = node.sites > 1 && node.size * node.sites > kMostCopied;
    plan_.is_copied[function] = !too_large && !calls_itself(function);
    if (!plan_.is_copied[function] || (pointers_ && plan_.has_address[function])) plan_.subroutines.push_back(function);
  }

  const PtxModule& module_;
  const uint32_t kernel_;
  std::unordered_map<std::string_view, uint32_t> index_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> order_;
  bool pointers_ = false;  // something calls through a pointer
  CallPlan plan_;
};

}  // namespace

bool is_call(const PtxInstruction& instruction) {
  return instruction.opcode == "call" || instruction.opcode == "call.uni";
}

PtxCallParts parts_of_call(const PtxInstruction& instruction) {
  PtxCallParts call;
  bool known = false;
  for (const auto& operand : instruction.operands) {
    if (operand.kind == PtxOperand::Kind::vector) {
      (known ? call.parameters : call.results) = &operand;
    } else if (!known) {
      known = true;
      if (operand.kind == PtxOperand::Kind::name) call.callee = operand.name;
      if (operand.kind == PtxOperand::Kind::reg) call.pointer = &operand;
    }
  }
  return call;
}

uint32_t find_function(const PtxModule& module, std::string_view name) {
  for (uint32_t i = 0; i < module.functions.size(); ++i)
    if (module.functions[i].name == name && !module.functions[i].is_entry) return i;
  return kNoIndex;
}

CallPlan plan_calls(const PtxModule& module, const PtxFunction& kernel) { return Planner(module, kernel).run(); }

}  // namespace tilescope
