#include "tests/differential/runner.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "engine/traffic/access/ledger.hpp"

namespace tilescope::differential {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

HostBuffer typed(const ScenarioBuffer& buffer, const std::vector<std::byte>& bytes) {
  HostBuffer host;
  host.type = buffer.type;
  host.bytes = bytes;
  return host;
}

std::string element_text(const ScenarioBuffer& buffer, const std::vector<std::byte>& bytes, size_t index) {
  if (size_of(buffer.type) == buffer.element_bytes && buffer.type != DType::u64)
    return fmt::format("{:.9g}", value_at(typed(buffer, bytes), index));
  std::string text = "0x";
  for (size_t i = buffer.element_bytes; i > 0; --i)
    text += fmt::format("{:02x}", static_cast<unsigned>(bytes[index * buffer.element_bytes + i - 1]));
  return text;
}

bool is_near(double got, double expected, const Agreement& agreement) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  if (std::isinf(got) || std::isinf(expected)) return got == expected;
  return std::abs(got - expected) <= agreement.relative * std::abs(expected) + agreement.absolute;
}

std::vector<std::byte> sorted_elements(const std::vector<std::byte>& bytes, size_t element) {
  std::vector<std::vector<std::byte>> parts;
  for (size_t at = 0; at + element <= bytes.size(); at += element)
    parts.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                       bytes.begin() + static_cast<std::ptrdiff_t>(at + element));
  std::sort(parts.begin(), parts.end());
  std::vector<std::byte> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::optional<std::string> first_difference(const ScenarioBuffer& buffer, std::vector<std::byte> got,
                                            std::vector<std::byte> expected, const Agreement& agreement) {
  if (got.size() < expected.size()) return fmt::format("{} has only {} bytes", buffer.name, got.size());
  got.resize(expected.size());
  if (agreement.kind == Agreement::Kind::same_elements) {
    got = sorted_elements(got, buffer.element_bytes);
    expected = sorted_elements(expected, buffer.element_bytes);
  }
  const HostBuffer typed_got = typed(buffer, got), typed_expected = typed(buffer, expected);
  const size_t count = expected.size() / buffer.element_bytes;
  size_t different = 0, first = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = i * buffer.element_bytes;
    const bool same = agreement.kind == Agreement::Kind::near
                          ? is_near(value_at(typed_got, i), value_at(typed_expected, i), agreement)
                          : std::equal(&got[at], &got[at] + buffer.element_bytes, &expected[at]);
    if (same) continue;
    if (different++ == 0) first = i;
  }
  if (different == 0) return {};
  return fmt::format("{}[{}] is {} and not {} ({} of {} elements differ)", buffer.name, first,
                     element_text(buffer, got, first), element_text(buffer, expected, first), different, count);
}

}  // namespace

Result<const CompiledModule*> Modules::get(const std::string& file) {
  for (const auto& [name, module] : known_)
    if (name == file) return module.get();
  auto module = std::make_unique<CompiledModule>();
  const std::string kept = kept_ptx_.empty() ? std::string() : kept_ptx_ + "/" + file + ".ptx";
  if (!kept.empty()) module->ptx = read_text(kept);
  if (module->ptx.empty()) {
    CompileRequest request;
    request.text = read_text(folder_ + "/" + file);
    request.file = "kernels/" + file;
    request.cubin_target = cubin_target_.empty() ? "sm_80" : cubin_target_;  // the PTX's target: one compilation serves
                                                                             // both
    request.want_cubin = !cubin_target_.empty();
    if (request.text.empty()) return fail(ErrorId::bad_argument, "kernel file", folder_ + "/" + file + " is empty");
    if (compiler_ == nullptr) return fail(ErrorId::bad_argument, "kernel file", file + " has no kept PTX");
    auto compiled = compiler_->compile(request, {});
    if (!compiled) return tl::unexpected<Error>(compiled.error());
    *module = std::move(*compiled);
    if (!kept.empty()) std::ofstream(kept) << module->ptx;
  }
  known_.emplace_back(file, std::move(module));
  return known_.back().second.get();
}

Result<Outcome> run_scenario(Executor& executor, const CompiledModule& module, const Scenario& scenario,
                             const LaunchOptions& options) {
  std::vector<std::shared_ptr<DeviceBuffer>> buffers;
  for (const ScenarioBuffer& buffer : scenario.buffers) {
    BufferRequest request;
    request.name = buffer.name;
    request.type = DType::u8;
    request.count = buffer.initial.size();
    request.index = buffers.size();
    auto made = executor.allocate(request);
    if (!made) return tl::unexpected<Error>(made.error());
    if (auto sent = executor.upload(**made, buffer.initial, !buffer.defined); !sent)
      return tl::unexpected<Error>(sent.error());
    buffers.push_back(std::move(*made));
  }
  Outcome outcome;
  LaunchOptions one = options;
  for (const Launch& launch : scenario.launches) {
    auto report = executor.launch(module, launch, buffers, one, {});
    if (!report) return tl::unexpected<Error>(report.error());
    append_launch(outcome.trace, outcome.sites, report->trace, report->sites, one.launch_index);
    ++one.launch_index;
    outcome.findings.insert(outcome.findings.end(), report->findings.begin(), report->findings.end());
    add_counters(outcome.counters, report->counters);
    outcome.warp_instructions += report->counters.warp_instructions;
    outcome.elapsed_ms += report->elapsed_ms;
    if (report->stopped_by_finding) break;
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    outcome.buffers.emplace_back(scenario.buffers[i].initial.size());
    if (auto got = executor.download(*buffers[i], outcome.buffers.back()); !got)
      return tl::unexpected<Error>(got.error());
  }
  return outcome;
}

std::optional<std::string> difference_from_expected(const Scenario& scenario, const Outcome& outcome) {
  for (const Expectation& expectation : scenario.expectations) {
    const ScenarioBuffer& buffer = scenario.buffers[expectation.buffer];
    if (auto difference =
            first_difference(buffer, outcome.buffers[expectation.buffer], expectation.bytes, expectation.agreement))
      return difference;
  }
  return {};
}

std::optional<std::string> difference_between(const Scenario& scenario, const Outcome& one, const Outcome& other) {
  for (size_t i = 0; i < scenario.buffers.size(); ++i) {
    const ScenarioBuffer& buffer = scenario.buffers[i];
    if (!buffer.compared) continue;
    if (auto difference = first_difference(buffer, one.buffers[i], other.buffers[i], buffer.between_executors))
      return difference;
  }
  return {};
}

std::string text_of(const Scenario& scenario) {
  if (scenario.launches.empty()) return "no launch";
  const Launch& launch = scenario.launches.back();
  return fmt::format("{} grid {}x{}x{} block {}x{}x{} shared {}", launch.kernel, launch.grid.x, launch.grid.y,
                     launch.grid.z, launch.block.x, launch.block.y, launch.block.z, launch.shared_bytes);
}

}  // namespace tilescope::differential
