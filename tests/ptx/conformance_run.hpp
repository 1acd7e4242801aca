// Runs conformance cases on an executor; defines the format of stored results.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "conformance_cases.hpp"
#include "engine/executor.hpp"

namespace tilescope {

/// The results of all lanes.
inline Result<std::vector<uint64_t>> run_conformance_case(Executor& executor, const ConformanceCase& test,
                                                          size_t number) {
  CompiledModule module;
  module.ptx = ".version 8.0\n.target sm_90\n.address_size 64\n" + conformance_kernel(test, number);
  Launch launch;
  launch.kernel = "c" + std::to_string(number);
  launch.grid = {kConformanceLanes / 128, 1, 1};
  launch.block = {128, 1, 1};
  const std::string operands = test.shape.substr(test.shape.find('=') + 1);
  std::vector<std::shared_ptr<DeviceBuffer>> buffers;
  for (size_t i = 0; i < 5; ++i) {
    BufferRequest request;
    request.name = std::string(1, "abcdo"[i]);
    request.type = DType::u64;
    request.count = kConformanceLanes;
    request.index = i;
    auto buffer = executor.allocate(request);
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    const auto values =
        i < operands.size() ? conformance_inputs(operands[i], i) : std::vector<uint64_t>(kConformanceLanes);
    if (auto sent = executor.upload(**buffer, std::as_bytes(std::span(values)), false); !sent)
      return tl::unexpected<Error>(sent.error());
    buffers.push_back(std::move(*buffer));
    launch.arguments.emplace_back(BufferArgument{i, 0});
  }
  auto report = executor.launch(module, launch, buffers, {}, {});
  if (!report) return tl::unexpected<Error>(report.error());
  std::vector<uint64_t> results(kConformanceLanes);
  if (auto got = executor.download(*buffers[4], std::as_writable_bytes(std::span(results))); !got)
    return tl::unexpected<Error>(got.error());
  return results;
}

constexpr size_t kConformanceGroup = 128;

/// One hash per 128 lanes: FNV-1a over the bytes, folded to 32 bits.
inline std::string conformance_line(const ConformanceCase& test, const std::vector<uint64_t>& results) {
  std::string line = test.opcode + " " + test.shape;
  for (size_t begin = 0; begin < results.size(); begin += kConformanceGroup) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = begin; i < begin + kConformanceGroup; ++i)
      for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (results[i] >> (8 * byte) & 0xff)) * 0x100000001b3;
    line += fmt::format(" {:08x}", static_cast<uint32_t>(hash ^ hash >> 32));
  }
  return line;
}

}  // namespace tilescope
