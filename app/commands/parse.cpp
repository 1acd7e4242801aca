#include "app/commands/parse.hpp"

#include <CLI/CLI.hpp>

#include "app/commands/triton_installation.hpp"

namespace tilescope {
namespace {

constexpr const char* kDescription =
    "Tilescope: learn to write GPU operators. Without a command the window opens.\n"
    "Exit status: 0 clean, 1 the kernel misbehaved, 2 bad usage or input, 3 not available here.";

void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_option("lab", options.lab, "a lab's name, as 'tilescope list' shows it")->required();
  command.add_option("--rung", options.rung, "a rung of the lab, or 'all'; the lab's usual one if left out");
  command.add_option("--set", options.set, "NAME=VALUE, a parameter; GPU=h200 chooses the GPU that is modelled")
      ->take_all();
  command.add_option("--size", options.size, "NAME=VALUE, a size; 2^20 is understood")->take_all();
  command.add_option("--break", options.broken, "a switch that plants a well-known bug")->take_all();
  command.add_option("--on", options.device, "'sim' (default) or 'gpu'");
  command.add_option("--seed", options.seed, "seed of the random inputs");
  command.add_option("--launch", options.launch, "of several launches, the one that is shown, from 1");
}

CLI::App* add_host_options(CLI::App& app, HostOptions& options) {
  auto* command = app.add_subcommand("host", "write the whole program of a run, for nvcc or Python");
  add_run_options(*command, options.run);
  command->add_option("--out", options.out, "FILE; the standard output if left out");
  return command;
}

CLI::App* add_export_op_options(CLI::App& app, ExportOpOptions& options) {
  CLI::App& command = *app.add_subcommand(
      "export-op", "write a lab's kernel as a PyTorch operator: a folder with tests and a measurement");
  command.add_option("lab", options.run.lab, "a lab's name, as 'tilescope list' shows it")->required();
  command.add_option("folder", options.folder, "where to; it is made if it is missing")->required();
  command.add_option("--rung", options.run.rung, "a rung of the lab; the lab's usual one if left out");
  command
      .add_option("--way", options.way,
                  "how it is registered: library (torch.library.Library), custom_op, or triton_op for a Triton kernel")
      ->check(CLI::IsMember({"library", "custom_op", "triton_op"}));
  command.add_option("--set", options.run.set, "NAME=VALUE, a parameter; it becomes a constant of the kernel")
      ->take_all();
  command
      .add_option("--size", options.run.size,
                  "NAME=VALUE, a size; the operator takes others too wherever the launch is known for them")
      ->take_all();
  command.add_flag("--json", options.run.json, "one JSON object");
  return &command;
}

void add_exec_options(CLI::App& command, ExecOptions& options) {
  command.add_option("file", options.file, "a CUDA source file (.cu), Triton kernels (.py) or PTX (.ptx)")->required();
  command.add_option("more", options.more_files,
                     "further source files, compiled each by itself and linked, as by nvcc -rdc=true");
  command.add_option(
      "--kernel", options.kernel,
      "the kernel: NAME, NAME<ARGUMENTS> of a template, or NAME(TYPES); may be left out if there is one");
  command.add_option("--grid", options.grid, "X[,Y,Z] blocks, also as 'ceil(n/256)'; left out, a line is suggested");
  command.add_option("--block", options.block, "X[,Y,Z] threads; Triton's compiler chooses its own");
  command.add_option("--num-warps", options.num_warps, "of a Triton kernel; as its first configuration says, else 4");
  command.add_option("--num-stages", options.num_stages, "of a Triton kernel; as its first configuration says, else 3");
  command.add_option("--shared", options.shared, "bytes of dynamic shared memory");
  command
      .add_option("--define,-D", options.defines,
                  "NAME=VALUE for the preprocessor; of a Triton kernel a tl.constexpr parameter")
      ->take_all();
  command.add_option("--include,-I", options.includes, "a folder of headers")->take_all();
  command.add_option("--std", options.standard, "C++17, and C++20 where that does not compile, if left out")
      ->check(CLI::IsMember({"c++17", "c++20"}));
  command.add_option("--arch,--target", options.architecture,
                     "sm_75 and up: what __CUDA_ARCH__ says, and what the kernel is compiled for; sm_80 if left out");
  command
      .add_option("--arg", options.arguments,
                  "[PARAMETER=]SPEC, in kernel order: f32:2.5 i32:-7 bool:true f32:1,2,3,4 null ptr:NAME bytes:HEX "
                  "struct:i32:7;ptr:x ptrs:buf:…;ptr:x raw:buf:… or buf:TYPE:COUNT:INIT[:NAME]; TYPE f16 bf16 f32 f64 "
                  "f8e4m3 f8e5m2 bool, i8 to i64, u8 to u64; INIT zero ones iota normal uniform poison, a number or "
                  "@FILE; a texture object "
                  "is tex:TYPE[x2|x4]:WIDTH[xHEIGHT[xDEPTH]]:INIT[:OPTION…], OPTION point linear clamp wrap mirror "
                  "border normalized float layered linear-memory; a Triton kernel's tensor descriptor is "
                  "desc:TYPE:SHAPE:INIT:block=BLOCK[:strides=S,…,1][:padding=nan]")
      ->take_all();
  command
      .add_option("--symbol", options.symbols,
                  "NAME=…, a __constant__, __device__ or __managed__ variable, in the same forms")
      ->take_all();
  command.add_option("--set", options.set, "GPU=h200, the GPU that is modelled")->take_all();
  command.add_option("--dump", options.dumps, "NAME=FILE, write a buffer after the run")->take_all();
  command
      .add_option("--expect", options.expects,
                  "NAME=FILE[:ATOL[:RTOL]], compare a buffer after the run with raw elements or a .npy file")
      ->take_all();
  command.add_option("--print", options.prints, "NAME or NAME[a:b,c:d], print a buffer's elements after the run")
      ->take_all();
  command.add_option("--on", options.device, "'sim' (default) or 'gpu'");
  command.add_option("--seed", options.seed, "seed of the random inputs");
  command.add_flag("--traffic", options.traffic, "count memory traffic, with a table per source line");
  command.add_flag("--order", options.order,
                   "model what the whole grid moves in the order of its blocks, and in others");
  command.add_flag("--check", options.check, "on a GPU: also run the simulator's checks");
  command.add_flag("--json", options.json, "one JSON object");
}

/// "exercise list", "exercise start NAME FOLDER", …
CLI::App* add_exercise_options(CLI::App& app, ExerciseOptions& options) {
  using Action = ExerciseOptions::Action;
  auto* command = app.add_subcommand("exercise", "exercises: you write the kernel, the program judges it");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, Action action) {
    auto* added = command->add_subcommand(name, help);
    added->callback([&options, action] { options.action = action; });
    return added;
  };
  add("list", "all exercises by stage", Action::list)->add_flag("--json", options.json, "one JSON object");
  auto* start = add("start", "write an exercise's task and the file to begin with", Action::start);
  start->add_option("name", options.name, "an exercise")->required();
  start->add_option("folder", options.path, "where to; it is made if it is missing")->required();
  start->add_flag("--triton", options.triton, "the file for Triton instead of CUDA");
  auto* check = add("check", "judge a submission: exit status 0 if it is correct and meets every goal", Action::check);
  check->add_option("name", options.name, "an exercise")->required();
  check->add_option("path", options.path, "a .cu or .py file, or a folder of submissions")->required();
  check->add_option("--csv", options.csv, "FILE, one row for each submission; - is the standard output");
  check->add_option("--seed", options.seed, "seed of the random inputs and sizes");
  check->add_option("--on", options.device, "'sim' (default) or 'gpu'");
  check->add_flag("--json", options.json, "one JSON object");
  auto* test = add("test", "run the solutions and the wrong submissions of exercises", Action::test);
  test->add_option("names", options.names, "exercises; all if left out");
  return command;
}

CLI::App* add_graph_options(CLI::App& app, GraphOptions& options) {
  auto* command = app.add_subcommand("graph", "operators of a model: FLOPs, bytes, time bounds, what fusing saves");
  command->add_option("file", options.file,
                      "a graph: .json as assets/python/export_graph.py writes it, or a text with lines such as "
                      "x: f16[8, 64] and y = relu(x)");
  command->add_option("--layer", options.layer, "without a file: a layer of this model, bert if left out")
      ->check(CLI::IsMember({"bert", "llama"}));
  command
      ->add_option(
          "--set", options.set,
          "NAME=VALUE, an option of the layer: batch sequence hidden heads kv_heads mlp experts "
          "experts_per_token type phase norm norm_place mlp_kind biases causal rotary fused_qkv flash; GPU=h200 "
          "chooses the GPU")
      ->take_all();
  command->add_flag("--modules", options.modules, "the parts of the model instead of its operators");
  command->add_flag("--text", options.text, "the graph as a text to edit");
  command->add_flag(
      "--pairs", options.pairs,
      "instead of a graph: predicted beside recorded times of the labs that have unfused and fused rungs");
  command->add_option("--loops", options.loops,
                      "instead of a graph: a file of two loop nests, and whether they may become one");
  command->add_flag("--json", options.json, "one JSON object");
  return command;
}

CLI::App* add_gradcheck_options(CLI::App& app, GradcheckOptions& options) {
  auto* command = app.add_subcommand("gradcheck", "gradients of kernels beside central differences and PyTorch");
  command->add_option("lab", options.run.lab, "the lab autograd (if left out), or FILE.cu with kernels of your own");
  command->add_option("--program", options.program,
                      "FILE instead: a program of the tape, with lines such as x, w: matrix and y = mul(x, w)");
  command->add_option("--rung", options.run.rung, "a rung of the lab; all if left out");
  command->add_option("--set", options.run.set, "NAME=VALUE, a parameter of the lab")->take_all();
  command->add_option("--size", options.run.size, "NAME=VALUE, a size, of a file any that its launch lines use")
      ->take_all();
  command->add_option("--break", options.run.broken, "a switch that plants a wrong gradient")->take_all();
  command->add_option("--on", options.run.device, "'sim' (default) or 'gpu'");
  command->add_option("--seed", options.run.seed, "seed of the random inputs");
  command->add_option("--forward", options.forward, "of a file: a kernel of the forward pass, in order of launch")
      ->take_all();
  command->add_option("--backward", options.backward, "of a file: a kernel of the backward pass")->take_all();
  command
      ->add_option("--arg", options.arguments,
                   "of a file: NAME=SPEC, what a name in a launch line is, as for exec: x=buf:f32:n:normal for an "
                   "input, y=buf:f32:n:poison for a result, n=i32:n; dx and dy follow from x and y")
      ->take_all();
  command->add_flag("--torch", options.torch, "compare with torch.autograd too; needs a Python with PyTorch");
  command->add_flag("--step-sizes", options.step_sizes, "how the step of a central difference decides its error");
  command->add_flag("--json", options.json, "one JSON object");
  return command;
}

CLI::App* add_bench_options(CLI::App& app, BenchOptions& options) {
  auto* command = app.add_subcommand("bench", "time every rung and reference on the GPU");
  command->add_option("labs", options.labs, "labs; all if left out");
  command->add_option("--set", options.set, "NAME=VALUE, a parameter")->take_all();
  command->add_option("--size", options.size, "NAME=VALUE, a size of the sweep; several may be given")->take_all();
  command->add_option("--seconds", options.seconds, "time spent on each size")->check(CLI::Range(0.05, 60.0));
  command->add_option("--rung", options.rung, "time only this rung beside the references; several may be given");
  command->add_flag("--map", options.map, "the lab's map of schemes over shapes, instead of its sweep");
  command->add_option("--json", options.json_file, "write a recording");
  return command;
}

CLI::App* add_speed_options(CLI::App& app, SpeedOptions& options) {
  auto* command = app.add_subcommand("speed", "what fusing saves, the roofline, the map of schemes, small sizes");
  command
      ->add_option("view", options.view,
                   "fusion: launches, bytes and time of two rungs; roofline: FLOP per byte of every rung; "
                   "map: which scheme wins at which shape; small: times at the small sizes")
      ->required()
      ->check(CLI::IsMember({"fusion", "roofline", "map", "small"}));
  command->add_option("lab", options.lab, "a lab's name, as 'tilescope list' shows it")->required();
  command->add_option("--set", options.set, "NAME=VALUE, a parameter; GPU=h200 chooses the GPU that is modelled")
      ->take_all();
  command->add_option("--size", options.size, "NAME=VALUE, a size; 2^20 is understood; those of a GPU if left out")
      ->take_all();
  command->add_flag("--json", options.json, "one JSON object");
  return command;
}

CLI::App* add_tune_options(CLI::App& app, TuneOptions& options) {
  auto* command = app.add_subcommand("tune", "the configurations of a rung: which are possible, which is fastest");
  command->add_option("lab", options.lab, "a lab's name, as 'tilescope list' shows it")->required();
  command->add_option("--rung", options.rung, "a rung of the lab; the lab's usual one if left out");
  command
      ->add_option("--set", options.set,
                   "NAME=VALUE, a parameter that is not tried; GPU=h200 chooses the GPU that is modelled")
      ->take_all();
  command->add_option("--size", options.size, "NAME=VALUE, a size; those of a GPU if left out")->take_all();
  command->add_option("--try", options.tried, "NAME=VALUE,VALUE: only these values of a parameter")->take_all();
  command
      ->add_option("--search", options.search,
                   "exhaustive: every configuration; random; halving: many with few samples, the faster half with more")
      ->check(CLI::IsMember({"exhaustive", "random", "halving"}));
  command->add_option("--budget", options.budget, "seconds for the search")->check(CLI::Range(0.1, 86400.0));
  command->add_option("--trials", options.trials, "configurations timed in full, or as many samples")
      ->check(CLI::Range(1, 4096));
  command->add_option("--seed", options.seed, "seed of random and halving");
  command->add_flag("--static", options.only_static, "time nothing: what fits, registers, shared memory, occupancy");
  command->add_flag("--replay", options.replay, "time nothing: the newest known map, and the searches over it");
  command->add_flag("--again", options.again, "time what the cache knows too");
  command->add_option("--save", options.save, "FILE.json, the map as a recording");
  command->add_option("--rows", options.rows, "configurations in the table")->check(CLI::Range(1, 4096));
  command->add_flag("--json", options.json, "one JSON object");
  return command;
}

void add_shot_options(CLI::App& command, ShotCommandOptions& options, const std::vector<std::string>& views) {
  add_run_options(command, options.run);
  command.add_option("--panel", options.panel, "the view")->check(CLI::IsMember(views));
  command.add_option("--bottom", options.bottom, "the plot; bytes, groups, waves and source are of the order view")
      ->check(CLI::IsMember({"sweep", "ladder", "roofline", "fusion", "map", "small", "memory", "bytes", "groups",
                             "waves", "source", "loops", "cost"}));
  command.add_option("--diff", options.diff, "a rung beside whose source the rung's own is shown");
  command.add_option("--header", options.header, "a header that the kernel's file includes, shown in its place");
  command
      .add_option("--page", options.page,
                  "what the compiler made of the kernel, or its host program, shown in its source's place")
      ->check(CLI::IsMember({"ttir", "ttgir", "ptx", "host"}));
  command.add_option("--language", options.language, "the language")->check(CLI::IsMember({"en", "zh"}));
  command.add_option("--zoom", options.zoom, "how near the tile view looks")
      ->check(CLI::IsMember({"grid", "block", "warp", "lane"}));
  command.add_option("--extent", options.extent, "WIDTHxHEIGHT in pixels");
  command.add_option("--scale", options.scale, "1 is 96 dpi");
  command.add_flag("--light", options.light, "the light theme");
  command.add_flag("--veil", options.veil, "with the first question open, and its number veiled");
  command.add_option("--steps", options.steps, "the lab's steps beside the view, this one unfolded, from 1")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--issued", options.issued,
                  "the moment at which so many blocks have been issued; of a plane, so many steps over the keys")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--warp", options.warp, "the warp that the views step and shared show")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--step", options.step, "the warp's step that they show, from 0")->check(CLI::NonNegativeNumber);
  command.add_option("--tensor", options.tensor, "the tensor that the layout view shows, from 0")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--frames", options.frames, "draw so many more frames and print their times");
  command.add_flag("--order", options.order, "model the order of the blocks also where the lab does not ask for it");
  command.add_option("--out", options.out, "FILE.png")->required();
}

CLI::App* add_progress_options(CLI::App& app, ProgressOptions& options) {
  auto* command = app.add_subcommand("progress", "what you have read, answered, found and written so far");
  command->add_flag("--json", options.json, "one JSON object, with the accepted texts of exercises");
  command->add_option("--verify", options.verify, "FILE.json: judge the accepted texts in it again");
  auto* certificate =
      command->add_option("--certificate", options.certificate, "FILE.png: one page about it, to print or to show");
  command->add_option("--name", options.name, "your name on the certificate")->needs(certificate);
  command->add_option("--language", options.language, "of the certificate: 'en' or 'zh'")
      ->check(CLI::IsMember({"en", "zh"}))
      ->needs(certificate);
  return command;
}

/// A word that is not a command counts as a file only if it looks like one: "tilescope lst" is a typo.
const CLI::Validator is_source_or_path(
    [](std::string& word) -> std::string {
      const bool source =
          word.ends_with(".cu") || word.ends_with(".cuh") || word.ends_with(".py") || word.ends_with(".ptx");
      if (source || word.find('/') != std::string::npos) return {};
      return "there is no command '" + word + "', and a file to open ends in .cu, .py or .ptx";
    },
    "FILE");

void add_window_options(CLI::App& app, WindowOptions& options) {
  app.add_option("file", options.file, "a CUDA, Triton or PTX file to open in the Sandbox")->check(is_source_or_path);
  app.add_option("--lab", options.lab, "open the window on this lab");
  app.add_option("--rung", options.rung, "and this rung");
  app.add_option("--language", options.language, "'en' or 'zh'")->check(CLI::IsMember({"en", "zh"}));
  app.add_flag("--light", options.light, "the light theme");
  app.add_option("--state-file", options.state_file)->group("");
}

/// CLI11 reports problems by exceptions, which do not leave this file.
Result<std::string> parse_with(CLI::App& app, int count, const char* const* words) {
  try {
    app.parse(count, words);
  } catch (const CLI::CallForAllHelp&) {
    return app.help("", CLI::AppFormatMode::All);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) return app.help();
    const auto inner = chosen.front()->get_subcommands();
    return inner.empty() ? chosen.front()->help() : inner.front()->help();
  } catch (const CLI::CallForVersion&) {
    return "tilescope " TILESCOPE_VERSION "\nTriton: " + triton_text() + "\n";
  } catch (const CLI::ParseError& problem) {
    return fail(ErrorId::usage, std::string(problem.what()));
  }
  return std::string();
}

}  // namespace

Result<Invocation> parse_command_line(int count, const char* const* words, const std::vector<std::string>& views) {
  WindowOptions window;
  ListOptions list;
  RunOptions run;
  ExecOptions exec;
  HostOptions host;
  ExportOpOptions export_op;
  BenchOptions bench;
  SpeedOptions speed;
  TuneOptions tune;
  ExerciseOptions exercise;
  GraphOptions graph;
  GradcheckOptions gradcheck;
  ProgressOptions progress;
  ReviewOptions review;
  ShotCommandOptions shot;
  TourOptions tour;

  CLI::App app(kDescription, "tilescope");
  app.set_version_flag("--version", TILESCOPE_VERSION);
  app.require_subcommand(0, 1);
  add_window_options(app, window);
  auto* list_words = app.add_subcommand("list", "labs, rungs, parameters, and what is available here");
  list_words->add_flag("--json", list.json, "one JSON object");
  auto* run_words = app.add_subcommand("run", "run a lab's kernel and check its result");
  add_run_options(*run_words, run);
  run_words->add_flag("--traffic", run.traffic, "with a table per source line");
  run_words->add_flag("--json", run.json, "one JSON object");
  const auto* host_words = add_host_options(app, host);
  const auto* export_op_words = add_export_op_options(app, export_op);
  auto* exec_words = app.add_subcommand("exec", "run any kernel of a CUDA, Triton or PTX file; docs/exec.md shows how");
  add_exec_options(*exec_words, exec);
  const auto* bench_words = add_bench_options(app, bench);
  const auto* speed_words = add_speed_options(app, speed);
  const auto* tune_words = add_tune_options(app, tune);
  const auto* exercise_words = add_exercise_options(app, exercise);
  const auto* graph_words = add_graph_options(app, graph);
  const auto* gradcheck_words = add_gradcheck_options(app, gradcheck);
  const auto* progress_words = add_progress_options(app, progress);
  auto* review_words = app.add_subcommand("review", "the review cards that are due, lab by lab");
  review_words->add_flag("--json", review.json, "one JSON object");
  auto* shot_words = app.add_subcommand("shot", "one picture of the window");
  add_shot_options(*shot_words, shot, views);
  auto* tour_words = app.add_subcommand("tour", "every lab once on the simulator, with pictures");
  tour_words->add_option("--out", tour.out, "folder for the pictures");
  const auto* trial_words = app.add_subcommand("interop-trial")->group("");

  auto text = parse_with(app, count, words);
  if (!text) return tl::unexpected<Error>(text.error());
  if (!text->empty()) return PrintText{*text};
  if (list_words->parsed()) return list;
  if (run_words->parsed()) return run;
  if (host_words->parsed()) return host;
  if (export_op_words->parsed()) return export_op;
  if (exec_words->parsed()) return exec;
  if (exercise_words->parsed()) return exercise;
  if (graph_words->parsed()) return graph;
  if (gradcheck_words->parsed()) return gradcheck;
  if (progress_words->parsed()) return progress;
  if (review_words->parsed()) return review;
  if (shot_words->parsed()) return shot;
  if (tour_words->parsed()) return tour;
  if (bench_words->parsed()) return bench;
  if (speed_words->parsed()) return speed;
  if (tune_words->parsed()) return tune;
  if (trial_words->parsed()) return InteropTrialOptions{};
  return window;
}

}  // namespace tilescope
