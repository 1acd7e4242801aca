// The source's names for registers. The compiler keeps no names of local variables (-lineinfo has only lines, and -G
// would change the code), so they are inferred: if a line assigns one variable of a fundamental type, and the
// instructions of that line produce one register of that type, the register holds the variable. In all other cases the
// register stays unnamed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/step_record.hpp"

namespace tilescope {

struct StepName {
  std::string variable;  // empty: unknown
  uint32_t line = 0;     // the line that shows it
  bool operator==(const StepName&) const = default;
};

/// By register of the record. `file` is the source's name in the record.
std::vector<StepName> register_variables(const StepRecord& record, std::string_view source, std::string_view file);

}  // namespace tilescope
