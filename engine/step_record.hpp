// A window of the execution of one block: what each warp executed, step by step, with the values that it read and
// wrote.
//
//   step       one warp instruction: the lanes that executed it, and where the warp's other lanes were meanwhile
//   write      the contents of a register after a step: all 32 lanes, including untouched ones
//   change     a warp begins to wait, continues, or ends
//
// A register's value at any step is that of its last write up to there, so any step can be reached directly, forwards
// or backwards. Steps are in the simulator's order of execution: a warp runs until it waits or its turn is over.
//
//     const StepRecord& record = *report.steps;
//     for (uint32_t index : record.steps_of(warp)) …                        // this warp's steps
//     if (const auto value = record.value_at(warp, reg, index)) value->bits(lane);
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/phrase.hpp"
#include "engine/trace.hpp"

namespace tilescope {

/// How to interpret the bits of a register.
enum class ValueKind : uint8_t {
  bits,
  predicate,
  address,
  unsigned_integer,
  signed_integer,
  f16,
  bf16,
  f32,
  f64,
  f16x2,
  bf16x2,
};

struct StepRegister {
  std::string name;                  // "%r1"
  uint32_t bytes = 0;                // 0: a predicate
  ValueKind kind = ValueKind::bits;  // as interpreted by most of the instructions that use it
};

/// An array or a variable in the block's shared memory, by its source name. Dynamic shared memory counts as one.
struct StepVariable {
  std::string name;
  uint32_t first = 0, bytes = 0;  // offsets in the block's shared memory
  bool is_dynamic = false;
  bool operator==(const StepVariable&) const = default;
};

struct StepOperand {
  uint32_t reg = 0;  // index into StepRecord::registers
  ValueKind kind = ValueKind::bits;
};

enum class StepRole : uint8_t { other, load, store, atomic, barrier, branch, exit };

struct StepInstruction {
  std::string text;             // as in the PTX, guard included
  uint32_t line = 0, file = 0;  // source line, 1-based, 0 if unknown; index into StepRecord::files
  StepRole role = StepRole::other;
  std::vector<StepOperand> reads, writes;  // in operand order; a guard comes first, address registers are omitted
  bool guarded = false;
  /// For a memory instruction: the lanes' addresses are the register's values plus the offset.
  bool is_memory = false;
  Space space = Space::global;
  uint32_t bytes_per_lane = 0;
  uint32_t address_register = 0xffffffff;  // none: the offset alone
  int64_t address_offset = 0;
};

struct StepLabel {
  std::string name;          // "$L__BB0_2"
  uint32_t instruction = 0;  // the one after it
};

struct Step {
  static constexpr uint32_t kNone = 0xffffffff;
  uint32_t instruction = 0;  // index into StepRecord::instructions
  uint32_t active = 0;       // lanes of the path
  uint32_t executed = 0;     // active lanes whose guard holds
  uint32_t waits = 0;        // active lanes that wait after it: at a barrier, for other lanes
  uint32_t first_write = 0, first_path = 0;
  uint32_t access = kNone;  // Access::sequence, if the access is part of the trace
  uint16_t warp = 0;
  uint16_t writes = 0;
  uint16_t paths = 0;  // the warp's other paths
};

/// Lanes of the same warp that are at a different instruction while a step is executed.
struct StepPath {
  enum class State : uint8_t { pending, at_barrier, for_lanes };
  uint32_t lanes = 0;
  uint32_t instruction = 0;  // where they continue
  State state = State::pending;
  uint8_t barrier = 0;
  bool operator==(const StepPath&) const = default;
};

struct StepWrite {
  uint32_t step = 0;
  uint32_t reg = 0;
  uint32_t lanes = 0;    // written now
  uint32_t changed = 0;  // written lanes whose value changed
  uint32_t known = 0;    // written at some time so far
  uint32_t values = 0;   // index into StepRecord::values
  uint16_t warp = 0;
  bool found = false;  // not written in this window: the value was found when it was first read
};

struct StepWarpState {
  enum class State : uint8_t { ready, at_barrier, for_lanes, exited, trapped };
  State state = State::ready;
  uint8_t barrier = 0;
  bool operator==(const StepWarpState&) const = default;
};

/// The state from this step on.
struct StepChange {
  uint32_t step = 0;
  uint16_t warp = 0;
  StepWarpState now;
};

/// What the checks found while the block ran. `step` is the step after which it was known; `own` is the step number
/// within its warp, counted from before the window too.
struct StepFinding {
  uint32_t step = Step::kNone;
  uint64_t own = 0;
  uint16_t warp = 0;
  uint32_t instruction = 0;
  uint32_t lane = 0;
  std::string id;  // "out-of-bounds"
  Phrase what;     // "read of 4 bytes at a+4096 (buffer of 4096 bytes)"
};

/// The value of a register: lanes that were never written are unknown.
class LaneValues {
 public:
  LaneValues(const uint32_t* words, uint32_t bytes, uint32_t known) : words_(words), bytes_(bytes), known_(known) {}
  uint32_t known() const { return known_; }
  bool is_known(int lane) const { return (known_ >> lane & 1) != 0; }
  /// The low 64 bits; 0 or 1 for a predicate.
  uint64_t bits(int lane) const;
  /// Bits 64 to 127 of a wide register.
  uint64_t high_bits(int lane) const;

 private:
  const uint32_t* words_;
  uint32_t bytes_, known_;
};

struct StepRecord {
  std::string kernel;
  Dim3 grid, block_extent;
  uint64_t block = 0;
  uint32_t launch = 0;
  uint32_t warps = 0;
  uint64_t first_step = 0;  // for each warp: the first step that is kept

  std::vector<std::string> files;
  std::vector<StepInstruction> instructions;
  std::vector<StepLabel> labels;  // ascending
  std::vector<StepRegister> registers;
  std::vector<StepVariable> shared;  // ascending first

  std::vector<Step> steps;
  std::vector<StepWrite> writes;  // ascending step
  std::vector<uint32_t> values;
  std::vector<StepPath> paths;
  std::vector<StepChange> changes;  // ascending step
  std::vector<StepFinding> findings;
  std::vector<uint64_t> executed;  // by warp: its steps so far, kept or not
  std::vector<bool> ended;         // by warp: its last step is kept, or precedes the window
  bool stopped = false;            // by a finding: the block could not be completed
  bool finished = false;           // the block was followed to its end: `executed` counts all of its steps

  // Made by index().
  std::vector<uint32_t> steps_first, steps_by_warp, changes_first, changes_by_warp, history_first, history;

  /// The indices of a warp's steps, ascending.
  std::span<const uint32_t> steps_of(uint32_t warp) const;
  /// The write that gave a register its value after a step: index into `writes`.
  std::optional<uint32_t> last_write(uint32_t warp, uint32_t reg, uint32_t step) const;
  /// The register's value after a step of any warp, and the value that a step of the warp itself reads.
  std::optional<LaneValues> value_at(uint32_t warp, uint32_t reg, uint32_t step) const;
  std::optional<LaneValues> value_read(uint32_t warp, uint32_t reg, uint32_t step) const;
  /// The state of a warp after a step of any warp.
  StepWarpState state_at(uint32_t warp, uint32_t step) const;
  /// Threads of a warp.
  uint32_t lanes_of(uint32_t warp) const;
  /// The variable in shared memory that contains bytes [first, end); null if none or more than one does.
  const StepVariable* shared_variable(uint32_t first, uint32_t end) const;
  /// Addresses of the lanes that execute a memory step.
  std::optional<std::array<uint64_t, 32>> addresses_at(uint32_t step) const;
  std::span<const StepWrite> writes_of(const Step& step) const {
    return {writes.data() + step.first_write, step.writes};
  }
  std::span<const StepPath> paths_of(const Step& step) const { return {paths.data() + step.first_path, step.paths}; }
  size_t bytes() const;

  void index();

 private:
  LaneValues values_of(const StepWrite& write) const {
    return {values.data() + write.values, registers[write.reg].bytes, write.known};
  }
};

}  // namespace tilescope
