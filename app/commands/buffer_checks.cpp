#include "app/commands/buffer_checks.hpp"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "app/sandbox/form/arguments.hpp"
#include "engine/run/expect.hpp"

namespace tilescope {
namespace {

Result<size_t> find_buffer(const std::string& option, const std::string& name, const Plan& plan) {
  std::string names;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].name == name) return i;
    names += (names.empty() ? "" : ", ") + plan.buffers[i].name;
  }
  return fail(ErrorId::usage, fmt::format("{}: there is no buffer '{}'; there {}", option, name,
                                          names.empty() ? "is none" : "are " + names));
}

std::optional<double> parse_tolerance(const std::string& text) {
  const auto value = parse_whole<double>(text);
  return value && *value >= 0 && std::isfinite(*value) ? value : std::nullopt;
}

struct ExpectedFile {
  std::string file;
  std::optional<double> absolute, relative;
};

/// Splits "y.bin:1e-3:1e-5" into the file and its tolerances; a file name may contain colons if the file exists.
ExpectedFile split_tolerances(const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return {.file = text};
  ExpectedFile result{.file = text};
  std::vector<double> numbers;  // from the right
  while (numbers.size() < 2) {
    const size_t colon = result.file.rfind(':');
    if (colon == std::string::npos) break;
    const auto number = parse_tolerance(result.file.substr(colon + 1));
    if (!number) break;
    numbers.push_back(*number);
    result.file.resize(colon);
  }
  if (!numbers.empty()) result.absolute = numbers.back();
  if (numbers.size() == 2) result.relative = numbers.front();
  return result;
}

}  // namespace

Result<std::vector<Expectation>> read_expectations(const std::vector<std::string>& specs, const Plan& plan) {
  std::vector<Expectation> expectations;
  for (const std::string& spec : specs) {
    const auto assignment = parse_assignment(spec);
    if (!assignment) return tl::unexpected<Error>(assignment.error());
    const auto buffer = find_buffer("--expect", assignment->name, plan);
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    const BufferSpec& of = plan.buffers[*buffer];
    const ExpectedFile given = split_tolerances(assignment->value);
    auto expected = read_expected(given.file, of);
    if (!expected) return tl::unexpected<Error>(expected.error());
    Expectation one{.buffer = *buffer, .tolerance = usual_tolerance(of.type), .expected = std::move(*expected)};
    if (given.absolute) one.tolerance = {*given.absolute, given.relative.value_or(0)};
    expectations.push_back(std::move(one));
  }
  return expectations;
}

void compare_expectations(const std::vector<Expectation>& expectations, RunResult& result) {
  for (const Expectation& one : expectations) {
    result.correctness.push_back(
        compare_expected(result.plan.buffers[one.buffer], *result.buffers[one.buffer], one.expected, one.tolerance));
    std::erase_if(result.statistics, [&](const OutputStatistics& other) { return other.buffer == one.buffer; });
  }
}

Result<void> check_dumps(const std::vector<std::string>& specs, const Plan& plan) {
  for (const std::string& spec : specs) {
    auto assignment = parse_assignment(spec);
    if (!assignment) return tl::unexpected<Error>(assignment.error());
    if (auto buffer = find_buffer("--dump", assignment->name, plan); !buffer)
      return tl::unexpected<Error>(buffer.error());
    std::error_code ignored;
    const std::filesystem::path file = assignment->value;
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    if (file.empty()) return fail(ErrorId::usage, fmt::format("--dump '{}' names no file", spec));
    if (std::filesystem::is_directory(file, ignored))
      return fail(ErrorId::file_not_written, file.string(), "it is a folder");
    if (!std::filesystem::is_directory(folder, ignored))
      return fail(ErrorId::file_not_written, file.string(), "there is no such folder");
    if (access(std::filesystem::exists(file, ignored) ? file.c_str() : folder.c_str(), W_OK) != 0)
      return fail(ErrorId::file_not_written, file.string(), std::strerror(errno));
  }
  return {};
}

Result<void> write_dump(const std::string& spec, const RunResult& result) {
  auto assignment = parse_assignment(spec);
  if (!assignment) return tl::unexpected<Error>(assignment.error());
  for (size_t i = 0; i < result.plan.buffers.size(); ++i) {
    if (result.plan.buffers[i].name != assignment->name) continue;
    std::ofstream file(assignment->value, std::ios::binary);
    const auto& bytes = result.buffers[i]->bytes;
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) return fail(ErrorId::file_not_written, assignment->value, std::strerror(errno));
    return {};
  }
  return {};
}

}  // namespace tilescope
