#include "app/exercises/reference_values.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "app/exercises/submission.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/kernels.hpp"
#include "engine/run/plan_compilation.hpp"
#include "engine/sim/simulator.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

bool is_output(const BufferSpec& spec) { return spec.role == Role::output || spec.role == Role::inout; }

}  // namespace

ExerciseReference::ExerciseReference(std::shared_ptr<Engine> engine, Exercise exercise)
    : engine_(std::move(engine)), exercise_(std::move(exercise)), simulator_(make_simulator(0)) {}

Result<ExerciseReference::Values> ExerciseReference::compute(const ExerciseCase& one,
                                                             const std::map<std::string, int64_t>& sizes,
                                                             const Buffers& inputs) {
  const std::filesystem::path file = exercise_.folder / "reference.cu";
  if (!text_) text_ = read_text(file);
  if (!text_) return fail(ErrorId::bad_exercise, exercise_.name, phrase("{} is missing", "reference.cu"));
  auto arguments = arguments_of(exercise_, one, sizes);
  if (!arguments) return forward(arguments);
  auto launches = launches_of(exercise_, *arguments, sizes, *text_, KernelLanguage::cuda);
  if (!launches) return forward(launches);
  Plan plan{.source_file = file.string(), .source_text = *text_, .buffers = arguments->buffers, .launches = *launches};
  for (BufferSpec& buffer : plan.buffers)
    if (is_output(buffer)) buffer.type = DType::f64;
  if (!engine_->compiler()) return forward(engine_->compiler());
  const CompilationTarget target{
      .kernels_folder = (engine_->root() / "kernels").string(), .architecture = "sm_80", .machine_code = false};
  PlanCompilation compilation(*engine_->compiler(), plan, target, {});
  auto module = compilation.ptx();
  if (!module) return forward(module);
  if (auto settled = settle_kernels(plan, *module, compilation.declared()); !settled) return forward(settled);

  std::vector<std::shared_ptr<DeviceBuffer>> buffers;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& spec = plan.buffers[i];
    const auto count = static_cast<size_t>(spec.count());
    auto buffer = simulator_->allocate({.name = spec.name, .type = spec.type, .count = count, .index = i});
    if (!buffer) return forward(buffer);
    const HostBuffer nothing(spec.type, is_output(spec) ? count : 0);
    const auto& bytes = is_output(spec) ? nothing.bytes : inputs[i]->bytes;
    // An output that the reference leaves out is found, as in any kernel.
    if (auto sent = simulator_->upload(**buffer, bytes, is_output(spec)); !sent) return forward(sent);
    buffers.push_back(std::move(*buffer));
  }
  for (size_t i = 0; i < plan.launches.size(); ++i) {
    auto ran = simulator_->launch(*module, plan.launches[i], buffers,
                                  {.count_traffic = false, .launch_index = static_cast<uint32_t>(i)}, {});
    if (!ran) return forward(ran);
    if (!ran->findings.empty())
      return fail(ErrorId::bad_exercise, exercise_.name,
                  phrase("{}: {}", "reference.cu", ran->findings.front().message));
  }
  Values values;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    if (!is_output(plan.buffers[i])) continue;
    values.emplace_back(static_cast<size_t>(plan.buffers[i].count()));
    if (auto got = simulator_->download(*buffers[i], std::as_writable_bytes(std::span(values.back()))); !got)
      return forward(got);
  }
  return values;
}

void ExerciseReference::fill(const ExerciseCase& one, const std::map<std::string, int64_t>& sizes,
                             const Buffers& inputs, size_t output, size_t begin, size_t end, double* expected) {
  const std::scoped_lock lock(mutex_);
  if (sizes_ != sizes || inputs_ != inputs || arguments_ != one.arguments) {
    auto values = compute(one, sizes, inputs);
    problem_ = values ? std::nullopt : std::optional(values.error());
    values_ = values ? std::move(*values) : Values();
    sizes_ = sizes;
    arguments_ = one.arguments;
    inputs_ = inputs;
  }
  if (output >= values_.size() || end > values_[output].size())
    std::fill_n(expected, end - begin, std::numeric_limits<double>::max());
  else
    std::copy_n(values_[output].begin() + static_cast<std::ptrdiff_t>(begin), end - begin, expected);
}

std::optional<Error> ExerciseReference::problem() const {
  const std::scoped_lock lock(mutex_);
  return problem_;
}

}  // namespace tilescope
