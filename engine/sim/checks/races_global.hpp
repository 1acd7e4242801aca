// Races in global memory: accesses by different blocks with nothing to order them, and by warps of one block with no
// barrier between.
//
// A shadow of the watched buffers keeps, for each granule, its last writer and its readers: the last reader, the last
// one before it of a different block, and the last one of a different warp of the same block. A write that races at all
// races with one of these. The shadow is divided into lines of 32 granules, each with a summary for the common case
// that one warp touched all of it contiguously, and with one cell per granule otherwise. Pages of lines are allocated
// on first touch.
//
// If blocks do not see each other, each host thread has a shadow for its chunk of blocks, and the Collector adds the
// chunks in order to the shadow of the launch, so that the result does not depend on the number of threads. If they do,
// there is one shadow, and HappensBefore decides the order.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/sim/checks/happens_before.hpp"
#include "engine/sim/program/program.hpp"
#include "engine/sim/state/observe.hpp"

namespace tilescope {

/// The thread and instruction of an access to a granule.
struct GlobalAccessor {
  uint32_t block = 0;
  uint32_t time = 0;    // the block's time, which advances at barriers and fences
  uint16_t site = 0;    // index into Program::sites
  uint16_t thread = 0;  // in the block
  bool operator==(const GlobalAccessor&) const = default;
};

struct GlobalRace {
  GlobalAccessor first, second;  // in order of execution, or of blocks
  uint64_t address = 0;
  uint32_t count = 1;       // granules
  bool same_value = false;  // as SharedRace::same_value
  bool one_store = false;   // two lanes of one instruction write different values
};

class GlobalRaces {
 public:
  /// `order` is the happens-before relation; null if blocks do not see each other.
  GlobalRaces(const Program& program, const HappensBefore* order);

  /// One execution of a memory instruction. `bytes`: the data of a store, lane by lane; `changed`: the lanes whose
  /// store changes the stored value.
  void access(const GlobalAccessor& who, const AccessPattern& pattern, uint64_t base, const uint8_t* bytes,
              uint32_t changed);
  void note_one_store(const GlobalAccessor& who, uint32_t other_thread, uint64_t address);
  /// Adds the accesses of later blocks.
  void add(const GlobalRaces& later);
  void clear();

  std::vector<GlobalRace> take_found();
  bool has_found() const { return !found_.empty(); }
  /// See SharedRaces::expectant_reads.
  const std::set<std::pair<uint32_t, uint32_t>>& expectant_reads() const { return expectant_reads_; }

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  static constexpr uint64_t kPageLines = 64;

  /// The owners of a line's granules in one role.
  struct Owners {
    uint32_t mask = 0;
    uint32_t cells = kNone;  // index into cells_; none: `who` owns all granules
    GlobalAccessor who;      // owner of the granule `first`, if there are no cells
    uint8_t first = 0;
    uint8_t per_thread = 0;  // granules per thread; 0: all belong to the same thread
  };
  struct Line {
    Owners writer, reader;
    Owners other_reader;   // from a different block than `reader`
    Owners warp_reader;    // from a different warp of the same block
    uint32_t changed = 0;  // granules whose last write changed them
    std::array<uint16_t, 32> values{};
  };
  struct Page {
    std::array<Line, kPageLines> lines{};
  };
  using Cells = std::array<GlobalAccessor, 32>;
  struct SiteInfo {
    bool writes = false, is_strong = false, takes_stale = false, is_store = false, within_block = false;
    uint32_t granules = 1;  // per lane
  };
  /// The readers, by strong reads, of the value that a strong write left.
  struct Observers {
    GlobalAccessor writer;
    std::unordered_map<uint64_t, uint32_t> times;  // time of the first read, by block · 32 + warp
  };
  /// The part of an access, or of later blocks' accesses, that falls into one line.
  struct Touch {
    Owners owners;
    uint32_t changed = 0;
    const uint16_t* values = nullptr;           // by granule of the line
    const std::vector<Cells>* cells = nullptr;  // that the owners refer to; null: our own
  };

  Line& line_at(uint64_t number);
  uint16_t value_of(const uint8_t* bytes) const;
  void values_of(const uint8_t* bytes, std::array<uint16_t, 32>& values) const;
  void touch_whole_lines(const GlobalAccessor& who, uint64_t line, const uint8_t* bytes, uint32_t changed);
  void touch_contiguous(const GlobalAccessor& who, const AccessPattern& pattern, uint64_t base, const uint8_t* bytes,
                        uint32_t changed);
  void touch_lanes(const GlobalAccessor& who, const AccessPattern& pattern, uint64_t base, const uint8_t* bytes,
                   uint32_t changed);
  void touch(uint64_t number, const Touch& part);
  void note_expectation(const Owners& reader, const Owners& now);
  void check(uint64_t number, const Line& line, const Owners& old, const std::vector<Cells>& cells_of_old,
             bool old_writes, const Touch& part, bool writes);
  bool may_race(const GlobalAccessor& old, const GlobalAccessor& now) const;
  bool are_together(const GlobalAccessor& old, const GlobalAccessor& now) const;
  void observe(uint64_t number, const Line& line, const Touch& part);
  bool is_observed(uint64_t granule, const GlobalAccessor& writer, const GlobalAccessor& now) const;
  void displace(Line& line, const Owners& displaced, const GlobalAccessor& by);
  void report(const GlobalRace& race);
  static GlobalAccessor owner(const Owners& owners, const std::vector<Cells>& cells, uint32_t granule);
  void split(Owners& owners);
  void put(Owners& into, const Owners& from, const std::vector<Cells>& cells_of_from);
  void put_writer(Line& line, const Touch& part, const std::vector<Cells>& cells_of_part);
  void put_reader(Line& line, const Owners& from, const std::vector<Cells>& cells_of_from);
  void add_line(uint64_t number, const Line& later, const std::vector<Cells>& cells);

  const HappensBefore* order_;
  uint32_t granule_bits_;
  bool warps_too_ = true;  // warps of one block are distinguished: only barriers order them
  std::vector<SiteInfo> sites_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  std::vector<std::unique_ptr<Page>> spare_;
  uint64_t last_page_ = ~uint64_t{0};
  Page* last_ = nullptr;
  std::vector<Cells> cells_;
  std::vector<uint32_t> free_cells_;
  std::unordered_map<uint64_t, Observers> observers_;  // by granule
  std::vector<GlobalRace> found_;
  std::set<std::pair<uint32_t, uint32_t>> expectant_reads_;
};

}  // namespace tilescope
