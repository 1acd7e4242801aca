// tilescope exec: runs a kernel of any CUDA, Triton or PTX file.
#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/buffer_checks.hpp"
#include "app/commands/command_parts.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/exec_foreign.hpp"
#include "app/commands/exec_names.hpp"
#include "app/commands/suggestion.hpp"
#include "app/sandbox/form/arguments.hpp"
#include "engine/json_text.hpp"
#include "engine/report/report.hpp"
#include "engine/specs.hpp"

namespace tilescope {

using nlohmann::json;

namespace {

/// The parsed command line: the plan, and what to do after the run.
struct ExecPlan {
  Plan plan;
  Request request;
  std::vector<Expectation> expectations;
  std::vector<PrintedSlice> slices;
};

Result<void> read_compile_options(const ExecOptions& options, Plan& plan) {
  auto architecture = parse_architecture(options.architecture);
  if (!architecture) return tl::unexpected<Error>(architecture.error());
  plan.architecture = std::move(*architecture);
  for (const auto& text : options.defines) {
    // -DNAME alone means 1, as in a compiler.
    auto define = parse_assignment(text.find('=') == std::string::npos ? text + "=1" : text);
    if (!define) return tl::unexpected<Error>(define.error());
    if (define->name == "__CUDA_ARCH__")
      return fail(ErrorId::usage, "__CUDA_ARCH__ is the compiler's own: --arch sm_75 makes it 750");
    plan.defines.push_back({define->name, define->value});
  }
  for (const std::string& folder : options.includes) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
      return fail(ErrorId::usage, fmt::format("--include {}: there is no such folder", folder));
    plan.include_folders.push_back(folder);
  }
  return {};
}

/// A buffer identified only by its position gets its parameter's name, unless that is already used.
std::vector<std::string> usual_names(const ExecOptions& options, ExecNames& known) {
  const auto needs_name = [](const std::string& text) {
    constexpr std::array<std::string_view, 6> kWithBuffers{"buf:", "tex:", "raw:", "ptrs:", "struct:", "desc:"};
    constexpr long kColonsOfNamed = 4;  // buf:TYPE:COUNT:INIT:NAME
    const Assignment given = split_argument(text);
    const auto begins = [&](std::string_view form) { return given.value.starts_with(form); };
    return given.name.empty() && std::ranges::any_of(kWithBuffers, begins) &&
           !(begins("buf:") && std::ranges::count(given.value, ':') >= kColonsOfNamed);
  };
  if (std::ranges::none_of(options.arguments, needs_name)) return {};  // the headers need not be read for it
  std::vector<std::string> names = known.positional();
  for (const std::string& text : options.arguments)
    for (std::string& name : names)
      if (text.ends_with(":" + name)) name.clear();
  return names;
}

Result<void> read_launch(const ExecOptions& options, ExecNames& known, Plan& plan) {
  const NameLookup names = known.lookup();
  Launch launch;
  launch.kernel = options.kernel;
  const bool is_triton = language_of(plan.source_file) == KernelLanguage::triton;
  auto grid = parse_extent("grid", options.grid, names);
  auto block = is_triton ? Result<Dim3>(Dim3{}) : parse_extent("block", options.block, names);
  if (!grid) return tl::unexpected<Error>(grid.error());
  if (!block) return tl::unexpected<Error>(block.error());
  launch.grid = *grid;
  launch.block = *block;
  auto shared = parse_whole_expression("--shared", options.shared, INT32_MIN, INT32_MAX, names);
  if (!shared) return tl::unexpected<Error>(shared.error());
  if (*shared < 0 || *shared > usual_gpu().shared_bytes_per_block)
    return fail(ErrorId::bad_launch, "shared", *shared,
                phrase("a block can have at most {} bytes of shared memory", usual_gpu().shared_bytes_per_block));
  launch.shared_bytes = static_cast<uint32_t>(*shared);
  auto parsed = parse_arguments(options.arguments, options.symbols, plan.buffers, names, usual_names(options, known));
  if (!parsed) return tl::unexpected<Error>(parsed.error());
  for (size_t i = 0; !is_triton && i < parsed->arguments.size(); ++i)
    if (const auto* one = std::get_if<BufferArgument>(&parsed->arguments[i]); one != nullptr && one->descriptor)
      return fail(ErrorId::bad_argument, options.arguments[i], "desc: is for Triton kernels, in a .py file");
  launch.arguments = std::move(parsed->arguments);
  launch.argument_names = std::move(parsed->names);
  launch.presets = std::move(parsed->presets);
  launch.textures = std::move(parsed->textures);
  plan.variables = std::move(parsed->variables);
  plan.launches = {std::move(launch)};
  return {};
}

Result<Request> make_exec_request(const ExecOptions& options) {
  Request request;
  auto device = parse_device(options.device);
  if (!device) return tl::unexpected<Error>(device.error());
  auto seed = parse_integer("seed", options.seed);
  if (!seed) return tl::unexpected<Error>(seed.error());
  request.device = *device;
  request.seed = static_cast<uint64_t>(*seed);
  auto settings = options.set;
  auto gpu = take_gpu(settings);
  if (!gpu) return tl::unexpected<Error>(gpu.error());
  if (!settings.empty())
    return fail(ErrorId::usage,
                fmt::format("--set {}: a file of one's own has only GPU=NAME to set", settings.front()));
  request.gpu = *gpu;
  request.model_order = options.order;
  // For a GPU run the simulator runs too only if its counts or checks are requested.
  request.observe = *device == DeviceKind::sim || options.traffic || options.check;
  return request;
}

Result<ExecPlan> make_exec_plan(const ExecOptions& options, ExecSource& source) {
  ExecPlan made;
  Plan& plan = made.plan;
  auto request = make_exec_request(options);
  if (!request) return tl::unexpected<Error>(request.error());
  made.request = std::move(*request);
  plan.source_file = options.file;
  plan.source_text = source.text();
  if (auto possible = check_options(options, source.language()); !possible) return forward(possible);
  if (source.language() == KernelLanguage::triton) plan.source_file = absolute_path(options.file);
  plan.standard = options.standard;
  for (const std::string& file : options.more_files) {
    auto more = read_source(file);
    if (!more) return tl::unexpected<Error>(more.error());
    plan.more_sources.push_back({file, std::move(*more)});
  }
  if (auto read = read_compile_options(options, plan); !read) return tl::unexpected<Error>(read.error());
  ExecNames known(options, source);
  const NameLookup names = known.lookup();
  if (auto read = read_launch(options, known, plan); !read) return tl::unexpected<Error>(read.error());
  if (source.language() != KernelLanguage::cuda)
    if (auto settled = settle_foreign(options, source, known, plan); !settled) return forward(settled);
  if (auto possible = check_dumps(options.dumps, plan); !possible) return tl::unexpected<Error>(possible.error());
  auto expectations = read_expectations(options.expects, plan);
  if (!expectations) return tl::unexpected<Error>(expectations.error());
  made.expectations = std::move(*expectations);
  auto slices = read_slices(options.prints, plan, names);
  if (!slices) return tl::unexpected<Error>(slices.error());
  made.slices = std::move(*slices);
  return made;
}

/// Errors that a complete command line would fix.
bool is_for_want_of_words(ErrorId id) {
  return id == ErrorId::launch_incomplete || id == ErrorId::argument_count || id == ErrorId::argument_name ||
         id == ErrorId::kernel_is_template;
}

Result<RunResult> run_exec(Engine& engine, const ExecOptions& options, ExecSource& source, ExecPlan& made) {
  if (auto complete = check_complete(options, source); !complete) return tl::unexpected<Error>(complete.error());
  auto plan = make_exec_plan(options, source);
  if (!plan) return tl::unexpected<Error>(plan.error());
  made = std::move(*plan);
  auto result = engine.run_plan(std::move(made.plan), made.request);
  // Here the PTX is the user's, not that of a compiler.
  if (!result && result.error().id == ErrorId::ptx_syntax && source.language() == KernelLanguage::ptx)
    return fail(ErrorId::compile_failed, options.file, result.error().what);
  if (result) compare_expectations(made.expectations, *result);
  return result;
}

}  // namespace

int exec_command(Engine& engine, const ExecOptions& options, std::ostream& out, std::ostream& problems) {
  auto source = ExecSource::read(engine, options);
  if (!source) return report_error(source.error(), options.json, out, problems);
  ExecPlan made;
  auto result = run_exec(engine, options, *source, made);
  if (!result) {
    const Error& error = result.error();
    const std::string suggestion = is_for_want_of_words(error.id) ? suggest_command(options, *source) : "";
    return report_error(error, options.json, out, problems, suggestion);
  }
  json report = options.json ? to_json(*result) : json();
  if (!options.json) out << to_text(*result, options.traffic);
  for (const PrintedSlice& slice : made.slices) {
    if (options.json)
      report["printed"].push_back(slice_json(slice, *result));
    else
      out << slice_text(slice, *result);
  }
  int status = exit_status(*result);
  for (const auto& dump : options.dumps) {
    auto written = write_dump(dump, *result);
    if (written) continue;
    // The run's results are kept beside the error.
    report.update(to_json(written.error()));
    status = exit_status(written.error());
    if (!options.json) report_error(written.error(), false, out, problems);
  }
  if (options.json) out << json_text(report, 2) << "\n";
  return status;
}

}  // namespace tilescope
