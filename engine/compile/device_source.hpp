// The device part of a CUDA source. NVRTC compiles device code only and has no headers of the host, but people's files
// hold main(), launches, containers, and #include <iostream>. What belongs to the host is replaced by blanks, so that
// every line stays where it is; headers of the host are replaced by stand-ins (stand_in_headers.hpp).
//
//     DeviceSource source(request, toolkit_include_folders);
//     do output = run_nvrtc(source.text(), source.headers(), …);
//     while (failed(output) && source.drop(errors_of(output)));   // less and less of what is not marked __device__
//
// Functions and variables that are not marked for the device go at once. Types, aliases and what macros make stay until
// NVRTC finds an error in them: they may be used on either side, and only the compiler knows. Where the request says
// which kernels are wanted, device code that has errors and that is none of them goes too.
//
// A header of the user is given to NVRTC as text, under its absolute path, and the directives that mean it are
// rewritten to that path: two headers of one name stay two, and one header with two names stays one. A stand-in has a
// name of its own in the same way, so that it does not replace what headers of the toolkit include.
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
  /// What messages and line tables should call those of them that are the user's own.
  std::map<std::string, std::string> header_paths() const;
  /// To be included in front of everything; empty: not needed.
  const std::string& prelude() const { return prelude_; }

  /// The file and the headers beside it, as they were read, one after the other.
  std::string original_text() const;

  /// Of everything that is given to NVRTC.
  std::string hash() const;
  /// Whether a macro names a header that may be the user's, so that what NVRTC reads is not known here.
  bool includes_by_macro() const;
  /// Whether it has words that C++17 lacks: concept, requires, consteval, constinit.
  bool needs_cxx20() const;

  /// Blanks what the errors lie in: host code; where there is none of that, kernels that are not wanted; where there is
  /// none of those either, other device code. False: nothing is left to blank, so the errors are the user's to mend.
  bool drop(std::span<const CompileError> errors);

  /// Kernels that were left out because they do not compile, with the first error of each, by name.
  std::map<std::string, std::string> kernels_left_out() const;

  /// A warning for each part marked for the device that was left out.
  std::vector<CompileMessage> warnings() const;

  /// The errors that a person has to mend: those of dropped device code, where the given errors only miss its names,
  /// else the given ones.
  std::vector<CompileError> causes(std::span<const CompileError> errors) const;

  /// What the kernel needs that is not supported, where the errors show it.
  std::optional<Error> refusal(std::span<const CompileError> errors) const;

  /// Sentences that explain errors: a header that was not found, a name that only the host has. Empty, or several
  /// lines.
  Phrase notes(std::span<const CompileError> errors) const;

 private:
  struct Rewriting {  // inside a line
    size_t begin = 0, end = 0;
    std::string text;
  };
  struct File {
    std::string name, path;                       // for NVRTC, and for people
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
  /// Blanks the kernels that are not wanted, if all that are can be found and nothing else names the others.
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
  /// The name of the part that the error lies in, as messages say it.
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
  std::map<std::string, std::string> name_of_file_;  // of a header, by its identity
  std::map<std::string, std::string> given_texts_;   // in the place of what a header holds, by its identity
  std::set<std::string> foreign_;                    // names of headers that are not the user's
  bool uses_library_ = false;                        // of which headers are left out
  std::vector<std::string> missing_;                 // names of headers
  bool wants_some_ = false;                          // kernels: device code that is none of them may be left out
  std::set<std::string> wanted_;                     // without what qualifies them
  std::map<std::string, Reason> reasons_;            // by the dropped part's name
  size_t fewest_errors_ = SIZE_MAX;                  // of all rounds
  int fruitless_rounds_ = 0;                         // since then
  bool took_apart_ = false;                          // the last round left out more than calls of macros
  bool gave_up_ = false;
  std::vector<CompileError> before_others_;  // errors of the round that first left out device code besides kernels
  std::string prelude_;
};

}  // namespace tilescope
