#include "engine/compile/compile_log.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <regex>

#include "engine/compile/ptx_text.hpp"
#include "engine/text.hpp"

namespace tilescope {
namespace {

uint32_t number(const std::string& digits) {
  uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// kernels/x.cu(3): warning #177-D: variable "x" was declared but never referenced
const std::regex front_end_line(
    R"(^(.*)\((\d+)\): ((?:catastrophic |internal )?error|warning|remark|note)(?: #[\w-]+)?: (.*)$)");
// ptxas application ptx input, line 25; error   : Not a name of any known instruction: 'bogus'
const std::regex ptxas_placed_line(R"(^ptxas [^,]*, line (\d+); (error|warning|fatal) *: (.*)$)");
// ptxas error   : Entry function 'f' uses too much shared data (0x4e200 bytes, 0xc000 max)
const std::regex ptxas_line(R"(^ptxas (error|warning|fatal) *: (.*)$)");
// ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized due to …
const std::regex ptxas_loss_line(R"(^ptxas info *: (.*Potential Performance Loss.*)$)");
// nvrtc: error: invalid value for --gpu-architecture (-arch)
const std::regex option_line(R"(^nvrtc: (error|warning)[^:]*: (.*)$)");

CompileMessage::Severity severity_of(const std::string& word) {
  if (word == "warning") return CompileMessage::Severity::warning;
  if (word == "remark" || word == "note") return CompileMessage::Severity::note;
  return CompileMessage::Severity::error;
}

bool parse_line(const std::string& whole, CompileMessage& message) {
  // Template types can make lines so long that a regular expression may exhaust the stack.
  constexpr size_t kLongest = 2000;
  const std::string line = whole.substr(0, kLongest);
  using Severity = CompileMessage::Severity;
  std::smatch match;
  if (std::regex_match(line, match, front_end_line)) {
    message = {severity_of(match[3]), match[1], number(match[2]), match[4]};
  } else if (std::regex_match(line, match, ptxas_placed_line)) {
    message = {severity_of(match[2]), "", 0, fmt::format("ptxas, PTX line {}: {}", match[1].str(), match[3].str())};
  } else if (std::regex_match(line, match, ptxas_line)) {
    message = {severity_of(match[1]), "", 0, "ptxas: " + match[2].str()};
  } else if (std::regex_match(line, match, ptxas_loss_line)) {
    message = {Severity::warning, "", 0, "ptxas: " + match[1].str()};
  } else if (std::regex_match(line, match, option_line)) {
    message = {severity_of(match[1]), "", 0, match[2]};
  } else {
    return false;
  }
  return true;
}

/// Whether the line ends the text below a diagnostic.
bool is_summary(const std::string& line) {
  if (line.size() > 200) return false;
  static const std::regex summary(
      R"(^(\d+ (catastrophic )?errors?( and \d+ warnings?)? detected|\d+ warnings? detected|Compilation terminated|Remark:|Error limit).*)");
  return std::regex_match(line, summary);
}

}  // namespace

std::vector<CompileMessage> parse_compile_messages(std::string_view log) {
  std::vector<CompileMessage> messages;
  CompileMessage message;
  for (const std::string& line : lines_of(log))
    if (parse_line(line, message)) messages.push_back(message);
  return messages;
}

namespace {

/// "            instantiation of "f<T> [with T=float]" at line 6 of x.cu"; without a file, the error's file.
std::optional<SourcePlace> instantiation_in(const std::string& line, const std::string& file) {
  constexpr std::string_view kBefore = "\" at line ", kOf = " of ";
  const size_t at = line.rfind(kBefore);
  if (!line.starts_with(' ') || at == std::string::npos) return std::nullopt;
  SourcePlace place{file, 0};
  const char* end = line.data() + line.size();
  const auto [rest, problem] = std::from_chars(line.data() + at + kBefore.size(), end, place.line);
  if (problem != std::errc()) return std::nullopt;
  const std::string_view tail(rest, static_cast<size_t>(end - rest));
  if (tail.starts_with(kOf)) place.file = tail.substr(kOf.size());
  return place;
}

}  // namespace

std::vector<CompileError> compile_errors(std::string_view log) {
  std::vector<CompileError> errors;
  bool inside_error = false;
  CompileMessage message;
  for (const std::string& line : lines_of(log)) {
    if (parse_line(line, message)) {
      inside_error = message.severity == CompileMessage::Severity::error;
      if (inside_error) errors.push_back({message, {}, {}});
    } else if (is_summary(line)) {
      inside_error = false;
    }
    if (!inside_error || line.empty()) continue;
    CompileError& error = errors.back();
    error.text += line + "\n";
    if (auto place = instantiation_in(line, error.message.file)) error.instantiated_at.push_back(std::move(*place));
  }
  return errors;
}

std::string line_of(const CompileError& error) {
  if (error.message.file.empty()) return error.message.text;
  return fmt::format("{}({}): {}", error.message.file, error.message.line, error.message.text);
}

std::string error_text(std::string_view log) {
  std::string text;
  bool inside_error = false;
  CompileMessage message;
  for (const std::string& line : lines_of(log)) {
    if (parse_line(line, message)) {
      inside_error = message.severity == CompileMessage::Severity::error;
    } else if (is_summary(line)) {
      inside_error = false;
    }
    if (inside_error && !line.empty()) text += line + "\n";
  }
  if (text.empty()) text = log;  // an unknown form: the whole text is better than none
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string place_ptxas_errors(std::string_view log, std::string_view ptx) {
  std::string placed;
  std::smatch match;
  for (const std::string& line : lines_of(log)) {
    if (std::regex_match(line, match, ptxas_placed_line)) {
      const SourcePlace place = source_place_of_ptx_line(ptx, number(match[1]));
      if (place.line != 0) {
        const std::string severity = match[2] == "fatal" ? "error" : match[2].str();
        placed += fmt::format("{}({}): {}: ptxas: {}\n", place.file, place.line, severity, match[3].str());
        continue;
      }
    }
    placed += line + "\n";
  }
  return placed;
}

std::string ptxas_lines(std::string_view log) {
  std::string text;
  for (const std::string& line : lines_of(log))
    if (line.starts_with("ptxas")) text += line + "\n";
  return text;
}

std::map<std::string, KernelInfo> parse_resource_usage(std::string_view log) {
  static const std::regex function_line(
      R"(^ptxas info *: (?:Compiling entry function '(.+)' for '.*'|Function properties for (.+))$)");
  static const std::regex frame_line(R"((\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads)");
  static const std::regex registers(R"(Used (\d+) registers)");
  static const std::regex shared(R"((\d+) bytes smem)");
  static const std::regex barriers(R"(used (\d+) barriers)");
  std::map<std::string, KernelInfo> usage;
  std::string function;
  std::smatch match;
  for (const std::string& line : lines_of(log)) {
    if (std::regex_match(line, match, function_line)) {
      function = match[1].matched ? match[1] : match[2];
      continue;
    }
    if (function.empty()) continue;
    if (std::regex_search(line, match, frame_line)) {
      KernelInfo& info = usage[function];
      info.local_bytes = number(match[1]);
      info.spill_store_bytes = number(match[2]);
      info.spill_load_bytes = number(match[3]);
    } else if (std::regex_search(line, match, registers)) {
      KernelInfo& info = usage[function];
      info.name = function;
      info.registers = number(match[1]);
      if (std::regex_search(line, match, barriers)) info.barriers = number(match[1]);
      if (std::regex_search(line, match, shared)) info.static_shared_bytes = number(match[1]);
      function.clear();
    }
  }
  return usage;
}

}  // namespace tilescope
