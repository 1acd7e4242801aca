// The names that size expressions on the command line of `exec` may use.
//
//     --define N=1024          --grid "ceil(N/256)"
//     --arg n=i32:1000         --arg "x=buf:f32:n*4:normal"       also parameter names of --arg without a name
//     --kernel 'k<32>'         template parameters and constants of the source: #define TILE 32, constexpr int
//                              grid, block, grid.x … block.z; of a Triton kernel its tl.constexpr parameters
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "app/commands/commands.hpp"
#include "app/commands/exec_source.hpp"
#include "app/sandbox/reading/expression.hpp"
#include "app/sandbox/reading/source_facts.hpp"

namespace tilescope {

/// Both arguments must outlive it.
class ExecNames {
 public:
  ExecNames(const ExecOptions& options, ExecSource& source);
  NameLookup lookup();
  /// The parameter for each --arg without a name, by position; "" if the source does not tell.
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
  ExecSource& source_;
  std::map<std::string, std::string> texts_;  // texts of defines, and of arguments that name their parameter
  std::optional<SourceFacts> facts_;          // read on the first name that is not in texts_
  std::set<std::string> in_evaluation_;
  std::vector<std::string> positional_;
};

}  // namespace tilescope
