#include "engine/sim/program/launch_work.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace tilescope {
namespace {

std::vector<std::string_view> parts_of(std::string_view opcode) {
  std::vector<std::string_view> parts;
  while (!opcode.empty()) {
    const size_t end = std::min(opcode.find('.'), opcode.size());
    parts.push_back(opcode.substr(0, end));
    opcode.remove_prefix(std::min(end + 1, opcode.size()));
  }
  return parts;
}

/// "m16n8k16": 2 · 16 · 8 · 16 operations; 0 for anything else.
double operations_of_shape(std::string_view shape) {
  double product = 2;
  for (const char letter : {'m', 'n', 'k'}) {
    int extent = 0;
    if (shape.empty() || shape.front() != letter) return 0;
    const auto [end, error] = std::from_chars(shape.data() + 1, shape.data() + shape.size(), extent);
    if (error != std::errc()) return 0;
    product *= extent;
    shape.remove_prefix(static_cast<size_t>(end - shape.data()));
  }
  return shape.empty() ? product : 0;
}

/// The tensor core rate for a type of A.
std::optional<PeakRate> tensor_rate_of(std::string_view type) {
  if (type == "bf16") return PeakRate::bf16;
  if (type == "tf32") return PeakRate::tf32;
  if (type == "f64") return PeakRate::fp64_tensor;
  if (type == "e4m3" || type == "e5m2") return PeakRate::fp8;
  if (type == "s8" || type == "u8" || type == "s4" || type == "u4" || type == "b1") return PeakRate::int8;
  return std::nullopt;
}

InstructionWork matrix_work(const std::vector<std::string_view>& parts) {
  InstructionWork work{.rate = PeakRate::fp16};
  for (const std::string_view part : parts) {
    if (const double operations = operations_of_shape(part); operations != 0) work.operations = operations;
    if (const auto rate = tensor_rate_of(part)) work.rate = *rate;
  }
  return work;
}

}  // namespace

InstructionWork work_of(std::string_view opcode) {
  const std::vector<std::string_view> parts = parts_of(opcode);
  if (parts.empty()) return {};
  if (parts[0] == "mma" || (parts[0] == "wmma" && parts.size() > 1 && parts[1] == "mma")) return matrix_work(parts);
  constexpr std::string_view kArithmetic[] = {"add", "sub", "mul", "fma", "mad", "min", "max", "div", "sqrt", "rcp"};
  if (std::ranges::find(kArithmetic, parts[0]) == std::end(kArithmetic)) return {};
  constexpr double kLanes = 32;
  const std::string_view type = parts.back();
  if (type == "f64") return {PeakRate::fp64, 2 * kLanes};
  if (type == "f32" || type == "f16" || type == "bf16" || type == "f16x2" || type == "bf16x2")
    return {PeakRate::fp32, 2 * kLanes};
  return {};
}

LaunchWork work_of(const Program& program, std::span<const uint64_t> executed) {
  LaunchWork work;
  for (size_t operation = 0; operation < executed.size(); ++operation) {
    if (executed[operation] == 0) continue;
    const PtxInstruction& instruction = program.function->instructions[program.details[operation].instruction];
    const auto count = static_cast<double>(executed[operation]);
    const InstructionWork one = work_of(instruction.opcode);
    work.operations[static_cast<size_t>(one.rate)] += one.operations * count;
    work.warp_instructions += executed[operation];
    if (instruction.opcode == "cp.async.wait_all")
      work.copy_groups_in_flight = std::max(1U, work.copy_groups_in_flight);
    if (instruction.opcode == "cp.async.wait_group" && !instruction.operands.empty()) {
      const auto pending = static_cast<uint32_t>(instruction.operands[0].bits);
      work.copy_groups_in_flight = std::max(pending + 1, work.copy_groups_in_flight);
    }
  }
  return work;
}

}  // namespace tilescope
