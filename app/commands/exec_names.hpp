// The names that a size on the command line of `exec` may use.
//
//     --define N=1024          --grid "ceil(N/256)"
//     --arg n=i32:1000         --arg "x=buf:f32:n*4:normal"       also by the parameter's name where it is not given
//     --kernel 'k<32>'         template parameters and constants of the source: #define TILE 32, constexpr int
//                              grid, block, grid.x … block.z
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "app/commands/commands.hpp"
#include "app/sandbox/reading/expression.hpp"
#include "app/sandbox/reading/source_facts.hpp"

namespace tilescope {

/// Both outlive it.
class ExecNames {
 public:
  ExecNames(const ExecOptions& options, const std::string& source_text);
  NameLookup lookup();
  /// The parameter that each --arg without a name is for, by position; "" where the text does not tell.
  const std::vector<std::string>& positional();

 private:
  std::optional<Checked<long double>> find(std::string_view name);
  std::optional<Checked<long double>> find_extent(const std::string& name, const std::string& object,
                                                  const std::string& text);
  std::optional<Checked<long double>> find_in_source(const std::string& name);
  Checked<long double> evaluate_named(const std::string& name, const std::string& text);
  void read_source();
  void match_positional(const SourceKernel& kernel);

  const ExecOptions& options_;
  const std::string& source_text_;
  std::map<std::string, std::string> texts_;  // of defines and of arguments that name their parameter
  std::optional<SourceFacts> facts_;          // read when a name is not among them
  std::set<std::string> in_evaluation_;
  std::vector<std::string> positional_;
};

/// The kernel that --kernel means, as far as the text tells; null where it does not.
const SourceKernel* kernel_meant(const SourceFacts& facts, const std::string& kernel);

/// The file with its own headers.
SourceFacts facts_of_file(const ExecOptions& options, const std::string& source_text);

}  // namespace tilescope
