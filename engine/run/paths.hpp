// Locations of the program's own files and of its cache.
#pragma once

#include <filesystem>

namespace tilescope {

/// The folder that holds kernels/, assets/, docs/ and shaders/: TILESCOPE_ROOT, else the nearest folder above the
/// program that has them (source tree), else share/tilescope beside its bin (installation). Empty if there is none.
std::filesystem::path find_root();

/// XDG_CACHE_HOME/tilescope or ~/.cache/tilescope; empty without a home folder.
std::filesystem::path user_cache_folder();

}  // namespace tilescope
