#include "app/window/state_file.hpp"

#include <nlohmann/json.hpp>

#include "app/views/view.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

json result_json(const RunResult& result) {
  uint64_t checked = 0, mismatches = 0;
  for (const Correctness& one : result.correctness) {
    checked += one.checked;
    mismatches += one.mismatches;
  }
  const Dim3 grid = result.tiles.grid;
  return {{"rung", result.request.rung},
          {"launch", result.launch},
          {"launches", result.plan.launches.size()},
          {"params", result.request.config.params},
          {"sizes", result.request.config.sizes},
          {"blocks", grid.count()},
          {"checked", checked},
          {"mismatches", mismatches},
          {"pass", result.passed()},
          {"findings", result.findings.size()},
          {"warps", result.simulated_warps},
          {"load_sectors", result.traffic.counters.global_load_sectors},
          {"store_sectors", result.traffic.counters.global_store_sectors},
          {"atomic_sectors", result.traffic.counters.global_atomic_sectors}};
}

/// The form of a user's file: its texts, and the invalid fields.
json own_json(const Screen& screen) {
  const Sandbox& sandbox = screen.sandbox;
  if (!sandbox.is_shown(screen.session)) return json();
  json own{{"kernel", sandbox.kernel()}, {"fields", json::object()}, {"problems", json::object()}};
  for (const auto& [field, text] : sandbox.form().defaults) own["fields"][field] = sandbox.form().text(field);
  for (const auto& [field, problem] : sandbox.filled().problems) own["problems"][field] = problem.key;
  own["gone"] = sandbox.problem().has_value();
  return own;
}

/// The shown exercise and how its judgement went.
json exercise_state(const Screen& screen) {
  const Workshop& workshop = screen.workshop;
  if (!workshop.is_shown(screen.session)) return json();
  const ExerciseRecord& record = workshop.record();
  json exercise{{"name", workshop.exercise().name},
                {"state", static_cast<int>(record.state)},
                {"judging", workshop.judging()},
                {"hints", record.hints},
                {"versions", record.versions.size()},
                {"case", workshop.shown_case()},
                {"triton", workshop.language() == KernelLanguage::triton},
                {"bug_found", record.bug_found}};
  if (const auto judgement = workshop.judgement(); judgement && !workshop.judging()) {
    exercise["correct"] = judgement->correct_cases();
    exercise["reason"] = judgement->reason;
    exercise["what"] = judgement->what.english();
  }
  return exercise;
}

}  // namespace

json state_of(const Screen& screen) {
  const Session& session = screen.session;
  json state{{"lab", session.lab().name},
             {"rung", session.rung().name},
             {"sizes", session.request().config.sizes},
             {"params", session.request().config.params},
             {"broken", session.request().broken},
             {"device", name_of(session.request().device)},
             {"language", screen.strings.language == Language::zh ? "zh" : "en"},
             {"light", screen.view.light},
             {"tab", WindowViews::index_of(screen.view.tab)},
             {"exercise", exercise_state(screen)},
             {"busy", session.busy()},
             {"auto_run", session.auto_run},
             {"stale", session.stale()},
             {"latency_ms", session.last_latency_ms()},
             {"error", session.error() ? json(session.error()->message) : json()},
             {"result", session.result() ? result_json(*session.result()) : json()},
             {"message", screen.message},
             {"tour", screen.view.tour.running ? json(screen.view.tour.done) : json()},
             {"own", own_json(screen)},
             {"edited", session.request().edited_source ? json(*session.request().edited_source) : json()},
             {"scale", screen.view.user_scale},
             {"marks", json::object()}};
  for (const auto& [name, mark] : screen.marks())
    state["marks"][name] = {mark.low.x, mark.low.y, mark.high.x, mark.high.y};
  return state;
}

}  // namespace tilescope
