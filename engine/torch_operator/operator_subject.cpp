#include <fmt/format.h>

#include <algorithm>

#include "engine/host_program/python_program.hpp"
#include "engine/torch_operator/operator_code.hpp"

namespace tilescope {
namespace {

/// The rule is the size: unchanged, or its only value where the size is fixed.
bool is_extent(const OperatorSubject& subject, const SizeRule& rule, const std::string& size) {
  const auto domain = std::ranges::find(subject.launches.sizes, size, &SizeDomain::name);
  if (domain == subject.launches.sizes.end()) return false;
  return rule.is(size) || (!domain->is_free && rule.is_constant() && rule.multiplier == domain->value);
}

OperatorLayout layout_of(const OperatorSubject& subject) {
  std::vector<size_t> both = subject.inputs;
  both.insert(both.end(), subject.outputs.begin(), subject.outputs.end());
  const auto shape_of = [&](size_t buffer) -> const std::vector<SizeRule>& {
    return subject.launches.buffers[buffer].shape;
  };
  const auto& sizes = subject.launches.sizes;
  if (sizes.size() == 1 && std::ranges::all_of(both, [&](size_t buffer) {
        return shape_of(buffer).size() == 1 && is_extent(subject, shape_of(buffer)[0], sizes[0].name);
      }))
    return OperatorLayout::any_shape;
  const auto is_matrix = [&](size_t buffer) {
    const auto& shape = shape_of(buffer);
    return shape.size() == 2 && is_extent(subject, shape[0], "rows") && is_extent(subject, shape[1], "columns");
  };
  const auto is_vector = [&](size_t buffer, const char* size) {
    return shape_of(buffer).size() == 1 && is_extent(subject, shape_of(buffer)[0], size);
  };
  const bool rows =
      is_matrix(subject.inputs[0]) &&
      std::ranges::all_of(subject.inputs,
                          [&](size_t buffer) { return is_matrix(buffer) || is_vector(buffer, "columns"); }) &&
      std::ranges::all_of(subject.outputs,
                          [&](size_t buffer) { return is_matrix(buffer) || is_vector(buffer, "rows"); });
  return rows ? OperatorLayout::rows : OperatorLayout::exact;
}

}  // namespace

Phrase settle_operator(OperatorSubject& subject) {
  const auto& buffers = subject.launches.buffers;
  std::vector<std::string> names;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Role role = buffers[i].spec.role;
    if (role == Role::input) {
      subject.inputs.push_back(i);
      names.push_back(buffers[i].name);
    } else if (buffers[i].is_used) {
      (role == Role::output ? subject.outputs : subject.scratch).push_back(i);
    } else if (role == Role::output) {
      return phrase("its launches leave '{}' unwritten", buffers[i].spec.name);
    }
  }
  if (names != subject.reference.inputs || subject.outputs.empty())
    return Phrase("its inputs are not those of PyTorch's counterpart");
  subject.layout = layout_of(subject);
  if (subject.layout != OperatorLayout::exact) return {};
  for (const SizeDomain& size : subject.launches.sizes) {
    const bool is_known = std::ranges::any_of(subject.inputs, [&](size_t input) {
      return std::ranges::any_of(buffers[input].shape, [&](const SizeRule& rule) { return rule.is(size.name); });
    });
    if (size.is_free && !is_known) return phrase("no input has the extent '{}'", size.name);
  }
  return {};
}

std::string buffer_names(const OperatorSubject& subject, const std::vector<size_t>& buffers) {
  std::string text;
  for (const size_t one : buffers) text += (text.empty() ? "" : ", ") + subject.launches.buffers[one].name;
  return text;
}

std::string operator_type(DType type) {
  if (type == DType::u16) return torch_type(DType::i16);
  if (type == DType::u32) return torch_type(DType::i32);
  return torch_type(type == DType::u64 ? DType::i64 : type);
}

std::string operator_identifier(const OperatorSubject& subject) {
  return subject.reference.name.empty() ? python_name(subject.lab.name) : subject.reference.name;
}

std::string operator_name(const OperatorSubject& subject) { return "tilescope::" + operator_identifier(subject); }

std::string operator_schema(const OperatorSubject& subject) {
  std::string inputs, outputs;
  for (const size_t input : subject.inputs)
    inputs += (inputs.empty() ? "Tensor " : ", Tensor ") + subject.launches.buffers[input].name;
  for (size_t i = 0; i < subject.outputs.size(); ++i) outputs += i == 0 ? "Tensor" : ", Tensor";
  return "(" + inputs + ") -> " + (subject.outputs.size() > 1 ? "(" + outputs + ")" : outputs);
}

}  // namespace tilescope
