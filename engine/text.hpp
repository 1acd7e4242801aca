// What every reader of text needs: lines, words without the blanks around them, lower case.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// Without white space at both ends. The result points into `text`.
std::string_view trimmed(std::string_view text);

/// The lines without their '\n'. One that ends the text adds no empty line.
std::vector<std::string> lines_of(std::string_view text);

/// ASCII letters in lower case; other bytes stay as they are.
std::string lower_case(std::string_view text);

/// What stands behind the last '/': "c.cu" of "a/b/c.cu". The result points into `path`.
std::string_view file_part(std::string_view path);

}  // namespace tilescope
