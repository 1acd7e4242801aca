// The configurations of a rung at one problem, and what tuning found out about each: a map, as it is cached, recorded
// and drawn.
//
//   axis      a parameter whose values were tried; the configurations are the product of the axes
//   entry     one configuration: impossible with what limits it, timed, wrong, failed, or not tried
//   final     a time that was taken again, in turns with the other fast ones. The fastest of many noisy times is too
//             fast to be true; a time that is taken after the choice is not
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/phrase.hpp"
#include "engine/types.hpp"

namespace tilescope {

enum class TuneState : uint8_t { untried, timed, wrong, failed, impossible };
/// What makes a configuration impossible.
enum class Limiter : uint8_t { none, threads, registers, shared, divisibility, compiler, other };
std::string_view name_of(TuneState state);  // "timed"
std::string_view name_of(Limiter limiter);  // "shared memory"
std::optional<TuneState> tune_state_named(std::string_view name);
std::optional<Limiter> limiter_named(std::string_view name);

struct TuneAxis {
  std::string name;
  std::vector<int64_t> values;  // ascending
  bool operator==(const TuneAxis&) const = default;
};

/// What the compiler says of a configuration, and what follows for an SM. MODELLED.
struct TuneFacts {
  uint32_t threads = 0, registers = 0, shared_bytes = 0, spill_bytes = 0;
  uint32_t ctas_per_multiprocessor = 0;
  double occupancy = 0, waves = 0;
  double requested_bytes = 0;  // from global memory, by all CTAs; 0: the lab has no formula
  bool operator==(const TuneFacts&) const = default;
};

struct TuneEntry {
  std::vector<int64_t> values;  // parallel to the axes
  TuneState state = TuneState::untried;
  Limiter limiter = Limiter::none;
  Phrase why = {};  // impossible, wrong or failed: the reason, in one sentence
  std::optional<TuneFacts> facts = {};
  double compile_ms = 0;
  std::vector<double> samples = {};                          // in the first pass, milliseconds
  double median_ms = 0, low_ms = 0, high_ms = 0;             // from the samples
  double final_ms = 0, final_low_ms = 0, final_high_ms = 0;  // 0: not taken again
  /// The final time, if there is one.
  double milliseconds() const { return final_ms > 0 ? final_ms : median_ms; }
};

struct TuneMap {
  static constexpr int kFormat = 1;
  std::string lab, rung;
  std::string gpu, driver_version, tilescope_version, date, command;  // date: ISO 8601, UTC
  std::string nvrtc_version, triton_version;                          // the compiler's; the other is empty
  std::string source_hash;                                            // over the kernel's file and its headers
  std::string key;                                                    // in the cache
  std::map<std::string, int64_t> sizes;
  std::map<std::string, int64_t> params;  // every parameter that is no axis
  std::vector<TuneAxis> axes;
  std::vector<TuneEntry> entries;  // the product of the axes, the last one fastest
  double seconds = 0;              // what the tuning took
  uint32_t sm_clock_mhz = 0;
  Badge badge = Badge::measured;  // recorded if it ships with the program

  size_t count(TuneState state) const;
  std::map<Limiter, size_t> limiters() const;
  /// The fastest one, by its final time if any has one; nothing if none was timed.
  std::optional<size_t> best() const;
  /// How many times as long as the best a timed entry takes: by final times if both have one, else by those of the
  /// first pass, because times of different passes are not comparable. 0: there is no best.
  double times_best(size_t entry) const;
  /// Indices of the timed entries, fastest first.
  std::vector<size_t> ranking() const;
  /// Nothing if a value is on no axis.
  std::optional<size_t> index_of(const std::map<std::string, int64_t>& values) const;
  /// The values of an entry by name.
  std::map<std::string, int64_t> params_of(size_t entry) const;
  /// The same with the parameters that were held fixed, as far as they are `used`.
  std::map<std::string, int64_t> configuration_of(size_t entry, const std::vector<std::string>& used) const;
  /// "BM=128 BN=256 STAGES=3", in the order of the axes.
  std::string text_of(size_t entry) const;
  /// Every possible configuration was tried.
  bool complete() const;
};

}  // namespace tilescope
