// A lab as plain data, and the registry that labs add themselves to.
//
// A lab is one file in labs/ that fills a Lab and registers it:
//
//     static const bool registered = tilescope::register_lab(make_vector_add());
//
// Everything else (sliders, NVRTC defines, test sweep, command line, plots, saved state) is derived from this data.
// docs/adding-a-lab.md shows an example step by step.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/plan.hpp"
#include "engine/plant.hpp"
#include "engine/result.hpp"
#include "engine/types.hpp"

namespace tilescope {

struct GpuSpec;  // engine/specs.hpp

enum class Scale { linear, power_of_two };
/// Unit of a speed: useful bytes, or floating-point operations for labs whose field counts them.
enum class SpeedUnit { gigabytes, teraflops };

/// A problem size, such as n or M. Its slider is logarithmic.
struct Size {
  std::string name = {};  // "n"; set with --size n=98432
  Text title = {}, unit = {};
  int64_t value;      // default on the simulator
  int64_t gpu_value;  // default on a GPU
  int64_t min;
  int64_t max_sim, max_gpu;           // larger values are refused, with the reason
  std::vector<int64_t> offered = {};  // stops of the slider, ascending; any other value in range may be typed
  int64_t multiple_of = 1;  // other values are refused: for example rows of halves that must be aligned for 16-byte
                            // copies
};

/// A named value of a parameter, such as the element type.
struct NamedValue {
  std::string name = {};  // "bf16": --set DTYPE=bf16
  Text title = {};
};

/// A tuning parameter of the kernel. Becomes -DNAME=VALUE, a slider, and a dimension of the test sweep.
struct Param {
  std::string name = {};  // "BLOCK": the define, and --set BLOCK=256
  Text title = {}, unit = {}, help = {};
  int64_t value, min, max;
  Scale scale = Scale::linear;           // power_of_two: only powers of two between min and max are possible
  int64_t step = 1;                      // linear: value = min + k * step
  int64_t gpu_value = 0;                 // default on a GPU if it differs; 0: same as value
  bool model_only = false;               // not a constant of the kernel: controls how a run is modelled, or the size of
                                         // its grid
  std::vector<NamedValue> choices = {};  // names of the values 0, 1, …; empty: the values are numbers
  bool of_triton = false;                // of the Triton rungs: no constant of the CUDA kernels
  bool of_problem = false;               // selects what is computed, not how: times at different values are not
                                         // comparable
};
/// A parameter whose values are the choices; its default is the first one, unless `value` is changed.
Param make_choice(std::string name, Text title, Text help, std::vector<NamedValue> choices);

struct Config;

/// A switch that introduces a well-known bug into the kernels or the host side.
struct BreakIt {
  std::string name = {};
  Text title = {}, help = {};
  std::vector<Plant> plants = {};
  std::vector<std::string> rungs = {};  // the rungs that it affects; empty: all
  bool only_slower = false;             // the result stays correct: the cost shows in the counters
  /// A bug on the host's side: changes the launches of a rung that it concerns.
  std::function<void(const Config&, std::vector<Launch>&)> relaunch = {};
  bool unchecked = false;  // the host does not ask for errors of a launch: one that is refused is never noticed
  bool concerns(const std::string& rung) const;
};

/// The text of one of the lab's files with the bugs of the enabled switches. `file` is empty for the lab's kernel file,
/// otherwise the name of a header beside it, or Rung::kernel_file. An Error if the file was edited so that a bug cannot
/// be applied.
Result<std::string> with_bugs(std::string text, const std::vector<BreakIt>& switches,
                              const std::vector<std::string>& on, const std::string& file = {});
/// The CUDA headers that the enabled switches change.
std::set<std::string> headers_with_bugs(const std::vector<BreakIt>& switches, const std::vector<std::string>& on);

/// The chosen values of one run. Complete: every size and parameter of the lab is present.
struct Config {
  std::map<std::string, int64_t> sizes = {}, params = {};
  int64_t size(const std::string& name) const { return sizes.at(name); }
  int64_t param(const std::string& name) const { return params.at(name); }
  bool operator==(const Config&) const = default;
};

/// The choice of a rung that picks automatically: a different rung of its lab, with parameters chosen for it.
struct Pick {
  std::string rung = {};
  std::map<std::string, int64_t> params = {};  // the parameters that differ from the configuration's
  Text why = {};                               // one sentence, with the numbers that decided it
};

/// One kernel of the ladder, slowest first.
struct Rung {
  std::string name = {};  // "tiles-per-cta": --rung tiles-per-cta
  Text title = {};
  std::string kernel_file = {};           // under kernels/: "softmax.py"; empty: Lab::kernel_file
  std::vector<std::string> kernels = {};  // the extern "C" symbols or @triton.jit functions that it launches; the first
                                          // is shown in the source panel
  std::vector<std::string> params = {};   // the parameters it uses; other sliders are dimmed
  /// If the rung has several launches, the views show the launch of the first of these kernels that is launched; if
  /// none is, the launch with the most threads.
  std::vector<std::string> shown_kernels = {};
  std::function<std::vector<Launch>(const Config&)> launches = {};  // buffers are indices into Lab::buffers
  /// How the grid is computed from the sizes, for the controls: "⌈98,432 / (256 × 4)⌉ = 97".
  std::function<std::string(const Config&)> grid_formula = {};
  /// The rung's own buffers, if they differ from Lab::buffers.
  std::function<std::vector<BufferSpec>(const Config&)> buffers = {};
  /// Module variables that the host sets.
  std::function<std::vector<VariableInput>(const Config&)> variables = {};
  /// Expected values of the rung's own outputs; like Lab::reference, which serves the other rungs.
  std::function<void(const Config&, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t output,
                     size_t begin, size_t end, double* expected)>
      reference = {};
  /// Bytes of global memory that all CTAs together request, if the parameters decide it: smaller tiles of a matrix
  /// product read its operands more often.
  std::function<double(const Config&)> requested_bytes = {};
  /// Constraints that the ranges of sizes and parameters cannot express. Checked before buffers and launches are
  /// requested.
  std::function<Result<void>(const Config&)> check = {};
  /// The rung "auto": chooses another rung and its parameters from the sizes and the GPU. All members above, except the
  /// name and the title, are then those of the chosen rung.
  std::function<Pick(const Config&, const GpuSpec&)> pick = {};
  /// The command line that reproduces the run, if it is not `tilescope run`.
  std::function<std::string(const Config&, DeviceKind, uint64_t seed)> command = {};
  std::string architecture = {};  // "compute_90": that of the PTX; empty: the default
};

/// An implementation used in practice, timed beside the rungs.
struct ReferenceSpec {
  std::string name = {};            // "PyTorch", as plots label it
  std::string implementation = {};  // "torch": a name in the registry of engine/reference/reference.hpp
  std::string operation = {};       // what that implementation computes: "add", "mul", "geam"
  /// The operation, if it depends on the element type; null: `operation`. Use operation_of to read it.
  std::function<std::string(const Config&)> operation_for = {};
};
std::string operation_of(const ReferenceSpec& reference, const Config& config);

/// A size that shrinks as the sweep's size grows, so that their product stays constant: the number of sequences in a
/// batch with a fixed total of tokens.
struct SweepTotal {
  std::string size = {};  // empty: none
  int64_t total = 0;
};

/// A named shape of the sweep, for sweeps over more than one size: 8192 × 4096.
struct SweepPoint {
  std::string name = {};
  std::map<std::string, int64_t> sizes = {};
  bool operator==(const SweepPoint&) const = default;
};

/// |got − expected| ≤ absolute + relative · |expected|
struct Tolerance {
  double absolute = 1e-6, relative = 1e-6;
};

/// A number that the window shows after a run. A question about it veils it until the question is answered.
enum class ShownNumber {
  blocks,      // CTAs of the shown launch
  launches,    // kernels that the rung launches
  sectors,     // of global memory, in total and per request, and the bytes that they hold
  wavefronts,  // of shared memory, and its bank conflicts
  speed,       // of the rungs, in the ladder and the plots
};

/// A question that the learner answers before the run reveals the number. `answer` is computed from the run's
/// configuration, never stored; tests/labs/predicts_test.cpp compares it with what runs show.
struct Predict {
  Text question = {};
  std::function<std::vector<int64_t>(const Config&)> choices = {};
  std::function<int64_t(const Config&)> answer = {};
  std::function<Text(const Config&)> why = {};  // shown with the answer
  std::vector<std::string> rungs = {};          // the rungs that it concerns; empty: not tied to a rung
  std::optional<ShownNumber> veils = {};        // the number that would give the answer away
  bool concerns(const std::string& rung) const;
};

/// Two rungs that compute the same in many launches and in few. What fusing saves is accounted for between them
/// (engine/bench/fusion.hpp).
struct Fusion {
  std::string unfused = {}, fused = {};
};

/// Shapes at which rungs ("schemes") are compared with each other (engine/bench/scheme_map.hpp). `bench --map` times
/// it.
struct SchemeMap {
  struct Scheme {
    std::string rung = {}, mark = {};  // mark: the label of a cell that the scheme wins, such as "1"
  };
  std::vector<Scheme> schemes = {};
  std::string rows = {}, columns = {};                       // the sizes along the axes
  std::vector<int64_t> row_values = {}, column_values = {};  // ascending
  int64_t most_elements = 0;                                 // shapes with more elements are left out
  /// The best parameters of a scheme at a shape, so that each scheme is timed at its best.
  std::function<std::map<std::string, int64_t>(const std::string& rung, const Config&, const GpuSpec&)> tune = {};
  std::string automatic = {};    // the rung that picks one of the schemes
  std::string one_per_row = {};  // the scheme with one block per row: with few rows, SMs sit idle
};

/// Buffer names of a lab whose result sums over pairs of a query and a key, so that the Tiles tab can plot queries
/// against keys. Matrices are [batch, heads, length, depth]; K and V may have fewer heads.
struct PlaneSpec {
  std::string q = "q", k = "k", v = "v", o = "o";
  std::string scores = {};  // for a rung that stores the scores: [batch, heads, queries, keys]
  /// For a rung that records the steps of one query: per key the score, then m, l and the factor that rescales the
  /// earlier part. Rows of O are numbered across all heads.
  std::string trace = {};
  std::function<int64_t(const Config&)> traced_row = {};
  std::function<int64_t(const Config&, int64_t query)> visible = {};  // keys that a query attends to, counted from the
                                                                      // first
  std::function<double(const Config&)> scale = {};                    // factor of the products q · k
};

struct Lab {
  std::string name = {};  // "vector-add"
  int stage = 0;
  int order = 0;  // position within its stage
  Text title = {};
  std::string kernel_file = {};  // under kernels/: "elementwise.cu"
  /// The text of a lab made from a user's own file (app/sandbox). kernel_file is then its path, and the lab is not in
  /// the registry.
  std::optional<std::string> source_text = {};
  std::vector<Define> defines = {};  // fixed defines, such as OP=Add
  std::vector<std::string> include_folders = {};
  std::vector<Size> sizes = {};
  std::vector<Param> params = {};
  std::vector<BreakIt> break_it = {};
  std::vector<Rung> rungs = {};
  std::string default_rung = {};  // the rung that runs if none is named; empty: the first
  /// Sizes and parameters with which the window opens the lab on the simulator, if they differ from the defaults: some
  /// effects show only at sizes at which the simulator executes only a sample of the blocks. The defaults remain sizes
  /// at which everything is executed and compared. Use opening_config to read it.
  std::map<std::string, int64_t> opens_with = {};
  std::vector<ReferenceSpec> references = {};
  Tolerance tolerance = {};
  /// The tolerance, if it depends on the number of summed terms, on the element type, or on a rung that approximates;
  /// `type` is that of the output. Null: `tolerance`. Use tolerance_of to read it.
  std::function<Tolerance(const std::string& rung, const Config&, DType type)> tolerance_for = {};
  std::vector<Predict> predicts = {};
  std::function<std::vector<BufferSpec>(const Config&)> buffers = {};
  /// Expected outputs in double precision, one vector per buffer of role output or inout, in order; elements [begin,
  /// end) of the flattened outputs, so that several threads can compute large ones. Null: there is no reference.
  std::function<void(const Config&, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t output,
                     size_t begin, size_t end, double* expected)>
      reference;
  /// Bytes that must move at least once, for GB/s: 12 n for a vector add of floats.
  std::function<double(const Config&)> useful_bytes = {};
  std::function<double(const Config&)> flops = {};
  Text bytes_formula = {};  // "3 · 4 · n bytes", shown beside the plots
  SpeedUnit speed_unit = SpeedUnit::gigabytes;
  /// The traffic of the whole grid is modelled from the footprints of its blocks
  /// (engine/traffic/block_order/issue_order.hpp).
  bool models_block_order = false;
  /// Above this many operations the simulator executes only a sample of the blocks, and nothing is compared; 0: no
  /// limit.
  double most_simulated_flops = 0;
  /// Above this many operations only evenly spaced parts of the outputs are compared, and the result says how many
  /// elements; 0: no limit.
  double most_reference_flops = 0;
  std::string sweep_size = "n";              // the size that the size sweep varies
  std::vector<int64_t> sweep = {};           // its values, ascending
  std::vector<std::string> sweep_with = {};  // sizes set to the same value in the sweep: the other side of a square
                                             // matrix
  SweepTotal sweep_total = {};
  std::vector<SweepPoint> points = {};  // replaces `sweep` in a sweep over shapes
  /// The sweep plots time instead of speed: bytes and operations do not determine it.
  bool sweep_shows_time = false;
  /// The peak rate that limits a rung, by the units its operations use; null: the CUDA cores, in fp32.
  std::function<PeakRate(const std::string& rung, const Config&)> peak_rate = {};
  std::optional<Fusion> fusion = {};
  std::optional<SchemeMap> scheme_map = {};
  /// Values of the sweep's size at which launch overhead and tails dominate. They are part of the sweep, and a separate
  /// table compares the implementations at them.
  std::vector<int64_t> small_sizes = {};
  /// The scratch buffer in which each block records where and when it ran (engine/traffic/schedule/waves.hpp). Empty:
  /// none. On a GPU its contents differ from run to run, so it is not compared.
  std::string schedule_buffer = {};
  std::optional<PlaneSpec> plane = {};
};

/// Adds a lab; called before main by each lab's file. Returns true.
bool register_lab(Lab lab);
/// All labs in curriculum order (stage, order, name).
const std::vector<Lab>& labs();
/// Null if there is none.
const Lab* find_lab(const std::string& name);
const Rung* find_rung(const Lab& lab, const std::string& name);
/// The rung that runs if none is named.
const Rung& default_rung(const Lab& lab);

/// The configuration of one point of the sweep. `size` is a value of the sweep's size, or in a sweep over shapes the
/// number of the shape, starting at 1.
Config sweep_config(const Lab& lab, Config config, int64_t size);
/// Name of the swept size, "n"; for a sweep over shapes "rows × columns".
std::string sweep_name(const Lab& lab);
/// The sweep point of a configuration: the value of the sweep's size, or the number of the nearest shape.
int64_t place_in_sweep(const Lab& lab, const Config& config);
/// All values of the sweep including the small sizes, ascending, as sweep_config takes them.
std::vector<int64_t> sweep_of(const Lab& lab);

/// The shapes of the lab's scheme map, rows first; empty if it has no map.
std::vector<SweepPoint> map_points(const Lab& lab);

/// The rung that actually runs and its configuration: the picked one for a rung that picks, otherwise the rung itself.
struct Resolved {
  const Lab* lab = nullptr;
  const Rung* rung = nullptr;
  Config config = {};
  std::optional<Pick> pick = {};
};
/// Error if the picked rung does not exist in the lab, or cannot take the picked parameters.
Result<Resolved> resolve(const Lab& lab, const Rung& rung, const Config& config, const GpuSpec& gpu);
/// Allowed deviation of a rung's outputs.
Tolerance tolerance_of(const Lab& lab, const std::string& rung, const Config& config, DType type);
/// "kernels/elementwise.cu", or the path of a user's own file.
std::string source_file_of(const Lab& lab);
/// The file that holds the rung's kernels.
std::string source_file_of(const Lab& lab, const Rung& rung);

/// Every size and parameter at its default for the device.
Config default_config(const Lab& lab, DeviceKind device);
/// The defaults overridden by Lab::opens_with.
Config opening_config(const Lab& lab, DeviceKind device);
/// Whether every value is allowed; the error names the parameter, the value and the allowed values.
Result<void> validate(const Lab& lab, const Config& config, DeviceKind device);
/// "32 to 1024", "a power of two from 1 to 8", or the names of its choices.
Phrase allowed_text(const Param& param);
/// The values that a parameter can take, ascending.
std::vector<int64_t> values_of(const Param& param);
/// "256", or the name of a choice.
std::string param_text(const Param& param, int64_t value);
/// The same for a parameter of the lab by name; the number itself if the lab has no such parameter.
std::string param_text(const Lab& lab, const std::string& param, int64_t value);
/// The value of a named choice; nothing for any other text.
std::optional<int64_t> value_named(const Lab& lab, const std::string& param, const std::string& text);

}  // namespace tilescope
