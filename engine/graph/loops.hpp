// Two loop nests that a learner writes, and whether they may become one.
//
//     for i in 0..8, j in 0..8: b[i, j] = exp(a[i, j])
//     for i in 0..8, j in 0..8: c[i, j] = b[i, j] + b[i, j - 1]
//
// Subscripts are sums of loop variables, multiplied by whole numbers, and of whole numbers. The analysis is exact for
// the bounds that are given: every iteration is visited, and for every element it is known which iterations read and
// write it. An element may lie outside of an array's usual bounds: arrays have no bounds here.
//
// Two accesses to one element, in the first nest at iteration p and in the second at q, make a dependence:
//
//   RAW  the first nest writes and the second reads     WAW  both write
//   WAR  the first nest reads and the second writes     RAR  both read: never in the way
//
// Before fusion all of the first nest comes before all of the second. In the fused nest iteration p comes before q if
// p ≤ q, compared from the outermost loop inwards; with q < p the dependence would be reversed, and fusing is illegal.
// A kernel that gives each iteration to a thread of its own keeps no order between iterations: there only p = q will
// do.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/result.hpp"

namespace tilescope {

struct Loop {
  std::string variable = {};
  int64_t begin = 0, end = 0;  // end is not part of it
  int64_t count() const { return end - begin; }
};

/// constant + Σ factors[l] · variable of loop l
struct Subscript {
  int64_t constant = 0;
  std::vector<int64_t> factors = {};
};

struct ArrayAccess {
  std::string array = {};
  bool writes = false;
  std::vector<Subscript> subscripts = {};
};

struct LoopNest {
  std::vector<Loop> loops = {};            // outermost first
  std::string statement = {};              // "b[i, j] = exp(a[i, j])"
  std::vector<ArrayAccess> accesses = {};  // reads first, in the order in which they happen
  size_t line = 0;                         // in the text, from 1
  int64_t iterations() const;
};

struct LoopPair {
  LoopNest first, second;
};
constexpr size_t kMostLoops = 3;
constexpr int64_t kMostIterations = 4096;  // of a nest
/// Exactly two nests. The error names the line.
Result<LoopPair> loops_from_text(std::string_view text);

using Iteration = std::array<int64_t, kMostLoops>;  // values of the loop variables; 0 where there is no loop

enum class DependenceKind { raw, war, waw, rar };
std::string_view name_of(DependenceKind kind);  // "RAW"

struct Dependence {
  DependenceKind kind = DependenceKind::raw;
  std::string array = {};
  uint64_t pairs = 0;                 // of iterations that meet at an element
  std::optional<Iteration> distance;  // q − p, if it is the same for all pairs
  uint64_t reversed = 0;              // pairs with q < p
  uint64_t apart = 0;                 // pairs with q ≠ p
  Iteration first = {}, second = {};  // p and q of an example: a reversed pair if there is one, else one apart
  std::vector<int64_t> element = {};  // and the element where they meet
  bool prevents_fusion() const { return kind != DependenceKind::rar && reversed > 0; }
};

struct LoopFusion {
  bool same_bounds = false;             // as many loops, with equal bounds
  std::vector<Dependence> dependences;  // by array and kind; empty without the same bounds
  bool legal() const;                   // one nest may compute both
  bool one_kernel() const;              // … and each iteration may be a thread, with no barrier
  /// Tiles of the fused nest may be computed one after the other: no dependence in it, also within one statement, goes
  /// backwards in any loop.
  bool can_tile = false;
};
LoopFusion analyse(const LoopPair& pair);

/// Elements that are loaded into a memory of `capacity` elements that keeps those used last, for three orders of
/// execution: one nest after the other, fused, and fused in tiles.
struct LoopMisses {
  uint64_t accesses = 0, separate = 0, fused = 0, tiled = 0;
};
/// The fusion of the pair must be legal. `tile`: iterations of each loop in a tile; 0: all of them.
LoopMisses count_misses(const LoopPair& pair, size_t capacity, const Iteration& tile);

}  // namespace tilescope
