// State remembered across starts: settings.json in the user's configuration folder. The learner's progress has a file
// of its own (app/session/progress_file.hpp).
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/window/screen.hpp"

namespace tilescope {

/// XDG_CONFIG_HOME/tilescope/settings.json or ~/.config/tilescope/settings.json; empty without a home folder.
std::filesystem::path user_settings_file();

nlohmann::json settings_of(const Screen& screen);
/// The text of the file. In file names that are not UTF-8, invalid bytes become U+FFFD.
std::string settings_text(const Screen& screen);
/// Applies the settings that it understands; unknown keys and values of the wrong type are ignored.
void apply_settings(Screen& screen, const nlohmann::json& settings);

/// A missing or unreadable file changes nothing.
void read_settings(Screen& screen, const std::filesystem::path& file);
/// Creates the folder if it is missing; replace_file (app/session/saved_files.hpp) writes the file.
Result<void> write_settings(const Screen& screen, const std::filesystem::path& file);

}  // namespace tilescope
