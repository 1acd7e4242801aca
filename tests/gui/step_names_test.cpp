// Registers under the learner's names: only where the source is unambiguous.
#include "app/views/step/step_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/sandbox/form/kernel_form.hpp"
#include "app/views/step/step_model.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/record_steps.hpp"
#include "engine/sim/simulator.hpp"

namespace tilescope {
namespace {

/// Hand-made instructions: one line each says which registers it writes and reads.
struct Listing {
  StepRecord record;

  explicit Listing(const std::vector<StepRegister>& registers) {
    record.files = {"k.cu"};
    record.registers = registers;
  }
  Listing& add(uint32_t line, std::vector<uint32_t> writes, std::vector<uint32_t> reads) {
    StepInstruction instruction;
    instruction.line = line;
    for (const uint32_t reg : writes) instruction.writes.push_back({reg, record.registers[reg].kind});
    for (const uint32_t reg : reads) instruction.reads.push_back({reg, record.registers[reg].kind});
    record.instructions.push_back(instruction);
    return *this;
  }
  std::string name(uint32_t reg, const std::string& source) const {
    return register_variables(record, source, "k.cu")[reg].variable;
  }
};

const StepRegister kInt{"%r1", 4, ValueKind::signed_integer}, kFloat{"%f1", 4, ValueKind::f32},
    kPredicate{"%p1", 0, ValueKind::predicate}, kPointer{"%rd1", 8, ValueKind::address};

TEST(StepNames, ALineThatAssignsOneVariableNamesTheRegisterThatItLeaves) {
  const Listing one = Listing({kInt, kInt, kInt}).add(1, {1}, {0}).add(1, {2}, {1});
  EXPECT_EQ(one.name(2, "int row = a * b + c;"), "row");
  EXPECT_EQ(one.name(1, "int row = a * b + c;"), "") << "something in between";
  EXPECT_EQ(one.name(2, "  const unsigned row = a * b + c;  // its row"), "row");
  EXPECT_EQ(one.name(2, "int row = a == b;"), "row");
}

TEST(StepNames, WhereALineLeavesDoubtTheRegisterStays) {
  const Listing one = Listing({kInt, kInt}).add(1, {1}, {0});
  EXPECT_EQ(one.name(1, "int row = a, column = b;"), "") << "two variables";
  EXPECT_EQ(one.name(1, "int row = a +\n  b;"), "") << "goes on in the next line";
  EXPECT_EQ(one.name(1, "tile[i] = a;"), "") << "no variable";
  EXPECT_EQ(one.name(1, "p.x = a;"), "") << "a member";
  EXPECT_EQ(one.name(1, "if (row == a) return;"), "") << "a comparison";
  EXPECT_EQ(one.name(1, "Pair row = a;"), "") << "not a fundamental type";
  EXPECT_EQ(one.name(1, "float row = a;"), "") << "the register holds no float";
  const Listing two = Listing({kInt, kInt, kInt}).add(1, {1}, {0}).add(1, {2}, {0});
  EXPECT_EQ(two.name(2, "int row = a;"), "") << "it leaves two registers";
  const Listing contested = Listing({kInt, kInt}).add(1, {1}, {0}).add(2, {1}, {0});
  EXPECT_EQ(contested.name(1, "int row = a;\nint column = b;"), "") << "two lines, two names";
}

TEST(StepNames, TypesAreRememberedAndPredicatesDoNotCount) {
  const Listing sum = Listing({kFloat, kFloat, kPredicate}).add(2, {1}, {0}).add(2, {2}, {0});
  EXPECT_EQ(sum.name(1, "float sum = 0;\nsum += x;"), "sum");
  EXPECT_EQ(sum.name(1, "sum += x;\nsum += x;"), "") << "not declared here";
  const Listing pointer = Listing({kPointer, kPointer}).add(1, {1}, {0});
  EXPECT_EQ(pointer.name(1, "const float* row = a + i;"), "row");
  EXPECT_EQ(pointer.name(1, "int row = i;"), "");
}

/// The compiler's code for a shipped kernel: names hold the values that the source gives them.
TEST(StepNames, TheNamedRegistersOfAKernelHoldTheirVariables) {
  const auto engine = Engine::open({});
  if (!engine->compiler()) GTEST_SKIP() << "needs NVRTC";
  Request request;
  request.lab = "transpose";
  request.rung = "padded-tile";
  request.config = default_config(*find_lab("transpose"), DeviceKind::sim);
  const auto result = engine->run(request);
  ASSERT_TRUE(result) << result.error().message;
  const auto record = record_steps(*result, 0, {.block = 17}, *make_simulator(1), {});
  ASSERT_TRUE(record) << record.error().message;
  ASSERT_EQ((*record)->shared.size(), 1U);
  EXPECT_EQ((*record)->shared[0].name, "tile");
  EXPECT_EQ((*record)->shared[0].bytes, 32U * 33 * 4);
  const auto names = register_variables(**record, result->plan.source_text, result->plan.source_file);
  const Dim3 block = unflatten(17, result->tiles.grid);
  int checked = 0;
  for (uint32_t step : (*record)->steps_of(2)) {
    const StepInstruction& instruction = (*record)->instructions[(*record)->steps[step].instruction];
    for (const StepOperand& operand : instruction.writes) {
      const StepName& name = names[operand.reg];
      if (name.variable != "row" && name.variable != "column") continue;
      const auto value = (*record)->value_at(2, operand.reg, step);
      ASSERT_TRUE(value);
      for (int lane = 0; lane < 32; ++lane) {
        const auto held = static_cast<uint32_t>(value->bits(lane));
        // A block's tile is 32 × 32; `row` counts along y, `column` along x.
        EXPECT_EQ(held / 32, name.variable == "row" ? block.y : block.x) << name.variable << " of line " << name.line;
      }
      ++checked;
    }
  }
  RecordProperty("checked", checked);
}

TEST(StepNames, TheIndexOfAnElementwiseKernelIsNamedAndHoldsIt) {
  const auto engine = Engine::open({});
  if (!engine->compiler()) GTEST_SKIP() << "needs NVRTC";
  Request request;
  request.lab = "vector-add";
  request.rung = "thread-per-element";
  request.config = default_config(*find_lab("vector-add"), DeviceKind::sim);
  const auto result = engine->run(request);
  ASSERT_TRUE(result) << result.error().message;
  const auto record = record_steps(*result, 0, {.block = 3}, *make_simulator(1), {});
  ASSERT_TRUE(record) << record.error().message;
  const auto names = register_variables(**record, result->plan.source_text, result->plan.source_file);
  int checked = 0;
  for (const uint32_t step : (*record)->steps_of(0)) {
    const StepInstruction& instruction = (*record)->instructions[(*record)->steps[step].instruction];
    for (const StepOperand& operand : instruction.writes) {
      if (names[operand.reg].variable != "i") continue;
      const auto value = (*record)->value_at(0, operand.reg, step);
      ASSERT_TRUE(value);
      for (int lane = 0; lane < 32; ++lane)
        EXPECT_EQ(static_cast<int64_t>(value->bits(lane)), 3 * request.config.param("BLOCK") + lane);
      ++checked;
    }
  }
  EXPECT_GT(checked, 0) << "no register is named";
}

/// To a demangler, a lone s is the type short.
TEST(StepNames, SharedMemoryOfOneLetterKeepsItsName) {
  const auto engine = Engine::open({});
  if (!engine->compiler()) GTEST_SKIP() << "needs NVRTC";
  const char* source =
      "__global__ void k(float* out) {\n"
      "  extern __shared__ float s[];\n"
      "  s[threadIdx.x] = threadIdx.x;\n"
      "  __syncthreads();\n"
      "  out[threadIdx.x] = s[threadIdx.x ^ 1];\n"
      "}\n"
      "int main() { float* x; cudaMalloc(&x, 128); k<<<1, 32, 128>>>(x); }\n";
  const SourceFacts facts = read_source_facts(source);
  FilledForm filled = fill_in(form_of("k", facts, {}), 32);
  Plan plan{.source_file = "own.cu", .source_text = source, .buffers = filled.buffers, .launches = {filled.launch}};
  const auto result = engine->run_plan(std::move(plan), Request{});
  ASSERT_TRUE(result) << result.error().message;
  const auto record = record_steps(*result, 0, {.block = 0}, *make_simulator(1), {});
  ASSERT_TRUE(record) << record.error().message;
  ASSERT_EQ((*record)->shared.size(), 1U);
  EXPECT_EQ((*record)->shared[0].name, "s");
  EXPECT_EQ((*record)->shared[0].bytes, 128U);
}

}  // namespace
}  // namespace tilescope
