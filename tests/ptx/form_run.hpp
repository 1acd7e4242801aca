// Runs the cases of form_cases.hpp on an executor. Cases share modules; if a module fails, its halves are tried.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/executor.hpp"
#include "form_cases.hpp"

namespace tilescope {

class FormRunner {
 public:
  using Report = std::function<void(const FormCase&, const std::string& message)>;
  using Values = std::vector<uint64_t>;
  using Taker = std::function<void(const FormCase&, const Values& results)>;

  explicit FormRunner(Executor& executor) : executor_(executor) {}

  /// Calls good(case, results) or bad(case, message) for each case.
  void run(std::span<const FormCase> cases, const Taker& good, const Report& bad) {
    constexpr size_t kTogether = 32;
    for (size_t begin = 0; begin < cases.size(); begin += kTogether)
      run_together(cases.subspan(begin, std::min(kTogether, cases.size() - begin)), good, bad);
  }

  /// Hashes of both halves of the results.
  static std::string hash(const Values& results) {
    const auto half = std::span(results).subspan(0, results.size() / 2);
    return fmt::format("{:08x}{:08x}", hash_of(half), hash_of(std::span(results).subspan(half.size())));
  }

 private:
  void run_together(std::span<const FormCase> cases, const Taker& good, const Report& bad) {
    CompiledModule module;
    module.ptx =
        ".version 8.8\n.target sm_90\n.address_size 64\n.global .align 32 .b8 scratch[65536];\n"
        ".global .align 16 .b8 common_global[4096];\n.const .align 16 .b32 constant_variable[8] = {0x3f800000, "
        "0xbc003c00, 0x80000000, 0x12345678, 0x9abcdef0, 0x7fc00000, 0x40490fdb, 0xffff0001};\n";
    for (size_t i = 0; i < cases.size(); ++i) module.ptx += kernel_of_case(cases[i], i);
    for (size_t i = 0; i < cases.size(); ++i) {
      auto result = run_one(module, cases[i], i);
      if (result) {
        good(cases[i], *result);
      } else if (cases.size() == 1) {
        bad(cases[i], result.error().message);
      } else if (i == 0) {  // the module itself may have failed
        run_together(cases.first(cases.size() / 2), good, bad);
        run_together(cases.subspan(cases.size() / 2), good, bad);
        return;
      } else {
        run_together(cases.subspan(i, 1), good, bad);
      }
    }
  }

  Result<std::shared_ptr<DeviceBuffer>> buffer_with(char kind, size_t operand) {
    auto& known = inputs_[{kind, operand}];
    if (known) return known;
    auto buffer = new_buffer(operand);
    if (!buffer) return buffer;
    const auto values = conformance_inputs(kind, operand);
    if (auto sent = executor_.upload(**buffer, std::as_bytes(std::span(values)), false); !sent)
      return tl::unexpected<Error>(sent.error());
    return known = *buffer;
  }

  Result<std::shared_ptr<DeviceBuffer>> new_buffer(size_t index) {
    BufferRequest request;
    request.name = std::string(1, "abcdo"[index]);
    request.type = DType::u64;
    request.count = kConformanceLanes;
    request.index = index;
    return executor_.allocate(request);
  }

  Result<Values> run_one(const CompiledModule& module, const FormCase& test, size_t number) {
    Launch launch;
    launch.kernel = "c" + std::to_string(number);
    launch.grid = {kConformanceLanes / 128, 1, 1};
    launch.block = {128, 1, 1};
    std::vector<std::shared_ptr<DeviceBuffer>> buffers;
    for (size_t i = 0; i < 4; ++i) {
      auto buffer = buffer_with(test.inputs[i], i);
      if (!buffer) return tl::unexpected<Error>(buffer.error());
      buffers.push_back(*buffer);
      launch.arguments.emplace_back(BufferArgument{i, 0});
    }
    auto out = new_buffer(4);
    if (!out) return tl::unexpected<Error>(out.error());
    buffers.push_back(*out);
    launch.arguments.emplace_back(BufferArgument{4, 0});
    ScalarArgument parameter;
    for (int i = 0; i < 64; ++i) parameter.bytes.push_back(static_cast<std::byte>(0xf0 + 13 * i));
    launch.arguments.emplace_back(parameter);
    auto report = executor_.launch(module, launch, buffers, {}, {});
    if (!report) return tl::unexpected<Error>(report.error());
    if (!report->findings.empty()) return fail(ErrorId::kernel_misbehaved, report->findings[0].message);
    Values results(kConformanceLanes);
    if (auto got = executor_.download(**out, std::as_writable_bytes(std::span(results))); !got)
      return tl::unexpected<Error>(got.error());
    return results;
  }

  /// FNV-1a over the bytes, folded to 32 bits.
  static uint32_t hash_of(std::span<const uint64_t> values) {
    uint64_t hash = 0xcbf29ce484222325;
    for (uint64_t value : values)
      for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (value >> (8 * byte) & 0xff)) * 0x100000001b3;
    return static_cast<uint32_t>(hash ^ hash >> 32);
  }

  Executor& executor_;
  std::map<std::pair<char, size_t>, std::shared_ptr<DeviceBuffer>> inputs_;
};

}  // namespace tilescope
