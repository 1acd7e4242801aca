// The form of one kernel: every field is a text, as typed. Fields that were not edited follow the source; edited ones
// are kept while the file changes, and remembered (sandbox_settings.cpp).
//
//     n               65536             the slider that the others follow
//     template        float, 256        arguments of a template
//     grid.x … z      ceil(n/block.x)   block.x … z     256         shared    0 bytes
//     defines         TILE=16 FAST      includes        folders, separated by :
//                     of a Triton kernel its tl.constexpr parameters: BLOCK=1024 WIDTH=2^ceil(log2(n)) DTYPE=tl.float16
//     num_warps       4                 num_stages      3      of a Triton kernel, instead of block and shared
//     target          sm_80             of a Triton kernel, what it is compiled for
//     NAME.type       f32               target type of a pointer
//     NAME.shape      n   M, K   null   its extents, outermost first
//     NAME.fill       normal            its initial contents, as in `exec --arg buf:…`
//     NAME.role       input             input, output, inout or scratch
//     NAME.value      2.5               of a number; NAME.spec of an unknown type: bytes:… struct:…
//     @NAME           0.25, 0.5, 0.25   of a module variable: its numbers, or a fill as in `exec`;
//                                       empty: as the file declares it
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/sandbox/reading/problem.hpp"
#include "app/sandbox/reading/source_facts.hpp"
#include "engine/plan.hpp"

namespace tilescope {

using FieldTexts = std::map<std::string, std::string>;

/// The origin of a field's suggestion.
struct FieldOrigin {
  enum class Kind : uint8_t {
    host,         // the host code of the file, at `line` of `function`
    declaration,  // the kernel's declaration, at `line`
    body,         // how the kernel's body indexes and computes
    usual,        // default: the file does not say
    run,          // observed in a run
  };
  Kind kind = Kind::usual;
  std::string function = {};  // "main"
  uint32_t line = 0;          // 0: not in this file
  bool operator==(const FieldOrigin&) const = default;
};

/// A __constant__, __device__ or __managed__ variable; its field is named "@" + name.
struct FormVariable {
  std::string name;              // "ns::weights"
  std::string declared;          // "float weights[9]"
  ParameterType type;            // element type
  std::vector<int64_t> extents;  // for an array
};

struct KernelForm {
  std::string kernel;  // as the source declares it, without template arguments
  std::string last_name;
  bool known = false;  // the source currently has such a kernel
  KernelLanguage language = KernelLanguage::cuda;
  bool is_template = false;
  std::vector<std::string> instantiations;   // "scale<float>", offered as choices
  std::vector<ParameterType> parameters;     // each with a name: arg2 if the source gives none
  std::vector<FormVariable> variables;       // variables that the kernel may read
  std::map<std::string, int64_t> constants;  // names that fields may use
  FieldTexts defaults, edits;
  std::map<std::string, FieldOrigin> origins;    // for the defaults
  FieldOrigin launch;                            // for the launch they were read from, if `launches` is not 0
  size_t launches = 0;                           // launches of this kernel in the file; the first is used
  int64_t host_n = 0;                            // n in the host code, if it takes too long to simulate
  int64_t largest_simulated = int64_t{1} << 24;  // maximum n for the simulator

  const std::string& text(const std::string& field) const;
  /// An edit equal to the default is removed.
  void set(const std::string& field, const std::string& value);
  bool is_edited(const std::string& field) const { return edits.contains(field); }
};

/// Fills in the suggestions from the source: parameters and defaults. `edits` are taken into account: a template's
/// arguments determine its parameters. A kernel that the source no longer has keeps its form.
void suggest(KernelForm& form, const SourceFacts& facts);
KernelForm form_of(const std::string& kernel, const SourceFacts& facts, FieldTexts edits);

constexpr std::string_view kUsualTarget = "sm_80";  // that of a Triton kernel

/// The fields evaluated for one n.
struct FilledForm {
  std::map<std::string, Problem> problems;    // by field
  std::map<std::string, std::string> values;  // by field: "256" if the text is ceil(n/256)
  std::string kernel;                         // "scale<float>"
  std::vector<BufferSpec> buffers;
  Launch launch;
  std::vector<std::string> specs;    // the arguments in the form of `exec --arg`
  std::vector<std::string> names;    // parallel: the parameters' names; empty if the source gives none
  std::vector<std::string> symbols;  // the variables in the form of `exec --symbol`
  std::vector<VariableInput> variables;
  std::vector<Define> defines;
  std::vector<std::string> include_folders;
  std::string architecture;  // "compute_89"; empty: the default
  bool good() const { return problems.empty(); }
};
FilledForm fill_in(const KernelForm& form, int64_t n);

/// Limits of n, typed or set by the slider.
constexpr int64_t kSmallestN = 1, kLargestN = int64_t{1} << 30;
int64_t n_of(const KernelForm& form);

/// The words of a `tilescope exec` command.
struct ExecWords {
  std::string kernel, grid, block, shared;  // shared empty: none; block empty: a Triton kernel's
  std::string num_warps, num_stages;        // if it is a Triton kernel
  std::string target;                       // "sm_89", if it is not the default
  std::vector<std::string> defines, includes, arguments, symbols, others;
};
ExecWords exec_words(const FilledForm& filled);
/// As one line for a shell.
std::string exec_line(const std::string& file, const ExecWords& words);
/// `tilescope exec …`: the same run on the command line.
std::string exec_line(const std::string& file, const FilledForm& filled, DeviceKind device, uint64_t seed);

constexpr std::array<const char*, 15> kElementTypes{"f32", "f16", "bf16", "f64", "i32",  "u32",    "i8",    "u8",
                                                    "i16", "u16", "i64",  "u64", "bool", "f8e4m3", "f8e5m2"};

std::string_view name_of(Role role);  ///< "input"
std::optional<Role> role_from(std::string_view name);

}  // namespace tilescope
