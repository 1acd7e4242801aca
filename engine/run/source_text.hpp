// The source of a run as the simulator reads it for the shapes of shared arrays (engine/sim/program/shared_names.hpp).
#pragma once

#include <memory>
#include <string>

#include "engine/plan.hpp"

namespace tilescope {

/// The source preceded by the values of sliders and switches as macros.
inline std::shared_ptr<const std::string> source_with_defines(const Plan& plan) {
  auto text = std::make_shared<std::string>();
  for (const Define& define : plan.defines) *text += "#define " + define.name + " " + define.value + "\n";
  *text += plan.source_text;
  return text;
}

}  // namespace tilescope
