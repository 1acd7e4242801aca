#include "app/commands/gradcheck_command.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/autograd/differences.hpp"
#include "engine/autograd/programs.hpp"
#include "engine/json_text.hpp"
#include "engine/reference/torch_gradients.hpp"
#include "engine/report/report.hpp"
#include "engine/run/expect.hpp"

namespace tilescope {
namespace {

using nlohmann::ordered_json;

constexpr const char* kLab = "autograd";
constexpr size_t kExamined = 200;        // elements of a matrix whose differences are examined for their own errors
constexpr size_t kExaminedOfVector = 8;  // each is a sum over all rows

/// A run of a rung with the program that it computes.
struct CheckedRun {
  RunResult result;
  Tape tape;
  TapeProblem problem;  // shows the buffers of the result
};

/// One output of a rung beside its differences.
struct GradientRow {
  std::string name;
  size_t value = 0;  // its number in the program
  const Correctness* checked = nullptr;
  double difference_error = 0;   // largest estimate among the examined elements; 0 for the result
  size_t kinks = 0;              // among them
  std::optional<double> cosine;  // between the gradient and its differences; none: one of them is 0
  std::optional<double> torch_distance, torch_error;
};

size_t buffer_named(const RunResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.plan.buffers, name, &BufferSpec::name);
  return static_cast<size_t>(found - result.plan.buffers.begin());
}

TapeContents contents_of(const RunResult& result, const std::string& name) {
  return TapeContents(*result.buffers[buffer_named(result, name)]);
}

bool has_bfloat16(const Config& config) { return config.param("DTYPE") == 1; }
int64_t saved_bytes(const CheckedRun& run) {
  return run.tape.saved_bytes(static_cast<int64_t>(run.problem.rows), static_cast<int64_t>(run.problem.columns),
                              has_bfloat16(run.result.config) ? 2 : 4);
}

Result<CheckedRun> run_rung(Engine& engine, const Request& request) {
  auto result = engine.run(request);
  if (!result) return forward(result);
  CheckedRun run{.result = std::move(*result), .tape = {}, .problem = {}};
  run.tape = make_tape(*program_of_rung(request.rung, save_of_parameter(request.config.param("SAVE"))));
  const TapeProgram& program = run.tape.program;
  run.problem.rows = static_cast<size_t>(request.config.size("rows"));
  run.problem.columns = static_cast<size_t>(request.config.size("columns"));
  run.problem.inputs.resize(program.values.size());
  for (size_t value = 0; value < program.values.size(); ++value)
    if (!program.values[value].node) run.problem.inputs[value] = contents_of(run.result, program.values[value].name);
  const std::string upstream = "d" + program.values[program.result()].name;
  run.problem.upstream = contents_of(run.result, upstream);
  return run;
}

/// 1: the same direction. Above 0 a small step against the gradient still makes the loss smaller.
std::optional<double> cosine_of(const RunResult& result, const Correctness& one) {
  const TapeContents got = contents_of(result, one.buffer);
  if (one.expected.size() != got.size() || one.expected_rest.size() != got.size()) return std::nullopt;
  double product = 0, squares = 0, expected_squares = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double wanted = double{one.expected[i]} + double{one.expected_rest[i]};
    product += double{got[i]} * wanted;
    squares += double{got[i]} * double{got[i]};
    expected_squares += wanted * wanted;
  }
  const double lengths = std::sqrt(squares * expected_squares);
  return lengths > 0 ? std::optional(product / lengths) : std::nullopt;
}

std::vector<GradientRow> rows_of(const CheckedRun& run) {
  const TapeProgram& program = run.tape.program;
  const TapeDifferences differences(program, run.problem);
  std::vector<GradientRow> rows;
  for (const Correctness& one : run.result.correctness) {
    GradientRow row{.name = one.buffer, .checked = &one};
    row.cosine = cosine_of(run.result, one);
    const bool gradient = one.buffer != program.values[program.result()].name;
    row.value = *program.find(gradient ? one.buffer.substr(1) : one.buffer);
    const bool vector = program.values[row.value].shape == TapeShape::vector;
    const size_t examined = std::min<size_t>(vector ? kExaminedOfVector : kExamined, one.elements);
    for (size_t i = 0; gradient && i < examined; ++i) {
      const size_t element = i * one.elements / examined;
      const Difference difference = differences.difference(row.value, element);
      row.difference_error = std::max(row.difference_error, difference.error());
      row.kinks += difference.kink ? 1 : 0;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void compare_with_torch(const CheckedRun& run, const TorchGradients& torch, std::vector<GradientRow>& rows) {
  for (GradientRow& row : rows) {
    const auto got = contents_of(run.result, row.name);
    double distance = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      const double error = std::abs(double{got[i]} - torch.values[row.value][i]);
      distance = std::isnan(error) ? HUGE_VAL : std::max(distance, error);
    }
    row.torch_distance = distance;
    row.torch_error = torch.float_errors[row.value];
  }
}

/// PyTorch's gradient is in double too, so the bound is that of the differences.
bool torch_agrees(const CheckedRun& run, const GradientRow& row, const TorchGradients& torch) {
  const auto got = contents_of(run.result, row.name);
  const Tolerance& tolerance = row.checked->tolerance;
  for (size_t i = 0; i < got.size(); ++i) {
    const double wanted = torch.values[row.value][i];
    if (!(std::abs(double{got[i]} - wanted) <= tolerance.absolute + tolerance.relative * std::abs(wanted)))
      return false;
  }
  return true;
}

std::string place_text(const RunResult& result, const Correctness& one) {
  return "[" + index_text(result.plan.buffers[buffer_named(result, one.buffer)].shape, one.largest_error_index) + "]";
}

std::string head_text(const CheckedRun& run, const std::optional<TorchGradients>& torch) {
  const RunResult& result = run.result;
  std::string text = fmt::format("{} {} on {} [{}], {} x {}{}\n", kLab, result.rung, result.device.name,
                                 name_of(result.device.kind == DeviceKind::gpu ? Badge::measured : Badge::simulated),
                                 run.problem.rows, run.problem.columns, has_bfloat16(result.config) ? " of bf16" : "");
  text +=
      fmt::format("save = {}: {} bytes kept for the backward pass, {} forward kernels run again\n",
                  name_of(save_of_parameter(result.config.param("SAVE"))), saved_bytes(run), run.tape.recomputations());
  if (torch) text += fmt::format("PyTorch {} on {}\n", torch->version, torch->device);
  text += fmt::format("  {:<8} {:>10} {:>12} {:>14} {:>20} {:>14} {:>8}", "", "elements", "|k - diff|", "at", "allowed",
                      "error of diff", "cosine");
  if (torch) text += fmt::format(" {:>12} {:>14}", "|k - torch|", "torch's fp32");
  return text + "\n";
}

std::string row_text(const CheckedRun& run, const GradientRow& row, const std::optional<TorchGradients>& torch) {
  const Correctness& one = *row.checked;
  std::string text = fmt::format("  {:<8} {:>10} {:>12.3g} {:>14} {:>20} {:>14} {:>8}", row.name, one.checked,
                                 one.largest_error, place_text(run.result, one),
                                 fmt::format("{:.2g} + {:.2g} |d|", one.tolerance.absolute, one.tolerance.relative),
                                 row.difference_error > 0 ? fmt::format("{:.2g}", row.difference_error) : "-",
                                 row.cosine ? fmt::format("{:.4f}", *row.cosine) : "-");
  if (torch) text += fmt::format(" {:>12.3g} {:>14.3g}", *row.torch_distance, *row.torch_error);
  text += one.pass ? "  ok" : "  WRONG: " + one.reason.english();
  if (torch && !torch_agrees(run, row, *torch)) text += "  NOT PyTorch's";
  if (row.kinks > 0) text += fmt::format("  ({} near a kink)", row.kinks);
  return text + "\n";
}

ordered_json row_json(const CheckedRun& run, const GradientRow& row, const std::optional<TorchGradients>& torch) {
  const Correctness& one = *row.checked;
  ordered_json object{{"name", row.name},
                      {"elements", one.elements},
                      {"checked", one.checked},
                      {"largest_error", one.largest_error},
                      {"largest_error_index", one.largest_error_index},
                      {"tolerance", {{"absolute", one.tolerance.absolute}, {"relative", one.tolerance.relative}}},
                      {"mismatches", one.mismatches},
                      {"difference_error", row.difference_error},
                      {"near_a_kink", row.kinks},
                      {"passed", one.pass}};
  if (row.cosine) object["cosine"] = *row.cosine;
  if (!one.pass) object["what"] = one.reason.english();
  if (torch)
    object["torch"] = {{"distance", *row.torch_distance},
                       {"float32_error", *row.torch_error},
                       {"passed", torch_agrees(run, row, *torch)}};
  return object;
}

ordered_json run_json(const CheckedRun& run, const std::vector<GradientRow>& rows,
                      const std::optional<TorchGradients>& torch) {
  ordered_json object{{"lab", kLab},
                      {"rung", run.result.rung},
                      {"device", run.result.device.name},
                      {"sizes", run.result.config.sizes},
                      {"type", has_bfloat16(run.result.config) ? "bf16" : "f32"},
                      {"save", name_of(save_of_parameter(run.result.config.param("SAVE")))},
                      {"saved_bytes", saved_bytes(run)},
                      {"recomputations", run.tape.recomputations()},
                      {"outputs", ordered_json::array()}};
  if (torch) object["torch"] = {{"version", torch->version}, {"device", torch->device}};
  for (const GradientRow& row : rows) object["outputs"].push_back(row_json(run, row, torch));
  return object;
}

// ---- How the step decides

struct StepRow {
  double step = 0, distance = 0, truncation = 0, rounding = 0;
};

/// Differences of the first input at steps from 10^-1 to 10^-12 beside the formulas in double.
std::vector<StepRow> step_rows(const CheckedRun& run) {
  const TapeProgram& program = run.tape.program;
  const TapeDifferences differences(program, run.problem);
  const TapeNumbers gradients = run_backward(run.tape, run.problem, run_forward(program, run.problem));
  const size_t elements = run.problem.inputs[0].size(), examined = std::min(kExamined, elements);
  std::vector<StepRow> rows;
  for (int power = 1; power <= 12; ++power) {
    StepRow row{.step = std::pow(10.0, -power)};
    for (size_t i = 0; i < examined; ++i) {
      const size_t element = i * elements / examined;
      const Difference one = differences.difference(0, element, row.step);
      row.distance = std::max(row.distance, std::abs(one.value - gradients[0][element]));
      row.truncation = std::max(row.truncation, one.truncation);
      row.rounding = std::max(row.rounding, one.rounding);
    }
    rows.push_back(row);
  }
  return rows;
}

std::string step_text(const CheckedRun& run) {
  std::string text = fmt::format(
      "{} {}: the gradient of {} by differences, beside the formula, both in double\n"
      "  {:>8} {:>14} {:>22} {:>20}\n",
      kLab, run.result.rung, run.tape.program.values[0].name, "h", "largest error", "truncation, estimated",
      "rounding, estimated");
  for (const StepRow& row : step_rows(run))
    text +=
        fmt::format("  {:>8.0e} {:>14.2g} {:>22.2g} {:>20.2g}\n", row.step, row.distance, row.truncation, row.rounding);
  text += "  Where rounding is larger, the estimate of truncation sees nothing but rounding.\n";
  return text;
}

ordered_json step_json(const CheckedRun& run) {
  ordered_json rows = ordered_json::array();
  for (const StepRow& row : step_rows(run))
    rows.push_back({{"step", row.step},
                    {"largest_error", row.distance},
                    {"truncation", row.truncation},
                    {"rounding", row.rounding}});
  return {{"lab", kLab}, {"rung", run.result.rung}, {"input", run.tape.program.values[0].name}, {"steps", rows}};
}

struct Outcome {
  int status = kClean;
  std::string text;
  ordered_json object;
};

Result<Outcome> check_rung(Engine& engine, const Request& request, const GradcheckOptions& options) {
  auto run = run_rung(engine, request);
  if (!run) return forward(run);
  Outcome outcome;
  if (options.step_sizes) {
    outcome.text = step_text(*run);
    outcome.object = step_json(*run);
    return outcome;
  }
  std::vector<GradientRow> rows = rows_of(*run);
  std::optional<TorchGradients> torch;
  if (options.torch) {
    auto gradients = torch_gradients(engine.root() / "assets", run->tape.program, run->problem, {});
    if (!gradients) return forward(gradients);
    torch = std::move(*gradients);
    compare_with_torch(*run, *torch, rows);
  }
  outcome.status = exit_status(run->result);
  outcome.text = head_text(*run, torch);
  for (const GradientRow& row : rows) {
    outcome.text += row_text(*run, row, torch);
    if (torch && !torch_agrees(*run, row, *torch)) outcome.status = kMisbehaved;
  }
  for (const Finding& finding : run->result.findings) outcome.text += "  " + finding.message + "\n";
  outcome.object = run_json(*run, rows, torch);
  outcome.object["passed"] = outcome.status == kClean;
  return outcome;
}

}  // namespace

int gradcheck_command(const std::shared_ptr<Engine>& engine, const GradcheckOptions& options, std::ostream& out,
                      std::ostream& problems) {
  if (!options.program.empty()) return gradcheck_program(*engine, options, out, problems);
  const bool file = options.run.lab.ends_with(".cu") || !options.forward.empty() || !options.backward.empty();
  if (file) return gradcheck_file(engine, options, out, problems);
  if (find_lab(options.run.lab) != nullptr && options.run.lab != kLab)
    return report_error(
        make_error(ErrorId::usage, fmt::format("gradcheck takes the lab autograd or a .cu file; '{}' has no program "
                                               "that could be differentiated",
                                               options.run.lab)),
        options.json, out, problems);
  auto request = make_request(options.run);
  if (!request) return report_error(request.error(), options.json, out, problems);
  const Lab& lab = *find_lab(kLab);
  std::vector<std::string> rungs{request->rung};
  if (options.run.rung.empty() || options.run.rung == "all") {
    rungs.clear();
    for (const Rung& rung : lab.rungs) rungs.push_back(rung.name);
  }
  int status = kClean;
  ordered_json all = ordered_json::array();
  for (const std::string& rung : rungs) {
    request->rung = rung;
    auto outcome = check_rung(*engine, *request, options);
    if (!outcome) return report_error(outcome.error(), options.json, out, problems);
    status = std::max(status, outcome->status);
    if (options.json)
      all.push_back(std::move(outcome->object));
    else
      out << outcome->text << "\n";
  }
  if (options.json) out << json_text(rungs.size() == 1 ? all.front() : all, 2) << "\n";
  return status;
}

}  // namespace tilescope
