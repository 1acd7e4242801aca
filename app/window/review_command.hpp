// tilescope review: the review cards that are due, lab by lab.
#pragma once

#include <iosfwd>

#include "app/commands/parse.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {

/// Exit status 1: a file of cards or the file of skills cannot be used.
int review_command(const Engine& engine, const ReviewOptions& options, std::ostream& out, std::ostream& problems);

}  // namespace tilescope
