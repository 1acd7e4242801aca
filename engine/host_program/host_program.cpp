#include "engine/host_program/host_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "engine/compile/declared_kernels.hpp"
#include "engine/compile/kernel_names.hpp"
#include "engine/host_program/cuda_program.hpp"
#include "engine/host_program/python_program.hpp"
#include "engine/numbers.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

/// What neither language's program can do.
Phrase obstacle(const Plan& plan) {
  if (language_of(plan.source_file) == KernelLanguage::ptx)
    return Phrase("a file of PTX is launched through the driver API, for which no host program is written");
  if (!plan.more_sources.empty())
    return Phrase("the kernel is linked from several files; compile them together with nvcc -rdc=true");
  if (plan.launches.empty()) return Phrase("the run launches no kernel");
  for (const BufferSpec& buffer : plan.buffers)
    if (buffer.fill == Fill::file)
      return phrase("the buffer '{}' is read from a file, which the program would need beside it", buffer.name);
  for (const Launch& launch : plan.launches) {
    if (!launch.textures.empty())
      return phrase("{} takes texture objects, for which no host program is written", launch.kernel);
    for (const Argument& argument : launch.arguments)
      if (const auto* scalar = std::get_if<ScalarArgument>(&argument); scalar != nullptr && !scalar->pointers.empty())
        return phrase("{} takes a struct with pointers, for which no host program is written", launch.kernel);
  }
  return {};
}

}  // namespace

HostProgramResult host_program(const HostProgramSubject& subject) {
  if (Phrase reason = obstacle(subject.plan); !reason.empty()) return tl::unexpected<Phrase>(std::move(reason));
  return language_of(subject.plan.source_file) == KernelLanguage::triton ? python_program(subject)
                                                                         : cuda_program(subject);
}

HostProgramResult host_program_of(const Engine& engine, const Request& request, const Plan& plan,
                                  const std::string& command) {
  HostProgramSubject subject{.plan = plan,
                             .seed = request.seed,
                             .root = engine.root(),
                             .kernels_folder = engine.root() / "kernels",
                             .title = fmt::format("{}, {}", request.lab, request.rung),
                             .command = command};
  const Lab* lab = lab_of(request);
  if (lab == nullptr) return host_program(subject);
  for (const Param& param : lab->params) subject.meaning[param.name] = param.title.en;
  if (const auto resolved = engine.resolve(request)) {
    subject.title = fmt::format("{}, {}", lab->title.en, resolved->rung->name);
    if (resolved->rung->grid_formula && plan.launches.size() == 1) {
      const std::string formula = resolved->rung->grid_formula(resolved->config);
      const std::string grid = with_separators(plan.launches.front().grid.count());
      if (formula.ends_with(" = " + grid)) subject.grid_formula = formula;  // a switch may have changed the grid
    }
  }
  return host_program(subject);
}

}  // namespace tilescope
