// What the Triton rungs of the labs on the rows of a matrix share: sliders, and the tile that holds a whole row.
#pragma once

#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

/// The parameters BLOCK_SIZE, ROWS, num_warps and num_stages, in this order.
std::vector<Param> make_triton_row_params();

/// BLOCK_SIZE of a tile that holds whole rows: the smallest power of two ≥ columns, as tl.arange wants it.
Define tile_of_a_row(const Config& config);

/// An error if a thread of the program would hold more elements of one row, or of ROWS rows, than its registers take.
Result<void> check_row_in_a_tile(const Config& config);
Result<void> check_rows_in_a_tile(const Config& config);

/// The grid of ⌈rows / ROWS⌉ programs, and the formula of it for the controls.
Dim3 grid_of_row_tiles(const Config& config);
std::string row_tiles_formula(const Config& config);

}  // namespace tilescope
