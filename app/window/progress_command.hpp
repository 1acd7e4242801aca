// tilescope progress: what a learner has done, as a table or as JSON, and whether the accepted texts of such a JSON
// still hold.
#pragma once

#include <iosfwd>

#include "app/commands/parse.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {

/// Exit status 1 of --verify: a text is not accepted.
int progress_command(const std::shared_ptr<Engine>& engine, const ProgressOptions& options, std::ostream& out,
                     std::ostream& problems);

}  // namespace tilescope
