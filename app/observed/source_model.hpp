// The source panel's data about each line: counted traffic, findings, compile errors, and the resulting PTX. Facts
// only, taken from a RunResult or from texts; source.cpp draws them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/strings.hpp"
#include "app/observed/view_state.hpp"
#include "engine/compile/compiler.hpp"
#include "engine/kernel_language.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// Sums over one line's accesses to global memory.
struct LineLedger {
  uint64_t read_bytes = 0, write_bytes = 0;  // moved: sectors × 32
  uint64_t useful_bytes = 0, requests = 0, sectors = 0;
  uint64_t moved_bytes() const { return read_bytes + write_bytes; }
  void add(const LineLedger& other) {
    read_bytes += other.read_bytes;
    write_bytes += other.write_bytes;
    useful_bytes += other.useful_bytes;
    requests += other.requests;
    sectors += other.sectors;
  }
  double sectors_per_request() const {
    return requests == 0 ? 0.0 : static_cast<double>(sectors) / static_cast<double>(requests);
  }
  /// Whole sectors were moved for bytes that were not requested: misaligned or scattered accesses. Not counted are a
  /// last sector cut short by masked lanes, and the minimum of one sector for a request of fewer bytes.
  bool wasteful() const {
    const uint64_t needed = std::max(useful_bytes, requests * 32);
    const uint64_t wasted = moved_bytes() - std::min(needed, moved_bytes());
    return wasted * 20 > useful_bytes && (requests >= 16 || wasted >= requests * 32);
  }
};

struct Ledger {
  std::map<uint32_t, LineLedger> lines;  // by source line, 1-based
  LineLedger total;
  uint64_t largest_line = 0;  // bytes moved by the busiest line, the length of a full bar
  /// Accesses of one kind on a line; `useful` in bytes.
  void add(uint32_t line, AccessKind kind, uint64_t requests, uint64_t sectors, uint64_t useful);
};
/// Only lines of `file`, matched by file name.
Ledger ledger_of(const Traffic& traffic, std::string_view file);

/// Lines of a kernel in its source, 1-based: from the comment above it (of a Python function: or its decorators) to its
/// end.
struct KernelLines {
  uint32_t first = 0, signature = 0, last = 0;
  bool contains(uint32_t line) const { return line >= first && line <= last; }
};
std::optional<KernelLines> find_kernel(const std::vector<std::string>& lines, std::string_view kernel,
                                       KernelLanguage language = KernelLanguage::cuda);
/// The same, but from the device function directly above the kernel if all that the kernel does is to call it.
std::optional<KernelLines> find_body(const std::vector<std::string>& lines, std::string_view kernel,
                                     KernelLanguage language = KernelLanguage::cuda);

/// Compile errors of a run that failed with ErrorId::compile_failed, including those in headers; empty for other
/// errors.
std::vector<CompileMessage> compile_errors(const std::optional<Error>& error);
/// Whether a message refers to a line of `file`, matched by file name.
bool is_in_file(const CompileMessage& message, std::string_view file);
/// The first error and the number of others: "line 12: …  (+2 more)"; "common.cuh, line 12: …" outside `file`, and only
/// the text if the compiler names no line. Empty without errors.
std::string compile_errors_text(const Strings& strings, const std::vector<CompileMessage>& errors,
                                std::string_view file);
/// `text`, which describes `error`, with file names instead of paths, as in the source panel: "common.cuh" instead of
/// "/home/me/labs/common.cuh".
std::string with_file_names(std::string text, const Error& error);

/// What a compiler made of a kernel, without its line directives, and the source line of each instruction: its PTX, or
/// the TTIR or TTGIR of Triton.
struct Listing {
  std::string text;
  /// Parallel to the lines of `text`; 1-based source lines, 0 if there is none. `inlined` is the line that called the
  /// inlined function that contains `line`.
  struct Origin {
    uint32_t line = 0, inlined = 0;
    bool is(uint32_t source) const { return source != 0 && (line == source || inlined == source); }
  };
  std::vector<Origin> origins;
  /// The first line (from 0) of a source line.
  std::optional<uint32_t> first_of(uint32_t source_line) const;
  /// The first line that has an origin; 0 if none has.
  uint32_t first_instruction() const;
};
Listing read_ptx(std::string_view ptx, std::string_view kernel, std::string_view file);
/// The TTIR or TTGIR of one kernel.
Listing read_mlir(std::string_view text, std::string_view file);

/// The source line of a selection: its own, or that of its access.
std::optional<uint32_t> line_of(const Selection& selection, const RunResult* result);
/// Selects a line; a selected access is replaced by the same warp's first access on that line, or cleared.
void select_line(ViewState& view, const RunResult* result, uint32_t line);

/// The file name of a path: "elementwise.cu".
std::string file_name_of(std::string_view path);

}  // namespace tilescope
