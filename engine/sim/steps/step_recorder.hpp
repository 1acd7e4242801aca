// Follows one block while a machine runs it, and records a window of its steps (engine/step_record.hpp).
//
//     StepRecorder recorder(setup, window);
//     setup.follower = &recorder;      // the machine lets it run the warps of that block
//     …
//     std::shared_ptr<const StepRecord> record = recorder.take();
//
// The values that it reads and writes are compared with the known ones, so that the record is right even if a value
// changes other than through an instruction's destination (registers restored by a return, say).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/executor.hpp"
#include "engine/sim/state/block_follower.hpp"
#include "engine/sim/state/launch.hpp"
#include "engine/sim/steps/step_listing.hpp"
#include "engine/step_record.hpp"

namespace tilescope {

class StepRecorder : public BlockFollower {
 public:
  StepRecorder(const LaunchSetup& setup, const StepWindow& window);

  bool follows(const Block& block) const override { return block.index == window_.block; }
  bool done() const override { return done_; }
  void run(Block& block, Warp& warp, const Operation* next) override;
  void note_finding(const Block& block, const Warp& warp, uint32_t operation, uint32_t lane, FindingId id,
                    const Phrase& what) override;
  void end(Block& block) override;
  std::shared_ptr<const StepRecord> take();

 private:
  /// Lanes that will have executed an operation once they stop waiting.
  struct Expected {
    const Operation* operation;
    uint32_t lanes;
  };
  /// A step that is being executed.
  struct Current {
    const Operation* operation;
    uint32_t mask, hidden, sequence;
    Step step;
  };

  void execute(Warp& warp, const Operation*& next);
  bool keeps(const Warp& warp) const;
  void begin_step(Warp& warp, const Operation* operation, uint32_t mask, Current& current);
  void end_step(Warp& warp, const Current& current);
  void note_reads(const Warp& warp, const Operation* operation, uint32_t mask);
  void note_paths(const Warp& warp, Step& step);
  void note_states(const Block& block);
  void settle(const Warp& warp);
  void add_writes(const Warp& warp, uint32_t instruction, uint32_t lanes);
  void add_write(const Warp& warp, uint32_t reg, uint32_t lanes, bool found);
  uint32_t differing(const Warp& warp, uint32_t reg, uint32_t lanes) const;
  void check_bounds(Block& block);
  uint32_t instruction_at(const Warp& warp, const Operation* operation) const;
  uint32_t instruction_of(const Warp& warp, const Operation* operation) const {
    return setup_.program->details[static_cast<size_t>(operation - warp.code)].instruction;
  }
  bool is_hidden(const Operation* operation) const { return operation->run == jump_ || operation->run == end_; }

  const LaunchSetup& setup_;
  const StepWindow window_;
  std::vector<StepUse> uses_;
  Handler jump_, end_;
  std::shared_ptr<StepRecord> record_;
  uint64_t share_ = 0;                           // steps per warp
  uint64_t most_steps_ = 0;                      // for the whole block
  uint64_t steps_ = 0;                           // executed
  std::vector<uint32_t> last_writes_;            // by warp and register: index into writes + 1
  std::vector<std::vector<Expected>> expected_;  // by warp
  std::vector<StepWarpState> states_;
  std::vector<std::pair<uint32_t, uint16_t>> last_paths_;  // by warp: first, count
  size_t bytes_ = 0;
  bool done_ = false, ended_ = false, full_ = false;
};

}  // namespace tilescope
