// The current result as files, and the command line that reproduces it.
#pragma once

#include <filesystem>
#include <string>

#include "app/panel_context.hpp"

namespace tilescope {

class Screen;

/// Each says in the status bar what it did, or why it could not. Files go to the working folder.
void copy_command(Screen& screen);
void export_json(Screen& screen);
void export_csv(Screen& screen);
/// A file name that is not taken: vector-add-grid-stride.png, then vector-add-grid-stride-2.png …
std::filesystem::path free_file(const Request& request, const std::string& extension);

}  // namespace tilescope
