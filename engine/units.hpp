// Bytes and shares as the window and the command line write them. A thousand bytes are a KB, as data sheets count.
#pragma once

#include <string>

namespace tilescope {

/// 1181184 → "1,181 KB": up to four figures before the next unit.
std::string bytes_text(double bytes);
/// 2.86e9 → "2.86 GB", 187e6 → "187 MB": three figures, to compare amounts.
std::string three_figures(double bytes);
/// 0.923 → "92.3%", 0.5 → "50%"; less than all is never called 100%.
std::string percent_text(double fraction);

}  // namespace tilescope
