// Who computes which tile of the scores in the backward pass of attention, and whose sum it is added to. A tile is a
// block of queries against a block of keys. No drawing.
#pragma once

#include <cstdint>
#include <vector>

namespace tilescope {

/// Shapes in tiles. With a causal mask the last query sees the last key.
struct ScoreTiles {
  uint32_t queries = 4, keys = 4;
  bool causal = false;
  /// Whether a query of the tile sees a key of it.
  bool visited(uint32_t query, uint32_t key) const { return !causal || key + queries <= query + keys; }
};

enum class GradientOwner { queries, keys };
/// A kernel whose blocks each own a block of queries, or of keys, and loop over the other.
struct OwnedPass {
  GradientOwner owner = GradientOwner::queries;
  bool dq = false, dk_dv = false;  // the gradients that it computes
  /// Matrix products for each tile: S and dP, then one for each gradient.
  uint32_t products() const { return 2 + (dq ? 1 : 0) + (dk_dv ? 2 : 0); }
  /// Sums that several owners add to stand in memory.
  bool adds_in_memory() const {
    return (owner == GradientOwner::keys && dq) || (owner == GradientOwner::queries && dk_dv);
  }
};
/// Two passes in which each sum has one owner, and the one pass that needs atomics.
std::vector<OwnedPass> gradient_passes();

/// Tiles of an owner, and of all of them.
uint32_t tiles_of_owner(const ScoreTiles& tiles, GradientOwner owner, uint32_t index);
uint32_t visited_tiles(const ScoreTiles& tiles);

}  // namespace tilescope
