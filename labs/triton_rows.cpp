#include "labs/triton_rows.hpp"

#include "engine/numbers.hpp"
#include "labs/rows.hpp"
#include "labs/triton.hpp"

namespace tilescope {
namespace {

/// Half of the 255 registers of a thread. The rest is for addresses, masks and the weights.
constexpr int64_t kMostOfThread = 128;

/// Most columns of a tile of `rows` rows, and the elements of it in a thread.
int64_t most_columns(const Config& config, int64_t rows) {
  return kMostOfThread * 32 * config.param("num_warps") / rows;
}
int64_t elements_of_thread(const Config& config, int64_t rows) {
  return rows * power_of_two_from(config.size("columns")) / (32 * config.param("num_warps"));
}

}  // namespace

std::vector<Param> make_triton_row_params() {
  Param block = triton_block_param("BLOCK_SIZE", {"BLOCK_SIZE, columns", "BLOCK_SIZE，列数"}, 256, 64, 4096);
  block.unit = {"columns", "列"};
  block.gpu_value = 1024;
  Param rows = triton_block_param("ROWS", {"ROWS, rows of a tile", "ROWS，分块的行数"}, 4, 1, 32);
  rows.unit = {"rows", "行"};
  return {block, rows, num_warps_param(4), num_stages_param(3)};
}

Define tile_of_a_row(const Config& config) {
  return {"BLOCK_SIZE", std::to_string(power_of_two_from(config.size("columns")))};
}

Result<void> check_row_in_a_tile(const Config& config) {
  const int64_t columns = config.size("columns"), most = most_columns(config, 1);
  if (columns <= most) return {};
  return fail(ErrorId::parameter_range, "columns", with_separators(columns),
              phrase("at most {} with num_warps = {}: a thread would hold {} elements of the tile, and {} take half of "
                     "its registers",
                     with_separators(most), config.param("num_warps"), with_separators(elements_of_thread(config, 1)),
                     kMostOfThread));
}

Result<void> check_rows_in_a_tile(const Config& config) {
  const int64_t columns = config.size("columns"), rows = config.param("ROWS"), most = most_columns(config, rows);
  if (columns <= most) return {};
  return fail(
      ErrorId::parameter_range, "columns", with_separators(columns),
      phrase("at most {} with ROWS = {} and num_warps = {}: a thread would hold {} elements of the tile, and {} "
             "take half of its registers",
             with_separators(most), rows, config.param("num_warps"), with_separators(elements_of_thread(config, rows)),
             kMostOfThread));
}

Dim3 grid_of_row_tiles(const Config& config) {
  return {static_cast<uint32_t>(ceil_divide(config.size("rows"), config.param("ROWS"))), 1, 1};
}

std::string row_tiles_formula(const Config& config) {
  return fmt::format("⌈{} / {}⌉ = {}", with_separators(config.size("rows")), config.param("ROWS"),
                     with_separators(grid_of_row_tiles(config).x));
}

}  // namespace tilescope
