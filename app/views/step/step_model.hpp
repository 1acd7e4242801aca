// Derives the content of the step view from a record: positions to go to, values as texts, the lanes' states. Facts
// only; step_*.cpp draws them.
//
//   position   index of a step among those of its warp, from 0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/observed/step_cursor.hpp"
#include "app/observed/view_state.hpp"
#include "app/views/step/step_names.hpp"
#include "engine/run_result.hpp"
#include "engine/step_record.hpp"

namespace tilescope {

/// A check's finding at a position of a warp.
struct StepMark {
  uint64_t position = 0;
  std::string id;
  Phrase what;
  std::string other_file = {};  // for a race, the other file that it names
  uint32_t lanes = 0;
};

class StepIndex {
 public:
  StepIndex(std::shared_ptr<const StepRecord> record, const std::shared_ptr<const RunResult>& result);

  const StepRecord& record() const { return *record_; }
  bool is_of(const std::shared_ptr<const StepRecord>& other) const { return record_ == other; }
  /// For data kept between frames: comparing the record's address is not enough, since an earlier record may have had
  /// it.
  std::weak_ptr<const StepRecord> reference() const { return record_; }

  uint64_t count(uint32_t warp) const { return record_->steps_of(warp).size(); }
  /// The step at a position; the last one for positions past the end. The warp must have steps.
  uint32_t step_at(uint32_t warp, uint64_t position) const;
  const Step& at(uint32_t warp, uint64_t position) const { return record_->steps[step_at(warp, position)]; }
  const StepInstruction& instruction(const Step& step) const { return record_->instructions[step.instruction]; }
  uint32_t line_at(uint32_t warp, uint64_t position) const { return instruction(at(warp, position)).line; }

  /// Positions of barriers and of the starts of further loop iterations, ascending.
  const std::vector<uint64_t>& stops(uint32_t warp) const { return stops_[warp]; }
  const std::vector<StepMark>& marks(uint32_t warp) const { return marks_[warp]; }
  const StepMark* mark_at(uint32_t warp, uint64_t position) const;
  /// The first finding of the block: warp and position.
  std::optional<std::pair<uint32_t, uint64_t>> first_mark() const;

  // The target of a move from a position; the same position if there is nothing further.
  uint64_t next_line(uint32_t warp, uint64_t position) const;
  uint64_t previous_line(uint32_t warp, uint64_t position) const;
  uint64_t next_stop(uint32_t warp, uint64_t position) const;
  uint64_t previous_stop(uint32_t warp, uint64_t position) const;
  /// The next step on a source line, or at an instruction, including the current one; else the first one.
  std::optional<uint64_t> find_line(uint32_t warp, uint64_t from, uint32_t line) const;
  std::optional<uint64_t> find_instruction(uint32_t warp, uint64_t from, uint32_t instruction) const;
  /// The position of a step (of this warp).
  uint64_t position_of(uint32_t step) const;

  /// The access in the run's trace that a step made, and the step that made an access.
  std::optional<uint32_t> access_of(const Step& step) const;
  std::optional<std::pair<uint32_t, uint64_t>> place_of_access(const Access& access) const;
  /// The source's name for a register, if it can be concluded (step_names.hpp).
  const StepName& name_of(uint32_t reg) const { return names_[reg]; }
  /// "row", or "%r5" if the name is unknown; "row (%r5)" if `both` is set.
  std::string register_text(uint32_t reg, bool both = false) const;

 private:
  void find_stops(uint32_t warp);
  void find_marks(const RunResult& result);
  void add_mark(uint32_t warp, StepMark mark);

  std::shared_ptr<const StepRecord> record_;
  std::vector<std::vector<uint64_t>> stops_;
  std::vector<std::vector<StepMark>> marks_;
  std::vector<std::vector<uint32_t>> accesses_;  // by warp and sequence: index into the trace
  std::vector<StepName> names_;                  // by register
};

/// The state of a warp's lanes at a step.
enum class LaneState : uint8_t { executes, guarded_off, elsewhere, waits, left };
std::array<LaneState, 32> lane_states(const StepRecord& record, const Step& step);

/// A value in readable form, with at most about `digits` digits, or with exactly `decimals` decimals if given.
std::string value_text(uint64_t bits, uint64_t high, uint32_t bytes, ValueKind kind, StepFormat format, int digits,
                       std::optional<int> decimals = {});
/// The number of decimals with which the lanes' values can be aligned; nothing if their magnitudes differ too much, or
/// they are not real numbers.
std::optional<int> common_decimals(const LaneValues& values, uint32_t lanes, uint32_t bytes, ValueKind kind,
                                   StepFormat format, int digits);
/// "f32", "s32", "b64", "pred", "f16×2".
std::string kind_text(const StepRegister& reg, ValueKind kind);

/// Whether these lanes all hold the same value, or increase by a constant stride (whole numbers only).
struct LanePatternText {
  bool uniform = false;
  std::optional<int64_t> stride;
};
/// The distance between consecutive lanes, if it is constant: 4 for lanes 0, 4, 8 …; else 0.
int lane_spacing(uint32_t lanes);
LanePatternText pattern_of(const LaneValues& values, uint32_t lanes, ValueKind kind, uint32_t bytes);

/// "0–7, 12, 16–31"
std::string lanes_text(uint32_t lanes);

/// What an address refers to: a buffer's element, or an offset into the block's own memory.
struct AddressPlace {
  int64_t buffer = -1;  // index into Plan::buffers
  int64_t element = 0;  // in the buffer, or bytes
  bool inside = true;   // within the buffer
  Space space = Space::global;
};
AddressPlace place_of_address(const RunResult& result, uint64_t address, uint32_t bytes, Space space);

struct StepSentence {
  std::string finding, reason, quiet;
  std::string warning;  // replaces `quiet`: what the checks found
};

/// An offset into the block's shared memory as in the source: an index into an array, in elements as wide as a lane's
/// access. Nothing if that is not a whole number, or the array is unknown.
struct SharedPlace {
  const StepVariable* variable = nullptr;
  int64_t element = 0;
};
std::optional<SharedPlace> shared_place(const StepRecord& record, int64_t offset, uint32_t bytes);

}  // namespace tilescope
