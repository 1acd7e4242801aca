// What lies where in the shared memory of one block, and when it came there: read off a window of the block's steps
// (engine/step_record.hpp) and the accesses that it made. Nothing is declared; observed on the simulator, in the
// order of execution, which is no time.
//
//   word     4 bytes of shared memory; word w lies in bank w % 32
//   origin   the element of a buffer that was copied there, by cp.async or by way of a register
//   region   bytes that one batch of copies fills: those between two cp.async.commit_group, or two barriers
//   slot     regions of one buffer are numbered: the stages of a pipeline
//
//     const auto picture = SharedPicture::make(record, result);
//     for (const SharedEvent& event : picture->events(warp)) …          // copies, commits, waits, reads, in order
//     picture->contents_at(step)[w]                                      // behind a step of any warp
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
  int32_t buffer = -1;    // index into Plan::buffers; −1: zeros, something computed, or not known
  int64_t element = -1;   // of the buffer: the first one that begins in the word
  uint32_t step = kNone;  // that wrote it, index into StepRecord::steps
};

struct SharedRegion {
  int32_t buffer = -1;
  uint32_t first = 0, end = 0;  // bytes of the block's shared memory
  uint32_t slot = 0;            // among those of its buffer, by address
  bool operator==(const SharedRegion&) const = default;
};

struct SharedEvent {
  enum class Kind : uint8_t { copy, store, load, commit, wait, barrier, multiply };
  Kind kind = Kind::load;
  uint32_t step = 0;    // index into StepRecord::steps
  int32_t region = -1;  // index into regions(): of a copy, a store or a load
  uint32_t batch = 0;   // of a copy: how many groups its warp had committed before; of a store: barriers
  uint32_t arrives = SharedWord::kNone;  // of a copy: the step with which its warp has waited for it
};

class SharedPicture {
 public:
  /// Null where the block's accesses were not recorded, or none of them touches shared memory.
  static std::shared_ptr<const SharedPicture> make(std::shared_ptr<const StepRecord> record, const RunResult& result);

  const StepRecord& record() const { return *record_; }
  bool is_of(const std::shared_ptr<const StepRecord>& record) const { return record_ == record; }
  uint32_t words() const { return words_; }  ///< up to the last one that was touched, rounded up to whole rows of 32
  const std::vector<SharedRegion>& regions() const { return regions_; }
  /// Of one warp, ascending.
  std::span<const SharedEvent> events(uint32_t warp) const;
  /// All words, behind a step; a copy arrives when its warp has waited for its group.
  std::vector<SharedWord> contents_at(uint32_t step) const;
  /// The region that a byte belongs to; −1: none. Of several the smallest.
  int32_t region_at(uint32_t byte) const;
  /// The bytes of shared memory that a step reads or writes, by lane; nothing where it makes no such access.
  struct Touched {
    uint32_t lanes = 0, bytes = 0;  // bytes of each lane; of ldmatrix, of each row
    std::array<uint32_t, 32> first{};
    bool writes = false;
    uint32_t access = SharedWord::kNone;  // index into RunResult::trace.accesses
  };
  std::optional<Touched> touched_at(uint32_t step) const;

 private:
  struct Write {                              // words that one step writes
    uint32_t step = 0, first = 0, count = 0;  // in written_
    uint32_t arrives = 0;                     // the step behind which it is there
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
