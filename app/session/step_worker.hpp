// The thread that records steps for the views that step through a block.
#pragma once

#include <memory>

#include "app/session/newest_wish.hpp"
#include "engine/run/record_steps.hpp"

namespace tilescope {

/// A part of one block of a finished run.
struct StepWish {
  std::shared_ptr<const RunResult> result;
  size_t launch = 0;
  StepWindow window;
  bool operator==(const StepWish& other) const {
    return result == other.result && launch == other.launch && window == other.window;
  }
};

class StepWorker : public NewestWish<StepWish, StepRecord> {
 public:
  StepWorker();
  std::shared_ptr<const StepRecord> record(const StepWish& wish) const { return product(wish); }
};

}  // namespace tilescope
