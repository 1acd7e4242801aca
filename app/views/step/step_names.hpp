// The learner's names for registers. The compiler keeps none of local variables (-lineinfo has lines alone, and -G
// would change the code), so they are concluded from the source: where a line assigns one variable of a fundamental
// type, and the instructions of that line leave behind one register of that type, the register holds the
// variable. Where a line says less than that, the register stays without a name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/step_record.hpp"

namespace tilescope {

struct StepName {
  std::string variable;  // empty: not known
  uint32_t line = 0;     // that says so
  bool operator==(const StepName&) const = default;
};

/// By register of the record. `file` is the source's name in the record.
std::vector<StepName> register_variables(const StepRecord& record, std::string_view source, std::string_view file);

}  // namespace tilescope
