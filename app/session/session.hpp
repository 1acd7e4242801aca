// The learner's current lab, rung and values; posts runs to a worker. The newest request wins, older ones are
// cancelled; nothing here blocks the window.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/progress.hpp"
#include "engine/bench/counters.hpp"
#include "engine/bench/fusion.hpp"
#include "engine/bench/measure.hpp"
#include "engine/bench/recording.hpp"
#include "engine/bench/roofline.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {

class FusionWorker;  // app/session/fusion_worker.hpp
class StepWorker;    // app/session/step_worker.hpp
class TuneWorker;    // app/session/tune_worker.hpp
struct StepWish;

/// The kernels that a rung launches with these values, the shown one first; all of its kernels if that cannot be
/// determined.
std::vector<std::string> launched_kernels(const Rung& rung, const Config& config);

class Session {
 public:
  /// `recordings`: what to compare with; null: those of the engine's assets.
  explicit Session(std::shared_ptr<Engine> engine, std::shared_ptr<const Recordings> recordings = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Engine& engine() { return *engine_; }

  /// `wake` is called from a worker when poll() has something to take over, and from time to time during progress: the
  /// shell uses it to wake its event loop.
  void set_wake(std::function<void()> wake);

  // The wanted request. Setters keep values within their ranges; each marks the shown result as stale.
  const Request& request() const { return wanted_; }
  const Lab& lab() const { return *lab_; }
  const Rung& rung() const { return *rung_; }
  /// The file of the rung's kernels: "kernels/elementwise.py", or the path of a user's own file.
  std::string source_file() const { return source_file_of(*lab_, *rung_); }
  /// What the wanted request runs: the picked rung for a rung that picks. Null if it cannot run.
  struct Chosen {
    Resolved resolved;
    std::vector<std::string> kernels;  // launched kernels, without mangled template arguments; never empty
  };
  const Chosen* chosen() const;
  void select_lab(const std::string& name);  // keeps each lab's last values
  void select_rung(const std::string& name);
  void set_size(const std::string& name, int64_t value);
  void set_param(const std::string& name, int64_t value);
  void reset_values();  // resets every size and parameter to the lab's opening values
  void set_broken(const std::string& name, bool on);
  void set_device(DeviceKind device);
  void set_model_order(bool on);        // run the block-order model even if the lab does not ask for it
  void set_gpu(const std::string& id);  // the modelled GPU; empty: the default. An unknown id changes nothing
  /// The edit of the rung's file. A lab may have kernels in several files: each keeps its own edit.
  void set_source(std::optional<std::string> edited);
  /// The editor's text while the learner types: it runs only after set_source, but is not lost if the lab is left
  /// before.
  void type_source(std::optional<std::string> edited) { typed_ = std::move(edited); }
  /// The newest text: typed, or set. Nothing: the kernel is not edited.
  const std::optional<std::string>& newest_source() const { return typed_ ? *typed_ : wanted_.edited_source; }
  /// Which launch the views show, if there are several (Request::launch). Nothing is run again.
  void set_launch(std::optional<uint32_t> launch) { wanted_.launch = launch; }
  /// Shows a lab that is not in the registry, or replaces it by a newer version (of the same name): the values are
  /// kept, and the last result stays, marked as stale. The caller owns the lab.
  void show_own(std::shared_ptr<const Lab> lab, const std::string& rung);
  bool shows_own() const { return wanted_.own_lab != nullptr; }
  /// Sets the whole request, which must be valid (engine/run/engine.hpp, plan).
  void set_request(const Request& request);
  /// The remembered request of every lab including the current one, for the settings file; restore() is the inverse.
  /// Values out of range and labs that do not exist are ignored.
  std::map<std::string, Request> remembered() const;
  void restore(const std::map<std::string, Request>& requests);
  /// Restores an edit of one of the lab's kernel files from an earlier start; call after restore(). `file` is as in
  /// Rung::kernel_file.
  void restore_edit(const std::string& lab, const std::string& file, std::string text);
  bool is_edited(const std::string& lab) const;
  bool auto_run = true;

  /// Call once a frame: takes over finished work, and with auto_run starts a run if the request has changed.
  void poll();
  void submit();  // run now
  void cancel();  // Esc

  // Results and state.
  bool busy() const;            // a run is queued or in flight
  double busy_seconds() const;  // time that it has been busy
  Progress progress() const;
  std::shared_ptr<const RunResult> result() const { return result_; }  // the newest finished run; may be null
  const std::optional<Error>& error() const { return error_; }         // why the wanted request gave no result
  bool stale() const;                                                  // result() belongs to an older request
  double last_latency_ms() const { return latency_ms_; }               // from submit until the result was taken over

  // Steps of one block of the shown result: call in every frame that shows them; recorded on first request.
  void want_steps(const StepWindow& window);
  std::shared_ptr<const StepRecord> steps() const;  // for the last wanted window; null until they are recorded
  std::optional<Error> steps_error() const;         // why there are none
  bool recording_steps() const;

  // Speed: a sweep on this machine's GPU, and the recordings shipped with the program.
  void start_bench(bool map = false);  // `map`: the lab's scheme map; ignored while one is running
  void cancel_bench();
  bool bench_running() const;
  double bench_fraction() const;
  /// This lab's report, which may still be growing; may be null.
  std::shared_ptr<const SpeedReport> live_speed() const { return live_speed_; }
  const std::optional<Error>& bench_error() const { return bench_error_; }
  /// The report of this lab's scheme map; null if there is none.
  std::shared_ptr<const SpeedReport> live_map() const;
  const SpeedReport* map_recording() const;
  const SpeedReport* recording() const;  // this lab's, of the modelled GPU before others; null if none
  const Recordings& recordings() const { return *recordings_; }
  const RecordedCounters* counters() const;  // this lab's, counted by hardware; null if none
  const CounterFiles& counter_files() const { return counters_; }

  // What fusing saves: counted once for each lab, configuration and GPU. Call in every frame that shows it.
  void want_fusion();
  std::shared_ptr<const FusionAccount> fusion() const;  // for the last wanted configuration; null until it is ready
  std::optional<Error> fusion_error() const;            // why there is none
  bool counting_fusion() const;

  /// Tuning of a rung, or compiling its configurations.
  TuneWorker& tuning() { return *tune_worker_; }
  const TuneWorker& tuning() const { return *tune_worker_; }

  /// Device memory bytes of this lab's rungs that have run at this configuration, on the modelled GPU.
  CountedBytes counted_bytes(const Config& config) const;

  ProgressByLab learned;  // progress in each lab; runs record theirs, panels record reading and answers

 private:
  const SpeedReport* find_recording(bool map) const;
  class RunWorker;
  class BenchWorker;
  void leave_lab();
  void change_rung(const Rung& rung);
  void take_over_run();
  void take_over_bench();
  void forget_steps();
  void note_bytes(const RunResult& result);
  void note_progress(const RunResult& result);
  std::shared_ptr<Engine> engine_;
  const Lab* lab_ = nullptr;  // in the registry, or wanted_.own_lab
  const Rung* rung_ = nullptr;
  Request wanted_;
  std::optional<std::optional<std::string>> typed_;  // since the last set_source
  mutable std::optional<Request> chosen_for_;        // the request for which chosen_ was found
  mutable std::optional<Chosen> chosen_;
  std::map<std::string, Request> remembered_;  // by lab
  /// Edits of kernel files that the lab's request does not run, by lab and Rung::kernel_file.
  std::map<std::string, std::map<std::string, std::string>> other_edits_;
  std::shared_ptr<const RunResult> result_;
  std::optional<Error> error_, bench_error_;
  std::optional<Request> submitted_;                                       // the newest one handed to the worker
  std::string bench_lab_;                                                  // the lab whose sweep was started last
  std::map<std::string, std::shared_ptr<const SpeedReport>> live_speeds_;  // by lab
  std::shared_ptr<const SpeedReport> live_speed_;
  std::map<std::string, std::shared_ptr<const SpeedReport>> live_maps_;  // by lab
  struct KnownBytes {
    std::string lab, rung, gpu;
    Config config;
    double bytes = 0;
  };
  std::vector<KnownBytes> known_bytes_;
  std::shared_ptr<const Recordings> recordings_;
  CounterFiles counters_;
  double latency_ms_ = 0;
  std::unique_ptr<RunWorker> run_worker_;
  std::unique_ptr<BenchWorker> bench_worker_;
  std::unique_ptr<StepWorker> step_worker_;
  std::unique_ptr<FusionWorker> fusion_worker_;
  std::unique_ptr<TuneWorker> tune_worker_;
  std::unique_ptr<StepWish> wanted_steps_;  // null: none, or the result no longer exists
};

}  // namespace tilescope
