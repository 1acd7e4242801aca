#include <fmt/format.h>

#include <algorithm>

#include "engine/torch_operator/operator_code.hpp"

namespace tilescope {
namespace {

/// The nearest value that the domain has.
int64_t nearest(const SizeDomain& domain, int64_t value) {
  if (!domain.is_free) return domain.value;
  const int64_t rounded = (value + domain.multiple_of - 1) / domain.multiple_of * domain.multiple_of;
  return std::clamp(rounded, domain.min, domain.max / domain.multiple_of * domain.multiple_of);
}

SizeValues sizes_near(const OperatorSubject& subject, int64_t value) {
  SizeValues sizes;
  for (const SizeDomain& domain : subject.launches.sizes) sizes[domain.name] = nearest(domain, value);
  return sizes;
}

std::string sizes_code(const SizeValues& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", name, value);
  return "{" + text + "}";
}

Config config_at(const OperatorSubject& subject, const SizeValues& sizes) {
  Config config = subject.config;
  config.sizes = sizes;
  return config;
}

Tolerance tolerance_at(const OperatorSubject& subject, const SizeValues& sizes) {
  const DType type = subject.launches.buffers[subject.outputs[0]].spec.type;
  return tolerance_of(subject.lab, subject.rung.name, config_at(subject, sizes), type);
}

/// Mean and deviation of each input, as the lab fills them at these sizes.
std::string spread_code(const OperatorSubject& subject, const SizeValues& sizes) {
  const Config config = config_at(subject, sizes);
  const auto specs = subject.rung.buffers ? subject.rung.buffers(config) : subject.lab.buffers(config);
  std::string text;
  for (const size_t input : subject.inputs) {
    const auto& values = specs[input].fill_values;
    text += fmt::format("({}, {}), ", values.empty() ? 0 : values[0], values.size() > 1 ? values[1] : 1);
  }
  text.pop_back();
  return "(" + text + ")";
}

/// The exported sizes, then from the least to odd ones; the last is of a middling size.
std::vector<SizeValues> sizes_of_cases(const OperatorSubject& subject) {
  std::vector<SizeValues> all{subject.config.sizes};
  const auto add = [&](const SizeValues& sizes) {
    if (std::ranges::find(all, sizes) == all.end()) all.push_back(sizes);
  };
  for (const int64_t value : {1, 7, 1000}) add(sizes_near(subject, value));
  for (const SizeDomain& domain : subject.launches.sizes) {  // one size by itself is least, then large
    SizeValues sizes = sizes_near(subject, 100);
    sizes[domain.name] = nearest(domain, 1);
    add(sizes);
    sizes[domain.name] = nearest(domain, 4097);
    add(sizes);
  }
  add(sizes_near(subject, 333));
  return all;
}

std::string shape_code(const OperatorSubject& subject, size_t buffer) {
  std::string text;
  const auto& shape = subject.launches.buffers[buffer].shape;
  for (const SizeRule& extent : shape) text += (text.empty() ? "" : ", ") + extent.python();
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string reference_code(const OperatorSubject& subject) {
  const std::string inputs = buffer_names(subject, subject.inputs);
  std::string gradients;
  for (const size_t output : subject.outputs) gradients += ", grad_" + subject.launches.buffers[output].name;
  return fmt::format(R"("""PyTorch's counterpart: what the operator is compared with, and its gradients.

{0}
"""

{6}import torch

EPSILON = 1e-5
SMOOTH = {1}  # no kinks, so that differences approach gradients


def forward({2}):
{3}

def backward({2}{4}):
    """The gradient of each input, from those of the outputs."""
{5})",
                     subject.reference.what, subject.reference.is_smooth ? "True" : "False", inputs,
                     subject.reference.forward, gradients, subject.reference.backward,
                     subject.reference.backward.find("math.") == std::string::npos ? "" : "import math\n\n");
}

std::string cases_code(const OperatorSubject& subject) {
  std::string cases, shapes, unpacked;
  for (const SizeValues& sizes : sizes_of_cases(subject)) {
    const Tolerance tolerance = tolerance_at(subject, sizes);
    cases += fmt::format("    ({}, {:.3g}, {:.3g}, {}),\n", sizes_code(sizes), tolerance.absolute, tolerance.relative,
                         spread_code(subject, sizes));
  }
  for (const size_t input : subject.inputs)
    shapes +=
        fmt::format("({}, {}), ", shape_code(subject, input), operator_type(subject.launches.buffers[input].spec.type));
  shapes.pop_back();
  for (const SizeDomain& size : subject.launches.sizes)
    unpacked += fmt::format("    {0} = sizes[\"{0}\"]\n", size.name);
  const bool one_size = subject.launches.sizes.size() == 1;
  const SizeValues small = sizes_near(subject, one_size ? 1000 : 24), tiny = sizes_near(subject, one_size ? 13 : 5);
  const SizeValues shown = sizes_near(subject, one_size ? 1 << 16 : 256);
  std::string empty = "None";
  if (subject.layout != OperatorLayout::exact) {
    SizeValues none = small;
    none[one_size ? subject.launches.sizes[0].name : "rows"] = 0;
    empty = sizes_code(none);
  }
  const Tolerance tolerance = tolerance_at(subject, small);
  const bool narrow = subject.launches.buffers[subject.inputs[0]].spec.type != DType::f32;
  return fmt::format(
      R"("""Sizes at which the operator is tested and measured, and its inputs there.

Deviations from PyTorch in float64 may be absolute + relative · |expected|; both are the lab's, at these sizes.
"""

import torch

# sizes, absolute, relative, and mean and deviation of each input
CASES = (
{0})
SMALL, TOLERANCE_SMALL = {1}, ({2:.3g}, {3:.3g})
TINY = {4}  # for differences of every element
EMPTY = {5}
MEASURED = {6}
GRADIENT = {7}  # of gradients, which PyTorch computes in the type of the inputs


def inputs(sizes, device, spread=None):
{8}    shapes = ({9})
    made = []
    for (shape, element), (mean, deviation) in zip(shapes, spread or ((0, 1),) * len(shapes)):
        made.append((torch.randn(shape, device=device) * deviation + mean).to(element))
    return made
)",
      cases, sizes_code(small), tolerance.absolute, tolerance.relative, sizes_code(tiny), empty, sizes_code(shown),
      narrow ? "5e-2" : "1e-4", unpacked, shapes);
}

}  // namespace tilescope
