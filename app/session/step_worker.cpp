#include "app/session/step_worker.hpp"

#include "engine/sim/simulator.hpp"

namespace tilescope {

StepWorker::StepWorker()
    // A simulator of its own: runs go on meanwhile, and what they leave in a module's variables is not disturbed.
    : NewestWish([simulator = std::shared_ptr<Executor>()](const StepWish& wish,
                                                           const std::stop_token& stop) mutable -> Outcome {
        if (!simulator) simulator = make_simulator(1);
        return record_steps(*wish.result, wish.launch, wish.window, *simulator, stop);
      }) {}

}  // namespace tilescope
