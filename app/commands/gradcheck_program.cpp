// tilescope gradcheck --program FILE: a program of the tape. Its steps and what is kept between the passes, and its
// gradients by formulas beside central differences, all in double precision on the CPU.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/gradcheck_command.hpp"
#include "app/sandbox/form/arguments.hpp"
#include "engine/autograd/programs.hpp"
#include "engine/autograd/tape_check.hpp"
#include "engine/autograd/tape_text.hpp"
#include "engine/json_text.hpp"
#include "engine/reference/torch_gradients.hpp"
#include "engine/report/report.hpp"
#include "engine/run/inputs.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

using nlohmann::ordered_json;

constexpr int64_t kLeastColumns = 16, kMostProgramElements = 1 << 16;
// Differences are off by about 1e-9, more where gradients are large: what is allowed beside their own estimate.
constexpr double kAllowed = 1e-6;

struct CheckedProgram {
  Tape tape;
  size_t rows = 4, columns = 64;
  std::vector<CheckedGradient> gradients;
  std::optional<TorchGradients> torch;
  std::vector<double> torch_distances;  // from the formulas, parallel to `gradients`
  bool agrees(size_t i) const {
    const bool formula = gradients[i].deviation <= kAllowed + 10 * gradients[i].difference_error;
    return formula && (!torch || torch_distances[i] <= kAllowed);
  }
};

Result<void> read_sizes(const std::vector<std::string>& texts, CheckedProgram& checked) {
  for (const std::string& text : texts) {
    auto assignment = parse_assignment(text);
    if (!assignment) return forward(assignment);
    if (assignment->name != "rows" && assignment->name != "columns")
      return fail(ErrorId::usage, fmt::format("--size {}: a program has rows and columns", text));
    auto value = parse_integer(assignment->name, assignment->value);
    if (!value) return forward(value);
    const bool rows = assignment->name == "rows";
    if (*value < (rows ? 1 : kLeastColumns) || *value > kMostProgramElements)
      return fail(ErrorId::parameter_range, assignment->name, *value,
                  phrase("{} to {}", rows ? int64_t{1} : kLeastColumns, kMostProgramElements));
    (rows ? checked.rows : checked.columns) = static_cast<size_t>(*value);
  }
  const std::string product = "rows * columns";
  if (checked.rows * checked.columns > static_cast<size_t>(kMostProgramElements))
    return fail(ErrorId::parameter_range, product, checked.rows * checked.columns,
                phrase("at most {}", kMostProgramElements));
  return {};
}

Result<CheckedProgram> check_program(Engine& engine, const GradcheckOptions& options) {
  const auto text = read_text(options.program);
  if (!text) return fail(ErrorId::file_not_found, options.program, std::strerror(errno));
  auto program = program_from_text(*text);
  if (!program) return forward(program);
  CheckedProgram checked{.tape = make_tape(std::move(*program))};
  if (auto good = read_sizes(options.run.size, checked); !good) return forward(good);
  const TapeInputs inputs = make_inputs(checked.tape.program, checked.rows, checked.columns, normal_at);
  checked.gradients = check_gradients(checked.tape, inputs.problem);
  if (!options.torch) return checked;
  auto torch = torch_gradients(engine.root() / "assets", checked.tape.program, inputs.problem, {});
  if (!torch) return forward(torch);
  const TapeNumbers formulas =
      run_backward(checked.tape, inputs.problem, run_forward(checked.tape.program, inputs.problem));
  for (const CheckedGradient& one : checked.gradients) {
    double distance = 0;
    for (size_t i = 0; i < formulas[one.value].size(); ++i)
      distance = std::max(distance, std::abs(formulas[one.value][i] - torch->values[one.value][i]));
    checked.torch_distances.push_back(distance);
  }
  checked.torch = std::move(*torch);
  return checked;
}

std::string_view kind_of(const TapeStep& step) {
  if (step.kind == TapeStep::Kind::backward) return "backward";
  return step.kind == TapeStep::Kind::forward ? "forward" : "forward again";
}

std::string gradients_of(const TapeProgram& program, const TapeStep& step) {
  std::string text;
  for (const TapeGradient& one : step.gradients)
    text += fmt::format("{}d{}{}", text.empty() ? "" : ", ", program.values[one.value].name, one.add ? " +=" : " =");
  return text;
}

std::string name_of_saved(const TapeProgram& program, const TapeSaved& one) {
  if (one.value) return program.values[*one.value].name;
  return one.extra == TapeExtra::tanh ? "tanh" : "mean and 1/sigma";
}

std::string state_of(const TapeSaved& one) {
  if (one.recomputed) return "computed again";
  if (one.held) return "kept by the caller";
  return one.shared_with ? "kept once, see above" : "kept";
}

std::string program_text(const CheckedProgram& checked, const std::string& file) {
  const Tape& tape = checked.tape;
  const TapeProgram& program = tape.program;
  const auto rows = static_cast<int64_t>(checked.rows), columns = static_cast<int64_t>(checked.columns);
  std::string text = fmt::format("{}: {} operators, {} x {}\n", file, program.nodes.size(), rows, columns);
  for (size_t i = 0; i < tape.steps.size(); ++i) {
    const TapeStep& step = tape.steps[i];
    text += fmt::format("  {:>3} {:<14} {:<10} {:<52} {}\n", i + 1, kind_of(step),
                        program.values[program.nodes[step.node].output].name,
                        fmt::format("{}", fmt::join(kernels_of(tape, step), ", ")), gradients_of(program, step));
  }
  text += fmt::format("{} bytes kept for the backward pass [{}]\n", tape.saved_bytes(rows, columns),
                      name_of(Badge::modelled));
  for (const TapeSaved& one : tape.saved)
    text += fmt::format("  {:<10} for {:<10} {:>10} bytes  {}{}\n", name_of_saved(program, one),
                        program.values[program.nodes[one.node].output].name, one.bytes(rows, columns), state_of(one),
                        one.for_recompute ? ", for its second forward run" : "");
  text += "formula beside central difference, both in double\n";
  if (checked.torch)
    text += fmt::format("and beside PyTorch {} on {}\n", checked.torch->version, checked.torch->device);
  for (size_t i = 0; i < checked.gradients.size(); ++i) {
    const CheckedGradient& one = checked.gradients[i];
    text += fmt::format("  {:<10} {} {:<6} |f - diff| {:.2g}, difference off by {:.2g}", one.name, one.parts,
                        one.parts == 1 ? "part" : "parts", one.deviation, one.difference_error);
    if (checked.torch) text += fmt::format(", |f - torch| {:.2g}", checked.torch_distances[i]);
    text += checked.agrees(i) ? "  ok\n" : "  WRONG\n";
  }
  return text;
}

ordered_json program_json(const CheckedProgram& checked, const std::string& file) {
  const Tape& tape = checked.tape;
  const TapeProgram& program = tape.program;
  const auto rows = static_cast<int64_t>(checked.rows), columns = static_cast<int64_t>(checked.columns);
  ordered_json object{{"program", file},
                      {"rows", rows},
                      {"columns", columns},
                      {"saved_bytes", tape.saved_bytes(rows, columns)},
                      {"steps", ordered_json::array()},
                      {"saved", ordered_json::array()},
                      {"gradients", ordered_json::array()}};
  for (const TapeStep& step : tape.steps)
    object["steps"].push_back({{"kind", kind_of(step)},
                               {"value", program.values[program.nodes[step.node].output].name},
                               {"kernels", kernels_of(tape, step)}});
  for (const TapeSaved& one : tape.saved)
    object["saved"].push_back({{"what", name_of_saved(program, one)},
                               {"for", program.values[program.nodes[one.node].output].name},
                               {"bytes", one.bytes(rows, columns)},
                               {"state", state_of(one)}});
  for (size_t i = 0; i < checked.gradients.size(); ++i) {
    const CheckedGradient& one = checked.gradients[i];
    ordered_json row{{"name", one.name},
                     {"parts", one.parts},
                     {"deviation", one.deviation},
                     {"difference_error", one.difference_error},
                     {"passed", checked.agrees(i)}};
    if (checked.torch) row["torch_distance"] = checked.torch_distances[i];
    object["gradients"].push_back(std::move(row));
  }
  return object;
}

}  // namespace

int gradcheck_program(Engine& engine, const GradcheckOptions& options, std::ostream& out, std::ostream& problems) {
  const auto checked = check_program(engine, options);
  if (!checked) return report_error(checked.error(), options.json, out, problems);
  out << (options.json ? json_text(program_json(*checked, options.program), 2) + "\n"
                       : program_text(*checked, options.program));
  for (size_t i = 0; i < checked->gradients.size(); ++i)
    if (!checked->agrees(i)) return kMisbehaved;
  return kClean;
}

}  // namespace tilescope
