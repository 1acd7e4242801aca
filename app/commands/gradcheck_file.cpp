// tilescope gradcheck FILE.cu: a learner's own backward kernel beside differences of their own forward kernel.
//
//     // Launch: my_gelu<<<ceil(n / 256), 256>>>(x, y, n)
//     // Launch: my_gelu_backward<<<ceil(n / 256), 256>>>(dy, x, dx, n)
//     tilescope gradcheck mine.cu --forward my_gelu --backward my_gelu_backward --size n=1000
//         --arg x=buf:f32:n:normal --arg y=buf:f32:n:poison --arg n=i32:n
//
// The gradient of NAME is called dNAME. The forward kernels run in float, so steps are larger than in double: with
// h = 2^-8 · max(1, |x|) truncation and rounding are both about 10^-5 of numbers of size 1.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "app/commands/gradcheck_command.hpp"
#include "app/exercises/launch_line.hpp"
#include "app/exercises/submission.hpp"
#include "app/sandbox/form/arguments.hpp"
#include "engine/json_text.hpp"
#include "engine/report/report.hpp"
#include "engine/run/expect.hpp"
#include "engine/run/inputs.hpp"
#include "engine/run/kernels.hpp"
#include "engine/run/plan_compilation.hpp"
#include "engine/sim/simulator.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMostElements = 32;      // of an input get differences
constexpr double kStep = 0x1p-8;          // for numbers of size 1
constexpr double kMostTruncation = 0.05;  // for a gradient of size 1: beyond that, the forward pass is not smooth here
constexpr double kOwnRounding = 1e-4;     // that the backward kernel may add, relative to numbers of size 1

tl::unexpected<Error> misuse(const std::string& what) { return fail(ErrorId::usage, what); }

std::string plain_name(const std::string& kernel) { return kernel.substr(0, kernel.find('<')); }

/// The text without its launch lines, except for those of the kernels.
std::string with_launches_of(const std::string& text, const std::vector<LaunchLine>& lines,
                             const std::vector<std::string>& kernels) {
  std::set<uint32_t> dropped;
  for (const LaunchLine& line : lines)
    if (std::ranges::find(kernels, plain_name(line.kernel)) == kernels.end()) dropped.insert(line.line);
  std::string kept;
  uint32_t number = 1;
  for (size_t at = 0; at <= text.size(); ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (!dropped.contains(number)) kept += text.substr(at, end - at);
    if (end < text.size()) kept += '\n';
    at = end + 1;
  }
  return kept;
}

/// An input or output of the forward pass, with the buffer of its gradient.
struct Pair {
  std::string name;
  size_t value = 0, gradient = 0;  // buffers
  bool output = false;
};

struct FilePlan {
  Plan plan;
  size_t forward_launches = 0;
  std::vector<Pair> pairs;
};

/// Reads the options and the launch lines.
class FilePlanReader {
 public:
  FilePlanReader(const GradcheckOptions& options, std::string text) : options_(options), text_(std::move(text)) {}

  Result<FilePlan> read() {
    auto lines = read_launch_lines(text_, KernelLanguage::cuda);
    if (!lines) return forward(lines);
    lines_ = std::move(*lines);
    for (const auto* const kernels : {&options_.forward, &options_.backward})
      for (const std::string& kernel : *kernels)
        if (std::ranges::none_of(lines_, [&](const LaunchLine& line) { return plain_name(line.kernel) == kernel; }))
          return misuse(
              fmt::format("{} has no launch line of '{}'; write one as a comment, as in // Launch: "
                          "{}<<<ceil(n / 256), 256>>>(x, y, n)",
                          options_.run.lab, kernel, kernel));
    if (auto good = read_sizes(); !good) return forward(good);
    if (auto good = read_parameters(); !good) return forward(good);
    if (auto good = add_gradients(); !good) return forward(good);
    return make();
  }

 private:
  Result<void> read_sizes() {
    for (const std::string& text : options_.run.size) {
      auto assignment = parse_assignment(text);
      if (!assignment) return forward(assignment);
      auto value = parse_integer(assignment->name, assignment->value);
      if (!value) return forward(value);
      if (*value < 1) return misuse(fmt::format("--size {}: a size is at least 1", text));
      sizes_[assignment->name] = *value;
    }
    return {};
  }

  Result<void> read_parameters() {
    for (const std::string& text : options_.arguments) {
      const Assignment given = split_argument(text);
      if (given.name.empty())
        return misuse(fmt::format("--arg {}: name what it is for, as in --arg x=buf:f32:n:normal", text));
      exercise_.parameters.push_back({.name = given.name, .argument = given.value});
    }
    return {};
  }

  const ExerciseParameter* parameter(const std::string& name) const { return exercise_.parameter(name); }

  /// The buffer of dNAME has the size of NAME: numbers for the gradient of a result, poison for that of an input.
  Result<void> add_gradients() {
    for (const LaunchLine& line : lines_) {
      const std::string kernel = plain_name(line.kernel);
      const auto has = [&](const std::vector<std::string>& names) {
        return std::ranges::find(names, kernel) != names.end();
      };
      if (!has(options_.forward) && !has(options_.backward)) continue;
      for (const std::string& argument : line.arguments) {
        if (parameter(argument) != nullptr) continue;
        const ExerciseParameter* base = argument.starts_with('d') ? parameter(argument.substr(1)) : nullptr;
        if (base == nullptr || !base->argument.starts_with("buf:"))
          return misuse(
              fmt::format("line {} passes '{}' to {}, and no --arg says what it is; give --arg "
                          "{}=buf:f32:n:normal, or name a gradient after its buffer, as dx after x",
                          line.line, argument, kernel, argument));
        std::vector<std::string> parts = split(base->argument, ':', 4);
        if (parts.size() < 4)
          return misuse(fmt::format("--arg {}={}: it has no initial contents", base->name, base->argument));
        const bool of_result = parts[3].starts_with("poison");
        exercise_.parameters.push_back(
            {.name = argument,
             .argument = fmt::format("buf:{}:{}:{}", parts[1], parts[2], of_result ? "normal" : "poison")});
      }
    }
    return {};
  }

  Result<FilePlan> make() {
    std::vector<std::string> specs;
    for (const ExerciseParameter& one : exercise_.parameters) specs.push_back(one.name + "=" + one.argument);
    ExerciseArguments arguments;
    const NameLookup names = [this](std::string_view name) -> std::optional<Checked<long double>> {
      const auto found = sizes_.find(std::string(name));
      if (found == sizes_.end()) return std::nullopt;
      return static_cast<long double>(found->second);
    };
    auto parsed = parse_arguments(specs, {}, arguments.buffers, names);
    if (!parsed) return forward(parsed);
    arguments.values = std::move(parsed->arguments);
    for (BufferSpec& buffer : arguments.buffers) buffer.role = buffer.fill == Fill::poison ? Role::output : Role::input;
    FilePlan made{.plan = {.source_file = options_.run.lab, .source_text = text_, .buffers = arguments.buffers},
                  .pairs = {}};
    for (const auto* const kernels : {&options_.forward, &options_.backward}) {
      auto launches =
          launches_of(exercise_, arguments, sizes_, with_launches_of(text_, lines_, *kernels), KernelLanguage::cuda);
      if (!launches) return forward(launches);
      if (kernels == &options_.forward) made.forward_launches = launches->size();
      made.plan.launches.insert(made.plan.launches.end(), launches->begin(), launches->end());
    }
    if (auto good = find_pairs(made); !good) return forward(good);
    return made;
  }

  std::set<size_t> buffers_of(const FilePlan& made, size_t first, size_t last) const {
    std::set<size_t> buffers;
    for (size_t i = first; i < last; ++i)
      for (const Argument& argument : made.plan.launches[i].arguments)
        if (const auto* buffer = std::get_if<BufferArgument>(&argument)) buffers.insert(buffer->buffer);
    return buffers;
  }

  Result<void> find_pairs(FilePlan& made) const {
    const auto& buffers = made.plan.buffers;
    const std::set<size_t> ahead = buffers_of(made, 0, made.forward_launches),
                           back = buffers_of(made, made.forward_launches, made.plan.launches.size());
    bool inputs = false, outputs = false;
    for (const size_t value : ahead) {
      const auto found = std::ranges::find(buffers, "d" + buffers[value].name, &BufferSpec::name);
      const auto gradient = static_cast<size_t>(found - buffers.begin());
      if (found == buffers.end() || !back.contains(gradient)) continue;
      if (buffers[value].type != DType::f32 || found->type != DType::f32)
        return misuse(fmt::format("'{}' and its gradient must be buffers of f32", buffers[value].name));
      if (buffers[value].count() != found->count())
        return misuse(fmt::format("'{}' has {} elements and its gradient {}", buffers[value].name,
                                  buffers[value].count(), found->count()));
      const bool output = buffers[value].fill == Fill::poison;
      made.pairs.push_back({buffers[value].name, value, gradient, output});
      (output ? outputs : inputs) = true;
    }
    if (!outputs)
      return misuse(
          fmt::format("{} reads no gradient of a result; if the forward kernel writes y (--arg "
                      "y=buf:f32:n:poison), its gradient is called dy",
                      options_.backward.front()));
    if (!inputs)
      return misuse(
          fmt::format("{} writes no gradient of an input; if the forward kernel reads x, its gradient is "
                      "called dx",
                      options_.backward.front()));
    return {};
  }

  const GradcheckOptions& options_;
  std::string text_;
  std::vector<LaunchLine> lines_;
  std::map<std::string, int64_t> sizes_;
  Exercise exercise_;
};

/// The kernels of a file on the simulator, again and again.
class FileRun {
 public:
  FileRun(FilePlan plan, uint64_t seed) : plan_(std::move(plan)), seed_(seed), simulator_(make_simulator(0)) {}

  Result<void> open(const std::shared_ptr<Engine>& engine) {
    if (!engine->compiler()) return forward(engine->compiler());
    const CompilationTarget target{
        .kernels_folder = (engine->root() / "kernels").string(), .architecture = "sm_80", .machine_code = false};
    PlanCompilation compilation(*engine->compiler(), plan_.plan, target, {});
    auto module = compilation.ptx();
    if (!module) return forward(module);
    if (auto settled = settle_kernels(plan_.plan, *module, compilation.declared()); !settled) return settled;
    module_ = std::move(*module);
    for (size_t i = 0; i < plan_.plan.buffers.size(); ++i) {
      const BufferSpec& spec = plan_.plan.buffers[i];
      auto contents = make_contents(spec, i, seed_);
      if (!contents) return forward(contents);
      contents_.push_back(std::move(*contents));
      auto buffer = simulator_->allocate(
          {.name = spec.name, .type = spec.type, .count = static_cast<size_t>(spec.count()), .index = i});
      if (!buffer) return forward(buffer);
      buffers_.push_back(std::move(*buffer));
    }
    return {};
  }

  const FilePlan& plan() const { return plan_; }
  std::span<float> contents(size_t buffer) { return contents_[buffer].as<float>(); }

  /// The forward kernels, or those and the backward kernels, from the initial contents.
  Result<void> run(bool backward) {
    for (size_t i = 0; i < buffers_.size(); ++i)
      if (auto sent = simulator_->upload(*buffers_[i], contents_[i].bytes, plan_.plan.buffers[i].role == Role::output);
          !sent)
        return sent;
    const size_t last = backward ? plan_.plan.launches.size() : plan_.forward_launches;
    for (size_t i = 0; i < last; ++i) {
      auto ran = simulator_->launch(module_, plan_.plan.launches[i], buffers_,
                                    {.count_traffic = false, .launch_index = static_cast<uint32_t>(i)}, {});
      if (!ran) return forward(ran);
      if (!ran->findings.empty()) return fail(ErrorId::kernel_misbehaved, ran->findings.front().message);
    }
    return {};
  }

  Result<std::vector<float>> values(size_t buffer) {
    std::vector<float> values(static_cast<size_t>(plan_.plan.buffers[buffer].count()));
    if (auto got = simulator_->download(*buffers_[buffer], std::as_writable_bytes(std::span(values))); !got)
      return forward(got);
    return values;
  }

  /// All results after a run of the forward kernels.
  Result<std::vector<std::vector<float>>> results() {
    if (auto ran = run(false); !ran) return forward(ran);
    std::vector<std::vector<float>> all;
    for (const Pair& pair : plan_.pairs) {
      if (!pair.output) continue;
      auto one = values(pair.value);
      if (!one) return forward(one);
      all.push_back(std::move(*one));
    }
    return all;
  }

 private:
  FilePlan plan_;
  uint64_t seed_;
  std::unique_ptr<Executor> simulator_;
  CompiledModule module_;
  std::vector<HostBuffer> contents_;
  std::vector<std::shared_ptr<DeviceBuffer>> buffers_;
};

struct FileDifference {
  double value = 0, truncation = 0, rounding = 0;
};

/// Differences of Σ dy · y for one element at a time.
class FileDifferences {
 public:
  explicit FileDifferences(FileRun& run) : run_(run) {}

  Result<FileDifference> at(const Pair& input, size_t element) {
    const double h = kStep * std::max(1.0, std::abs(double{run_.contents(input.value)[element]}));
    auto near = difference(input, element, h), far = difference(input, element, 2 * h);
    if (!near) return forward(near);
    if (!far) return forward(far);
    near->truncation = std::abs(far->value - near->value) / 3;
    return near;
  }

 private:
  Result<FileDifference> difference(const Pair& input, size_t element, double h) {
    float& x = run_.contents(input.value)[element];
    const float before = x, above = static_cast<float>(double{before} + h),
                below = static_cast<float>(double{before} - h);
    x = above;
    auto high = run_.results();
    x = below;
    auto low = run_.results();
    x = before;
    if (!high) return forward(high);
    if (!low) return forward(low);
    double sum = 0, squares = 0;
    size_t output = 0;
    for (const Pair& pair : run_.plan().pairs) {
      if (!pair.output) continue;
      const std::span<const float> dy = run_.contents(pair.gradient);
      const std::vector<float>&one = (*high)[output], &other = (*low)[output];
      for (size_t i = 0; i < one.size(); ++i) {
        if (one[i] == other[i]) continue;
        sum += double{dy[i]} * (double{one[i]} - double{other[i]});
        squares += std::pow(double{dy[i]} * double{one[i]}, 2);
      }
      ++output;
    }
    const double width = double{above} - double{below};
    return FileDifference{.value = sum / width, .rounding = 8 * 0x1p-24 * std::sqrt(squares) / width};
  }

  FileRun& run_;
};

struct FileRow {
  std::string name;  // "dx"
  size_t elements = 0, judged = 0, rough = 0, wrong = 0;
  double largest = 0, allowed = 0;  // at the worst element
  double got = 0, expected = 0;
  std::string place;
  bool passed() const { return wrong == 0 && judged > rough; }
};

Result<FileRow> check_input(FileRun& run, const Pair& input, const std::vector<float>& gradient) {
  FileDifferences differences(run);
  const BufferSpec& spec = run.plan().plan.buffers[input.gradient];
  FileRow row{.name = spec.name, .elements = gradient.size()};
  const size_t count = std::min(kMostElements, gradient.size());
  double worst = -1;
  for (size_t i = 0; i < count; ++i) {
    const size_t element = (2 * i + 1) * gradient.size() / (2 * count);
    auto one = differences.at(input, element);
    if (!one) return forward(one);
    if (one->truncation > kMostTruncation * std::max(1.0, std::abs(one->value))) {
      ++row.rough;
      continue;
    }
    ++row.judged;
    const double allowed = 2 * (one->truncation + one->rounding) + kOwnRounding * std::max(1.0, std::abs(one->value));
    const double error = std::abs(double{gradient[element]} - one->value);
    const bool wrong = !(error <= allowed);  // also NaN
    row.wrong += wrong ? 1 : 0;
    const double ratio = std::isnan(error) ? HUGE_VAL : error / allowed;
    if (ratio <= worst) continue;
    worst = ratio;
    row.largest = error;
    row.allowed = allowed;
    row.got = double{gradient[element]};
    row.expected = one->value;
    row.place = "[" + index_text(spec.shape, element) + "]";
  }
  return row;
}

std::string text_of(const FileRow& row) {
  std::string text = fmt::format("  {:<10} {:>9} {:>8} {:>12.3g} {:>10} {:>12.6g} {:>12.6g} {:>10.2g}", row.name,
                                 row.elements, row.judged, row.largest, row.place, row.got, row.expected, row.allowed);
  if (row.wrong > 0) text += fmt::format("  WRONG: {} of {} differ", row.wrong, row.judged);
  if (row.wrong == 0 && !row.passed())
    text += fmt::format("  NOT JUDGED: the forward pass is not smooth at {} of {}", row.rough, row.rough + row.judged);
  if (row.passed()) text += row.rough > 0 ? fmt::format("  ok ({} near a kink left out)", row.rough) : "  ok";
  return text + "\n";
}

ordered_json json_of(const FileRow& row) {
  return {{"name", row.name},           {"elements", row.elements},     {"judged", row.judged},  {"rough", row.rough},
          {"wrong", row.wrong},         {"largest_error", row.largest}, {"at", row.place},       {"got", row.got},
          {"difference", row.expected}, {"allowed", row.allowed},       {"passed", row.passed()}};
}

Result<std::vector<FileRow>> check_file(const std::shared_ptr<Engine>& engine, const GradcheckOptions& options) {
  if (options.forward.empty() || options.backward.empty())
    return misuse("a file needs --forward KERNEL and --backward KERNEL, each with a launch line in the file");
  if (options.torch || options.step_sizes) return misuse("--torch and --step-sizes are for the lab autograd");
  if (options.run.device != "sim")
    return misuse("the gradients of a file are checked on the simulator: leave --on out");
  if (!options.run.rung.empty() || !options.run.set.empty() || !options.run.broken.empty())
    return misuse("--rung, --set and --break are for the lab autograd");
  const auto text = read_text(options.run.lab);
  if (!text) return fail(ErrorId::file_not_found, options.run.lab, std::strerror(errno));
  const auto seed = parse_integer("seed", options.run.seed);
  if (!seed) return forward(seed);
  auto plan = FilePlanReader(options, *text).read();
  if (!plan) return forward(plan);
  FileRun run(std::move(*plan), static_cast<uint64_t>(*seed));
  if (auto opened = run.open(engine); !opened) return forward(opened);
  if (auto ran = run.run(true); !ran) return forward(ran);
  std::vector<std::pair<Pair, std::vector<float>>> gradients;
  for (const Pair& pair : run.plan().pairs) {
    if (pair.output) continue;
    auto got = run.values(pair.gradient);
    if (!got) return forward(got);
    gradients.emplace_back(pair, std::move(*got));
  }
  std::vector<FileRow> rows;
  for (const auto& [pair, got] : gradients) {
    auto row = check_input(run, pair, got);
    if (!row) return forward(row);
    rows.push_back(std::move(*row));
  }
  return rows;
}

}  // namespace

int gradcheck_file(const std::shared_ptr<Engine>& engine, const GradcheckOptions& options, std::ostream& out,
                   std::ostream& problems) {
  const auto rows = check_file(engine, options);
  if (!rows) {
    const int status = report_error(rows.error(), options.json, out, problems);
    return rows.error().id == ErrorId::kernel_misbehaved ? static_cast<int>(kMisbehaved) : status;
  }
  const bool passed = std::ranges::all_of(*rows, &FileRow::passed);
  if (options.json) {
    ordered_json object{{"file", options.run.lab}, {"passed", passed}, {"gradients", ordered_json::array()}};
    for (const FileRow& row : *rows) object["gradients"].push_back(json_of(row));
    out << json_text(object, 2) << "\n";
  } else {
    out << fmt::format("{} [{}]: {} beside differences of {} in float, h = {:g} * max(1, |x|)\n", options.run.lab,
                       name_of(Badge::simulated), fmt::join(options.backward, ", "), fmt::join(options.forward, ", "),
                       kStep);
    out << fmt::format("  {:<10} {:>9} {:>8} {:>12} {:>10} {:>12} {:>12} {:>10}\n", "", "elements", "judged",
                       "|k - diff|", "at", "kernel", "difference", "allowed");
    for (const FileRow& row : *rows) out << text_of(row);
  }
  return passed ? kClean : kMisbehaved;
}

}  // namespace tilescope
