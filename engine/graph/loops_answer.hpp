// What the analysis of two loop nests (loops.hpp) means, in sentences, and the nests that fusing makes of them, as
// text:
//
//     for i in 0..8, j in 0..8:                     for i0 in 0..8 step 4, j0 in 0..8 step 4:
//       b[i, j] = exp(a[i, j])                        for i in i0..i0 + 4, j in j0..j0 + 4:
//       c[i, j] = b[i, j] + 1                           b[i, j] = exp(a[i, j])
//                                                       c[i, j] = b[i, j] + 1
#pragma once

#include <string>

#include "engine/graph/loops.hpp"

namespace tilescope {

/// Whether the nests may become one, and what is in the way: the bounds, or the dependence that would be reversed, with
/// an element and the two iterations that meet there.
Phrase verdict_of(const LoopPair& pair, const LoopFusion& fusion);
/// Whether two iterations of a nest access the same element, and one of them writes it: a sum does.
bool meets_itself(const LoopNest& nest);
/// Whether each iteration of the fused nest may be a thread, and whether tiles of it may be computed one by one. The
/// fusion must be legal.
Phrase threads_of(const LoopPair& pair, const LoopFusion& fusion);
Phrase tiling_of(const LoopFusion& fusion);

/// "(0, 1)", of as many loops as the nest has.
std::string text_of_iteration(const Iteration& at, size_t loops);
/// "b[0, 2]"
std::string text_of_element(const Dependence& dependence);

/// The fused nest, with the second statement in the variables of the first nest. The nests must have the same bounds.
std::string fused_text(const LoopPair& pair);
/// The same in tiles. `tile`: iterations of each loop in a tile; 0: all of them.
std::string tiled_text(const LoopPair& pair, const Iteration& tile);

}  // namespace tilescope
