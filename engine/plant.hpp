// A bug that a lab plants: a text replacement in its kernel, applied when the bug's switch is on (BreakIt). The kernel
// files contain no trace of it.
//
//     {.in = "thread_per_element", .replace = "if (i < n) ", .by = ""}
//     {.in = "tile_per_program", .replace = "(a + i, mask=mask)", .by = "(a + i)", .file = "elementwise.py"}
//
// A replacement keeps the number of lines, so that line numbers are the same with and without the bug.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/result.hpp"

namespace tilescope {

struct Plant {
  std::string in = {};       // the function, kernel or struct that contains the text; empty: the whole file
  std::string replace = {};  // must occur exactly once
  std::string by = {};
  std::string file = {};  // a different file beside the lab's kernel file: a header ("rows.cuh"), or the file of the
                          // lab's kernels in Triton ("softmax.py"); empty: the lab's kernel file
};

/// The definition of the function or struct of this name in a CUDA source formatted like ours: from its name to the
/// closing brace at the start of a line. In Python source the function `def name(` at the start of a line, from its
/// name to the end of its body. Empty if there is none.
std::string_view definition_in(std::string_view text, std::string_view name);

/// Applies the replacements in order. An Error if the text of one does not occur exactly once, as in an edited kernel;
/// `what` is the name of the bug.
Result<std::string> plant(std::string text, std::span<const Plant> plants, const std::string& what);

}  // namespace tilescope
