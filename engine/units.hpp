// Formats bytes and percentages for the window and the command line. 1 KB = 1000 bytes, as in data sheets.
#pragma once

#include <string>

namespace tilescope {

/// 1181184 → "1,181 KB": up to four digits before the next unit.
std::string bytes_text(double bytes);
/// 2.86e9 → "2.86 GB", 187e6 → "187 MB": three significant digits, to compare amounts.
std::string three_figures(double bytes);
/// 0.923 → "92.3%", 0.5 → "50%"; a value below 1 is never shown as 100%.
std::string percent_text(double fraction);

}  // namespace tilescope
