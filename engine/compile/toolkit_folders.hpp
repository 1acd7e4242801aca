// Possible locations of a CUDA Toolkit: CUDA_PATH, the usual installation folders, and the folder where `./tilescope`
// unpacks its download on a machine without a toolkit (launcher/nvrtc.sh).
#pragma once

#include <filesystem>
#include <vector>

namespace tilescope {

/// XDG_DATA_HOME/tilescope or ~/.local/share/tilescope; empty without a home folder.
std::filesystem::path user_data_folder();

/// CUDA_PATH; empty if it is not set.
std::filesystem::path chosen_toolkit();

/// /usr/local/cuda first, because the administrator chose it, then the numbered ones, newest first. They need not
/// exist.
std::vector<std::filesystem::path> installed_toolkits();

/// The folders cuda-VERSION of the data folder, newest first. The launcher gives a folder this name once it is
/// complete.
std::vector<std::filesystem::path> downloaded_toolkits();

}  // namespace tilescope
