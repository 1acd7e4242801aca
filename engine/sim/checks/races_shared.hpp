// Races in shared memory: accesses of one block that no barrier, fence or other synchronization orders.
//
// The accesses of a warp between two synchronization points form an interval: for each kind of access a bitmap of the
// granules touched, and a log that traces a conflict back to instruction and lane. A granule is the narrowest element
// that the kernel moves to or from shared memory.
//
//   barrier of all threads   one pass over the warps' bitmaps finds granules that two warps touched; then all is
//                            cleared
//   any other barrier,       happens-before by vector clocks over the warps: an interval is compared with those of
//   mbarrier, flag, lock     other warps that are neither before nor after it, and kept until it is before all warps
//
// Kernels repeat the same accesses in each iteration of a loop: a round between two barriers of all threads that showed
// no race is kept, and while the warps repeat it, access for access, nothing is marked or compared (races_rounds.cpp).
//
// Within a warp only __syncwarp and other warp-wide instructions order the lanes (CUDA C++ Programming Guide,
// "Independent Thread Scheduling"), so what one lane writes must not be touched by a different lane before the next of
// these.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/sim/program/program.hpp"
#include "engine/sim/state/observe.hpp"

namespace tilescope {

/// One side of a race.
struct RaceSide {
  uint32_t site = 0;  // index into Program::sites
  uint32_t warp = 0, lane = 0;
};

enum class RaceKind : uint8_t {
  between_warps,
  within_warp,     // lanes of one warp without warp-wide synchronization
  volatile_lanes,  // the same through volatile accesses: the idiom from before compute capability 7.0
  one_store,       // two lanes of one instruction write different values to one address
};

struct SharedRace {
  RaceKind kind = RaceKind::between_warps;
  RaceSide first, second;   // in order of execution
  uint32_t offset = 0;      // bytes into shared memory
  uint32_t count = 1;       // granules
  bool same_value = false;  // the write left the value unchanged; see ChunkRecord::changing_sites
};

class SharedRaces {
 public:
  SharedRaces(const Program& program, uint32_t shared_bytes, uint32_t warps);

  /// A block begins.
  void begin();

  /// One execution of a memory instruction. `offset` is that of its lowest active lane; `changed`: the lanes whose
  /// store changes the stored value. `synchronisations`: the number of warp-wide instructions that the warp has
  /// executed.
  void access(uint32_t warp, uint32_t synchronisations, uint32_t site, AccessPattern& pattern, uint32_t offset,
              uint32_t changed);
  /// True: it was the next access of a round that the warp repeats, and is noted.
  bool repeat(uint32_t warp, uint32_t synchronisations, uint32_t site, const AccessPattern& pattern, uint32_t offset,
              uint32_t changed) {
    Cursor& cursor = cursors_[warp];
    if (cursor.expected == cursor.end ||
        *cursor.expected != Step(pattern, site, offset, synchronisations - cursor.first_synchronisations))
      return false;
    ++cursor.expected;
    *cursor.repeated++ = {changed, order_++};
    return true;
  }
  /// Two lanes of one store write different values to the same address.
  void note_one_store(uint32_t warp, uint32_t site, uint32_t first_lane, uint32_t second_lane, uint32_t offset);

  /// All threads of the block have passed a common barrier.
  void meet_all();
  /// A warp arrives at a barrier without waiting.
  void arrive(uint32_t warp, uint32_t barrier);
  /// Whether a warp has arrived there since it last opened.
  bool has_arrivals(uint32_t barrier) const { return barriers_[barrier] != Clock{}; }
  /// A barrier opens for the warps of the mask that wait at it.
  void open(uint32_t barrier, uint32_t warps);
  /// membar, fence: later publications of the warp include all that it has done so far.
  void fence(uint32_t warp);
  /// An operation on a synchronisation object at an offset in shared memory (mbarrier).
  void release(uint32_t warp, uint32_t offset);
  void acquire(uint32_t warp, uint32_t offset);
  /// The warp writes asynchronously from here until it has waited.
  void begin_copy(uint32_t warp, uint32_t site, AccessPattern& pattern, uint32_t offset);
  void end_copies(uint32_t warp, uint32_t still_going);
  /// The block has ended, or all threads have passed a common barrier. True: the round was a known one.
  bool finish();

  /// Patterns are about to be destroyed, so copies must be kept.
  void keep_patterns();

  /// What has been found since the last call.
  std::vector<SharedRace> take_found();
  bool has_found() const { return !found_.empty(); }
  /// Pairs of instructions (atomic, read) for which some thread executed the read just before the atomic at the same
  /// address, where the atomic takes old data (MemorySite::takes_stale): the read expects others to intervene.
  const std::set<std::pair<uint32_t, uint32_t>>& expectant_reads() const { return expectant_reads_; }

 private:
  static constexpr uint32_t kWarps = 32;
  using Clock = std::array<uint32_t, kWarps>;

  /// The part of a pattern that is kept after the memo has forgotten it.
  struct KeptPattern {
    uint32_t mask = 0;
    std::array<int32_t, 32> delta{};
  };
  struct Logged {
    const AccessPattern* pattern = nullptr;  // null: `kept`
    uint32_t kept = 0;                       // index into kept_
    uint32_t site = 0;
    uint32_t offset = 0;
    uint32_t changed = 0;
    uint32_t order = 0;  // position in the execution of the block
    uint32_t synchronisations = 0;
  };
  /// One access of a round that may repeat: everything that decides whether it can be part of a race.
  struct Step {
    Step(const AccessPattern& of, uint32_t site, uint32_t offset, uint32_t synchronisations)
        : pattern(&of),
          place(uint64_t{std::min(synchronisations, kManySynchronisations)} << 48 | uint64_t{site} << 32 | offset) {}
    bool operator==(const Step&) const = default;
    uint32_t site() const { return static_cast<uint32_t>(place >> 32 & 0xffff); }
    uint32_t offset() const { return static_cast<uint32_t>(place); }
    uint32_t synchronisations() const { return static_cast<uint32_t>(place >> 48); }

    static constexpr uint32_t kManySynchronisations = 0xffff;  // this many or more
    const AccessPattern* pattern;
    uint64_t place;  // warp-wide instructions since the warp's first access of the round, site, offset
  };
  /// The part that may differ each time.
  struct Repeated {
    uint32_t changed, order;
  };
  /// A warp's position in the round that it repeats.
  struct Cursor {
    const Step *expected = nullptr, *end = nullptr;
    Repeated* repeated = nullptr;         // in the next step
    uint32_t first_synchronisations = 0;  // at its first access
  };
  struct Round {
    std::vector<std::vector<Step>> steps;  // by warp
    size_t next = kNoRound;                // the round that last followed it
  };
  static constexpr size_t kNoRound = ~size_t{0};
  struct Interval {
    uint32_t warp = 0, index = 1;
    Clock before{};               // the last interval of each warp that happened before
    std::vector<uint64_t> bits;   // maps_ bitmaps
    std::vector<uint64_t> dirty;  // lines of 512 granules with a bit set in some bitmap
    std::vector<Logged> log;
    size_t log_limit = kFirstLimit;
    bool empty() const { return log.empty(); }
  };
  struct WarpState {
    Clock clock{};      // what has happened before; for the warp itself, the index of its open interval
    Clock published{};  // what had happened before its last fence
    bool fenced = false;
    std::unique_ptr<Interval> open;
    uint32_t synchronisations = 0;
    size_t segment = 0;                   // start of the log part since the last warp-wide instruction
    bool segment_writes = false;          // a lane has written since then
    bool lanes_known = false;             // writer and reader describe the segment's lanes
    std::vector<uint8_t> writer, reader;  // by granule: see races_lanes.cpp
    std::vector<uint64_t> noted;          // lines of 512 granules that are not all 0 in writer or reader
    std::vector<Logged> copies;           // asynchronous writes in flight
    bool repeats = false;                 // so far it has done only what the round contains
    bool may_repeat = false;              // everything it did is in the log, and no lane touched another lane's granule
    std::vector<Repeated> repeated;
  };
  static constexpr size_t kFirstLimit = 2048;
  static constexpr size_t kMostIntervals = 256;

  enum Map : uint32_t { plain_read, plain_write, strong, strong_write };
  struct SiteInfo {
    bool reads = false, writes = false, is_strong = false, is_atomic = false, is_store = false, takes_stale = false;
    bool releases = false, acquires = false;
    uint32_t bytes = 4;  // per lane
  };

  /// A lane of a logged access that touches a granule in conflict.
  struct Hit {
    uint32_t granule, interval, entry, lane;
  };

  // Rounds (races_rounds.cpp).
  void begin_round();
  void find_round(uint32_t warp, const Step& first);
  void leave_round(uint32_t warp);
  bool end_repeated_round();
  void keep_round();
  void forget_rounds();

  // Marking (races_shared.cpp).
  void find_granules(AccessPattern& pattern) const;
  void append(uint32_t warp, Logged access);
  uint64_t mark(Interval& interval, const Logged& access) const;
  uint64_t mark_words(Interval& interval, const SiteInfo& site, size_t word, const uint64_t* granules,
                      size_t count) const;
  void compact(WarpState& state);
  uint32_t lanes_of(const Logged& access) const;
  uint32_t granule_of(const Logged& access, uint32_t lane) const;
  void note_expectation(const WarpState& state, const Logged& access);
  void restart_segment(WarpState& state) const;
  void prepare(Interval& interval) const;

  // Between warps (races_order.cpp).
  bool check_all();
  void compare(const Interval& a, const Interval& b);
  static bool ordered(const Interval& a, const Interval& b);
  void close(uint32_t warp);
  void clear(Interval& interval) const;
  void retire();
  void forget_all();
  void join(uint32_t warp, const Clock& other);
  Clock released(uint32_t warp) const;
  void publish(uint32_t granule, const Clock& clock);
  void synchronise(uint32_t warp, const Logged& access);
  void mark_copies(uint32_t warp);

  // From granules to instructions and lanes (races_trace.cpp).
  void trace(const std::vector<const Interval*>& intervals);
  void find_hits(const std::vector<const Interval*>& intervals, std::vector<Hit>& hits) const;
  static const Logged& logged(const std::vector<const Interval*>& intervals, const Hit& hit) {
    return intervals[hit.interval]->log[hit.entry];
  }
  void judge_granule(const std::vector<const Interval*>& intervals, const Hit* begin, const Hit* end);
  using RacingHits = std::pair<const Hit*, const Hit*>;
  std::optional<RacingHits> first_race(const std::vector<const Interval*>& intervals, std::span<const Hit> hits,
                                       uint32_t one_site, uint32_t other_site) const;
  /// Whether any two accesses of these instructions may race.
  bool can_race(uint32_t one_site, uint32_t other_site) const;
  bool is_race(const Logged& x, uint32_t x_lane, const Logged& y, uint32_t y_lane, bool& same_value) const;
  void add(const SharedRace& race);

  // Within a warp (races_lanes.cpp).
  void learn_lanes(WarpState& state) const;
  void note_lanes(WarpState& state, const Logged& access) const;
  void check_lanes(WarpState& state, const Logged& access);
  void report_lane(const WarpState& state, const Logged& access, uint32_t lane, uint32_t granule, bool other_wrote);

  const uint32_t granule_bits_;  // log2 of the granule's bytes
  const uint32_t warps_count_;
  uint32_t maps_ = 2;
  size_t words_ = 0;  // words per bitmap
  bool has_strong_ = false;
  std::vector<SiteInfo> sites_;
  std::vector<WarpState> warps_;
  std::vector<std::unique_ptr<Interval>> closed_, spare_;
  std::array<Clock, 16> barriers_{};
  std::unordered_map<uint32_t, Clock> published_;  // by granule
  std::vector<KeptPattern> kept_;
  bool keeps_rounds_ = false;
  std::array<Cursor, kWarps> cursors_;
  std::vector<Round> rounds_;
  size_t round_ = kNoRound;       // the round that is being repeated,
  bool round_known_ = false;      // whether the first access since the last barrier has decided that
  size_t last_round_ = kNoRound;  // the round before it
  size_t kept_steps_ = 0;
  uint32_t kept_in_vain_ = 0;  // rounds kept since one was last repeated
  std::vector<uint64_t> conflicts_, seen_;
  uint32_t order_ = 0;
  std::vector<SharedRace> found_;
  std::set<std::pair<uint32_t, uint32_t>> expectant_reads_;
  std::vector<uint32_t> searches_;      // by site: number of searches for the read that prepares it
  std::unordered_set<uint64_t> known_;  // reported pairs of sites
  uint32_t without_news_ = 0;           // searches since a new pair was found
};

}  // namespace tilescope
