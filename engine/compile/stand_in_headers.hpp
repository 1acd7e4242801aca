// What stands in for the headers that NVRTC lacks: the names of C and C++ that device code may use, declared for the
// device, and nothing for what belongs to the host.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilescope {

/// The headers of C, C++ and POSIX, by name.
const std::map<std::string, std::string>& standard_stand_ins();

/// The text for a header of a library of which device code can use a part, or (then it is empty) nothing; no value
/// where NVRTC should read the header itself.
std::optional<std::string> library_stand_in(std::string_view name);

/// A name that nvcc's host headers bring along without being asked, such as INFINITY or uint32_t.
struct KnownName {
  std::string_view name, declaration;
};
std::span<const KnownName> known_names();

/// What declares std::NAME for the device; empty where nothing does.
std::string standard_name_declaration(std::string_view name);

/// What declares thrust::NAME, likewise.
std::string thrust_name_declaration(std::string_view name);

}  // namespace tilescope
