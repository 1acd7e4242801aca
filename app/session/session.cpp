#include "app/session/session.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/file_watch.hpp"
#include "app/session/fusion_worker.hpp"
#include "app/session/session_workers.hpp"
#include "app/session/step_worker.hpp"
#include "app/session/tune_worker.hpp"
#include "engine/run/show_launch.hpp"

namespace tilescope {
namespace {

int64_t largest(const Size& size, DeviceKind device) { return device == DeviceKind::sim ? size.max_sim : size.max_gpu; }

/// The nearest possible value.
int64_t nearest_value(const Param& param, int64_t value) {
  const auto values = values_of(param);
  return *std::min_element(values.begin(), values.end(),
                           [&](int64_t a, int64_t b) { return std::abs(a - value) < std::abs(b - value); });
}

Request first_request(const Lab& lab, DeviceKind device) {
  Request request;
  request.lab = lab.name;
  request.rung = default_rung(lab).name;
  request.config = opening_config(lab, device);
  request.device = device;
  return request;
}

/// Moves a request to the other device: values equal to the old device's default become the new one's, others are kept
/// if they are possible.
void move_to_device(Request& request, const Lab& lab, DeviceKind device) {
  const Config before = opening_config(lab, request.device), after = opening_config(lab, device);
  for (const Size& size : lab.sizes) {
    int64_t& value = request.config.sizes[size.name];
    if (value == before.size(size.name)) value = after.size(size.name);
    value = std::clamp(value, size.min, largest(size, device));
  }
  for (const Param& param : lab.params) {
    int64_t& value = request.config.params[param.name];
    if (value == before.param(param.name)) value = after.param(param.name);
  }
  request.device = device;
}

}  // namespace

Session::Session(std::shared_ptr<Engine> engine, std::shared_ptr<const Recordings> recordings)
    : engine_(std::move(engine)),
      lab_(&labs().front()),
      recordings_(recordings != nullptr
                      ? std::move(recordings)
                      : std::make_shared<const Recordings>(read_recordings(engine_->root() / "assets" / "recordings"))),
      counters_(read_counters(engine_->root() / "assets" / "counters")),
      run_worker_(std::make_unique<RunWorker>(engine_)),
      bench_worker_(std::make_unique<BenchWorker>(engine_->root())),
      step_worker_(std::make_unique<StepWorker>()),
      fusion_worker_(std::make_unique<FusionWorker>(engine_->root())),
      tune_worker_(std::make_unique<TuneWorker>(engine_->root())) {
  rung_ = &default_rung(*lab_);
  wanted_ = first_request(*lab_, engine_->gpu() ? DeviceKind::gpu : DeviceKind::sim);
}

Session::~Session() = default;

void Session::set_wake(std::function<void()> wake) {
  run_worker_->set_wake(wake);
  step_worker_->set_wake(wake);
  fusion_worker_->set_wake(wake);
  tune_worker_->set_wake(wake);
  bench_worker_->set_wake(std::move(wake));
}

void Session::select_lab(const std::string& name) {
  const Lab* lab = find_lab(name);
  if (lab == nullptr || lab == lab_) return;
  const DeviceKind device = wanted_.device;
  const std::string gpu = wanted_.gpu;
  leave_lab();
  lab_ = lab;
  const auto known = remembered_.find(name);
  wanted_ = known != remembered_.end() ? known->second : first_request(*lab, device);
  move_to_device(wanted_, *lab, device);
  wanted_.gpu = gpu;
  rung_ = find_rung(*lab, wanted_.rung);
  live_speed_ = live_speeds_[name];
}

void Session::leave_lab() {
  if (typed_) set_source(*std::exchange(typed_, {}));
  if (!shows_own()) remembered_[lab_->name] = wanted_;
  result_.reset();     // its buffers and parameters have no meaning in the next lab
  submitted_.reset();  // results still in flight are not taken over
  error_.reset();
  bench_error_.reset();
}

void Session::show_own(std::shared_ptr<const Lab> lab, const std::string& rung) {
  Request request = wanted_;
  if (lab->name != lab_->name) {
    leave_lab();
    request = first_request(*lab, wanted_.device);
    request.gpu = wanted_.gpu;
    live_speed_ = live_speeds_[lab->name];
  }
  rung_ = find_rung(*lab, rung) != nullptr ? find_rung(*lab, rung) : &lab->rungs.front();
  request.rung = rung_->name;
  lab_ = lab.get();
  request.own_lab = std::move(lab);
  wanted_ = std::move(request);
}

void Session::select_rung(const std::string& name) {
  const Rung* rung = find_rung(*lab_, name);
  if (rung == nullptr) return;
  if (wanted_.rung != name) wanted_.launch.reset();  // it has its own launches
  change_rung(*rung);
}

/// The edit of the file that is left is kept, and that of the next one is taken.
void Session::change_rung(const Rung& rung) {
  if (rung.kernel_file != rung_->kernel_file && !shows_own()) {
    if (typed_) set_source(*std::exchange(typed_, {}));
    auto& edits = other_edits_[lab_->name];
    if (wanted_.edited_source) edits[rung_->kernel_file] = std::move(*wanted_.edited_source);
    wanted_.edited_source.reset();
    if (auto known = edits.extract(rung.kernel_file)) wanted_.edited_source = std::move(known.mapped());
  }
  rung_ = &rung;
  wanted_.rung = rung.name;
}

void Session::set_size(const std::string& name, int64_t value) {
  for (const Size& size : lab_->sizes)
    if (size.name == name) wanted_.config.sizes[name] = std::clamp(value, size.min, largest(size, wanted_.device));
}

void Session::set_param(const std::string& name, int64_t value) {
  for (const Param& param : lab_->params)
    if (param.name == name) wanted_.config.params[name] = nearest_value(param, value);
}

void Session::reset_values() { wanted_.config = opening_config(*lab_, wanted_.device); }

void Session::set_broken(const std::string& name, bool on) {
  std::erase(wanted_.broken, name);
  if (on) wanted_.broken.push_back(name);
  // In the lab's order, so that the same set gives the same request however it was reached.
  std::vector<std::string> ordered;
  for (const BreakIt& one : lab_->break_it)
    if (std::find(wanted_.broken.begin(), wanted_.broken.end(), one.name) != wanted_.broken.end())
      ordered.push_back(one.name);
  wanted_.broken = std::move(ordered);
}

void Session::set_model_order(bool on) { wanted_.model_order = on; }

void Session::set_device(DeviceKind device) {
  if (device == wanted_.device || (device == DeviceKind::gpu && !engine_->gpu())) return;
  move_to_device(wanted_, *lab_, device);
}

void Session::set_gpu(const std::string& id) {
  if (engine_->modelled_gpu(id)) wanted_.gpu = id;
}

std::vector<std::string> launched_kernels(const Rung& rung, const Config& config) {
  if (!rung.launches || (rung.check && !rung.check(config))) return rung.kernels;
  const std::vector<Launch> launches = rung.launches(config);
  std::vector<std::string> kernels;
  for (const std::string& kernel : rung.kernels)
    if (std::ranges::find(launches, kernel, &Launch::kernel) != launches.end()) kernels.push_back(kernel);
  return kernels.empty() ? rung.kernels : kernels;
}

const Session::Chosen* Session::chosen() const {
  if (chosen_for_ != wanted_) {
    chosen_for_ = wanted_;
    chosen_.reset();
    if (auto resolved = engine_->resolve(wanted_)) {
      const Rung& rung = *resolved->rung;
      chosen_ = {std::move(*resolved), {}};
      // The launches of a user file's kernel are derived from its form, and are of that kernel only.
      chosen_->kernels = wanted_.own_lab ? rung.kernels : launched_kernels(rung, chosen_->resolved.config);
    }
  }
  return chosen_ ? &*chosen_ : nullptr;
}

void Session::set_source(std::optional<std::string> edited) {
  wanted_.edited_source = std::move(edited);
  typed_.reset();
}

void Session::set_request(const Request& request) {
  if (request.own_lab)
    show_own(request.own_lab, request.rung);
  else
    select_lab(request.lab);
  if (const Rung* rung = find_rung(*lab_, request.rung)) change_rung(*rung);
  typed_.reset();
  wanted_ = request;
}

void Session::restore_edit(const std::string& lab, const std::string& file, std::string text) {
  const Lab* edited = find_lab(lab);
  if (edited == nullptr) return;
  Request& request =
      edited == lab_ ? wanted_ : remembered_.try_emplace(lab, first_request(*edited, wanted_.device)).first->second;
  const Rung* rung = find_rung(*edited, request.rung);
  if (rung != nullptr && rung->kernel_file == file)
    request.edited_source = std::move(text);
  else
    other_edits_[lab][file] = std::move(text);
}

bool Session::is_edited(const std::string& lab) const {
  if (const auto others = other_edits_.find(lab); others != other_edits_.end() && !others->second.empty()) return true;
  if (lab == lab_->name) return wanted_.edited_source.has_value();
  const auto known = remembered_.find(lab);
  return known != remembered_.end() && known->second.edited_source.has_value();
}

std::map<std::string, Request> Session::remembered() const {
  auto requests = remembered_;
  if (!shows_own()) requests[lab_->name] = wanted_;
  return requests;
}

void Session::restore(const std::map<std::string, Request>& requests) {
  for (const auto& [name, saved] : requests) {
    const Lab* lab = find_lab(name);
    if (lab == nullptr) continue;
    const DeviceKind device = saved.device == DeviceKind::gpu && engine_->gpu() ? DeviceKind::gpu : DeviceKind::sim;
    Request request = first_request(*lab, device);
    if (find_rung(*lab, saved.rung) != nullptr) request.rung = saved.rung;
    for (const Size& size : lab->sizes)
      if (const auto value = saved.config.sizes.find(size.name); value != saved.config.sizes.end())
        request.config.sizes[size.name] = std::clamp(value->second, size.min, largest(size, device));
    for (const Param& param : lab->params)
      if (const auto value = saved.config.params.find(param.name); value != saved.config.params.end())
        request.config.params[param.name] = nearest_value(param, value->second);
    request.launch = saved.launch;
    if (lab == lab_) {
      wanted_ = request;
      rung_ = find_rung(*lab, request.rung);
    } else {
      remembered_[name] = request;
    }
  }
}

void Session::want_steps(const StepWindow& window) {
  if (result_ == nullptr || result_->plan.launches.empty()) return;
  StepWish wish{result_, result_->launch, window};
  step_worker_->want(wish);
  wanted_steps_ = std::make_unique<StepWish>(std::move(wish));
}

std::shared_ptr<const StepRecord> Session::steps() const {
  return wanted_steps_ ? step_worker_->record(*wanted_steps_) : nullptr;
}

std::optional<Error> Session::steps_error() const {
  return wanted_steps_ ? step_worker_->error(*wanted_steps_) : std::nullopt;
}

bool Session::recording_steps() const { return step_worker_->busy(); }

void Session::forget_steps() {
  if (!wanted_steps_ || wanted_steps_->result == result_) return;
  wanted_steps_.reset();
  step_worker_->forget();
}

void Session::poll() {
  take_over_run();
  forget_steps();
  take_over_bench();
  if (submitted_ && *submitted_ == wanted_) return;
  // A different launch of the present result needs no run.
  if (result_ && result_->request != wanted_ && same_but_launch(wanted_, result_->request)) {
    submitted_ = wanted_;
    run_worker_->submit(wanted_, result_);
    return;
  }
  if (!auto_run) return;
  if (result_ && result_->request == wanted_) {  // changed and changed back
    run_worker_->cancel();
    submitted_ = wanted_;
    error_.reset();
    return;
  }
  submit();
}

void Session::submit() {
  submitted_ = wanted_;
  run_worker_->submit(wanted_);
}

void Session::cancel() { run_worker_->cancel(); }

void Session::take_over_run() {
  auto finished = run_worker_->take();
  if (!finished || !submitted_) return;
  auto& [wish, outcome] = *finished;
  if (wish.request != *submitted_) return;
  if (!outcome) {
    error_ = outcome.error();
    return;
  }
  error_.reset();
  result_ = std::move(*outcome);
  note_bytes(*result_);
  latency_ms_ = std::chrono::duration<double, std::milli>(RunWish::Clock::now() - wish.submitted).count();
  note_progress(*result_);
}

void Session::note_progress(const RunResult& result) {
  if (shows_own()) return;
  std::string source;
  if (result.request.edited_source) {
    const Rung* rung = find_rung(*lab_, result.request.rung);
    if (rung == nullptr) return;
    auto text = read_source_file(engine_->root() / source_file_of(*lab_, *rung));
    if (!text) return;
    source = std::move(*text);
  }
  note_run(*lab_, result, source, learned[lab_->name]);
}

bool Session::busy() const { return run_worker_->busy(); }
double Session::busy_seconds() const { return run_worker_->busy_seconds(); }
Progress Session::progress() const { return run_worker_->progress(); }
bool Session::stale() const { return result_ != nullptr && result_->request != wanted_; }

void Session::start_bench(bool map) {
  if (bench_running()) return;
  bench_error_.reset();
  bench_lab_ = lab_->name;
  BenchRequest request;
  request.lab = lab_->name;
  request.config = wanted_.config;
  request.map = map;
  if (map) request.seconds_per_size = kMapSeconds;
  request.command = map ? "tilescope, map started in the window" : "tilescope, sweep started in the window";
  bench_worker_->start(std::move(request));
}

void Session::cancel_bench() { bench_worker_->cancel(); }
bool Session::bench_running() const { return bench_worker_->running(); }
double Session::bench_fraction() const { return bench_worker_->fraction(); }

void Session::take_over_bench() {
  if (auto report = bench_worker_->take_report()) {
    (report->is_map ? live_maps_ : live_speeds_)[report->lab] = report;
    if (!report->is_map && report->lab == lab_->name) live_speed_ = std::move(report);
  }
  if (auto error = bench_worker_->take_error(); error && bench_lab_ == lab_->name) bench_error_ = std::move(error);
}

const RecordedCounters* Session::counters() const { return counters_.find_lab(lab_->name); }
std::shared_ptr<const SpeedReport> Session::live_map() const {
  const auto found = live_maps_.find(lab_->name);
  return found != live_maps_.end() ? found->second : nullptr;
}
const SpeedReport* Session::find_recording(bool map) const {
  const auto gpu = engine_->modelled_gpu(wanted_.gpu);
  return recordings_->find(*lab_, wanted_.config, map, gpu ? gpu->driver_name : std::string(), wanted_.rung);
}
const SpeedReport* Session::map_recording() const { return find_recording(/*map=*/true); }
const SpeedReport* Session::recording() const { return find_recording(/*map=*/false); }

void Session::want_fusion() {
  if (!shows_own() && lab_->fusion) fusion_worker_->want({lab_, wanted_.config, wanted_.gpu});
}
std::shared_ptr<const FusionAccount> Session::fusion() const {
  return fusion_worker_->account({lab_, wanted_.config, wanted_.gpu});
}
std::optional<Error> Session::fusion_error() const {
  return fusion_worker_->error({lab_, wanted_.config, wanted_.gpu});
}

bool Session::counting_fusion() const { return fusion_worker_->busy(); }

void Session::note_bytes(const RunResult& result) {
  constexpr size_t kMost = 512;
  const Request& request = result.request;
  const auto bytes = device_bytes_of(result);
  if (!bytes || request.own_lab || request.edited_source || !request.broken.empty()) return;
  std::erase_if(known_bytes_, [&](const KnownBytes& known) {
    return known.lab == request.lab && known.rung == request.rung && known.gpu == request.gpu &&
           known.config == request.config;
  });
  if (known_bytes_.size() >= kMost) known_bytes_.erase(known_bytes_.begin());
  known_bytes_.push_back({request.lab, request.rung, request.gpu, request.config, *bytes});
}

CountedBytes Session::counted_bytes(const Config& config) const {
  CountedBytes bytes;
  for (const KnownBytes& known : known_bytes_) {
    const Rung* rung = find_rung(*lab_, known.rung);
    if (known.lab != lab_->name || known.gpu != wanted_.gpu || rung == nullptr || known.config.sizes != config.sizes)
      continue;
    // Parameters that the rung does not use change nothing; a rung that picks may use any of them.
    const bool same = rung->pick ? known.config.params == config.params
                                 : std::all_of(rung->params.begin(), rung->params.end(), [&](const std::string& name) {
                                     return known.config.param(name) == config.param(name);
                                   });
    if (same) bytes[known.rung] = known.bytes;
  }
  return bytes;
}

}  // namespace tilescope
