// Every rung of the labs in subjects() is correct for 200 random shapes, on the simulator and on a GPU. On the
// simulator a rung takes some of them, others than its neighbours (thorough.hpp), and TILESCOPE_ALL_SHAPES=1 takes all.
//
//     labs_test --gtest_filter='OnGpu/*'              all labs
//     labs_test --gtest_filter='OnGpu/*/softmax_*'    one lab; its name without hyphens
#include "random_shapes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <ostream>

#include "engine/compile/triton/triton_compiler.hpp"
#include "engine/kernel_language.hpp"
#include "engine/run/engine.hpp"
#include "tests/thorough.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

/// Parameters that a lab's shapes use in turn. Each is a new compilation, seconds for a GPU, so there are few.
struct Ways {
  std::vector<Values> of_simulator = {{}};  // beside the simulator's defaults, whose tiles are small
  std::vector<Values> of_gpu = {};          // beside the GPU's defaults; run there only
};

struct Subject {
  std::function<std::vector<Values>(DeviceKind)> shapes;
  std::function<Ways(DeviceKind)> ways;
};

int64_t most_elements(DeviceKind device) { return device == DeviceKind::gpu ? 200'000 : 20'000; }

/// The defaults of both devices.
Ways ways_of_defaults(DeviceKind) { return {.of_gpu = {{}}}; }
Ways ways_of_sin_cos_add(DeviceKind) { return {}; }
Ways ways_of_gelu(DeviceKind) { return {{{}, {{"DTYPE", 1}, {"VEC", 8}, {"FAST", 1}}}}; }

/// Tiles of Triton that are wider than the row, and warps that hold the longest row that a program can.
Ways ways_of_softmax(DeviceKind) {
  const std::vector<Values> both{{{"DTYPE", 1}, {"num_warps", 16}, {"num_stages", 1}, {"BLOCK_SIZE", 1024}},
                                 {{"DTYPE", 0}, {"num_stages", 3}}};
  return {both, both};
}

Ways ways_of_rows(DeviceKind) {
  const std::vector<Values> both{{{"DTYPE", 1}}, {{"DTYPE", 0}}};
  return {both, both};
}

/// A tile of a Triton rung holds whole rows: the longest ones take many warps and one row in a tile.
Ways ways_of_rows_in_tiles(DeviceKind device) {
  Ways ways = ways_of_rows(device);
  ways.of_simulator.push_back({{"DTYPE", 0}, {"num_warps", 16}, {"ROWS", 1}});
  return ways;
}

/// Tiles in which a warp has all shapes of lanes, and the threads are more and fewer than one copy step's elements.
Ways ways_of_fp32(DeviceKind) {
  return {{{},
           {{"BM", 32},
            {"BN", 64},
            {"BK", 16},
            {"TM", 8},
            {"TN", 4},
            {"WM", 16},
            {"STAGES", 4},
            {"GROUP_M", 2},
            {"TILE", 8}},
           {{"BM", 32}, {"BN", 256}, {"TM", 4}, {"TN", 8}, {"WM", 16}, {"STAGES", 3}, {"GROUP_M", 1}, {"TILE", 16}}},
          {{}}};
}

/// Every type and layout. A different tile for a third of them: columns in panels, not a power of two, two stages.
Ways ways_of_tensor_cores(DeviceKind device) {
  const Values panels{{"BM", 128}, {"BN", 192}, {"BK", 64}, {"WARPS", 8}, {"STAGES", 2}};
  const auto of = [](int64_t type, int64_t layout, int64_t ctas, Values tile = {}) {
    tile.insert({{"DTYPE", type}, {"B_LAYOUT", layout}, {"CTAS", ctas}});
    return tile;
  };
  if (device == DeviceKind::gpu)
    return {{of(0, 0, 1), of(1, 1, 2, panels), of(2, 1, 3)},
            {{{"DTYPE", 1}, {"B_LAYOUT", 0}},
             {{"DTYPE", 0}, {"B_LAYOUT", 1}},
             {{"DTYPE", 2}, {"B_LAYOUT", 0}, {"BK", 32}}}};  // deeper tiles of TF32 exceed shared memory
  Ways ways{{}, {}};
  for (int64_t turn = 0; turn < 90; ++turn)
    ways.of_simulator.push_back(of(turn % 3, turn / 3 % 2, turn % 5 + 1, turn % 9 > 5 ? panels : Values{}));
  return ways;
}

Ways ways_of_epilogue(DeviceKind) {
  Ways ways{{}, {{{"DTYPE", 1}, {"ACTIVATION", 0}}, {{"DTYPE", 0}, {"ACTIVATION", 1}}}};
  for (int64_t turn = 0; turn < 4; ++turn) ways.of_simulator.push_back({{"DTYPE", turn % 2}, {"ACTIVATION", turn / 2}});
  return ways;
}

Ways ways_of_attention(DeviceKind) {
  return {{{{"HEAD_DIM", 64}, {"CAUSAL", 0}, {"DTYPE", 0}},
           {{"HEAD_DIM", 64}, {"CAUSAL", 1}, {"DTYPE", 1}, {"BLOCK_M", 64}},
           {{"HEAD_DIM", 128}, {"CAUSAL", 1}, {"DTYPE", 0}},
           {{"HEAD_DIM", 128}, {"CAUSAL", 0}, {"DTYPE", 1}, {"WARPS", 8}, {"BLOCK_N", 128}}},
          {{{"CAUSAL", 1}, {"DTYPE", 1}}, {{"CAUSAL", 0}, {"DTYPE", 0}}}};
}

Ways ways_of_attention_backward(DeviceKind) {
  return {{{{"HEAD_DIM", 64}, {"CAUSAL", 0}, {"DTYPE", 0}, {"BLOCK_N", 64}},
           {{"HEAD_DIM", 64}, {"CAUSAL", 1}, {"DTYPE", 1}, {"BLOCK_N", 128}},
           {{"HEAD_DIM", 128}, {"CAUSAL", 1}, {"DTYPE", 0}, {"BLOCK_N", 64}},
           {{"HEAD_DIM", 128}, {"CAUSAL", 0}, {"DTYPE", 1}, {"BLOCK_N", 128}}},
          {{{"CAUSAL", 1}, {"DTYPE", 1}}, {{"CAUSAL", 0}, {"DTYPE", 0}}}};
}

Ways ways_of_save(DeviceKind) {
  Ways ways{{}, {}};
  for (int64_t turn = 0; turn < 6; ++turn) ways.of_simulator.push_back({{"SAVE", turn % 3}, {"DTYPE", turn / 3}});
  return ways;
}

const std::map<std::string, Subject>& subjects() {
  const auto short_rows = [](DeviceKind device) {
    std::vector<Values> shapes = random_rows(device);
    for (Values& shape : shapes) {
      shape["rows"] = std::min<int64_t>(shape["rows"], 1024);
      shape["columns"] = std::clamp<int64_t>(shape["columns"], 16, 1024);
    }
    return shapes;
  };
  static const std::map<std::string, Subject> all{
      {"hello", {[](DeviceKind device) { return random_lengths(most_elements(device), 4); }, ways_of_defaults}},
      {"vector-add", {[](DeviceKind device) { return random_lengths(most_elements(device), 5); }, ways_of_defaults}},
      {"vector-multiply",
       {[](DeviceKind device) { return random_lengths(most_elements(device), 6); }, ways_of_defaults}},
      {"reduction-sum", {[](DeviceKind device) { return random_lengths(most_elements(device), 1); }, ways_of_defaults}},
      {"sin-cos-add",
       {[](DeviceKind device) { return random_lengths(most_elements(device), 2); }, ways_of_sin_cos_add}},
      {"gelu", {[](DeviceKind device) { return repeated(random_lengths(most_elements(device), 3), 2); }, ways_of_gelu}},
      {"softmax", {random_rows, ways_of_softmax}},
      {"layernorm", {random_rows, ways_of_rows_in_tiles}},
      {"layernorm-backward", {random_rows, ways_of_rows}},
      {"rmsnorm", {random_rows, ways_of_rows_in_tiles}},
      {"matmul-fp32", {random_products, ways_of_fp32}},
      {"matmul-tensor-core", {random_tensor_products, ways_of_tensor_cores}},
      {"grouped-order", {random_aligned_products, ways_of_defaults}},
      {"matmul-epilogue", {random_tensor_products, ways_of_epilogue}},
      {"autotune", {random_tensor_products, ways_of_defaults}},
      {"autograd", {short_rows, ways_of_save}},
      {"pytorch-op", {random_rows, ways_of_rows}},
      {"attention", {[](DeviceKind device) { return random_sequences(device, 20261122, 3, 2); }, ways_of_attention}},
      {"attention-backward",
       {[](DeviceKind device) { return random_sequences(device, 20261123, 2, 4); }, ways_of_attention_backward}}};
  return all;
}

/// One rung of one lab on one device.
struct Tested {
  std::string lab, rung;
  DeviceKind device = DeviceKind::sim;
  friend std::ostream& operator<<(std::ostream& out, const Tested& tested) {
    return out << tested.lab << " " << tested.rung << (tested.device == DeviceKind::gpu ? " on a GPU" : "");
  }
};

Request request_for(const Tested& tested, const Values& shape, const Values& params, DeviceKind defaults) {
  const Lab& lab = *find_lab(tested.lab);
  Request request;
  request.lab = tested.lab;
  request.rung = tested.rung;
  request.device = tested.device;
  request.observe = tested.device == DeviceKind::sim;  // a GPU's result is compared, and not simulated beside it
  request.machine_code = false;
  request.config = default_config(lab, defaults);
  for (const auto& [name, value] : shape) request.config.sizes.at(name) = value;
  for (const auto& [name, value] : params) request.config.params.at(name) = value;
  return request;
}

/// For one shape, the ways in which the rung can run it, starting at the one whose turn it is.
std::optional<Request> request_in_turn(const Tested& tested, const Values& shape, size_t turn) {
  const Rung& rung = *find_rung(*find_lab(tested.lab), tested.rung);
  const Ways ways = subjects().at(tested.lab).ways(tested.device);
  const size_t of_simulator = ways.of_simulator.size();
  const size_t count = of_simulator + (tested.device == DeviceKind::gpu ? ways.of_gpu.size() : 0);
  for (size_t later = 0; later < count; ++later) {
    const size_t way = (turn + later) % count;
    const Request request = way < of_simulator
                                ? request_for(tested, shape, ways.of_simulator[way], DeviceKind::sim)
                                : request_for(tested, shape, ways.of_gpu[way - of_simulator], DeviceKind::gpu);
    if (!rung.check || rung.check(request.config)) return request;
  }
  return std::nullopt;
}

std::string describe(const Request& request) {
  std::string text = request.lab + " " + request.rung;
  for (const auto& [name, value] : request.config.sizes) text += fmt::format(" {}={}", name, value);
  for (const auto& [name, value] : request.config.params) text += fmt::format(" {}={}", name, value);
  return text;
}

/// Empty if every output is correct and the simulator finds no error.
std::string what_is_wrong(const Request& request) {
  const auto result = engine().run(request);
  if (!result) return describe(request) + ": " + result.error().message;
  if (result->correctness.empty()) return describe(request) + ": nothing was compared";
  for (const Correctness& one : result->correctness)
    if (!one.pass) return fmt::format("{}, {}: {}", describe(request), one.buffer, one.reason);
  if (!result->passed()) return describe(request) + ": not passed";
  if (!result->findings.empty()) return describe(request) + ": " + result->findings.front().message;
  return {};
}

/// Why nothing can run on this device; empty if it can.
std::string missing(DeviceKind device) {
  if (device == DeviceKind::sim) return {};
  if (!engine().gpu()) return engine().gpu().error().message;
  return engine().compiler() ? std::string() : engine().compiler().error().message;
}

/// Likewise for a rung: those in Triton need its compiler.
std::string missing_for(const Tested& tested) {
  const Lab& lab = *find_lab(tested.lab);
  if (language_of(source_file_of(lab, *find_rung(lab, tested.rung))) == KernelLanguage::triton)
    if (const auto triton = engine().triton().triton_origin({}); !triton) return triton.error().message;
  return missing(tested.device);
}

class RandomShapes : public ::testing::TestWithParam<Tested> {
 protected:
  void SetUp() override {
    if (const std::string why = missing_for(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
};

bool takes_all_shapes(const Tested& tested) {
  return tested.device == DeviceKind::gpu || std::getenv("TILESCOPE_ALL_SHAPES") != nullptr;
}
/// Otherwise a rung takes one, since each is compiled.
bool takes_every_way(const Tested& tested) { return takes_all_shapes(tested) || is_thorough(); }

/// Which of `count` shapes a run takes: one of every few consecutive shapes, but not the same one each time, because
/// the ways alternate too. The first and the last shape are always taken: special shapes are there.
std::vector<size_t> shapes_to_run(const Tested& tested, size_t count) {
  const bool all = takes_all_shapes(tested);
  const size_t offset = std::hash<std::string>{}(tested.lab + tested.rung);
  const size_t few = is_thorough() ? 4 : 64;
  std::vector<size_t> places;
  for (size_t i = 0; i < count; ++i)
    if (all || i == 0 || i + 1 == count || i % few == (i / few + offset) % few) places.push_back(i);
  return places;
}

/// A program in Triton that holds a whole row cannot take the few longest ones.
bool may_refuse(const Tested& tested) {
  const Lab& lab = *find_lab(tested.lab);
  return language_of(source_file_of(lab, *find_rung(lab, tested.rung))) == KernelLanguage::triton;
}

TEST_P(RandomShapes, AreAllRight) {
  const std::vector<Values> shapes = subjects().at(GetParam().lab).shapes(GetParam().device);
  ASSERT_GE(shapes.size(), kRandomShapes);
  size_t refused = 0;
  const size_t way_of_rung = std::hash<std::string>{}(GetParam().rung);
  for (const size_t turn : shapes_to_run(GetParam(), shapes.size())) {
    const auto request = request_in_turn(GetParam(), shapes[turn], takes_every_way(GetParam()) ? turn : way_of_rung);
    if (!request && may_refuse(GetParam()) && ++refused != 0) continue;
    ASSERT_TRUE(request) << "no way is possible";
    EXPECT_EQ(what_is_wrong(*request), "");
  }
  EXPECT_LE(refused, 4U) << "only the longest row is more than any tile holds";
}

std::vector<Tested> every_rung_on(DeviceKind device) {
  std::vector<Tested> all;
  for (const auto& subject : subjects())
    for (const Rung& rung : find_lab(subject.first)->rungs) all.push_back({subject.first, rung.name, device});
  return all;
}

/// "matmulfp32_warp_tile": all names of a lab begin with its own name and "_"; those of other labs do not.
std::string name_of_test(const ::testing::TestParamInfo<Tested>& tested) {
  std::string lab = tested.param.lab, rung = tested.param.rung;
  std::erase(lab, '-');
  std::replace(rung.begin(), rung.end(), '-', '_');
  return lab + "_" + rung;
}

// The parameters are evaluated after all labs have registered themselves.
INSTANTIATE_TEST_SUITE_P(OnSimulator, RandomShapes, ::testing::ValuesIn(every_rung_on(DeviceKind::sim)), name_of_test);
INSTANTIATE_TEST_SUITE_P(OnGpu, RandomShapes, ::testing::ValuesIn(every_rung_on(DeviceKind::gpu)), name_of_test);

TEST(RandomShapesOfLabs, AreThereForEveryLabOfStagesTwoToSix) {
  for (const Lab& lab : labs()) {
    if (lab.stage < 2 || lab.stage > 6) continue;
    EXPECT_EQ(subjects().count(lab.name), 1U) << lab.name;
  }
}

TEST(RandomShapesOfLabs, OnAGpuAreAsManyAndOfAtMostSixWays) {
  for (const auto& [lab, subject] : subjects()) {
    EXPECT_GE(subject.shapes(DeviceKind::gpu).size(), kRandomShapes) << lab;
    const Ways ways = subject.ways(DeviceKind::gpu);
    EXPECT_LE(ways.of_simulator.size() + ways.of_gpu.size(), 6U) << lab;
  }
}

/// Plants a bug that corrupts some elements and is harmless on a GPU.
class PlantedMistake : public ::testing::TestWithParam<DeviceKind> {};

TEST_P(PlantedMistake, IsNoticed) {
  if (const std::string why = missing(GetParam()); !why.empty()) GTEST_SKIP() << why;
  Request request = request_for({"gelu", "vector-loads", GetParam()}, {{"n", 1001}}, {}, DeviceKind::sim);
  EXPECT_EQ(what_is_wrong(request), "");
  request.broken = {"NO_TAIL"};
  EXPECT_NE(what_is_wrong(request), "");
}

INSTANTIATE_TEST_SUITE_P(OnSimulator, PlantedMistake, ::testing::Values(DeviceKind::sim));
INSTANTIATE_TEST_SUITE_P(OnGpu, PlantedMistake, ::testing::Values(DeviceKind::gpu));

}  // namespace
}  // namespace tilescope
