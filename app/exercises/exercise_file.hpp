// Reads exercise.toml.
#pragma once

#include <filesystem>

#include "app/exercises/exercise.hpp"

namespace tilescope {

/// What the file says. `name`, `folder` and `has_triton` are not set; whether the other files are there is not checked.
Result<Exercise> read_exercise_file(const std::filesystem::path& file);

}  // namespace tilescope
