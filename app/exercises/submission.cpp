#include "app/exercises/submission.hpp"

#include <algorithm>
#include <array>

#include "app/exercises/reference_values.hpp"
#include "app/sandbox/form/arguments.hpp"
#include "app/sandbox/reading/source_facts.hpp"
#include "engine/specs.hpp"

namespace tilescope {
namespace {

using Sizes = std::map<std::string, int64_t>;

constexpr int64_t kMostInBlock = 1024;
// Largest extents of a launch (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
constexpr std::array<int64_t, 3> kLargestGrid{0x7fffffff, 65535, 65535}, kLargestBlock{1024, 1024, 64};
constexpr const char* kAxes[] = {"x", "y", "z"};

NameLookup lookup_in(const Sizes& sizes) {
  return [&sizes](std::string_view name) -> std::optional<Checked<long double>> {
    const auto found = sizes.find(std::string(name));
    if (found == sizes.end()) return std::nullopt;
    return static_cast<long double>(found->second);
  };
}

Role role_of(const ExerciseParameter& parameter, const BufferSpec& buffer) {
  if (parameter.role) return *parameter.role;
  return buffer.fill == Fill::poison ? Role::output : Role::input;
}

/// Evaluates one launch line. Formulas may use the sizes, the constants of the file and the keywords of the line.
class LaunchMaker {
 public:
  LaunchMaker(const Exercise& exercise, const ExerciseArguments& arguments, Sizes names, const LaunchLine& line)
      : exercise_(exercise), arguments_(arguments), names_(std::move(names)), line_(line) {}

  Result<Launch> make(KernelLanguage language) {
    Launch launch;
    launch.kernel = line_.kernel;
    if (language == KernelLanguage::triton)
      if (auto read = read_keywords(launch); !read) return forward(read);
    auto grid = extent("grid", line_.grid, kLargestGrid);
    if (!grid) return forward(grid);
    launch.grid = *grid;
    if (language == KernelLanguage::cuda) {
      auto block = extent("block", line_.block, kLargestBlock);
      if (!block) return forward(block);
      launch.block = *block;
      if (block->count() > kMostInBlock)
        return bad(phrase("a block has at most {} threads, and here {}", kMostInBlock, block->count()));
      if (auto shared = read_shared(launch); !shared) return forward(shared);
    }
    if (auto given = give_arguments(launch); !given) return forward(given);
    return launch;
  }

 private:
  tl::unexpected<Error> bad(const Phrase& what) const {
    return fail(ErrorId::bad_launch_line, phrase("line {}: {}", line_.line, what));
  }

  Result<int64_t> whole(const std::string& name, const std::string& text, int64_t low, int64_t high) const {
    const auto value = parse_whole_expression(name, text, INT32_MIN, INT64_MAX, lookup_in(names_));
    if (!value) return bad(value.error().what);
    if (*value < low || *value > high)
      return bad(phrase("{} = {} is {}, and must be {} to {}", name, text, *value, low, high));
    return *value;
  }

  Result<Dim3> extent(const std::string& object, const std::string& text, const std::array<int64_t, 3>& limits) const {
    const std::vector<std::string> axes = split_at_commas(text);
    if (axes.empty() || axes.size() > 3) return bad(phrase("the {} has one to three numbers", object));
    std::array<uint32_t, 3> extents{1, 1, 1};
    for (size_t i = 0; i < axes.size(); ++i) {
      auto value = whole(object + "." + kAxes[i], axes[i], 1, limits[i]);
      if (!value) return forward(value);
      extents[i] = static_cast<uint32_t>(*value);
    }
    return Dim3{extents[0], extents[1], extents[2]};
  }

  Result<void> read_shared(Launch& launch) const {
    if (line_.shared.empty()) return {};
    auto bytes = whole("shared", line_.shared, 0, static_cast<int64_t>(usual_gpu().shared_bytes_per_block));
    if (!bytes) return forward(bytes);
    launch.shared_bytes = static_cast<uint32_t>(*bytes);
    return {};
  }

  /// Constexprs may be formulas; a word such as True or tl.float16 is passed on as it is.
  Result<void> read_keywords(Launch& launch) {
    for (const Define& keyword : line_.keywords) {
      const auto number = evaluate_whole(keyword.value, lookup_in(names_), -1e18L, 1e18L);
      if (number) names_[keyword.name] = static_cast<int64_t>(*number);
      if (keyword.name == "num_warps" || keyword.name == "num_stages") {
        if (!number || *number < 1 || *number > 32)
          return bad(phrase("{} = {} is not a small whole number", keyword.name, keyword.value));
        (keyword.name == "num_warps" ? launch.triton.num_warps : launch.triton.num_stages) = static_cast<int>(*number);
        continue;
      }
      launch.triton.constexprs.push_back({keyword.name, number ? fmt::format("{:.0f}", *number) : keyword.value});
    }
    return {};
  }

  Result<void> give_arguments(Launch& launch) const {
    for (const std::string& name : line_.arguments) {
      const auto found = std::ranges::find(exercise_.parameters, name, &ExerciseParameter::name);
      if (found == exercise_.parameters.end()) {
        std::string names;
        for (const ExerciseParameter& one : exercise_.parameters) names += (names.empty() ? "" : ", ") + one.name;
        return bad(phrase("there is no argument '{}'; the exercise has {}", name, names));
      }
      launch.arguments.push_back(arguments_.values[static_cast<size_t>(found - exercise_.parameters.begin())]);
    }
    return {};
  }

  const Exercise& exercise_;
  const ExerciseArguments& arguments_;
  Sizes names_;
  const LaunchLine& line_;
};

/// "reduce<256>" → "reduce".
std::string plain_name(const std::string& kernel) { return kernel.substr(0, kernel.find('<')); }

Rung make_rung(const Exercise& exercise, const ExerciseCase& one, const Submission& submission,
               std::shared_ptr<ExerciseReference> reference) {
  // What each call needs; launches of a text that cannot be launched are refused by `check` before.
  const auto launches = [exercise, one, submission](const Config& config) -> Result<std::vector<Launch>> {
    auto arguments = arguments_of(exercise, one, config.sizes);
    if (!arguments) return forward(arguments);
    return launches_of(exercise, *arguments, config.sizes, submission.text, submission.language());
  };
  Rung rung;
  rung.name = exercise.kernel;
  rung.title = {exercise.kernel, exercise.kernel};
  rung.kernels = {exercise.kernel};
  if (const auto lines = read_launch_lines(submission.text, submission.language()))
    for (const LaunchLine& line : *lines)
      if (const std::string name = plain_name(line.kernel); std::ranges::find(rung.kernels, name) == rung.kernels.end())
        rung.kernels.push_back(name);
  rung.buffers = [exercise, one](const Config& config) {
    auto arguments = arguments_of(exercise, one, config.sizes);
    return arguments ? arguments->buffers : std::vector<BufferSpec>();
  };
  rung.launches = [launches](const Config& config) {
    auto made = launches(config);
    return made ? *made : std::vector<Launch>();
  };
  rung.check = [launches](const Config& config) -> Result<void> {
    if (auto made = launches(config); !made) return forward(made);
    return {};
  };
  rung.reference = [reference = std::move(reference), one](const Config& config, const auto& buffers, size_t output,
                                                           size_t begin, size_t end, double* expected) {
    reference->fill(one, config.sizes, buffers, output, begin, end, expected);
  };
  rung.command = [name = exercise.name, file = submission.file](const Config&, DeviceKind, uint64_t seed) {
    return fmt::format("tilescope exercise check {} {} --seed {}", name, file, seed);
  };
  return rung;
}

}  // namespace

Result<ExerciseArguments> arguments_of(const Exercise& exercise, const ExerciseCase& one, const Sizes& sizes) {
  std::vector<std::string> specs;
  for (const ExerciseParameter& parameter : exercise.parameters) {
    const auto other = one.arguments.find(parameter.name);
    specs.push_back(parameter.name + "=" + (other != one.arguments.end() ? other->second : parameter.argument));
  }
  ExerciseArguments made;
  auto parsed = parse_arguments(specs, {}, made.buffers, lookup_in(sizes));
  if (!parsed) return fail(ErrorId::bad_exercise, exercise.name, parsed.error().what);
  made.values = std::move(parsed->arguments);
  for (size_t i = 0; i < exercise.parameters.size(); ++i)
    if (const auto* buffer = std::get_if<BufferArgument>(&made.values[i])) {
      BufferSpec& spec = made.buffers[buffer->buffer];
      spec.role = role_of(exercise.parameters[i], spec);
    }
  return made;
}

Result<std::vector<Launch>> launches_of(const Exercise& exercise, const ExerciseArguments& arguments,
                                        const Sizes& sizes, const std::string& text, KernelLanguage language) {
  const auto lines = read_launch_lines(text, language);
  if (!lines) return forward(lines);
  Sizes names;
  if (language == KernelLanguage::cuda) names = read_source_facts(text).constants;
  for (const auto& [name, value] : sizes) names[name] = value;
  std::vector<Launch> launches;
  for (const LaunchLine& line : *lines) {
    auto launch = LaunchMaker(exercise, arguments, names, line).make(language);
    if (!launch) return forward(launch);
    launches.push_back(std::move(*launch));
  }
  return launches;
}

std::string lab_name_of(const Exercise& exercise) { return std::string(kExerciseLab) + exercise.name; }

std::shared_ptr<const Lab> make_exercise_lab(const Exercise& exercise, size_t case_index, const Submission& submission,
                                             std::shared_ptr<ExerciseReference> reference) {
  const ExerciseCase& one = exercise.cases[case_index];
  auto lab = std::make_shared<Lab>();
  lab->name = lab_name_of(exercise);
  lab->stage = exercise.stage;
  lab->title = exercise.title;
  lab->kernel_file = submission.file;
  lab->source_text = submission.text;
  for (const auto& [name, value] : sizes_of(one, 1)) {
    Size size{.name = name, .title = {name, name}, .value = value, .gpu_value = value, .min = 1};
    size.max_sim = size.max_gpu = std::max<int64_t>(int64_t{1} << 22, value);
    for (int64_t stop = 1; stop <= size.max_sim; stop *= 2) size.offered.push_back(stop);
    lab->sizes.push_back(std::move(size));
  }
  if (exercise.tolerance)
    lab->tolerance = *exercise.tolerance;
  else
    lab->tolerance_for = [](const std::string&, const Config&, DType type) {
      return is_floating(type) ? Tolerance{} : Tolerance{0, 0};
    };
  lab->rungs.push_back(make_rung(exercise, one, submission, std::move(reference)));
  // A lab without a reference of its own has no comparison; the rung has the expected values.
  lab->reference = lab->rungs.front().reference;
  lab->buffers = lab->rungs.front().buffers;
  return lab;
}

Request make_exercise_request(std::shared_ptr<const Lab> lab, const ExerciseCase& one, uint64_t seed) {
  Request request;
  request.lab = lab->name;
  request.rung = lab->rungs.front().name;
  request.config = default_config(*lab, DeviceKind::sim);
  request.config.sizes = sizes_of(one, seed);
  request.seed = seed;
  request.own_lab = std::move(lab);
  return request;
}

}  // namespace tilescope
