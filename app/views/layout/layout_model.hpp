// What the layout view shows of a Triton program: its tensors, which thread holds each element, the part of a warp that
// is looked at closely, and whether the trace agrees. No ImGui.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/observed/result_reference.hpp"
#include "engine/layout/layout_check.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// A tensor that can be chosen: of an operation, or where its elements are in shared memory.
struct LayoutEntry {
  size_t operation = 0;  // index into LayoutPicture::operations
  bool in_shared = false;
};

/// The first thread that holds an element, and how many do.
struct ElementHolder {
  uint32_t reg = 0, warp = 0;
  uint8_t lane = 0;
  uint32_t threads = 0;
};

/// A tensor as rows and columns: the last dimension is the row's, unless there is only one, which is wrapped.
struct LayoutGrid {
  int64_t rows = 0, columns = 0;
  bool wrapped = false;
  std::vector<ElementHolder> holders;  // row by row
  const ElementHolder& at(int64_t row, int64_t column) const {
    return holders[static_cast<size_t>(row * columns + column)];
  }
};

/// The largest run of a warp's registers, from register 0, whose elements fill a rectangle that can be drawn closely;
/// the registers behind it repeat the rectangle elsewhere.
struct WarpTile {
  uint32_t registers = 1;  // in the rectangle, a power of two
  int64_t rows = 0, columns = 0;
};

/// Which lane and register hold each cell of a warp's tile, row by row; of lanes that repeat an element the first.
struct TileCells {
  struct Cell {
    uint32_t lane = 32, reg = 0;
  };
  int64_t first_row = 0, first_column = 0;
  std::vector<Cell> cells = {};
};

struct LayoutPicture {
  ResultReference of;
  std::vector<ProgramTensor> operations;
  std::vector<LayoutEntry> entries;
  std::vector<std::optional<LayoutCheck>> checks;  // by entry
  std::optional<size_t> grid_of;                   // the entry that the following are of
  LayoutGrid grid;
  WarpTile tile;
  std::vector<uint8_t> bank_groups;                 // by cell, where the tensor is looked at in shared memory
  std::optional<std::array<uint64_t, 3>> cells_of;  // entry, warp and part that `cells` are of
  TileCells cells;
  std::vector<TensorAccess> accesses;  // those of the block that is looked at
  std::optional<uint32_t> accesses_block;

  const ProgramTensor& tensor(size_t entry) const { return operations[entries[entry].operation]; }
};

/// Whether the result is of a Triton program with tensors that are understood.
bool has_layouts(const RunResult& result);

/// Reads the tensors of a result anew if it is a different one.
void take_layouts(LayoutPicture& picture, const std::shared_ptr<const RunResult>& result);
const LayoutCheck& check_of(LayoutPicture& picture, size_t entry, const RunResult& result);
/// Fills in the grid, the tile and the accesses of an entry.
void look_at(LayoutPicture& picture, size_t entry, uint32_t block, const RunResult& result);

/// The coordinates of a cell of the grid, and the cell of an element.
Coordinates coordinates_of(const LayoutGrid& grid, const std::vector<int64_t>& shape, int64_t row, int64_t column);
std::pair<int64_t, int64_t> cell_of(const LayoutGrid& grid, const std::vector<int64_t>& shape,
                                    const Coordinates& element);
/// `part` counts the repetitions of the tile, from 0.
const TileCells& tile_cells(LayoutPicture& picture, size_t entry, uint32_t warp, uint32_t part);

/// Groups of banks that a run of the swizzle can lie in: 128 bytes by the bytes of a run.
constexpr int64_t kBankBytes = 128;  // what all 32 banks hold in one row
int64_t bank_groups(const ProgramTensor& tensor);

/// "64 × 32".
std::string shape_text(const std::vector<int64_t>& shape);
/// "[13, 16…23]" for a run of elements.
std::string elements_text(const Coordinates& first, const Coordinates& last);

}  // namespace tilescope
