// Arrays as numpy.save writes them (numpy.lib.format, versions 1 to 3).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/result.hpp"
#include "engine/types.hpp"

namespace tilescope {

struct NpyArray {
  std::vector<int64_t> shape;
  HostBuffer values;  // in the file's own type; bool as u8
};

bool is_npy(const std::string& file);  ///< by its extension
Result<NpyArray> read_npy(const std::string& file);

/// The values as elements of another type, rounded to nearest even.
HostBuffer converted(HostBuffer values, DType type);

}  // namespace tilescope
