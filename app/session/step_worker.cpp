#include "app/session/step_worker.hpp"

#include "engine/sim/simulator.hpp"

namespace tilescope {

StepWorker::StepWorker()
    // A separate simulator: runs continue meanwhile, and their module variables are not disturbed.
    : NewestWish([simulator = std::shared_ptr<Executor>()](const StepWish& wish,
                                                           const std::stop_token& stop) mutable -> Outcome {
        if (!simulator) simulator = make_simulator(1);
        return record_steps(*wish.result, wish.launch, wish.window, *simulator, stop);
      }) {}

}  // namespace tilescope
