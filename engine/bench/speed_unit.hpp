// What a time means as a speed: GB/s of useful bytes, or TFLOP/s for labs whose field counts operations.
#pragma once

#include "engine/lab.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// "GB/s" or "TFLOP/s".
const char* speed_unit_of(const Lab& lab);
/// The speed of a point of the lab's report, in that unit.
double speed_of(const Lab& lab, const SpeedReport& report, const TimingPoint& point);
/// The speed of one timed run, at its own sizes.
double speed_of_run(const Lab& lab, const RunResult& run);
/// Operations over time, in TFLOP/s; 0 if the time is 0.
double teraflops(const Lab& lab, const Config& config, double milliseconds);

}  // namespace tilescope
