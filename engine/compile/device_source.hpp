// The device part of a CUDA source. NVRTC compiles device code only and has no host headers, but real files hold
// main(), launches, containers, and #include <iostream>. Host code is replaced by blanks so that line numbers stay the
// same; host headers are replaced by stand-ins (stand_in_headers.hpp).
//
//     DeviceSource source(request, toolkit_include_folders);
//     do output = run_nvrtc(source.text(), source.headers(), …);
//     while (failed(output) && source.drop(errors_of(output)));   // drops ever more of the code not marked __device__
//
// Functions and variables that are not marked for the device are dropped at once. Types, aliases and macro expansions
// stay until NVRTC reports an error in them: either side may use them, and only the compiler knows which. If the
// request names the wanted kernels, other device code with errors is dropped too.
//
// A user header is given to NVRTC as text under its absolute path, and the directives that include it are rewritten to
// that path: two headers of one name stay two, and one header with two names stays one. A stand-in likewise has a
// unique name, so that it does not replace headers that the toolkit's own headers include.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/compile/compile_log.hpp"
#include "engine/compile/compiler.hpp"
#include "engine/compile/source_inclusion.hpp"
#include "engine/compile/source_parts.hpp"

namespace tilescope {

class DeviceSource {
 public:
  DeviceSource(const CompileRequest& request, const std::vector<std::string>& toolkit_folders);

  std::string text() const { return text_of(main_); }
  /// By the name under which NVRTC finds them.
  const std::map<std::string, std::string>& headers() const { return headers_; }
  /// The paths that messages and line tables show for the user's own headers.
  std::map<std::string, std::string> header_paths() const;
  /// Text to prepend to everything else; empty: not needed.
  const std::string& prelude() const { return prelude_; }

  /// The file and the headers beside it as they were read, concatenated.
  std::string original_text() const;

  /// Hash of everything that NVRTC receives.
  std::string hash() const;
  /// Whether a macro names a header that may be the user's: the text that NVRTC reads is then not fully known.
  bool includes_by_macro() const;
  /// Whether it uses words that C++17 lacks: concept, requires, consteval, constinit.
  bool needs_cxx20() const;

  /// Blanks the code that contains the errors: host code; if there is none, unwanted kernels; if there are none either,
  /// other device code. False: nothing is left to blank, so the user has to fix the errors.
  bool drop(std::span<const CompileError> errors);

  /// Kernels omitted because they do not compile: the first error of each, by name.
  std::map<std::string, std::string> kernels_left_out() const;

  /// A warning for each omitted part that is marked for the device.
  std::vector<CompileMessage> warnings() const;

  /// The errors that the user has to fix: those of dropped device code if the given errors only report its names as
  /// missing, else the given ones.
  std::vector<CompileError> causes(std::span<const CompileError> errors) const;

  /// The unsupported feature that the kernel needs, if the errors show it.
  std::optional<Error> refusal(std::span<const CompileError> errors) const;

  /// Sentences that explain errors: a header that was not found, a name that only the host has. Empty, or several
  /// lines.
  Phrase notes(std::span<const CompileError> errors) const;

 private:
  struct Rewriting {  // within a line
    size_t begin = 0, end = 0;
    std::string text;
  };
  struct File {
    std::string name, path;                       // as NVRTC knows it, and as the user knows it
    std::unique_ptr<const std::string> original;  // on the heap: `source` has views into it
    std::string device_text;
    SourceParts source;
    std::vector<bool> dropped;  // by part
    std::vector<Rewriting> rewritings;
  };
  struct PartAt {
    File* file = nullptr;
    size_t index = 0;
    const SourcePart& part() const { return file->source.parts[index]; }
    bool operator==(const PartAt&) const = default;
  };
  struct Reason {  // why a part was dropped
    CompileError error;
    bool of_kernel = false, on_device = false;
  };

  static File read_file(std::string name, std::string path, std::string text);
  static void add_rewritings_of_dialect(File& file);
  static void blank(File& file, size_t part);
  static std::string text_of(const File& file);
  void blank_host_parts();
  /// Blanks the unwanted kernels if all wanted ones are found and nothing else refers to the others.
  static void leave_kernels(File& file, const std::vector<std::string>& wanted);
  void find_wanted(const std::vector<std::string>& kernels);
  bool is_wanted(const SourcePart& part) const;

  void add_headers(File& file, const std::string& folder);
  void add_foreign_header(File& file, const SourceInclusion& inclusion);
  bool is_foreign(const std::string& name) const;
  void give_header(const File& header) { headers_[header.name] = text_of(header); }

  std::vector<File*> files();
  std::vector<const File*> files() const;
  File* file_called(const std::string& name);
  static std::optional<size_t> droppable_part(const File& file, uint32_t line);
  std::vector<SourcePlace> places_of(const CompileError& error) const;
  static bool mentions(const File& file, const SourcePart& part, std::string_view name);
  std::optional<PartAt> unwanted_part(const CompileError& error);
  void drop_part(PartAt at, const CompileError& error);
  bool drop_host_parts(std::span<const CompileError> errors);
  void drop_calls_of_the_same_macro(PartAt at, const CompileError& error);
  bool drop_unwanted_parts(std::span<const CompileError> errors);
  /// The name, for messages, of the part that contains the error.
  std::string name_of_part_at(const SourcePlace& place) const;
  static bool is_texture_reference(const File& file, const SourcePart& part);

  void add_prelude();
  void add_half_types(const std::set<std::string, std::less<>>& used);
  std::vector<SourceToken> device_tokens(std::set<std::string, std::less<>>& own) const;

  File main_;
  std::deque<File> included_;  // headers of the user
  std::vector<std::string> toolkit_folders_, given_folders_;
  std::vector<Define> defines_;
  std::string source_folder_;
  std::map<std::string, std::string> headers_;
  std::map<std::string, std::string> name_of_file_;  // header name by file identity
  std::map<std::string, std::string> given_texts_;   // texts that replace a header's contents, by file identity
  std::set<std::string> foreign_;                    // names of headers that are not the user's
  bool uses_library_ = false;                        // from a library whose headers are omitted
  std::vector<std::string> missing_;                 // names of missing headers
  bool wants_some_ = false;                          // kernels are named, so other device code may be omitted
  std::set<std::string> wanted_;                     // without qualifiers and template arguments
  std::map<std::string, Reason> reasons_;            // by the dropped part's name
  size_t fewest_errors_ = SIZE_MAX;                  // lowest error count of any round
  int fruitless_rounds_ = 0;                         // rounds since that one
  bool took_apart_ = false;                          // the last round dropped more than macro calls
  bool gave_up_ = false;
  std::vector<CompileError> before_others_;  // errors of the first round that dropped device code other than kernels
  std::string prelude_;
};

}  // namespace tilescope
