// The tile view's sentences, generated from the result.
#pragma once

#include <string>

#include "app/draw/strings.hpp"
#include "app/views/tiles/tiles_layout.hpp"

namespace tilescope {

struct ViewSentence {
  std::string finding, reason, quiet;
  std::string warning;  // replaces `quiet`: what the checks found
};
/// "97 blocks" · "write 98,432 elements; each loops over 4 tiles of 256." · "35 of 132 SMs get no block."
ViewSentence tiles_sentence(const Strings& strings, const RunResult& result, const TileShape& shape);

/// The label beside the hatched elements.
std::string tail_text(const Strings& strings, const Tail& tail);

}  // namespace tilescope
