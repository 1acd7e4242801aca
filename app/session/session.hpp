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
struct StepWish;

/// The kernels of a rung that it launches with these values, the one that is shown first; all of them where that cannot
/// be said.
std::vector<std::string> launched_kernels(const Rung& rung, const Config& config);

class Session {
 public:
  explicit Session(std::shared_ptr<Engine> engine);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Engine& engine() { return *engine_; }

  /// Called from a worker when there is something for poll() to take over, and now and then while it makes progress:
  /// the shell wakes its event loop with it.
  void set_wake(std::function<void()> wake);

  // What is wanted. Setters keep values inside their ranges; each marks the shown result stale.
  const Request& request() const { return wanted_; }
  const Lab& lab() const { return *lab_; }
  const Rung& rung() const { return *rung_; }
  /// What the wanted request runs: of a rung that picks, the picked one. Null where it cannot run.
  struct Chosen {
    Resolved resolved;
    std::vector<std::string> kernels;  // that are launched, without their template arguments' mangling; never empty
  };
  const Chosen* chosen() const;
  void select_lab(const std::string& name);  // keeps each lab's last values
  void select_rung(const std::string& name);
  void set_size(const std::string& name, int64_t value);
  void set_param(const std::string& name, int64_t value);
  void reset_values();  // every size and parameter as the lab opens with
  void set_broken(const std::string& name, bool on);
  void set_device(DeviceKind device);
  void set_model_order(bool on);        // the block-order model also where the lab does not ask for it
  void set_gpu(const std::string& id);  // that is modelled; empty: the usual one. An unknown id changes nothing
  void set_source(std::optional<std::string> edited);
  /// What stands in the editor while the learner types: it is run once set_source says so, but is not lost if the lab
  /// is left before.
  void type_source(std::optional<std::string> edited) { typed_ = std::move(edited); }
  /// The newest text: typed, or set. Nothing: the kernel is not edited.
  const std::optional<std::string>& newest_source() const { return typed_ ? *typed_ : wanted_.edited_source; }
  /// Which of several launches the views show (Request::launch). Nothing is run again for it.
  void set_launch(std::optional<uint32_t> launch) { wanted_.launch = launch; }
  /// Shows a lab that is in no registry, or puts a newer form of it (of the same name) in its place: the values are
  /// kept, and the last result stays, marked stale. The caller remembers the lab.
  void show_own(std::shared_ptr<const Lab> lab, const std::string& rung);
  bool shows_own() const { return wanted_.own_lab != nullptr; }
  /// All of it at once; the request must be valid (engine/run/engine.hpp, plan).
  void set_request(const Request& request);
  /// Every remembered lab's request with the current one, for the settings file; and back again. Values out of range
  /// and labs that are not there are left out.
  std::map<std::string, Request> remembered() const;
  void restore(const std::map<std::string, Request>& requests);
  /// An edit of the lab's kernel that an earlier start left; after restore().
  void restore_edit(const std::string& lab, std::string text);
  bool is_edited(const std::string& lab) const;
  bool auto_run = true;

  /// Call once a frame: takes finished work over, and with auto_run starts a run when the request has changed.
  void poll();
  void submit();  // run now
  void cancel();  // Esc

  // What is known.
  bool busy() const;            // a run is queued or in flight
  double busy_seconds() const;  // for how long
  Progress progress() const;
  std::shared_ptr<const RunResult> result() const { return result_; }  // the newest finished run; may be null
  const std::optional<Error>& error() const { return error_; }         // why the wanted request gave none
  bool stale() const;                                                  // result() belongs to an older request
  double last_latency_ms() const { return latency_ms_; }               // from submit to result taken over

  // Steps of one block of the shown result: called in every frame that shows them, and recorded when they are new.
  void want_steps(const StepWindow& window);
  std::shared_ptr<const StepRecord> steps() const;  // of what was wanted last; null until they are there
  std::optional<Error> steps_error() const;         // why there are none
  bool recording_steps() const;

  // Speed: a sweep on this machine's GPU, and the recordings shipped with the program.
  void start_bench(bool map = false);  // `map`: the lab's scheme map; ignored while one is running
  void cancel_bench();
  bool bench_running() const;
  double bench_fraction() const;
  /// This lab's, which may still be growing; may be null.
  std::shared_ptr<const SpeedReport> live_speed() const { return live_speed_; }
  const std::optional<Error>& bench_error() const { return bench_error_; }
  /// Of this lab's scheme map; null if there is none.
  std::shared_ptr<const SpeedReport> live_map() const;
  const SpeedReport* map_recording() const;
  const SpeedReport* recording() const;  // this lab's; null if none
  const Recordings& recordings() const { return recordings_; }
  const RecordedCounters* counters() const;  // this lab's, as hardware counted them; null if none
  const CounterFiles& counter_files() const { return counters_; }

  // What fusing saves: counted once for each lab, configuration and GPU. Called in every frame that shows it.
  void want_fusion();
  std::shared_ptr<const FusionAccount> fusion() const;  // of what was wanted last; null until it is there
  std::optional<Error> fusion_error() const;            // why there is none
  bool counting_fusion() const;

  /// Bytes of device memory of the rungs of this lab that have run at this configuration, on the modelled GPU.
  CountedBytes counted_bytes(const Config& config) const;

  ProgressByLab learned;  // what was earned in each lab; runs note theirs, panels what is read and answered

 private:
  class RunWorker;
  class BenchWorker;
  void leave_lab();
  void take_over_run();
  void take_over_bench();
  void forget_steps();
  void note_bytes(const RunResult& result);
  void note_progress(const RunResult& result);
  std::shared_ptr<Engine> engine_;
  const Lab* lab_ = nullptr;  // of the registry, or wanted_.own_lab
  const Rung* rung_ = nullptr;
  Request wanted_;
  std::optional<std::optional<std::string>> typed_;  // since the last set_source
  mutable std::optional<Request> chosen_for_;        // the request that chosen_ was found for
  mutable std::optional<Chosen> chosen_;
  std::map<std::string, Request> remembered_;  // by lab
  std::shared_ptr<const RunResult> result_;
  std::optional<Error> error_, bench_error_;
  std::optional<Request> submitted_;  // the newest one that was handed to the worker
  std::string bench_lab_;             // whose sweep was started last
  std::map<std::string, std::shared_ptr<const SpeedReport>> live_speeds_;  // by lab
  std::shared_ptr<const SpeedReport> live_speed_;
  std::map<std::string, std::shared_ptr<const SpeedReport>> live_maps_;  // by lab
  struct KnownBytes {
    std::string lab, rung, gpu;
    Config config;
    double bytes = 0;
  };
  std::vector<KnownBytes> known_bytes_;
  Recordings recordings_;
  CounterFiles counters_;
  double latency_ms_ = 0;
  std::unique_ptr<RunWorker> run_worker_;
  std::unique_ptr<BenchWorker> bench_worker_;
  std::unique_ptr<StepWorker> step_worker_;
  std::unique_ptr<FusionWorker> fusion_worker_;
  std::unique_ptr<StepWish> wanted_steps_;  // null: none, or those of a result that is gone
};

}  // namespace tilescope
