// A lab as plain data, and the registry that labs add themselves to.
//
// A lab is one file in labs/ that fills a Lab and registers it:
//
//     static const bool registered = tilescope::register_lab(make_vector_add());
//
// Everything else (sliders, NVRTC defines, test sweep, command line, plots, saved state) is driven by what is written
// here. docs/adding-a-lab.md walks through one.
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
/// What a speed is given in: useful bytes, or floating-point operations where the field counts these.
enum class SpeedUnit { gigabytes, teraflops };

/// A problem size, such as n or M. Its slider is logarithmic.
struct Size {
  std::string name = {};  // "n"; set with --size n=98432
  Text title = {}, unit = {};
  int64_t value;      // default on the simulator
  int64_t gpu_value;  // default on a GPU
  int64_t min;
  int64_t max_sim, max_gpu;           // refused above, with the reason
  std::vector<int64_t> offered = {};  // stops of the slider, ascending; any value in range may be typed
  int64_t multiple_of = 1;  // any other value is refused: rows of halves that 16-byte copies must find aligned
};

/// A value of a parameter that has names for them, such as the type of the elements.
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
  int64_t gpu_value = 0;                 // default on a GPU, where it differs; 0: value
  bool model_only = false;               // no constant of the kernel: how a run is modelled, or how large its grid is
  std::vector<NamedValue> choices = {};  // the names of values 0, 1, …; empty: they are numbers
  bool of_problem = false;               // says what is computed, not how: times at another value are no comparison
};
/// A parameter whose values are the choices; the default is the first one, unless `value` is changed.
Param make_choice(std::string name, Text title, Text help, std::vector<NamedValue> choices);

/// A switch that plants a well-known bug in the kernels.
struct BreakIt {
  std::string name = {};
  Text title = {}, help = {};
  std::vector<Plant> plants = {};
  std::vector<std::string> rungs = {};  // those in which it does something; empty: all
  bool only_slower = false;             // the result stays right: what it costs is seen in the counters
  bool concerns(const std::string& rung) const;
};

/// The text of the lab's kernel file, or of a header beside it, with the bugs of the switches that are on. An Error if
/// it is edited so that one cannot be planted.
Result<std::string> with_bugs(std::string text, const std::vector<BreakIt>& switches,
                              const std::vector<std::string>& on, const std::string& header = {});
/// The headers in which the switches that are on change something.
std::set<std::string> headers_with_bugs(const std::vector<BreakIt>& switches, const std::vector<std::string>& on);

/// The chosen values of one run. Complete: every size and parameter of the lab is present.
struct Config {
  std::map<std::string, int64_t> sizes = {}, params = {};
  int64_t size(const std::string& name) const { return sizes.at(name); }
  int64_t param(const std::string& name) const { return params.at(name); }
  bool operator==(const Config&) const = default;
};

/// What a rung that chooses for the learner takes: another rung of its lab, with parameters of its own choice.
struct Pick {
  std::string rung = {};
  std::map<std::string, int64_t> params = {};  // those that differ from the configuration's
  Text why = {};                               // one sentence, with the numbers that decided
};

/// One kernel of the ladder, slowest first.
struct Rung {
  std::string name = {};  // "tiles-per-cta": --rung tiles-per-cta
  Text title = {};
  std::vector<std::string> kernels = {};  // the extern "C" symbols it launches; the first is shown in the source panel
  std::vector<std::string> params = {};   // the parameters it uses; other sliders are dimmed
  /// Of several launches, which one the views show: that of the first of these that is launched. Else the one with the
  /// most threads.
  std::vector<std::string> shown_kernels = {};
  std::function<std::vector<Launch>(const Config&)> launches = {};  // buffers are those of Lab::buffers, by index
  /// How the grid follows from the sizes, for the controls: "⌈98,432 / (256 × 4)⌉ = 97".
  std::function<std::string(const Config&)> grid_formula = {};
  /// The rung's own buffers, where they are not those of Lab::buffers.
  std::function<std::vector<BufferSpec>(const Config&)> buffers = {};
  /// The module's variables that the host sets.
  std::function<std::vector<VariableInput>(const Config&)> variables = {};
  /// What the rung's own outputs should be, as Lab::reference says it for all others.
  std::function<void(const Config&, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t output,
                     size_t begin, size_t end, double* expected)>
      reference = {};
  /// What the ranges of sizes and parameters cannot say. Asked before buffers and launches are.
  std::function<Result<void>(const Config&)> check = {};
  /// The rung "auto": which rung runs, and with which parameters, follows from the sizes and the GPU. Everything above
  /// but the name and the title is then the chosen one's.
  std::function<Pick(const Config&, const GpuSpec&)> pick = {};
  /// The command line that makes the same run, where it is not `tilescope run`.
  std::function<std::string(const Config&, DeviceKind, uint64_t seed)> command = {};
};

/// An implementation that people use today, timed beside the rungs.
struct ReferenceSpec {
  std::string name = {};            // "PyTorch", as plots label it
  std::string implementation = {};  // "torch": a name in the registry of engine/reference/reference.hpp
  std::string operation = {};       // what that is asked for: "add", "mul", "geam"
  /// The operation where it depends on the type of the elements; null: `operation`. Ask operation_of.
  std::function<std::string(const Config&)> operation_for = {};
};
std::string operation_of(const ReferenceSpec& reference, const Config& config);

/// A size that shrinks as the sweep's grows, so that their product stays: sequences of a batch of so many tokens in
/// all.
struct SweepTotal {
  std::string size = {};  // empty: none
  int64_t total = 0;
};

/// A named shape of the sweep, where no one size says it all: 8192 × 4096.
struct SweepPoint {
  std::string name = {};
  std::map<std::string, int64_t> sizes = {};
  bool operator==(const SweepPoint&) const = default;
};

/// |got − expected| ≤ absolute + relative · |expected|
struct Tolerance {
  double absolute = 1e-6, relative = 1e-6;
};

/// A question answered before the run reveals the number. `answer` is computed from a finished run's configuration and
/// observed grid, never stored.
struct Predict {
  Text question = {};
  std::function<std::vector<int64_t>(const Config&)> choices = {};
  std::function<int64_t(const Config&)> answer = {};
  std::function<Text(const Config&)> why = {};  // shown with the answer
  std::vector<std::string> rungs = {};          // those that it is about; empty: none in particular
  bool concerns(const std::string& rung) const;
};

/// Two rungs that compute the same, in many launches and in few: what fusing saves is accounted for between them
/// (engine/bench/fusion.hpp).
struct Fusion {
  std::string unfused = {}, fused = {};
};

/// Shapes at which rungs, the schemes, race one another (engine/bench/scheme_map.hpp). `bench --map` times it.
struct SchemeMap {
  struct Scheme {
    std::string rung = {}, mark = {};  // mark: what a cell that it wins says, such as "1"
  };
  std::vector<Scheme> schemes = {};
  std::string rows = {}, columns = {};                       // the sizes along the axes
  std::vector<int64_t> row_values = {}, column_values = {};  // ascending
  int64_t most_elements = 0;                                 // shapes with more are left out
  /// The parameters that suit a scheme at a shape: each races as well as it can.
  std::function<std::map<std::string, int64_t>(const std::string& rung, const Config&, const GpuSpec&)> tune = {};
  std::string automatic = {};    // the rung that picks one of them
  std::string one_per_row = {};  // the scheme whose blocks are the rows: with few of them multiprocessors idle
};

/// What a lab whose result sums over pairs of a query and a key calls its buffers, so that the Tiles tab can show the
/// queries against the keys. Matrices are [batch, heads, length, depth]; K and V may have fewer heads.
struct PlaneSpec {
  std::string q = "q", k = "k", v = "v", o = "o";
  std::string scores = {};  // of a rung that stores the scores: [batch, heads, queries, keys]
  /// Of a rung that notes the steps of one query: for each key the score, and after it m, l and the factor by which
  /// what was older counts. Rows of O are numbered through all heads.
  std::string trace = {};
  std::function<int64_t(const Config&)> traced_row = {};
  std::function<int64_t(const Config&, int64_t query)> visible = {};  // keys that a query sees, from the first
  std::function<double(const Config&)> scale = {};                    // of the products q · k
};

struct Lab {
  std::string name = {};  // "vector-add"
  int stage = 0;
  int order = 0;  // position inside its stage
  Text title = {};
  std::string kernel_file = {};  // under kernels/: "elementwise.cu"
  /// A lab that is made of a file of the user's own (app/sandbox): its text; kernel_file is its path, and the lab is in
  /// no registry.
  std::optional<std::string> source_text = {};
  std::vector<Define> defines = {};  // fixed ones, such as OP=Add
  std::vector<std::string> include_folders = {};
  std::vector<Size> sizes = {};
  std::vector<Param> params = {};
  std::vector<BreakIt> break_it = {};
  std::vector<Rung> rungs = {};
  std::string default_rung = {};  // the one that is run if none is named; empty: the first
  /// Sizes and parameters with which the window opens the lab on the simulator, where they differ from the defaults:
  /// what the lab shows may be seen only at sizes of which the simulator executes some blocks. The defaults stay sizes
  /// at which everything is executed and compared. Ask opening_config.
  std::map<std::string, int64_t> opens_with = {};
  std::vector<ReferenceSpec> references = {};
  Tolerance tolerance = {};
  /// Where the tolerance depends on how much is summed, on the type of the elements, or on a rung that approximates;
  /// `type` is that of the output. Null: `tolerance`. Ask tolerance_of.
  std::function<Tolerance(const std::string& rung, const Config&, DType type)> tolerance_for = {};
  std::vector<Predict> predicts = {};
  std::function<std::vector<BufferSpec>(const Config&)> buffers = {};
  /// Expected outputs in double precision, one vector per buffer of role output or inout, in order; elements
  /// [begin, end) of the flattened outputs, so that large ones are computed by several threads. Null: nothing is known
  /// to compare with.
  std::function<void(const Config&, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t output,
                     size_t begin, size_t end, double* expected)>
      reference;
  /// Bytes that must move once, for GB/s: 12 n for a vector add of floats.
  std::function<double(const Config&)> useful_bytes = {};
  std::function<double(const Config&)> flops = {};
  Text bytes_formula = {};  // "3 · 4 · n bytes", shown beside the plots
  SpeedUnit speed_unit = SpeedUnit::gigabytes;
  /// What the whole grid moves is modelled from the footprints of its blocks
  /// (engine/traffic/block_order/issue_order.hpp).
  bool models_block_order = false;
  /// Above so many operations the simulator executes some blocks only, and nothing is compared; 0: all, always.
  double most_simulated_flops = 0;
  /// Above so many operations evenly spread runs of the outputs are compared, and the result says how many; 0: all.
  double most_reference_flops = 0;
  std::string sweep_size = "n";              // the size that the size sweep varies
  std::vector<int64_t> sweep = {};           // its values, ascending
  std::vector<std::string> sweep_with = {};  // sizes that take the same value in the sweep: a square matrix's other one
  SweepTotal sweep_total = {};
  std::vector<SweepPoint> points = {};  // the sweep instead, where it goes over shapes
  /// What the sweep shows is the time: where bytes and operations are not what takes it.
  bool sweep_shows_time = false;
  /// Which units a rung's operations keep busy, for the roof that limits it; null: the CUDA cores, in fp32.
  std::function<PeakRate(const std::string& rung, const Config&)> peak_rate = {};
  std::optional<Fusion> fusion = {};
  std::optional<SchemeMap> scheme_map = {};
  /// Values of the sweep's size at which launches and tails decide; the sweep has them too, and a table of their own
  /// compares the implementations.
  std::vector<int64_t> small_sizes = {};
  /// The buffer, of role scratch, in which each block notes where and when it ran (engine/traffic/schedule/waves.hpp).
  /// Empty: none. What it holds differs from run to run on a GPU, so nothing is compared with it.
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
/// The rung that is run if none is named.
const Rung& default_rung(const Lab& lab);

/// The configuration of one point of the sweep: `size` is a value of the sweep's size, or of a sweep over shapes the
/// number of the shape, from 1.
Config sweep_config(const Lab& lab, Config config, int64_t size);
/// What the sweep goes over: "n", or of one over shapes "rows × columns".
std::string sweep_name(const Lab& lab);
/// Where a configuration is in the sweep: the value of the sweep's size, or the number of the nearest shape.
int64_t place_in_sweep(const Lab& lab, const Config& config);
/// All of the sweep with the small sizes, ascending, as sweep_config takes them.
std::vector<int64_t> sweep_of(const Lab& lab);

/// The shapes of the lab's scheme map, rows first; none where it has no map.
std::vector<SweepPoint> map_points(const Lab& lab);

/// The rung that runs, and how: what a rung that picks has picked, any other one itself.
struct Resolved {
  const Lab* lab = nullptr;
  const Rung* rung = nullptr;
  Config config = {};
  std::optional<Pick> pick = {};
};
/// Error if the rung picks one that the lab does not have, or parameters that it cannot take.
Result<Resolved> resolve(const Lab& lab, const Rung& rung, const Config& config, const GpuSpec& gpu);
/// What the outputs of a rung may be off by.
Tolerance tolerance_of(const Lab& lab, const std::string& rung, const Config& config, DType type);
/// "kernels/elementwise.cu", or the path of a user's own file.
std::string source_file_of(const Lab& lab);

/// Every size and parameter at its default for the device.
Config default_config(const Lab& lab, DeviceKind device);
/// The same with Lab::opens_with.
Config opening_config(const Lab& lab, DeviceKind device);
/// Whether every value is possible; the error names the parameter, the value and what is allowed.
Result<void> validate(const Lab& lab, const Config& config, DeviceKind device);
/// "32 to 1024", "a power of two from 1 to 8", or the names of its choices.
Phrase allowed_text(const Param& param);
/// The values a parameter can take, ascending.
std::vector<int64_t> values_of(const Param& param);
/// "256", or the name of a choice.
std::string param_text(const Param& param, int64_t value);
/// The same for a parameter of the lab by name; the number where there is none of that name.
std::string param_text(const Lab& lab, const std::string& param, int64_t value);
/// The value that a name of a choice stands for; nothing for any other text.
std::optional<int64_t> value_named(const Lab& lab, const std::string& param, const std::string& text);

}  // namespace tilescope
