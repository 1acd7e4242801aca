// Stand-ins for the headers that NVRTC lacks: they declare for the device the names of C and C++ that device code may
// use, and omit host-only names.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilescope {

/// The headers of C, C++ and POSIX, by name.
const std::map<std::string, std::string>& standard_stand_ins();

/// The text that replaces a library's header, of which device code can use a part or nothing (then the text is empty);
/// no value if NVRTC should read the header itself.
std::optional<std::string> library_stand_in(std::string_view name);

/// A name that nvcc's host headers declare without an #include, such as INFINITY or uint32_t.
struct KnownName {
  std::string_view name, declaration;
};
std::span<const KnownName> known_names();

/// Declares std::NAME for the device; empty if no stand-in does.
std::string standard_name_declaration(std::string_view name);

/// The same for thrust::NAME.
std::string thrust_name_declaration(std::string_view name);

}  // namespace tilescope
