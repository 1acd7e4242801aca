// Where inlined code was called, as LLVM writes it in the comment behind a .loc. Triton's PTX says it nowhere else:
//
//     .loc 2 170 27   // standard.py:170:27 @[ standard.py:191:40 @[ softmax.py:37:29 ] ]
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope {

struct CommentPlace {
  std::string_view file;  // without its folder
  uint32_t line = 0, column = 0;
};

/// The places in the comment, innermost first: the code itself, then its callers. `text` is what follows the .loc up to
/// the end of its line. Empty without such a comment.
std::vector<CommentPlace> places_in_comment(std::string_view text);
/// The innermost caller that is in the file of the outermost one, which is the kernel's; null for code that was not
/// inlined, or that is in that file itself.
const CommentPlace* caller_in_own_file(const std::vector<CommentPlace>& places);

}  // namespace tilescope
