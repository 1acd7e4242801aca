#include "app/commands/triton_installation.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/compile/triton/triton_child.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// The version in ENVIRONMENT/lib/python3.11/site-packages/triton-3.6.0.dist-info; empty: there is none.
std::string version_in(const fs::path& environment) {
  constexpr std::string_view kPrefix = "triton-", kSuffix = ".dist-info";
  std::error_code failed;
  for (const auto& python : fs::directory_iterator(environment / "lib", failed))
    for (const auto& package : fs::directory_iterator(python.path() / "site-packages", failed)) {
      const std::string name = package.path().filename().string();
      if (name.starts_with(kPrefix) && name.ends_with(kSuffix))
        return name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
    }
  return {};
}

}  // namespace

nlohmann::json triton_json() {
  if (const char* python = std::getenv("TILESCOPE_PYTHON"); python != nullptr && *python != '\0')
    return {{"python", python}};
  const fs::path folder = triton_environment();
  const std::string version = version_in(folder);
  if (!version.empty()) return {{"version", version}, {"folder", folder.string()}};
  return {{"missing", fmt::format("not installed in {}", folder.string())}};
}

std::string triton_text() {
  const nlohmann::json known = triton_json();
  if (known.contains("python"))
    return fmt::format("that of {}, which TILESCOPE_PYTHON names", known["python"].get<std::string>());
  if (known.contains("version"))
    return fmt::format("{} in {}", known["version"].get<std::string>(), known["folder"].get<std::string>());
  return fmt::format("{}; that of python3 is used if it has one, and './tilescope triton' installs it",
                     known["missing"].get<std::string>());
}

}  // namespace tilescope
