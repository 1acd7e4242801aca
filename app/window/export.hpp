// The current result as files, and the command line that reproduces it. The palette and the menu of the header call
// these; each says in the status bar what it did, or why it could not.
#pragma once

#include <filesystem>
#include <string>

#include "app/views/context.hpp"

namespace tilescope {

class Screen;

void copy_command(Screen& screen);
void export_json(Screen& screen);
void export_csv(Screen& screen);
/// A picture of the window as it is, taken after this frame.
void export_png(Screen& screen);

/// A name in the folder of saved files (app/session/saved_files.hpp) that is not taken: vector-add-grid-stride.png,
/// then vector-add-grid-stride-2.png …; makes the folder. Error: it cannot be made.
Result<std::filesystem::path> free_file(const Request& request, const std::string& extension);

}  // namespace tilescope
