// Where a CUDA Toolkit may be: where CUDA_PATH says, where one is usually installed, and where `./tilescope` unpacks
// what it downloads on a machine that has none (launcher/nvrtc.sh).
#pragma once

#include <filesystem>
#include <vector>

namespace tilescope {

/// XDG_DATA_HOME/tilescope or ~/.local/share/tilescope; empty without a home.
std::filesystem::path user_data_folder();

/// CUDA_PATH; empty where it is not set.
std::filesystem::path chosen_toolkit();

/// /usr/local/cuda first, as its owner chose it, then the numbered ones, newest first. They need not exist.
std::vector<std::filesystem::path> installed_toolkits();

/// The folders cuda-VERSION of the data folder, newest first. The launcher gives a tree this name when it is complete.
std::vector<std::filesystem::path> downloaded_toolkits();

}  // namespace tilescope
