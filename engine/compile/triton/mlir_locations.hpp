// The source locations in the texts of Triton's compiler (TTIR and TTGIR). Each line ends with one, which usually
// refers to a table at the text's end:
//
//     %a = tt.load %a_ptrs : tensor<64x32x!tt.ptr<f16>, #blocked> loc(#loc69)
//     #loc27 = loc("kernels/matmul.py":23:20)             a place
//     #loc69 = loc("a"(#loc27))                           with the name of the Python variable
//     #loc76 = loc(callsite(#loc35 at #loc36))            inlined: the callee's place, then the caller's
//     #loc80 = loc(fused[#loc27, #loc28])                 several places: the first one counts
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

struct MlirPlace {
  std::string file;
  uint32_t line = 0, column = 0;  // the line is 1-based
  bool operator==(const MlirPlace&) const = default;
};

struct MlirLocation {
  std::string name;               // the Python variable; empty: none
  std::vector<MlirPlace> places;  // innermost first: the code itself, then its callers; empty: unknown
};

class MlirLocations {
 public:
  explicit MlirLocations(std::string_view text);
  /// The location at the end of a line of the text; of several, as in a function's signature, the last.
  MlirLocation of_line(std::string_view line) const;

 private:
  std::map<std::string, std::string, std::less<>> contents_;  // "loc69" → what is in the brackets of its loc(…)
  std::map<std::string, MlirLocation, std::less<>> table_;    // the same, read
};

/// A line without the locations in it: "%a = tt.load %a_ptrs : tensor<64x32x!tt.ptr<f16>, #blocked>".
std::string without_locations(std::string_view line);
/// Whether the line is an entry of the table: "#loc27 = loc(…)".
bool is_location_entry(std::string_view line);

}  // namespace tilescope
