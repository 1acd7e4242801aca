// What the labs on the rows of a matrix share (softmax, layernorm, rmsnorm): sizes, parameters, the buffers through
// which the CTAs of a row exchange values, and the tiles that their rung "auto" selects.
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
/// Elements per vector of 16 bytes: WIDTH in the kernels.
int64_t vector_width(const Config& config);
/// The smallest power of two ≥ value; 1 if value is not positive.
int64_t power_of_two_from(int64_t value);
/// Whether rows are aligned to 16 bytes and have at most `threads` × VECTORS vectors, so that they fit into registers.
bool fits_registers(const Config& config, int64_t columns, int64_t threads);
/// Most columns that one of CTAS CTAs takes.
int64_t share_of_row(const Config& config);

/// Sizes rows and columns, with the given defaults on the simulator.
std::vector<Size> make_row_sizes(int64_t rows, int64_t columns);
/// The parameters DTYPE, BLOCK, VECTORS, LANES and CTAS, in this order.
std::vector<Param> make_row_params();
/// The shapes of the performance sweep.
std::vector<SweepPoint> make_row_points();
/// Drop the mask, remove the barrier, do not wait for the other CTAs.
BreakIt make_mask_switch(std::vector<std::string> rungs, const std::vector<Plant>& more = {});
BreakIt make_barrier_switch(std::vector<std::string> rungs, const std::vector<Plant>& more = {});
BreakIt make_wait_switch(std::vector<std::string> rungs, const std::vector<Plant>& more = {});

BufferSpec make_matrix(std::string name, const Config& config, Role role);
/// gamma or beta: one element per column, around the given mean (1 or 0).
BufferSpec make_weights(std::string name, const Config& config, double mean);
/// 8-byte words through which the CTAs of a row exchange `values` values each, and their counters.
std::vector<BufferSpec> make_meeting_places(const Config& config, int64_t values);

/// One CTA per row, or one per BLOCK / LANES rows, or CTAS per row.
Launch launch_per_row(const std::string& kernel, const Config& config, std::vector<Argument> arguments);
Launch launch_several_rows(const std::string& kernel, const Config& config, std::vector<Argument> arguments);
Launch launch_several_ctas(const std::string& kernel, const Config& config, std::vector<Argument> arguments);
/// The number of CTAs as text, for the controls.
std::string rows_formula(const Config& config);
std::string several_rows_formula(const Config& config);
std::string several_ctas_formula(const Config& config);

/// "How many CTAs are launched?", for rungs of several rows per CTA, and of several CTAs per row.
Predict ask_ctas_of_several_rows(std::vector<std::string> rungs);
Predict ask_ctas_of_several_ctas(std::vector<std::string> rungs);

/// The division of rows that suits the shape: a few lanes, one CTA or several CTAs per row, under the lab's rung names.
struct RowRungs {
  std::string several_rows, one_cta, several_ctas;
  /// How a row of at most 32 vectors is shared: at least least_lanes lanes, at most most_vectors vectors per lane.
  /// Fewer lanes mean fewer shuffles, more lanes more warps; which matters more was measured for each operator.
  int64_t least_lanes = 8, most_vectors = 4;
};
Pick pick_row_tiles(const Config& config, const GpuSpec& gpu, const RowRungs& rungs);
/// The parameters that suit one division of the rows, whether or not pick_row_tiles chooses it; where it does, they are
/// equal to its parameters.
enum class RowDivision { several_rows, one_cta, several_ctas };
std::map<std::string, int64_t> tune_row_tiles(RowDivision division, const Config& config, const GpuSpec& gpu);

}  // namespace tilescope
