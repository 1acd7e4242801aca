// The device part of a CUDA source. NVRTC compiles device code only and has no headers of the host, but people's files
// hold main(), launches, containers, and #include <iostream>. What belongs to the host is replaced by blanks, so that
// every line and column stays where it is; headers of the host are replaced by stand-ins (stand_in_headers.hpp).
//
//     DeviceSource source(request, toolkit_include_folders);
//     do output = run_nvrtc(source.text(), source.headers(), …);
//     while (failed(output) && source.drop(errors_of(output)));   // less and less of what is not marked __device__
//
// Functions and variables that are not marked for the device go at once. Types, aliases and what macros make stay until
// NVRTC finds an error in them: they may be used on either side, and only the compiler knows.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/compile/source_parts.hpp"

namespace tilescope {

class DeviceSource {
 public:
  DeviceSource(const CompileRequest& request, const std::vector<std::string>& toolkit_folders);

  const std::string& text() const { return main_.device_text; }
  /// By the name under which they are included.
  const std::map<std::string, std::string>& headers() const { return headers_; }
  /// Where those of them are that are the user's own.
  std::map<std::string, std::string> header_paths() const;
  /// To be included in front of everything; empty: not needed.
  const std::string& prelude() const { return prelude_; }

  /// The file and the headers beside it, as they were read, one after the other.
  std::string original_text() const;

  /// Of everything that is given to NVRTC.
  std::string hash() const;

  /// Blanks what host code the errors lie in. False: none does, so the errors are the user's to mend.
  bool drop(std::span<const CompileMessage> errors);

  /// Sentences that explain errors: a header that was not found, a name that only the host has. Empty, or several
  /// lines.
  Phrase notes(std::span<const CompileMessage> errors) const;

 private:
  struct File {
    std::string name, path;                       // as it is included, and where it is
    std::unique_ptr<const std::string> original;  // on the heap: `source` has views into it
    std::string device_text;
    SourceParts source;
    std::vector<bool> dropped;  // by part
  };

  static File read_file(std::string name, std::string path, std::string text);
  static void blank(File& file, size_t part);
  /// Blanks the kernels that are not wanted, if all that are can be found and nothing else names the others.
  static void leave_kernels(File& file, const std::vector<std::string>& wanted);
  static std::optional<size_t> droppable_part(const File& file, uint32_t line);
  void add_headers(const File& file, const std::string& folder, const std::vector<std::string>& folders);
  void give_headers();
  void add_foreign_header(const std::string& name);
  void add_prelude();
  void add_half_types(const std::set<std::string, std::less<>>& used);
  std::vector<SourceToken> device_tokens(std::set<std::string, std::less<>>& own) const;

  File main_;
  std::deque<File> included_;  // headers of the user
  std::vector<std::string> toolkit_folders_;
  std::map<std::string, std::string> headers_;
  std::set<std::string> seen_;                  // names of headers
  bool uses_library_ = false;                   // of which headers are left out
  std::vector<std::string> missing_;            // names of headers
  std::map<std::string, std::string> reasons_;  // why something was dropped, by its name
  std::string prelude_;
};

/// The kernels that a source (with the headers beside it) declares, as written: also templates, which no compiled
/// module lists until they are named with arguments.
struct DeclaredKernel {
  std::string name;                     // qualified by its namespaces
  std::vector<std::string> parameters;  // "const float* x"
  uint32_t line = 0;
  bool is_template = false;
  int overloads = 0;                        // definitions of that name
  std::vector<std::string> instantiations;  // "scale<float>", as host code launches it
};
std::vector<DeclaredKernel> declared_kernels(const std::string& text);

}  // namespace tilescope
