// The content of the plane of queries and keys, derived from a RunResult. No ImGui.
//
//   strip   the part of one head's plane that one block touches: rows of Q and O down, keys across
//   pass    the keys of one block in the order in which it read them, split where it switched from K to V and back
//
// All of it is derived from the accesses that the simulator observed; a lab only names its buffers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/draw/strings.hpp"
#include "app/observed/trace_index.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

struct PlaneExtents {
  int64_t heads = 0, kv_heads = 0;  // over the whole batch
  int64_t queries = 0, keys = 0, depth = 0;
  int64_t kv_head_of(int64_t head) const { return heads == 0 ? 0 : head * kv_heads / heads; }
};

struct PlaneStrip {
  uint32_t block = 0;
  int64_t head = 0;
  ElementRange queries{0, 0};
  std::vector<ElementRange> keys;  // merged, ascending
};

struct WalkStep {
  int64_t first_key = 0, end_key = 0;
  uint32_t access = 0;  // index into the trace of the first access to them
  bool async = false;
  /// The first access that reads them from shared memory, if one can be identified.
  std::optional<uint32_t> computed;
};
struct KeyWalk {
  uint32_t block = 0;
  int64_t head = 0;
  std::vector<WalkStep> steps;
  bool reads_k = false, reads_v = false;  // else it reads or writes only stored scores
  int64_t widest() const;                 // maximum number of keys in a step
  /// How often the block passes over the keys that it touches.
  double passes() const;
};

/// The state of a key for a block after `done` steps: unless those are all, the next step is being computed.
enum class KeyState { untouched, to_come, arriving, computing, seen };
KeyState state_at(const KeyWalk& walk, size_t done, size_t step);
/// By cell of `width` keys.
std::vector<KeyState> key_states(const KeyWalk& walk, size_t done, int64_t width, int64_t keys);

/// Everything derived from one result; rebuilt with it.
struct PlanePicture {
  ResultReference result;
  uint64_t generation = 0;  // different for each result that this picture has shown
  PlaneSpec spec;
  PlaneExtents extents;
  std::vector<PlaneStrip> strips;                                   // ascending block, then head
  std::vector<size_t> strips_of_head;                               // indices, by head
  std::vector<size_t> first_of_head;                                // heads + 1 entries
  int64_t key_block = 1;                                            // keys per step of the longest sequence of steps
  int32_t q = -1, k = -1, v = -1, o = -1, scores = -1, trace = -1;  // indices of the plan's buffers; −1: not present
  bool masked = false;                                              // some query does not attend to all keys

  std::span<const size_t> of_head(int64_t head) const;
  /// The strip of a block that contains a row of O, else its first one; null if it touches nothing.
  const PlaneStrip* strip_of(uint32_t block, std::optional<int64_t> row = {}) const;
  int64_t key_cells() const { return (extents.keys + key_block - 1) / key_block; }
  bool stores_scores() const { return scores >= 0; }
};

/// False: the result has no plane.
bool take_plane(PlanePicture& picture, const std::shared_ptr<const RunResult>& result, const PlaneSpec& spec);
/// The strip of the queries after (1) or before (−1) those of a block, in the same head; null at the ends.
const PlaneStrip* neighbour_strip(const PlanePicture& picture, uint32_t block, int by);
/// The strip of the same queries in a different head; null if there is none.
const PlaneStrip* strip_in_head(const PlanePicture& picture, const PlaneStrip& strip, int64_t head);
/// The strip of a head that contains a query and a key, else one that contains the query; null if none does.
const PlaneStrip* strip_at(const PlanePicture& picture, int64_t head, int64_t query, int64_t key);
KeyWalk walk_of(const PlanePicture& picture, const PlaneStrip& strip);

/// Number of cells (query block × key block) in one head, and of those that a block touches.
struct CellCount {
  int64_t all = 0, touched = 0;
  int64_t skipped() const { return all - touched; }
};
CellCount count_cells(const PlanePicture& picture, int64_t head);
/// The same for the row of one strip.
CellCount count_cells(const PlanePicture& picture, const PlaneStrip& strip);

struct PlaneSentence {
  std::string finding, reason, quiet;
};
PlaneSentence plane_sentence(const Strings& strings, const PlanePicture& picture, const PlaneStrip& strip,
                             const KeyWalk& walk);

}  // namespace tilescope
