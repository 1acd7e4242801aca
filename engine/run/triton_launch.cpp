#include "engine/run/triton_launch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace tilescope {
namespace {

/// "fp32", as Triton names it; empty: it has no such type.
std::string triton_name(DType type) {
  switch (type) {
    case DType::f32:
      return "fp32";
    case DType::f16:
      return "fp16";
    case DType::f64:
      return "fp64";
    case DType::boolean:
      return "i1";
    case DType::f8e4m3:
      return "fp8e4nv";
    case DType::f8e5m2:
      return "fp8e5";
    default:
      return std::string(name_of(type));  // bf16, i32, u8
  }
}

int64_t whole_value(DType type, const std::vector<std::byte>& bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), size_of(type));
  const size_t unused = 8 * (sizeof(value) - size_of(type));
  return is_signed_integer(type) ? static_cast<int64_t>(value << unused) >> unused : static_cast<int64_t>(value);
}

constexpr int64_t kAlignment = 16;  // bytes; Triton specializes a kernel for pointers that are multiples of it

Result<TritonKernel::Argument> argument_of(const Plan& plan, const Argument& argument) {
  if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
    if (buffer->texture) return fail(ErrorId::bad_argument, "tex", "a Triton kernel takes no texture");
    const std::string type = triton_name(plan.buffers[buffer->buffer].type);
    if (buffer->descriptor)
      return TritonKernel::Argument{
          .type = fmt::format("tensordesc<{}[{}]>", type, fmt::join(buffer->descriptor->block, ", "))};
    return TritonKernel::Argument{.type = "*" + type, .aligned = buffer->offset_bytes % kAlignment == 0};
  }
  const auto& scalar = std::get<ScalarArgument>(argument);
  if (scalar.text == "null") return TritonKernel::Argument{.type = "none"};
  if (!scalar.type) return fail(ErrorId::bad_argument, scalar.text, "a Triton kernel takes buffers and numbers");
  const DType type = *scalar.type;
  if (is_floating(type))
    return TritonKernel::Argument{.type = triton_name(type), .number = value_of(type, scalar.bytes.data())};
  return TritonKernel::Argument{.type = triton_name(type), .value = whole_value(type, scalar.bytes)};
}

Result<TritonKernel> kernel_of(const Plan& plan, const Launch& launch) {
  TritonKernel kernel{.name = launch.kernel, .options = launch.triton};
  for (const Argument& one : launch.arguments) {
    auto argument = argument_of(plan, one);
    if (!argument) return forward(argument);
    kernel.arguments.push_back(std::move(*argument));
  }
  return kernel;
}

/// The index of each launch's specialization among the plan's.
Result<std::vector<size_t>> specializations(const Plan& plan, std::vector<TritonKernel>& kernels) {
  std::vector<size_t> indices;
  for (const Launch& launch : plan.launches) {
    auto kernel = kernel_of(plan, launch);
    if (!kernel) return forward(kernel);
    const auto found = std::ranges::find(kernels, *kernel);
    indices.push_back(static_cast<size_t>(found - kernels.begin()));
    if (found == kernels.end()) kernels.push_back(std::move(*kernel));
  }
  return indices;
}

/// The parameters into which Triton takes a descriptor apart for a GPU without TMA, in the order of make_tensordesc_arg
/// (triton/backends/nvidia/driver.py), which gives extents and strides twice.
void add_descriptor(const BufferArgument& argument, std::vector<Argument>& arguments) {
  const TensorDescriptor& tensor = *argument.descriptor;
  const auto add_strides = [&] {
    for (const int64_t stride : tensor.strides) arguments.emplace_back(scalar(stride));
  };
  arguments.emplace_back(BufferArgument{.buffer = argument.buffer, .offset_bytes = argument.offset_bytes});
  for (const int64_t extent : tensor.shape) arguments.emplace_back(scalar(extent));
  add_strides();
  arguments.emplace_back(scalar(tensor.nan_padding));
  for (const int64_t extent : tensor.shape) arguments.emplace_back(scalar(static_cast<int32_t>(extent)));
  add_strides();
}

Argument null_pointer() {
  ScalarArgument null = scalar(uint64_t{0});
  null.text = "null";
  return null;
}

}  // namespace

Result<std::vector<TritonKernel>> triton_kernels(const Plan& plan) {
  std::vector<TritonKernel> kernels;
  if (auto indices = specializations(plan, kernels); !indices) return forward(indices);
  return kernels;
}

Result<void> settle_triton(Plan& plan, const CompiledModule& module) {
  std::vector<TritonKernel> kernels;
  const auto indices = specializations(plan, kernels);
  if (!indices) return forward(indices);
  for (size_t i = 0; i < plan.launches.size(); ++i) {
    const TritonCode& code = module.triton.at((*indices)[i]);
    Launch& launch = plan.launches[i];
    launch.kernel = code.kernel;
    launch.block = {code.threads, 1, 1};
    launch.shared_bytes = code.shared_bytes;
    if (code.machine_threads != code.threads || code.machine_shared_bytes != code.shared_bytes)
      launch.on_gpu = Launch::OnGpu{{code.machine_threads, 1, 1}, code.machine_shared_bytes};
    launch.argument_names.clear();
    std::vector<Argument> kept;
    for (const uint32_t index : code.kept) {
      const Argument& one = launch.arguments.at(index);
      const auto* buffer = std::get_if<BufferArgument>(&one);
      if (buffer != nullptr && buffer->descriptor)
        add_descriptor(*buffer, kept);
      else
        kept.push_back(one);
    }
    launch.arguments = std::move(kept);
    for (uint32_t pointer = 0; pointer < code.hidden_pointers; ++pointer) {
      if (pointer > 0 || code.scratch_bytes == 0) {
        launch.arguments.push_back(null_pointer());
        continue;
      }
      launch.arguments.emplace_back(BufferArgument{.buffer = plan.buffers.size(), .raw = true});
      plan.buffers.push_back({.name = fmt::format("scratch of {}", code.kernel),
                              .type = DType::u8,
                              .shape = {static_cast<int64_t>(code.scratch_bytes * launch.grid.count())},
                              .role = Role::scratch,
                              .fill = Fill::poison});
    }
  }
  return {};
}

}  // namespace tilescope
