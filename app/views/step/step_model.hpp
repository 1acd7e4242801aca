// What the step view says about a record: positions to go to, values as texts, which lanes are where. Facts only;
// drawing is in step_*.cpp.
//
//   position   of a step among those of its warp, from 0
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
  std::string other_file = {};  // that it names, of a race
  uint32_t lanes = 0;
};

class StepIndex {
 public:
  StepIndex(std::shared_ptr<const StepRecord> record, const std::shared_ptr<const RunResult>& result);

  const StepRecord& record() const { return *record_; }
  bool is_of(const std::shared_ptr<const StepRecord>& other) const { return record_ == other; }
  /// For what is kept between frames: a record's address alone may be that of an earlier one.
  std::weak_ptr<const StepRecord> reference() const { return record_; }

  uint64_t count(uint32_t warp) const { return record_->steps_of(warp).size(); }
  /// The step at a position; the last one for positions behind it. The warp must have steps.
  uint32_t step_at(uint32_t warp, uint64_t position) const;
  const Step& at(uint32_t warp, uint64_t position) const { return record_->steps[step_at(warp, position)]; }
  const StepInstruction& instruction(const Step& step) const { return record_->instructions[step.instruction]; }
  uint32_t line_at(uint32_t warp, uint64_t position) const { return instruction(at(warp, position)).line; }

  /// Barriers and beginnings of a further round of a loop, ascending.
  const std::vector<uint64_t>& stops(uint32_t warp) const { return stops_[warp]; }
  const std::vector<StepMark>& marks(uint32_t warp) const { return marks_[warp]; }
  const StepMark* mark_at(uint32_t warp, uint64_t position) const;
  /// The first finding of the block: warp and position.
  std::optional<std::pair<uint32_t, uint64_t>> first_mark() const;

  // Where one comes to from a position; the same position where there is nothing further.
  uint64_t next_line(uint32_t warp, uint64_t position) const;
  uint64_t previous_line(uint32_t warp, uint64_t position) const;
  uint64_t next_stop(uint32_t warp, uint64_t position) const;
  uint64_t previous_stop(uint32_t warp, uint64_t position) const;
  /// The next step on a source line, or at an instruction, this one included; else the first one.
  std::optional<uint64_t> find_line(uint32_t warp, uint64_t from, uint32_t line) const;
  std::optional<uint64_t> find_instruction(uint32_t warp, uint64_t from, uint32_t instruction) const;
  /// The position of a step (of this warp).
  uint64_t position_of(uint32_t step) const;

  /// The access of the run's trace that a step made, and the step that made an access.
  std::optional<uint32_t> access_of(const Step& step) const;
  std::optional<std::pair<uint32_t, uint64_t>> place_of_access(const Access& access) const;
  /// What the learner calls a register, where the source tells (step_names.hpp).
  const StepName& name_of(uint32_t reg) const { return names_[reg]; }
  /// "row", or "%r5" where nothing is known; "row (%r5)" where `both` is wanted.
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

/// What the lanes of a warp do at a step.
enum class LaneState : uint8_t { executes, guarded_off, elsewhere, waits, left };
std::array<LaneState, 32> lane_states(const StepRecord& record, const Step& step);

/// A value as a person reads it, in at most about `digits` figures; with that many decimals where they are given.
std::string value_text(uint64_t bits, uint64_t high, uint32_t bytes, ValueKind kind, StepFormat format, int digits,
                       std::optional<int> decimals = {});
/// Decimals with which the values of some lanes can stand below one another; none where they differ too much in size,
/// or are no real numbers.
std::optional<int> common_decimals(const LaneValues& values, uint32_t lanes, uint32_t bytes, ValueKind kind,
                                   StepFormat format, int digits);
/// "f32", "s32", "b64", "pred", "f16×2".
std::string kind_text(const StepRegister& reg, ValueKind kind);

/// Whether these lanes all hold the same; or each so much more than the one before it (whole numbers only).
struct LanePatternText {
  bool uniform = false;
  std::optional<int64_t> stride;
};
/// How many lanes one is from the next, where that is the same for all of these: 4 of lanes 0, 4, 8 …; else 0.
int lane_spacing(uint32_t lanes);
LanePatternText pattern_of(const LaneValues& values, uint32_t lanes, ValueKind kind, uint32_t bytes);

/// "0–7, 12, 16–31"
std::string lanes_text(uint32_t lanes);

/// What lies at an address: a buffer's element, or an offset into the block's own memory.
struct AddressPlace {
  int64_t buffer = -1;  // index into Plan::buffers
  int64_t element = 0;  // of the buffer, or bytes
  bool inside = true;   // of the buffer
  Space space = Space::global;
};
AddressPlace place_of_address(const RunResult& result, uint64_t address, uint32_t bytes, Space space);

struct StepSentence {
  std::string finding, reason, quiet;
  std::string warning;  // in place of `quiet`: what the checks found
};

/// An offset into the block's shared memory as the source has it: an index into an array, in elements as wide as what a
/// lane moves. Nothing where that is no whole number, or the array is not known.
struct SharedPlace {
  const StepVariable* variable = nullptr;
  int64_t element = 0;
};
std::optional<SharedPlace> shared_place(const StepRecord& record, int64_t offset, uint32_t bytes);

}  // namespace tilescope
