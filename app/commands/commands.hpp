// The commands that need no window. Each takes its options as a plain struct, writes to the two streams, and returns
// the program's exit status: 0 clean, 1 the kernel misbehaved, 2 bad usage or input, 3 not available here.
#pragma once

#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/run/engine.hpp"

namespace tilescope {

struct ListOptions {
  bool json = false;
};

struct RunOptions {
  std::string lab;
  std::string rung;                    // empty: the lab's default; "all": every rung
  std::vector<std::string> set, size;  // NAME=VALUE; GPU=NAME selects the modelled GPU
  std::vector<std::string> broken;     // BreakIt switches
  std::string device = "sim";          // "gpu" | "sim"
  std::string seed = "1";
  std::string launch;  // number, from 1, of the launch whose tile map is shown; empty: the default one
  bool traffic = false, json = false;
};

struct ExecOptions {
  std::string file, kernel;             // kernel empty: the only one in the files
  std::vector<std::string> more_files;  // linked with it
  std::string standard;                 // "c++17" or "c++20"; empty: whichever compiles
  std::string architecture;             // "sm_90", "compute_90" or "90"; empty: 80
  std::string grid, block;              // extents or expressions for them; empty: not given
  std::string shared = "0";
  std::string num_warps, num_stages;   // for a Triton kernel; empty: as its first configuration says
  std::vector<std::string> defines;    // NAME=VALUE, of a Triton kernel its constexprs
  std::vector<std::string> includes;   // folders
  std::vector<std::string> arguments;  // --arg [PARAMETER=]SPEC
  std::vector<std::string> symbols;    // NAME=SPEC of a module variable
  std::vector<std::string> dumps;      // NAME=FILE
  std::vector<std::string> expects;    // NAME=FILE[:ATOL[:RTOL]]
  std::vector<std::string> prints;     // NAME or NAME[a:b]
  std::vector<std::string> set;        // GPU=NAME, the modelled GPU
  std::string device = "sim";
  std::string seed = "1";
  bool traffic = false, check = false, order = false, json = false;
};

struct HostOptions {
  RunOptions run;   // lab, rung, set, size, broken, seed, device
  std::string out;  // FILE; empty: the standard output
};

struct ExportOpOptions {
  RunOptions run;      // lab, rung, set, size
  std::string way;     // "library" | "custom_op" | "triton_op"
  std::string folder;  // made if it is missing
};

struct BenchOptions {
  std::vector<std::string> labs;       // empty: all
  std::vector<std::string> set, size;  // size: n=2^24 … restricts the sweep
  std::vector<std::string> rung;       // only these; empty: all
  std::string json_file;               // a recording; with several labs, each lab's name is inserted before the
                                       // extension
  double seconds = 0;                  // per size; 0: 1.0, for a map kMapSeconds
  bool map = false;                    // the lab's scheme map instead of its sweep
};

/// The Speed panel's views other than sweep and ladder, at a size of the GPU, from the recordings that ship with the
/// program.
struct SpeedOptions {
  std::string view;  // "fusion" | "roofline" | "map" | "small"
  std::string lab;
  std::vector<std::string> set, size;  // NAME=VALUE; GPU=NAME selects the modelled GPU
  bool json = false;
};

int list_command(Engine& engine, const ListOptions& options, std::ostream& out);
/// Writes the whole program, host side and kernel, of a run.
int host_command(Engine& engine, const HostOptions& options, std::ostream& out, std::ostream& problems);
/// Writes the run's kernel as a PyTorch operator.
int export_op_command(Engine& engine, const ExportOpOptions& options, std::ostream& out, std::ostream& problems);
int run_command(Engine& engine, const RunOptions& options, std::ostream& out, std::ostream& problems);
int exec_command(Engine& engine, const ExecOptions& options, std::ostream& out, std::ostream& problems);
int speed_command(Engine& engine, const SpeedOptions& options, std::ostream& out, std::ostream& problems);
int bench_command(Engine& engine, const BenchOptions& options, std::ostream& out, std::ostream& problems);

/// Runs every rung of these labs once on the simulator at its default size and prints a table of rung, correctness and
/// traffic.
int tour_table(Engine& engine, std::span<const Lab> labs, std::ostream& out, std::ostream& problems);

/// Prints an error (as JSON if requested) and returns its exit status. `suggestion` is a command line that would work.
int report_error(const Error& error, bool json, std::ostream& out, std::ostream& problems,
                 const std::string& suggestion = {});

/// A request from the options of the command line: names are checked, values parsed and validated. Values that the
/// options omit come from `values`: the defaults, or those with which the window opens a lab.
Result<Request> make_request(const RunOptions& options, Config (*values)(const Lab&, DeviceKind) = default_config);
/// Checks that the run has the launch that the request asks for.
Result<void> check_launch(const Engine& engine, const Request& request);

}  // namespace tilescope
