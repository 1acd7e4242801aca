// Checks every lab of the registry, including new ones, on the simulator at awkward sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "engine/compile/triton/triton_compiler.hpp"
#include "engine/kernel_language.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/plan_compilation.hpp"
#include "tests/labs/small_requests.hpp"
#include "tests/thorough.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

/// Without Triton its rungs run only at the settings whose PTX ships with the program.
bool can_compile(const Lab& lab, const Rung& rung) {
  static const bool has_triton = engine().triton().triton_origin({}).has_value();
  return has_triton || language_of(source_file_of(lab, rung)) != KernelLanguage::triton;
}

std::vector<Rung> rungs_that_compile(const Lab& lab) {
  std::vector<Rung> rungs;
  for (const Rung& rung : lab.rungs)
    if (can_compile(lab, rung)) rungs.push_back(rung);
  return rungs;
}

Request request_for(const Lab& lab, const Rung& rung) {
  Request request;
  request.lab = lab.name;
  request.rung = rung.name;
  request.config = default_config(lab, DeviceKind::sim);
  return request;
}

/// One of many that are asked for their results alone.
Request request_for_result(const Lab& lab, const Rung& rung) {
  Request request = request_for(lab, rung);
  request.machine_code = false;
  return request;
}

std::string describe(const Request& request) {
  std::string text = request.lab + " " + request.rung;
  for (const auto& [name, value] : request.config.sizes) text += fmt::format(" {}={}", name, value);
  for (const auto& [name, value] : request.config.params) text += fmt::format(" {}={}", name, value);
  return text;
}

/// Configurations that a rung refuses, with a reason, are not run.
bool is_refused(const Lab& lab, const Rung& rung, const Config& config) {
  static const auto gpus = engine().gpus().value();
  const auto resolved = resolve(lab, rung, config, *find_gpu(gpus, kUsualGpu));
  if (!resolved || !resolved->rung->check) return false;
  const auto possible = resolved->rung->check(resolved->config);
  if (!possible) {
    EXPECT_FALSE(possible.error().message.empty());
  }
  return !possible;
}

/// The totals of the Traffic card and the command line equal the sums of the ledger's rows, atomics and copies
/// included.
void expect_totals_of_ledger(const RunResult& result) {
  uint64_t requests = 0, sectors = 0, useful = 0;
  for (const LineTraffic& line : result.traffic.lines) {
    if (line.space != Space::global) continue;
    requests += line.requests;
    sectors += line.sectors;
    useful += line.useful_bytes;
  }
  const Counters& counters = result.traffic.counters;
  EXPECT_EQ(counters.global_requests(), requests);
  EXPECT_EQ(counters.global_sectors(), sectors);
  EXPECT_EQ(counters.global_bytes_useful(), useful);
}

void expect_correct(const Request& request) {
  SCOPED_TRACE(describe(request));
  const auto result = engine().run(request);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->findings.empty()) << result->findings.front().message;
  ASSERT_FALSE(result->correctness.empty());
  for (const auto& one : result->correctness) EXPECT_TRUE(one.pass) << one.buffer << ": " << one.reason;
  expect_totals_of_ledger(*result);
}

TEST(Labs, ThereAreLabs) { EXPECT_GE(labs().size(), 2U); }

TEST(Labs, NamesAreUniqueAndEveryTextHasBothLanguages) {
  std::set<std::string> names;
  for (const auto& lab : labs()) {
    EXPECT_TRUE(names.insert(lab.name).second) << lab.name;
    std::vector<Text> texts{lab.title, lab.bytes_formula};
    for (const auto& size : lab.sizes) texts.push_back(size.title);
    for (const auto& param : lab.params) texts.insert(texts.end(), {param.title, param.help});
    for (const auto& one : lab.break_it) texts.insert(texts.end(), {one.title, one.help});
    for (const auto& rung : lab.rungs) texts.push_back(rung.title);
    for (const auto& predict : lab.predicts) texts.push_back(predict.question);
    for (const auto& text : texts) EXPECT_TRUE(!text.en.empty() && !text.zh.empty()) << lab.name << ": " << text.en;
  }
}

TEST(Labs, EveryRungIsCorrectAtItsDefaults) {
  for (const auto& lab : labs())
    for (const auto& rung : lab.rungs) expect_correct(request_for(lab, rung));
}

/// The PTX that a run of the request would execute.
Result<CompiledModule> compiled(const Request& request) {
  const auto plan = engine().plan(request);
  if (!plan) return forward(plan);
  const auto compiler = engine().compiler_for(plan->source_file);
  if (!compiler) return forward(compiler);
  const CompilationTarget target{.kernels_folder = (engine().root() / "kernels").string(), .machine_code = false};
  return PlanCompilation(*compiler, *plan, target, {}).ptx();
}

/// The type that the tensor cores multiply, from the kernel's PTX: `mma.sync.….f32.f16.f16.f32` names it.
std::optional<PeakRate> rate_of_products(const std::string& ptx) {
  const size_t at = ptx.find("mma.sync.aligned");
  if (at == std::string::npos) return {};
  const std::string instruction = ptx.substr(at, ptx.find(' ', at) - at);
  if (instruction.find(".tf32.") != std::string::npos) return PeakRate::tf32;
  return instruction.find(".bf16.") != std::string::npos ? PeakRate::bf16 : PeakRate::fp16;
}

/// Requests of the rung, one per element type if the lab's roofline depends on the type.
std::vector<Request> requests_by_type(const Lab& lab, const Rung& rung) {
  const auto type = std::ranges::find(lab.params, "DTYPE", &Param::name);
  if (!lab.peak_rate || type == lab.params.end()) return {request_for_result(lab, rung)};
  std::vector<Request> requests;
  for (int64_t value = type->min; value <= type->max; ++value) {
    Request request = request_for_result(lab, rung);
    request.config.params["DTYPE"] = value;
    if (engine().plan(request)) requests.push_back(std::move(request));
  }
  return requests;
}

TEST(Labs, TheRoofOfARungIsThatOfTheUnitsThatItsInstructionsUse) {
  for (const auto& lab : labs())
    for (const auto& rung : rungs_that_compile(lab)) {
      const std::vector<Request> requests = requests_by_type(lab, rung);
      EXPECT_FALSE(requests.empty()) << lab.name << " " << rung.name;
      for (const Request& request : requests) {
        SCOPED_TRACE(describe(request));
        const auto module = compiled(request);
        ASSERT_TRUE(module) << module.error().message;
        const PeakRate said = lab.peak_rate ? lab.peak_rate(rung.name, request.config) : PeakRate::fp32;
        EXPECT_EQ(name_of(said), name_of(rate_of_products(module->ptx).value_or(PeakRate::fp32)));
      }
    }
}

/// Without TILESCOPE_THOROUGH a rung takes one of this many values.
constexpr size_t kStride = 8;

/// The long-running checks, lab by lab.
class EveryLab : public ::testing::TestWithParam<std::string> {
 protected:
  const Lab& lab() const { return *find_lab(GetParam()); }
};

/// A rung and the parameters that it takes, each with the values that it has to run.
struct ValuesOfRung {
  const Rung* rung = nullptr;
  std::map<std::string, std::vector<int64_t>> values;
};

/// Thoroughly, every rung runs every value; otherwise the rungs that take a parameter share its values.
std::vector<ValuesOfRung> values_of_rungs(const Lab& lab, const std::vector<Rung>& rungs) {
  std::vector<ValuesOfRung> all;
  for (const Rung& rung : rungs)
    if (!rung.pick) all.push_back({&rung, {}});  // a rung that picks runs a different rung of the lab
  size_t turn = 0;  // so that the first value of each parameter does not fall to the same rung
  for (const Param& param : lab.params) {
    std::vector<ValuesOfRung*> takers;
    for (ValuesOfRung& one : all)
      if (std::ranges::find(one.rung->params, param.name) != one.rung->params.end()) takers.push_back(&one);
    if (takers.empty()) continue;
    for (const int64_t value : values_of(param)) {
      if (is_thorough())
        for (ValuesOfRung* taker : takers) taker->values[param.name].push_back(value);
      else
        takers[turn++ % takers.size()]->values[param.name].push_back(value);
    }
  }
  return all;
}

TEST_P(EveryLab, IsCorrectForEveryValueOfEveryParameter) {
  std::set<std::string> done;
  const auto is_possible = [&](const Rung& rung, Request& request) {
    make_small(lab(), request.config);
    make_short(engine(), lab(), request);
    return !is_refused(lab(), rung, request.config);
  };
  const auto check = [&](const Request& request) {
    if (done.insert(work_of(engine(), request)).second) expect_correct(request);
  };
  const std::vector<Rung> rungs = rungs_that_compile(lab());
  for (auto& [rung, values] : values_of_rungs(lab(), rungs)) {
    while (!values.empty()) {
      // Values of several parameters at a time, because each combination is compiled; thoroughly, one.
      Request together = request_for_result(lab(), *rung);
      size_t taken = 0;
      for (auto param = values.begin(); param != values.end();) {
        auto& [name, left] = *param;
        if (taken > 0 && is_thorough()) break;
        Request request = together;
        request.config.params[name] = left.back();
        if (is_possible(*rung, request)) {
          together = request;
          ++taken;
          left.pop_back();
        } else if (taken == 0) {
          left.pop_back();  // refused on its own
        }
        param = left.empty() ? values.erase(param) : std::next(param);
      }
      if (taken > 0) check(together);
    }
  }
}

TEST_P(EveryLab, IsCorrectAtSizesThatAreNoMultiples) {
  const std::vector<int64_t> awkward{1, 2, 31, 32, 33, 1023, 4097, 65537};
  size_t turn = 0;
  for (const auto& rung : rungs_that_compile(lab())) {
    ++turn;
    for (const auto& size : lab().sizes)
      for (const int64_t value : values_in_turn(awkward, turn, kStride)) {
        if (value < size.min || value > size.max_sim) continue;
        Request request = request_for_result(lab(), rung);
        request.config.sizes[size.name] = (value + size.multiple_of - 1) / size.multiple_of * size.multiple_of;
        if (is_refused(lab(), rung, request.config)) continue;
        // A long row in a tall matrix tests no more than one in a short matrix, and takes minutes.
        if (elements_of(lab(), request.config) > 5'000'000) continue;
        // The simulator executes only some blocks of larger ones, so there is nothing to compare.
        if (lab().most_simulated_flops != 0 && lab().flops(request.config) > lab().most_simulated_flops) continue;
        expect_correct(request);
      }
  }
}

/// Triton refuses some mistakes: then the error is its sentence, at a line of the kernel file.
bool is_refused_at_its_line(const Result<RunResult>& result, const std::string& file) {
  if (result || result.error().id != ErrorId::compile_failed) return false;
  const std::string& message = result.error().message;
  const size_t line = message.find(file + "(");
  return line != std::string::npos && std::isdigit(static_cast<unsigned char>(message[line + file.size() + 1])) != 0;
}

/// A bug of the host may ask for a launch that no device takes; with its checks it is told so.
bool is_refused_launch(const BreakIt& one, const Error& error) {
  return one.relaunch && !one.unchecked && error.id == ErrorId::bad_launch;
}

TEST_P(EveryLab, NoticesEverySwitchThatBreaksIt) {
  for (size_t turn = 0; const auto& one : lab().break_it) {
    std::vector<std::string> broken;
    for (const auto& rung : rungs_that_compile(lab()))
      if (one.concerns(rung.name) && !one.only_slower) broken.push_back(rung.name);
    for (const std::string& rung : values_in_turn(broken, ++turn, broken.size())) {
      Request request = request_for_result(lab(), *find_rung(lab(), rung));
      request.broken = {one.name};
      SCOPED_TRACE(describe(request) + " broken by " + one.name);
      const auto result = engine().run(request);
      const std::string file = source_file_of(lab(), *find_rung(lab(), rung));
      if (language_of(file) == KernelLanguage::triton && is_refused_at_its_line(result, file)) continue;
      if (!result && is_refused_launch(one, result.error())) continue;
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_TRUE(!result->findings.empty() || !result->passed());
    }
  }
}

std::vector<std::string> names_of_labs() {
  std::vector<std::string> names;
  for (const Lab& lab : labs()) names.push_back(lab.name);
  return names;
}

std::string name_of_test(const ::testing::TestParamInfo<std::string>& lab) {
  std::string name = lab.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// The parameters are evaluated after all labs have registered themselves.
INSTANTIATE_TEST_SUITE_P(Labs, EveryLab, ::testing::ValuesIn(names_of_labs()), name_of_test);

/// Sectors and passes of every source line.
std::map<uint32_t, uint64_t> cost_of_lines(const RunResult& result) {
  std::map<uint32_t, uint64_t> cost;
  for (const SiteCount& count : result.traffic.sites)
    cost[result.trace.sites[count.site].line] += count.sectors + count.wavefronts;
  return cost;
}

TEST(Labs, ASwitchThatOnlySlowsKeepsTheResultAndIsSeenInTheCounters) {
  for (const auto& lab : labs())
    for (const auto& rung : rungs_that_compile(lab))
      for (const auto& one : lab.break_it) {
        if (!one.concerns(rung.name) || !one.only_slower) continue;
        Request request = request_for_result(lab, rung);
        SCOPED_TRACE(describe(request) + " broken by " + one.name);
        const auto sound = engine().run(request);
        ASSERT_TRUE(sound) << sound.error().message;
        request.broken = {one.name};
        const auto slow = engine().run(request);
        ASSERT_TRUE(slow) << slow.error().message;
        EXPECT_TRUE(slow->findings.empty() && slow->passed());
        const auto before = cost_of_lines(*sound), after = cost_of_lines(*slow);
        EXPECT_TRUE(std::any_of(after.begin(), after.end(), [&before](const auto& line) {
          return before.count(line.first) != 0 && line.second >= 2 * before.at(line.first);
        })) << "no line costs twice as much";
      }
}

TEST(Labs, ASwitchDoesNothingInARungThatItDoesNotConcern) {
  for (const auto& lab : labs())
    for (size_t turn = 0; const auto& one : lab.break_it) {
      std::vector<std::string> sound;
      for (const auto& rung : rungs_that_compile(lab))
        if (!one.concerns(rung.name)) sound.push_back(rung.name);
      for (const std::string& rung : values_in_turn(sound, ++turn, sound.size())) {
        Request request = request_for_result(lab, *find_rung(lab, rung));
        request.broken = {one.name};
        expect_correct(request);
      }
    }
}

TEST(Labs, ASwitchNamesRungsThatExist) {
  for (const auto& lab : labs())
    for (const auto& one : lab.break_it)
      for (const auto& rung : one.rungs) EXPECT_NE(find_rung(lab, rung), nullptr) << lab.name << ": " << rung;
}

TEST(Labs, AQuestionNamesRungsThatExistAndEveryLabOpensWithPossibleValues) {
  for (const auto& lab : labs()) {
    for (const auto& predict : lab.predicts)
      for (const auto& rung : predict.rungs) EXPECT_NE(find_rung(lab, rung), nullptr) << lab.name << ": " << rung;
    const Config config = opening_config(lab, DeviceKind::sim);
    for (const auto& [name, value] : lab.opens_with)
      EXPECT_TRUE(config.sizes.contains(name) || config.params.contains(name)) << lab.name << ": " << name;
    const auto valid = validate(lab, config, DeviceKind::sim);
    EXPECT_TRUE(valid) << lab.name << ": " << valid.error().message;
    EXPECT_EQ(opening_config(lab, DeviceKind::gpu), default_config(lab, DeviceKind::gpu)) << lab.name;
  }
}

TEST(Labs, EveryPointOfTheSweepIsPossibleOnAGpu) {
  for (const auto& lab : labs())
    for (const int64_t size : sweep_of(lab)) {
      const Config config = sweep_config(lab, default_config(lab, DeviceKind::gpu), size);
      EXPECT_EQ(place_in_sweep(lab, config), size);
      for (const auto& name : lab.sweep_with) EXPECT_EQ(config.size(name), size) << lab.name;
      const auto valid = validate(lab, config, DeviceKind::gpu);
      EXPECT_TRUE(valid) << lab.name << ": " << valid.error().message;
    }
}

TEST(Labs, WhatIsFusedLaunchesFewerKernelsThanWhatIsNot) {
  size_t fused = 0;
  for (const auto& lab : labs()) {
    if (!lab.fusion) continue;
    ++fused;
    const Rung *many = find_rung(lab, lab.fusion->unfused), *few = find_rung(lab, lab.fusion->fused);
    ASSERT_TRUE(many != nullptr && few != nullptr) << lab.name;
    for (const DeviceKind device : {DeviceKind::sim, DeviceKind::gpu}) {
      const Config config = default_config(lab, device);
      EXPECT_GT(many->launches(config).size(), few->launches(config).size()) << lab.name;
    }
  }
  EXPECT_GE(fused, 3U);
}

TEST(Labs, EveryShapeOfAMapIsPossibleOnAGpuForEveryScheme) {
  for (const auto& lab : labs())
    for (const SweepPoint& point : map_points(lab)) {
      Config config = default_config(lab, DeviceKind::gpu);
      for (const auto& [name, value] : point.sizes) config.sizes.at(name) = value;
      const auto valid = validate(lab, config, DeviceKind::gpu);
      EXPECT_TRUE(valid) << lab.name << ": " << valid.error().message;
      for (const auto& scheme : lab.scheme_map->schemes)
        EXPECT_NE(find_rung(lab, scheme.rung), nullptr) << lab.name << " " << scheme.rung;
    }
}

/// One wrong result would end the timing of the map. Only shapes that are simulated in a moment.
TEST(Labs, EverySchemeOfAMapIsCorrectWithTheParametersThatItRacesWith) {
  constexpr int64_t kMostElements = 1 << 16;
  const auto gpu = engine().modelled_gpu("h200");
  ASSERT_TRUE(gpu);
  size_t checked = 0;
  for (const auto& lab : labs())
    for (const SweepPoint& point : map_points(lab)) {
      const SchemeMap& map = *lab.scheme_map;
      if (point.sizes.at(map.rows) * point.sizes.at(map.columns) > kMostElements) continue;
      for (const auto& scheme : map.schemes) {
        Request request;
        request.lab = lab.name;
        request.rung = scheme.rung;
        request.config = default_config(lab, DeviceKind::gpu);
        for (const auto& [name, value] : point.sizes) request.config.sizes.at(name) = value;
        for (const auto& [name, value] : map.tune(scheme.rung, request.config, *gpu))
          request.config.params.at(name) = value;
        expect_correct(request);
        ++checked;
      }
    }
  EXPECT_GT(checked, 50U);
}

TEST(Labs, TheAnswerOfEveryPredictCardIsAmongItsChoices) {
  for (const auto& lab : labs()) {
    const Config config = default_config(lab, DeviceKind::sim);
    for (const auto& predict : lab.predicts) {
      const auto choices = predict.choices(config);
      EXPECT_EQ(std::count(choices.begin(), choices.end(), predict.answer(config)), 1) << predict.question.en;
    }
  }
}

TEST(Labs, TheGridFormulaEndsInAGridThatIsLaunched) {
  for (const auto& lab : labs())
    for (const auto& rung : rungs_that_compile(lab)) {
      if (rung.pick) continue;
      Config config = default_config(lab, DeviceKind::sim);
      for (auto& [name, value] : config.sizes) value = std::min<int64_t>(value, 900);  // no thousands separators
      const std::string formula = rung.grid_formula(config);
      const auto ends_in_it = [&formula](const Launch& launch) {
        const std::string count = std::to_string(launch.grid.count());
        return formula == count || formula.ends_with(" = " + count);
      };
      const auto launches = rung.launches(config);
      EXPECT_TRUE(std::any_of(launches.begin(), launches.end(), ends_in_it)) << formula;
    }
}

}  // namespace
}  // namespace tilescope
