// What the labs on the rows of a matrix share (softmax, layernorm, rmsnorm): sizes, parameters, the buffers through
// which the CTAs of a row meet, and the choice of tiles that their rung "auto" makes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/lab.hpp"
#include "engine/specs.hpp"

namespace tilescope {

constexpr int64_t kMostColumns = int64_t{1} << 20;

/// fp32 or bf16, from the parameter DTYPE.
DType element_type(const Config& config);
/// Elements of a vector of 16 bytes: WIDTH in the kernels.
int64_t vector_width(const Config& config);
/// The least power of two that is no less; 1 for what is not positive.
int64_t power_of_two_from(int64_t value);
/// Whether rows start on 16 bytes and have at most `threads` × VECTORS vectors, so that registers can hold them.
bool fits_registers(const Config& config, int64_t columns, int64_t threads);
/// Columns that one of CTAS CTAs has at most.
int64_t share_of_row(const Config& config);

/// rows and columns, with the given defaults on the simulator.
std::vector<Size> make_row_sizes(int64_t rows, int64_t columns);
/// DTYPE, BLOCK, VECTORS, LANES and CTAS, in this order.
std::vector<Param> make_row_params();
/// The shapes of the sweep.
std::vector<SweepPoint> make_row_points();
/// Drop the mask, remove the barrier, do not wait for the other CTAs.
BreakIt make_mask_switch(std::vector<std::string> rungs, const std::vector<Plant>& more = {});
BreakIt make_barrier_switch(std::vector<std::string> rungs, const std::vector<Plant>& more = {});
BreakIt make_wait_switch(std::vector<std::string> rungs, const std::vector<Plant>& more = {});

BufferSpec make_matrix(std::string name, const Config& config, Role role);
/// gamma or beta: one element for each column, about 1 or 0.
BufferSpec make_weights(std::string name, const Config& config, double mean);
/// The words of 8 bytes through which the CTAs of a row show one another `values` values each, and their counters.
std::vector<BufferSpec> make_meeting_places(const Config& config, int64_t values);

/// One thread block for each row, or for every BLOCK / LANES rows, or CTAS for each row.
Launch launch_per_row(const std::string& kernel, const Config& config, std::vector<Argument> arguments);
Launch launch_several_rows(const std::string& kernel, const Config& config, std::vector<Argument> arguments);
Launch launch_several_ctas(const std::string& kernel, const Config& config, std::vector<Argument> arguments);
/// The same as text, for the controls.
std::string rows_formula(const Config& config);
std::string several_rows_formula(const Config& config);
std::string several_ctas_formula(const Config& config);

/// What suits the shape: a few lanes, a CTA or several CTAs for a row, by the names that the lab has for these rungs.
struct RowRungs {
  std::string several_rows, one_cta, several_ctas;
  /// How a row of at most 32 vectors is shared: so many lanes at least, so many vectors in each at most. Fewer lanes
  /// make fewer shuffles, more of them more warps; which counts for more was measured for each operator.
  int64_t least_lanes = 8, most_vectors = 4;
};
Pick pick_row_tiles(const Config& config, const GpuSpec& gpu, const RowRungs& rungs);
/// The parameters that suit one of these ways of dividing the rows, whether or not it is the one to choose; where it
/// is, they are those of pick_row_tiles.
enum class RowDivision { several_rows, one_cta, several_ctas };
std::map<std::string, int64_t> tune_row_tiles(RowDivision division, const Config& config, const GpuSpec& gpu);

}  // namespace tilescope
