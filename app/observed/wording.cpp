#include "app/observed/wording.hpp"

namespace tilescope {

std::string count_of_elements(const Strings& strings, int64_t count) {
  return count == 1 ? strings("tiles.one_element")
                    : strings.format("tiles.elements", fmt::arg("count", with_separators(count)));
}

std::string count_of_blocks(const Strings& strings, int64_t count) {
  return count == 1 ? strings("tiles.one_block")
                    : strings.format("tiles.blocks", fmt::arg("count", with_separators(count)));
}

std::string block_number(const Dim3& grid, uint32_t block) {
  if (uint64_t{grid.y} * grid.z <= 1) return with_separators(block);
  const Dim3 at = unflatten(block, grid);
  return grid.z > 1 ? fmt::format("({}, {}, {})", at.x, at.y, at.z) : fmt::format("({}, {})", at.x, at.y);
}

std::string range_text(int64_t first, int64_t last) {
  return first == last ? with_separators(first) : with_separators(first) + " … " + with_separators(last);
}

std::string sizes_text(const Strings& strings, const Lab& lab, const Config& config) {
  std::string text;
  for (const Size& size : lab.sizes)
    text += fmt::format("{}{} = {}", text.empty() ? "" : strings("speed.comma"), size.name,
                        with_separators(config.size(size.name)));
  return text;
}

}  // namespace tilescope
