#include "app/views/layout/layout_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <utility>

#include "app/draw/strings.hpp"

namespace tilescope {
namespace {

using Kind = ProgramTensor::Kind;

constexpr uint32_t kLanes = 32;
constexpr int64_t kMostInTile = 256;  // elements that can be told apart when a warp is looked at closely
constexpr int64_t kWrapAt = 128;      // columns of a tensor of one dimension
constexpr int64_t kMostElements = 1 << 16;

const TritonCode* code_of(const RunResult& result) {
  if (result.launch >= result.plan.launches.size()) return nullptr;
  const std::string& kernel = result.plan.launches[result.launch].kernel;
  const auto found = std::ranges::find(result.compiled.triton, kernel, &TritonCode::kernel);
  return found == result.compiled.triton.end() ? nullptr : &*found;
}

int64_t count_of(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t side : shape) count *= side;
  return count;
}

LayoutGrid grid_of(const ProgramTensor& tensor) {
  LayoutGrid grid;
  const int64_t elements = count_of(tensor.shape);
  grid.wrapped = tensor.shape.size() == 1 && elements > kWrapAt;
  grid.columns = grid.wrapped ? kWrapAt : tensor.shape.back();
  grid.rows = elements / grid.columns;
  if (elements > kMostElements) return grid;
  grid.holders.resize(static_cast<size_t>(elements));
  const TensorLayout& layout = tensor.layout;
  for (uint32_t warp = 0; warp < layout.warps(); ++warp)
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      for (uint32_t reg = 0; reg < layout.registers(); ++reg) {
        const auto [row, column] = cell_of(grid, tensor.shape, layout.element(reg, lane, warp));
        ElementHolder& holder = grid.holders[static_cast<size_t>(row * grid.columns + column)];
        if (holder.threads == 0) holder = {reg, warp, static_cast<uint8_t>(lane), 0};
        // Registers that repeat an element of the same thread do not count.
        if ((reg & layout.repeated_registers()) == 0) ++holder.threads;
      }
  return grid;
}

std::vector<uint8_t> bank_groups_of(const ProgramTensor& tensor, const LayoutGrid& grid) {
  std::vector<uint8_t> groups;
  groups.reserve(grid.holders.size());
  const int64_t count = bank_groups(tensor);
  for (int64_t row = 0; row < grid.rows; ++row)
    for (int64_t column = 0; column < grid.columns; ++column) {
      const int64_t offset = tensor.shared->offset(coordinates_of(grid, tensor.shape, row, column));
      groups.push_back(static_cast<uint8_t>(offset * tensor.element_bytes / (kBankBytes / count) % count));
    }
  return groups;
}

/// The rectangle that the cells fill; nothing if they do not.
std::optional<std::pair<int64_t, int64_t>> rectangle_of(const std::set<std::pair<int64_t, int64_t>>& cells) {
  int64_t low_column = cells.begin()->second, high_column = low_column;
  for (const auto& [row, column] : cells) {
    low_column = std::min(low_column, column);
    high_column = std::max(high_column, column);
  }
  const int64_t rows = cells.rbegin()->first - cells.begin()->first + 1, columns = high_column - low_column + 1;
  if (rows * columns != static_cast<int64_t>(cells.size())) return std::nullopt;
  return std::pair{rows, columns};
}

WarpTile tile_of(const ProgramTensor& tensor, const LayoutGrid& grid) {
  WarpTile best;
  std::set<std::pair<int64_t, int64_t>> cells;
  for (uint32_t registers = 1, done = 0; registers <= tensor.layout.registers(); registers *= 2) {
    for (; done < registers; ++done)
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        cells.insert(cell_of(grid, tensor.shape, tensor.layout.element(done, lane, 0)));
    if (static_cast<int64_t>(cells.size()) > kMostInTile && best.rows > 0) break;
    if (const auto size = rectangle_of(cells)) best = {registers, size->first, size->second};
  }
  return best;
}

}  // namespace

int64_t bank_groups(const ProgramTensor& tensor) {
  return std::max<int64_t>(kBankBytes / std::max<int64_t>(tensor.shared->vec * tensor.element_bytes, 4), 1);
}

bool has_layouts(const RunResult& result) {
  const TritonCode* code = code_of(result);
  return code != nullptr && code->ttgir.find("tensor<") != std::string::npos;
}

void take_layouts(LayoutPicture& picture, const std::shared_ptr<const RunResult>& result) {
  if (picture.of.is(result)) return;
  picture = {};
  picture.of = ResultReference(result);
  const TritonCode* code = code_of(*result);
  if (code == nullptr) return;
  picture.operations = program_tensors(code->ttgir, result->plan.source_file);
  for (size_t i = 0; i < picture.operations.size(); ++i) {
    const ProgramTensor& tensor = picture.operations[i];
    const bool known = std::ranges::any_of(picture.entries, [&](const LayoutEntry& entry) {
      return is_same_tensor(picture.operations[entry.operation], tensor);
    });
    // A store to shared memory has the tensor of the load before it.
    if (known || tensor.kind == Kind::to_shared || count_of(tensor.shape) > kMostElements) continue;
    if (tensor.kind == Kind::from_shared) picture.entries.push_back({i, true});
    picture.entries.push_back({i, false});
  }
  picture.checks.resize(picture.entries.size());
}

const LayoutCheck& check_of(LayoutPicture& picture, size_t entry, const RunResult& result) {
  auto& check = picture.checks[entry];
  if (!check)
    check = check_layout(picture.operations, picture.entries[entry].operation, result.trace, result.launch,
                         result.plan.source_file);
  return *check;
}

void look_at(LayoutPicture& picture, size_t entry, uint32_t block, const RunResult& result) {
  if (picture.grid_of != entry) {
    picture.grid_of = entry;
    picture.grid = grid_of(picture.tensor(entry));
    picture.tile = tile_of(picture.tensor(entry), picture.grid);
    picture.bank_groups =
        picture.entries[entry].in_shared ? bank_groups_of(picture.tensor(entry), picture.grid) : std::vector<uint8_t>{};
    picture.cells_of.reset();
    picture.accesses_block.reset();
  }
  if (picture.accesses_block == block) return;
  picture.accesses_block = block;
  picture.accesses = tensor_accesses(picture.operations, picture.entries[entry].operation, result.trace, result.launch,
                                     result.plan.source_file, block);
}

Coordinates coordinates_of(const LayoutGrid& grid, const std::vector<int64_t>& shape, int64_t row, int64_t column) {
  int64_t flat = row * grid.columns + column;
  Coordinates element(shape.size(), 0);
  for (size_t dim = shape.size(); dim-- > 0;) {
    element[dim] = flat % shape[dim];
    flat /= shape[dim];
  }
  return element;
}

std::pair<int64_t, int64_t> cell_of(const LayoutGrid& grid, const std::vector<int64_t>& shape,
                                    const Coordinates& element) {
  int64_t flat = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) flat = flat * shape[dim] + element[dim];
  return {flat / grid.columns, flat % grid.columns};
}

const TileCells& tile_cells(LayoutPicture& picture, size_t entry, uint32_t warp, uint32_t part) {
  const std::array<uint64_t, 3> wanted{entry, warp, part};
  TileCells& found = picture.cells;
  if (picture.cells_of == wanted) return found;
  picture.cells_of = wanted;
  const ProgramTensor& tensor = picture.tensor(entry);
  const WarpTile& tile = picture.tile;
  struct Held {
    std::pair<int64_t, int64_t> cell;
    TileCells::Cell by;
  };
  std::vector<Held> held;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t i = 0; i < tile.registers; ++i) {
      const uint32_t reg = part * tile.registers + i;
      held.push_back({cell_of(picture.grid, tensor.shape, tensor.layout.element(reg, lane, warp)), {lane, reg}});
    }
  found = {picture.grid.rows, picture.grid.columns, {}};
  for (const Held& one : held) {
    found.first_row = std::min(found.first_row, one.cell.first);
    found.first_column = std::min(found.first_column, one.cell.second);
  }
  found.cells.resize(static_cast<size_t>(tile.rows * tile.columns));
  for (const Held& one : held) {
    const int64_t row = one.cell.first - found.first_row, column = one.cell.second - found.first_column;
    if (row >= tile.rows || column >= tile.columns) continue;
    TileCells::Cell& cell = found.cells[static_cast<size_t>(row * tile.columns + column)];
    if (cell.lane == kLanes) cell = one.by;
  }
  return found;
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t side : shape) text += (text.empty() ? "" : " × ") + with_separators(side);
  return text;
}

std::string elements_text(const Coordinates& first, const Coordinates& last) {
  std::string text;
  for (size_t dim = 0; dim < first.size(); ++dim) {
    text += (text.empty() ? "" : ", ") + std::to_string(first[dim]);
    if (last[dim] != first[dim]) text += "…" + std::to_string(last[dim]);
  }
  return "[" + text + "]";
}

}  // namespace tilescope
