// The contents of one block's shared memory over time, derived from a window of the block's steps
// (engine/step_record.hpp) and the accesses that it made. Nothing is declared; it is observed on the simulator, in the
// order of execution, which is not time.
//
//   word     4 bytes of shared memory; word w is in bank w % 32
//   origin   the element of a buffer that was copied there, by cp.async or through a register
//   region   bytes that one batch of copies fills: those between two cp.async.commit_group, or two barriers
//   slot     regions of one buffer are numbered: the stages of a pipeline
//
//     const auto picture = SharedPicture::make(record, result);
//     for (const SharedEvent& event : picture->events(warp)) …          // copies, commits, waits, reads, in order
//     picture->contents_at(step)[w]                                      // after a step of any warp
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/run_result.hpp"
#include "engine/step_record.hpp"

namespace tilescope {

struct SharedWord {
  static constexpr uint32_t kNone = 0xffffffff;
  enum class State : uint8_t { untouched, arriving, there };
  State state = State::untouched;
  int32_t buffer = -1;    // index into Plan::buffers; −1: zeros, a computed value, or unknown
  int64_t element = -1;   // in the buffer: the first element that begins in the word
  uint32_t step = kNone;  // the step that wrote it, index into StepRecord::steps
};

struct SharedRegion {
  int32_t buffer = -1;
  uint32_t first = 0, end = 0;  // offsets in the block's shared memory, bytes
  uint32_t slot = 0;            // number among those of its buffer, by address
  bool operator==(const SharedRegion&) const = default;
};

struct SharedEvent {
  enum class Kind : uint8_t { copy, store, load, commit, wait, barrier, multiply };
  Kind kind = Kind::load;
  uint32_t step = 0;                     // index into StepRecord::steps
  int32_t region = -1;                   // for a copy, a store or a load: index into regions()
  uint32_t batch = 0;                    // for a copy: groups its warp had committed before; for a store: barriers
  uint32_t arrives = SharedWord::kNone;  // for a copy: the step with which its warp has waited for it
};

class SharedPicture {
 public:
  /// Null if the block's accesses were not recorded, or none of them touches shared memory.
  static std::shared_ptr<const SharedPicture> make(std::shared_ptr<const StepRecord> record, const RunResult& result);

  const StepRecord& record() const { return *record_; }
  bool is_of(const std::shared_ptr<const StepRecord>& record) const { return record_ == record; }
  uint32_t words() const { return words_; }  ///< up to the last touched word, rounded up to whole rows of 32
  const std::vector<SharedRegion>& regions() const { return regions_; }
  /// The events of one warp, ascending by step.
  std::span<const SharedEvent> events(uint32_t warp) const;
  /// All words after a step; a copy arrives when its warp has waited for its group.
  std::vector<SharedWord> contents_at(uint32_t step) const;
  /// The smallest region that contains a byte; −1: none.
  int32_t region_at(uint32_t byte) const;
  /// The bytes of shared memory that a step reads or writes, by lane; nothing if it makes no shared memory access.
  struct Touched {
    uint32_t lanes = 0, bytes = 0;  // per lane; for ldmatrix, bytes per row
    std::array<uint32_t, 32> first{};
    bool writes = false;
    uint32_t access = SharedWord::kNone;  // index into RunResult::trace.accesses
  };
  std::optional<Touched> touched_at(uint32_t step) const;

 private:
  struct Write {                              // words that one step writes
    uint32_t step = 0, first = 0, count = 0;  // range in written_
    uint32_t arrives = 0;                     // the step after which the words are there
  };
  struct Written {
    uint32_t word;
    int32_t buffer;
    int64_t element;
  };
  struct Builder;

  std::shared_ptr<const StepRecord> record_;
  uint32_t words_ = 0;
  std::vector<SharedRegion> regions_;
  std::vector<std::vector<SharedEvent>> events_;  // by warp
  std::vector<Write> writes_;                     // ascending step
  std::vector<Written> written_;
  std::vector<Touched> touched_;           // one for each step that touches shared memory
  std::vector<uint32_t> touched_of_step_;  // by step: index into touched_, or kNone
};

}  // namespace tilescope
