#include "engine/sim/ptx/source_names.hpp"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>

namespace tilescope {

std::string_view local_name(std::string_view symbol) {
  if (!symbol.starts_with("_ZZ")) return {};
  for (size_t e = symbol.find('E'); e != std::string_view::npos; e = symbol.find('E', e + 1)) {
    size_t at = e + 1, length = 0;
    for (; at < symbol.size() && std::isdigit(static_cast<unsigned char>(symbol[at])) != 0; ++at)
      length = length * 10 + static_cast<size_t>(symbol[at] - '0');
    if (length == 0 || at + length > symbol.size()) continue;
    // Followed by a number if a function has several variables of that name: "_0", "__10_".
    const std::string_view rest = symbol.substr(at + length);
    const bool ends =
        rest.find_first_not_of("_0123456789") == std::string_view::npos && (rest.empty() || rest[0] == '_');
    if (ends) return symbol.substr(at, length);
  }
  return {};
}

std::string variable_name(std::string_view symbol) {
  if (const std::string_view name = local_name(symbol); !name.empty()) return std::string(name);
  return readable_name(symbol);
}

std::string readable_name(std::string_view symbol) {
  // A lone "s" is not mangled, though the demangler would read it as the type short.
  if (!symbol.starts_with("_Z")) return std::string(symbol);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(
      abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && readable != nullptr ? readable.get() : std::string(symbol);
}

}  // namespace tilescope
