// The command that makes the same run without the window.
#include <fmt/format.h>

#include "app/sandbox/kernel_form.hpp"

namespace tilescope {
namespace {

/// A word for a POSIX shell.
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

std::string exec_line(const std::string& file, const FilledForm& filled, DeviceKind device, uint64_t seed) {
  std::string line = "tilescope exec " + quoted(file) + " --kernel " + quoted(filled.kernel);
  line += " --grid " + extent_text(filled.launch.grid) + " --block " + extent_text(filled.launch.block);
  if (filled.launch.shared_bytes > 0) line += fmt::format(" --shared {}", filled.launch.shared_bytes);
  for (const Define& define : filled.defines) line += " --define " + quoted(define.name + "=" + define.value);
  for (const std::string& folder : filled.include_folders) line += " --include " + quoted(folder);
  for (const std::string& spec : filled.specs) line += " --arg " + quoted(spec);
  if (seed != 1) line += fmt::format(" --seed {}", seed);
  return line + fmt::format(" --on {} --traffic", name_of(device));
}

}  // namespace tilescope
