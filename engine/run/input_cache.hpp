// Keeps the initial contents of the last run's buffers: moving a slider rarely changes them.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/run/engine.hpp"

namespace tilescope {

struct Engine::InputCache {
  uint64_t seed = 0;
  std::vector<BufferSpec> specs;
  std::vector<std::shared_ptr<const HostBuffer>> contents;
  bool scratch_left_out = false;  // scratch buffers are empty in `contents`

  bool holds(const std::vector<BufferSpec>& wanted, uint64_t wanted_seed, bool without_scratch) const {
    return seed == wanted_seed && scratch_left_out == without_scratch &&
           std::equal(specs.begin(), specs.end(), wanted.begin(), wanted.end(),
                      [](const BufferSpec& a, const BufferSpec& b) {
                        return a.fill != Fill::file && a.fill == b.fill && a.fill_values == b.fill_values &&
                               a.large_rows == b.large_rows && a.type == b.type && a.shape == b.shape;
                      });
  }
};

}  // namespace tilescope
