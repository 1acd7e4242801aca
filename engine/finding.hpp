// What the simulator's checks found, and the sentence that reports it.
//
//   out of bounds: read of 4 bytes at a+4096 (buffer of 4096 bytes), kernels/x.cu:12, block (3,0,0) thread (0,0,0)
//   │              │                                                 │               └ block, thread
//   id             what                                              where; for a race, `other` follows the thread
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/phrase.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// Every id, as findings.def lists them.
inline constexpr auto kFindingIds = std::to_array<std::string_view>({
#define FINDING(id) id,
#include "engine/findings.def"
#undef FINDING
});

/// One of kFindingIds; a different id does not compile.
class FindingId {
 public:
  consteval FindingId(const char* id) : text_(id) {  // NOLINT(google-explicit-constructor): written as the text it is
    bool known = false;
    for (const std::string_view one : kFindingIds) known |= one == text_;
    if (!known) throw "no such finding in findings.def";
  }
  constexpr std::string_view text() const { return text_; }
  bool operator==(const FindingId&) const = default;

 private:
  std::string_view text_;
};

/// A bug that the checks found. Findings with the same id at the same line are merged, with a count.
struct Finding {
  std::string id = {};  // "out-of-bounds" | "misaligned" | "uninitialised-read" | … (docs: architecture, command line)
  uint64_t count = 1;   // lanes, over the whole launch
  uint32_t launch = 0;  // index into Plan::launches
  std::string file = {};
  uint32_t line = 0;
  /// If the access is in an inlined function of a header: its line there, and `line` is the call. 0: not in a header.
  std::string header_file = {};
  uint32_t header_line = 0;
  Dim3 block{0, 0, 0}, thread{0, 0, 0};  // at the first occurrence
  std::string buffer = {};
  int64_t offset = 0;        // bytes into the buffer
  std::string message = {};  // the whole sentence in English, as above
  Phrase what = {};          // "read of 4 bytes at a+4096 (buffer of 4096 bytes)"
  /// "kernels/x.cu:12", or "kernels/load.cuh:40, called at kernels/x.cu:12"; the instruction if the compiler gave no
  /// line.
  Phrase where = {};
  Phrase other = {};  // for a race: "write at kernels/x.cu:14 by thread (1,0,0) with no barrier between"
  std::string other_file = {}, other_header_file = {};
};

/// The sentence, in English in `message`. Its placeholders: the id's name, what, where, block, thread, and `other` if
/// any.
Phrase sentence_of(const Finding& finding);

}  // namespace tilescope
