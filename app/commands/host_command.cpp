// tilescope host LAB: the whole program of a run, as a file for nvcc or Python.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>

#include "app/commands/commands.hpp"
#include "engine/host_program/host_program.hpp"
#include "engine/report/report.hpp"

namespace tilescope {

int host_command(Engine& engine, const HostOptions& options, std::ostream& out, std::ostream& problems) {
  const auto request = make_request(options.run);
  if (!request) return report_error(request.error(), false, out, problems);
  const auto plan = engine.plan(*request);
  if (!plan) return report_error(plan.error(), false, out, problems);
  const auto program = host_program_of(engine, *request, *plan, reproducing_command(*request));
  if (!program)
    return report_error(make_error(ErrorId::usage, phrase("there is no host program: {}", program.error())), false, out,
                        problems);
  if (options.out.empty()) {
    out << program->text;
    return kClean;
  }
  std::ofstream file(options.out, std::ios::binary);
  file << program->text;
  file.close();
  if (!file)
    return report_error(make_error(ErrorId::file_not_written, options.out, std::strerror(errno)), false, out, problems);
  return kClean;
}

}  // namespace tilescope
