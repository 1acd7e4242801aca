// A bug that a lab plants: a change of the text of its kernel, made when the switch of the bug is on (BreakIt). The
// kernel files know nothing of it.
//
//     {.in = "thread_per_element", .replace = "if (i < n) ", .by = ""}
//
// A change keeps the number of lines, so that lines are counted alike with and without the bug.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/result.hpp"

namespace tilescope {

struct Plant {
  std::string in = {};       // the function, kernel or struct that holds the text; empty: the file itself
  std::string replace = {};  // stands there exactly once
  std::string by = {};
  std::string file = {};  // "rows.cuh": a header that lies beside the kernel's file; empty: that file
};

/// The part of a CUDA source, formatted as ours are, that defines a function or struct of this name: from its name to
/// the brace at the beginning of a line. Empty if there is none.
std::string_view definition_in(std::string_view text, std::string_view name);

/// The text with these changes, one after the other. An Error if the text of one is not there exactly once, as in a
/// kernel that was edited; `what` is the name of the bug.
Result<std::string> plant(std::string text, std::span<const Plant> plants, const std::string& what);

}  // namespace tilescope
