// The command that reproduces the run without the window.
#include <fmt/format.h>

#include <algorithm>

#include "app/sandbox/form/kernel_form.hpp"

namespace tilescope {
namespace {

/// Quotes a word for a POSIX shell.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=@+%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string extent_text(const Dim3& extent) {
  if (extent.z > 1) return fmt::format("{},{},{}", extent.x, extent.y, extent.z);
  return extent.y > 1 ? fmt::format("{},{}", extent.x, extent.y) : fmt::format("{}", extent.x);
}

}  // namespace

ExecWords exec_words(const FilledForm& filled) {
  ExecWords words;
  words.kernel = filled.kernel;
  words.grid = extent_text(filled.launch.grid);
  const bool is_triton = filled.launch.triton.num_warps > 0;
  if (!is_triton) words.block = extent_text(filled.launch.block);
  if (is_triton) words.num_warps = std::to_string(filled.launch.triton.num_warps);
  if (is_triton) words.num_stages = std::to_string(filled.launch.triton.num_stages);
  if (!filled.architecture.empty())
    words.target = "sm_" + filled.architecture.substr(filled.architecture.find('_') + 1);
  if (filled.launch.shared_bytes > 0) words.shared = std::to_string(filled.launch.shared_bytes);
  for (const Define& define : filled.defines) words.defines.push_back(define.name + "=" + define.value);
  words.includes = filled.include_folders;
  const bool all_named = std::ranges::none_of(filled.names, [](const std::string& name) { return name.empty(); });
  for (size_t i = 0; i < filled.specs.size(); ++i) {
    const std::string& spec = filled.specs[i];
    // A buffer spec contains its name.
    const bool is_named = all_named && !spec.starts_with("buf:");
    words.arguments.push_back((is_named ? filled.names[i] + "=" : "") + (spec.empty() ? "bytes:…" : spec));
  }
  words.symbols = filled.symbols;
  return words;
}

std::string exec_line(const std::string& file, const ExecWords& words) {
  std::string line = "tilescope exec " + quoted(file) + " --kernel " + quoted(words.kernel);
  line += " --grid " + quoted(words.grid);
  if (!words.block.empty()) line += " --block " + quoted(words.block);
  if (!words.shared.empty()) line += " --shared " + quoted(words.shared);
  for (const std::string& define : words.defines)
    line += (words.block.empty() ? " -D " : " --define ") + quoted(define);
  if (!words.num_warps.empty()) line += " --num-warps " + quoted(words.num_warps);
  if (!words.num_stages.empty()) line += " --num-stages " + quoted(words.num_stages);
  if (!words.target.empty()) line += " --target " + quoted(words.target);
  for (const std::string& folder : words.includes) line += " --include " + quoted(folder);
  for (const std::string& argument : words.arguments) line += " --arg " + quoted(argument);
  for (const std::string& symbol : words.symbols) line += " --symbol " + quoted(symbol);
  for (const std::string& other : words.others) line += " " + quoted(other);
  return line;
}

std::string exec_line(const std::string& file, const FilledForm& filled, DeviceKind device, uint64_t seed) {
  ExecWords words = exec_words(filled);
  if (seed != 1) words.others = {"--seed", std::to_string(seed)};
  words.others.insert(words.others.end(), {"--on", std::string(name_of(device)), "--traffic"});
  return exec_line(file, words);
}

}  // namespace tilescope
