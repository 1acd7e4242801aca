#include "engine/sim/lower/control_flow.hpp"

#include <algorithm>
#include <string>

namespace tilescope {
namespace {

enum class Transfer : uint8_t { none, branch, indexed, leave };

Transfer transfer_of(std::string_view opcode) {
  if (opcode == "bra" || opcode == "bra.uni") return Transfer::branch;
  if (opcode.starts_with("brx")) return Transfer::indexed;
  if (opcode.starts_with("ret") || opcode.starts_with("exit")) return Transfer::leave;
  return Transfer::none;
}

/// Divides a function into basic blocks.
class BlockBuilder {
 public:
  explicit BlockBuilder(const PtxFunction& function) : function_(function) {}

  Result<std::vector<BasicBlock>> run() {
    cut();
    for (auto& block : blocks_)
      if (auto connected = connect(block); !connected) return forward(connected);
    return std::move(blocks_);
  }

 private:
  void cut() {
    const auto& instructions = function_.instructions;
    std::vector<bool> begins(instructions.size() + 1, false);
    begins[0] = true;
    for (const auto& [name, at] : function_.labels) begins[at] = true;
    for (const auto& subroutine : function_.subroutines) begins[subroutine.first] = true;
    begins[function_.entry] = true;
    for (size_t i = 0; i < instructions.size(); ++i)
      if (transfer_of(instructions[i].opcode) != Transfer::none) begins[i + 1] = true;
    // A label after the last instruction, and falling off the end, lead to an empty block that leaves the kernel.
    begins[instructions.size()] = true;
    block_at_.assign(instructions.size() + 1, 0);
    for (size_t i = 0; i <= instructions.size(); ++i) {
      if (begins[i]) {
        if (!blocks_.empty()) blocks_.back().end = static_cast<uint32_t>(i);
        blocks_.push_back({static_cast<uint32_t>(i), static_cast<uint32_t>(i), kNoIndex, {}});
      }
      block_at_[i] = static_cast<uint32_t>(blocks_.size() - 1);
    }
  }

  Result<void> connect(BasicBlock& block) {
    const auto own = static_cast<uint32_t>(&block - blocks_.data());
    Transfer transfer = Transfer::none;
    bool guarded = false;
    if (block.end > block.first) {
      const PtxInstruction& last = function_.instructions[block.end - 1];
      transfer = transfer_of(last.opcode);
      guarded = last.guard != kNoIndex;
      if (transfer == Transfer::branch) {
        if (last.operands.empty()) return fail(ErrorId::ptx_syntax, last.ptx_line, "a branch has no target");
        if (auto added = add_target(block, last, last.operands[0].name); !added) return added;
      } else if (transfer == Transfer::indexed) {
        if (auto added = add_table(block, last); !added) return added;
      }
    }
    if ((transfer == Transfer::none || guarded) && own + 1 < blocks_.size()) {
      block.falls_into = own + 1;
      add_successor(block, own + 1);
    }
    return {};
  }

  Result<void> add_table(BasicBlock& block, const PtxInstruction& last) {
    const std::string_view name = last.operands.size() > 1 ? last.operands[1].name : std::string_view();
    const auto table = function_.branch_targets.find(name);
    if (table == function_.branch_targets.end())
      return fail(ErrorId::ptx_syntax, last.ptx_line, phrase("there is no table of branch targets '{}'", name));
    for (std::string_view target : table->second)
      if (auto added = add_target(block, last, target); !added) return added;
    return {};
  }

  Result<void> add_target(BasicBlock& block, const PtxInstruction& from, std::string_view name) {
    const auto label = function_.labels.find(name);
    if (label == function_.labels.end())
      return fail(ErrorId::ptx_syntax, from.ptx_line, phrase("there is no label '{}'", name));
    add_successor(block, block_at_[label->second]);
    return {};
  }

  static void add_successor(BasicBlock& block, uint32_t successor) {
    if (std::find(block.successors.begin(), block.successors.end(), successor) == block.successors.end())
      block.successors.push_back(successor);
  }

  const PtxFunction& function_;
  std::vector<BasicBlock> blocks_;
  std::vector<uint32_t> block_at_;  // by instruction
};

/// Lays blocks out: strongly connected components in topological order; each, without its head, is treated recursively.
class Layout {
 public:
  explicit Layout(ControlFlow& flow)
      : flow_(flow), level_(flow.blocks.size(), 0), number_(flow.blocks.size()), low_(flow.blocks.size()) {}

  void run() {
    flow_.position.assign(flow_.blocks.size(), kNoIndex);
    flow_.loop_end.assign(flow_.blocks.size(), kNoIndex);
    // Subroutines come first, so that lanes inside them run before those that wait after the call.
    for (uint32_t entry : flow_.entries) lay_out({entry}, 0);
  }

 private:
  struct Frame {
    uint32_t block;
    size_t next;
  };
  static constexpr uint32_t kDeepestLoop = 500;

  /// Lays out the blocks of this level that are reachable from the roots. A block's level is the nested loop that it
  /// currently belongs to.
  void lay_out(const std::vector<uint32_t>& roots, uint32_t level) {
    std::vector<std::vector<uint32_t>> components;  // in reverse topological order
    for (uint32_t root : roots)
      if (level_[root] == level) find_components(root, level, components);
    for (auto component = components.rbegin(); component != components.rend(); ++component) {
      const uint32_t head = component->back();  // the first one reached
      const auto& successors = flow_.blocks[head].successors;
      const bool loops =
          component->size() > 1 || std::find(successors.begin(), successors.end(), head) != successors.end();
      append(head);
      if (component->size() > 1) {
        component->pop_back();
        for (uint32_t block : *component) {
          level_[block] = level + 1;
          number_[block] = 0;
        }
        if (level < kDeepestLoop) lay_out(successors, level + 1);
        // Nested deeper than any compiler would: the remaining blocks stay in program order.
        std::sort(component->begin(), component->end());
        for (uint32_t block : *component)
          if (flow_.position[block] == kNoIndex) lay_out_rest(block, level + 1);
      }
      if (loops) flow_.loop_end[head] = static_cast<uint32_t>(flow_.layout.size() - 1);
    }
  }

  void lay_out_rest(uint32_t block, uint32_t level) {
    if (level <= kDeepestLoop)
      lay_out({block}, level);
    else
      append(block);
  }

  void append(uint32_t block) {
    flow_.position[block] = static_cast<uint32_t>(flow_.layout.size());
    flow_.layout.push_back(block);
    level_[block] = kNoIndex;  // belongs to no level any more
  }

  /// Tarjan's algorithm without recursion. The successor visited last comes first in the layout.
  void find_components(uint32_t root, uint32_t level, std::vector<std::vector<uint32_t>>& components) {
    if (number_[root] != 0) return;
    std::vector<Frame> frames;
    const auto enter = [&](uint32_t block) {
      number_[block] = low_[block] = ++counter_;
      stack_.push_back(block);
      frames.push_back({block, 0});
    };
    enter(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const auto& successors = flow_.blocks[frame.block].successors;
      if (frame.next < successors.size()) {
        const uint32_t next = successors[frame.next++];
        if (level_[next] != level) continue;
        if (number_[next] == 0)
          enter(next);
        else if (number_[next] != kDone)
          low_[frame.block] = std::min(low_[frame.block], number_[next]);
        continue;
      }
      const uint32_t block = frame.block;
      frames.pop_back();
      if (!frames.empty()) low_[frames.back().block] = std::min(low_[frames.back().block], low_[block]);
      if (low_[block] != number_[block]) continue;
      auto& component = components.emplace_back();
      do {
        component.push_back(stack_.back());
        number_[stack_.back()] = kDone;
        stack_.pop_back();
      } while (component.back() != block);
    }
  }

  static constexpr uint32_t kDone = kNoIndex;
  ControlFlow& flow_;
  std::vector<uint32_t> level_, number_, low_, stack_;
  uint32_t counter_ = 0;
};

}  // namespace

Result<ControlFlow> build_control_flow(const PtxFunction& function) {
  ControlFlow flow;
  auto blocks = BlockBuilder(function).run();
  if (!blocks) return forward(blocks);
  flow.blocks = std::move(*blocks);
  const auto entry_at = [&](uint32_t instruction) {
    const auto block = std::find_if(flow.blocks.begin(), flow.blocks.end(),
                                    [&](const BasicBlock& candidate) { return candidate.first == instruction; });
    flow.entries.push_back(static_cast<uint32_t>(block - flow.blocks.begin()));
  };
  for (const auto& subroutine : function.subroutines) entry_at(subroutine.first);
  entry_at(function.entry);
  Layout(flow).run();
  return flow;
}

}  // namespace tilescope
