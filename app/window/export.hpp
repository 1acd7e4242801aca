// Saves the current result as files, and copies the command line that reproduces it. Called by the palette and the
// header's menu; each function reports in the status bar what it did, or why it could not.
#pragma once

#include <filesystem>
#include <string>

#include "app/views/context.hpp"

namespace tilescope {

class Screen;

void copy_command(Screen& screen);
void export_json(Screen& screen);
void export_csv(Screen& screen);
/// A picture of the window, taken after this frame.
void export_png(Screen& screen);

/// An unused name in the folder of saved files (app/session/saved_files.hpp): vector-add-grid-stride.png, then
/// vector-add-grid-stride-2.png …; creates the folder. Error: it cannot be created.
Result<std::filesystem::path> free_file(const Request& request, const std::string& extension);
Result<std::filesystem::path> free_file(const std::string& stem, const std::string& extension);

}  // namespace tilescope
