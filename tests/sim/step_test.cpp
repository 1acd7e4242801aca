// Stepping through a block: values, masks, divergence, barriers and findings of kernels that can be calculated by hand
// (kernels/stepping.cu).
#include <bit>
#include <cmath>
#include <numeric>

#include "engine/step_record.hpp"
#include "tests/sim/run_kernel.hpp"

namespace tilescope {
namespace {

std::vector<int> numbers(size_t count) {
  std::vector<int> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i * i % 97) - 20;
  return values;
}

class Stepping : public ::testing::Test {
 protected:
  std::shared_ptr<const StepRecord> record(const std::string& kernel, Dim3 grid, Dim3 block, StepWindow window = {}) {
    machinery.options.step_window = window;
    const LaunchReport report = machinery.run(module, kernel, grid, block);
    EXPECT_NE(report.steps, nullptr);
    return report.steps;
  }

  static const StepInstruction& instruction(const StepRecord& record, uint32_t step) {
    return record.instructions[record.steps[step].instruction];
  }
  /// A warp's steps whose instruction begins with `text`.
  static std::vector<uint32_t> steps_like(const StepRecord& record, uint32_t warp, std::string_view text) {
    std::vector<uint32_t> found;
    for (uint32_t step : record.steps_of(warp))
      if (instruction(record, step).text.starts_with(text)) found.push_back(step);
    return found;
  }
  /// The value in a store's only data register.
  static LaneValues stored(const StepRecord& record, uint32_t step) {
    const StepInstruction& store = instruction(record, step);
    EXPECT_EQ(store.role, StepRole::store) << store.text;
    return *record.value_read(record.steps[step].warp, store.reads.back().reg, step);
  }
  static float as_float(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

  CompiledModule module = module_of("stepping");
  Machinery machinery;
};

TEST_F(Stepping, TheTwoWaysOfABranchHaveTheLanesThatTookThemAndTheirValues) {
  const auto in = numbers(64);
  machinery.input("in", in);
  machinery.output<int>("out", 64);
  const auto steps = record("part_and_meet", {1}, {64});
  for (uint32_t warp = 0; warp < 2; ++warp) {
    const auto one_way = steps_like(*steps, warp, "mad.lo.s32");
    ASSERT_EQ(one_way.size(), 1U);
    const Step& taken = steps->steps[one_way[0]];
    EXPECT_EQ(taken.active, 0xffU);
    EXPECT_EQ(taken.executed, 0xffU);
    ASSERT_EQ(steps->paths_of(taken).size(), 1U);
    EXPECT_EQ(steps->paths_of(taken)[0].lanes, 0xffffff00U);
    EXPECT_EQ(steps->paths_of(taken)[0].state, StepPath::State::pending);

    const auto stores = steps_like(*steps, warp, "st.global");
    ASSERT_EQ(stores.size(), 1U);
    EXPECT_EQ(steps->steps[stores[0]].active, 0xffffffffU);
    EXPECT_TRUE(steps->paths_of(steps->steps[stores[0]]).empty());
    const LaneValues values = stored(*steps, stores[0]);
    for (int lane = 0; lane < 32; ++lane) {
      const size_t i = 32 * warp + static_cast<size_t>(lane);
      const int expected = lane < 8 ? in[i] * 3 - 1 : in[i] + in[i ^ 1];
      EXPECT_EQ(static_cast<int32_t>(values.bits(lane)), expected) << "warp " << warp << " lane " << lane;
    }
  }
}

TEST_F(Stepping, ALaneThatHasNotWrittenARegisterYetHasNoValueInIt) {
  machinery.input("in", numbers(32));
  machinery.output<int>("out", 32);
  const auto steps = record("part_and_meet", {1}, {32});
  const uint32_t of_eight = steps_like(*steps, 0, "mad.lo.s32").at(0);
  const uint32_t of_the_others = steps_like(*steps, 0, "add.s32 %r13").at(0);
  const uint32_t result = instruction(*steps, of_eight).writes.at(0).reg;
  ASSERT_EQ(result, instruction(*steps, of_the_others).writes.at(0).reg);
  EXPECT_EQ(steps->registers[result].name, "%r13");
  const uint32_t first = std::min(of_eight, of_the_others);
  EXPECT_FALSE(steps->value_read(0, result, first));  // not written before
  EXPECT_EQ(steps->value_at(0, result, first)->known(), first == of_eight ? 0xffU : 0xffffff00U);
  EXPECT_EQ(steps->value_at(0, result, steps->steps_of(0).back())->known(), 0xffffffffU);
}

TEST_F(Stepping, AWarpWaitsAtABarrierUntilTheLastOneComes) {
  std::vector<float> in(128);
  std::iota(in.begin(), in.end(), 1.0F);
  machinery.input("in", in);
  machinery.output<float>("out", 128);
  const auto steps = record("exchange_rows", {1}, {128});
  ASSERT_EQ(steps->warps, 4U);
  using State = StepWarpState::State;
  for (uint32_t warp = 0; warp < 4; ++warp) {
    const auto barriers = steps_like(*steps, warp, "bar.sync");
    ASSERT_EQ(barriers.size(), 1U);
    EXPECT_EQ(steps->steps[barriers[0]].waits, 0xffffffffU);
    EXPECT_EQ(instruction(*steps, barriers[0]).role, StepRole::barrier);
    for (uint32_t other = 0; other < 4; ++other) {
      // The simulator runs one warp after another up to the barrier; the last one releases it.
      const bool waits = other <= warp && warp < 3;
      EXPECT_EQ(steps->state_at(other, barriers[0]).state, waits ? State::at_barrier : State::ready)
          << "warp " << other << " when warp " << warp << " arrives";
    }
    const auto stores = steps_like(*steps, warp, "st.global");
    const LaneValues values = stored(*steps, stores.at(0));
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(as_float(values.bits(lane)), 0.5F * in[127 - 32 * warp - static_cast<size_t>(lane)] + 1.0F);
  }
  for (uint32_t warp = 0; warp < 4; ++warp) {
    EXPECT_TRUE(steps->ended[warp]);
    EXPECT_EQ(steps->state_at(warp, steps->steps_of(3).back()).state, State::exited);
  }
}

TEST_F(Stepping, ALaneGoesRoundItsLoopAsOftenAsItShould) {
  machinery.output<int>("out", 32);
  const auto steps = record("loops_of_their_own", {1}, {32});
  std::array<int, 32> rounds{};
  for (uint32_t step : steps_like(*steps, 0, "shl.b32"))
    for (size_t lane = 0; lane < 32; ++lane) rounds[lane] += static_cast<int>(steps->steps[step].executed >> lane & 1);
  constexpr std::array<int, 4> kSums = {1, 4, 11, 26};  // sum ← 2 sum + k + 1
  const LaneValues values = stored(*steps, steps_like(*steps, 0, "st.global").at(0));
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(rounds[lane], static_cast<int>(lane % 4) + 1);
    EXPECT_EQ(values.bits(static_cast<int>(lane)), static_cast<uint64_t>(kSums[lane % 4]));
  }
}

TEST_F(Stepping, AnyStepCanBeGoneToForwardsAndBackwards) {
  machinery.input("in", numbers(64));
  machinery.output<int>("out", 64);
  const auto steps = record("part_and_meet", {1}, {64});
  // A register file that applies the writes one by one, compared with the values that are looked up.
  using Lanes = std::array<std::optional<uint64_t>, 32>;
  std::vector<Lanes> file(size_t{2} * steps->registers.size());
  const auto look_up = [&](uint32_t warp, uint32_t reg, uint32_t step) {
    Lanes lanes;
    if (const auto value = steps->value_at(warp, reg, step))
      for (int lane = 0; lane < 32; ++lane)
        if (value->is_known(lane)) lanes[static_cast<size_t>(lane)] = value->bits(lane);
    return lanes;
  };
  std::vector<std::vector<Lanes>> states;
  for (uint32_t index = 0; index < steps->steps.size(); ++index) {
    for (const StepWrite& write : steps->writes_of(steps->steps[index]))
      for (int lane = 0; lane < 32; ++lane)
        if ((write.lanes >> lane & 1) != 0)
          file[write.warp * steps->registers.size() + write.reg][static_cast<size_t>(lane)] =
              LaneValues(&steps->values[write.values], steps->registers[write.reg].bytes, write.known).bits(lane);
    states.push_back(file);
  }
  for (uint32_t index = static_cast<uint32_t>(states.size()); index-- > 0;)
    for (uint32_t warp = 0; warp < 2; ++warp)
      for (uint32_t reg = 0; reg < steps->registers.size(); ++reg)
        ASSERT_EQ(look_up(warp, reg, index), states[index][warp * steps->registers.size() + reg])
            << "step " << index << ", " << steps->registers[reg].name;
}

TEST_F(Stepping, EveryInstructionOfTheBlockIsAStep) {
  std::vector<float> in(3 * 128, 2.0F);
  machinery.input("in", in);
  machinery.output<float>("out", 128);
  const auto plain = machinery.run(module, "exchange_rows", {1}, {128});
  const auto steps = record("exchange_rows", {1}, {128});
  EXPECT_EQ(steps->steps.size(), plain.counters.warp_instructions);
  EXPECT_EQ(std::accumulate(steps->executed.begin(), steps->executed.end(), uint64_t{0}),
            plain.counters.warp_instructions);
}

TEST_F(Stepping, AMemoryStepIsAnAccessOfTheTrace) {
  machinery.input("in", numbers(64));
  machinery.output<int>("out", 64);
  machinery.options.record_accesses = true;
  const auto plain = machinery.run(module, "part_and_meet", {1}, {64});
  const auto steps = record("part_and_meet", {1}, {64});
  size_t matched = 0;
  for (uint32_t index = 0; index < steps->steps.size(); ++index) {
    const Step& step = steps->steps[index];
    if (step.access == Step::kNone) continue;
    for (const Access& access : plain.trace.accesses) {
      if (access.warp != step.warp || access.sequence != step.access) continue;
      ++matched;
      EXPECT_EQ(access.mask, step.executed);
      const auto addresses = steps->addresses_at(index);
      ASSERT_TRUE(addresses);
      for (int lane = 0; lane < 32; ++lane) {
        if ((access.mask >> lane & 1) == 0) continue;
        EXPECT_EQ((*addresses)[static_cast<size_t>(lane)], plain.trace.address(access, lane));
      }
    }
  }
  EXPECT_EQ(matched, plain.trace.accesses.size());
}

TEST_F(Stepping, ResultsOfABarrierAreThereForAllThatWaited) {
  machinery.output<int>("out", 96);
  const auto steps = record("votes_at_a_barrier", {1}, {96});
  for (uint32_t warp = 0; warp < 3; ++warp) {
    const LaneValues values = stored(*steps, steps_like(*steps, warp, "st.global").at(0));
    const uint32_t reg = instruction(*steps, steps_like(*steps, warp, "st.global").at(0)).reads.back().reg;
    const auto write = steps->last_write(warp, reg, steps->steps_of(warp).back());
    ASSERT_TRUE(write);
    EXPECT_FALSE(steps->writes[*write].found);  // the instruction wrote it, not an unknown writer
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(values.bits(lane), 32U);  // 96 / 3
  }
}

TEST_F(Stepping, AShuffleOfLanesOnDifferentWaysGivesAllTheirResults) {
  module = module_of("synchronisation");
  const auto in = numbers(32);
  machinery.input("in", in);
  machinery.output<int>("out", 32);
  const auto steps = record("shuffle_in_branches", {1}, {32});
  const LaneValues values = stored(*steps, steps_like(*steps, 0, "st.global").at(0));
  for (int lane = 0; lane < 32; ++lane) {
    // Lane 4 is even and lane 7 odd: each supplies the value that it passes itself.
    const int expected = lane % 2 != 0 ? 2 * in[static_cast<size_t>(lane)] + in[4] + 100 : 5 - in[7];
    EXPECT_EQ(static_cast<int32_t>(values.bits(lane)), expected) << lane;
  }
}

TEST_F(Stepping, TheRecordIsTheSameOnAnyNumberOfHostThreads) {
  const auto make = [&](int threads) {
    Machinery other(threads);
    std::vector<float> in(128, 3.0F);
    other.input("in", in);
    other.output<float>("out", 128);
    other.options.step_window = StepWindow{.block = 5};
    return other.run(module, "exchange_rows", {64}, {128}).steps;
  };
  const auto one = make(1), four = make(4);
  ASSERT_EQ(one->steps.size(), four->steps.size());
  EXPECT_EQ(one->values, four->values);
  EXPECT_EQ(one->paths, four->paths);
  for (size_t i = 0; i < one->steps.size(); ++i) {
    EXPECT_EQ(one->steps[i].instruction, four->steps[i].instruction);
    EXPECT_EQ(one->steps[i].executed, four->steps[i].executed);
    EXPECT_EQ(one->steps[i].warp, four->steps[i].warp);
  }
}

TEST_F(Stepping, ALongLoopStaysWithinItsMemory) {
  machinery.output<unsigned>("out", 256);
  machinery.value(1'000'000);
  constexpr size_t kBytes = size_t{2} << 20;
  const auto by_bytes = record("count_long", {1}, {256}, {.max_bytes = kBytes});
  EXPECT_GT(by_bytes->steps.size(), 1000U);
  EXPECT_LT(by_bytes->bytes(), kBytes + kBytes / 8);
  const auto by_steps = record("count_long", {1}, {256}, {.max_steps = 8000});
  for (uint32_t warp = 0; warp < 8; ++warp) {
    EXPECT_EQ(by_steps->steps_of(warp).size(), 1000U);  // each warp gets its share
    EXPECT_FALSE(by_steps->ended[warp]);
  }
}

TEST_F(Stepping, AWindowFurtherOnHasTheValuesOfThere) {
  machinery.output<unsigned>("out", 64);
  machinery.value(100'000);
  const auto steps = record("count_long", {2}, {32}, {.block = 1, .first_step = 30'000, .max_steps = 500});
  ASSERT_EQ(steps->steps_of(0).size(), 500U);
  // Advances the generator to the value at the first recorded round, then follows it through the others. x is the
  // register that mad.lo writes.
  const auto rounds = steps_like(*steps, 0, "mad.lo.s32");
  ASSERT_FALSE(rounds.empty());
  const uint32_t x = instruction(*steps, rounds[0]).writes.at(0).reg;
  uint32_t value = 7;
  bool found = false;
  for (int round = 0; round < 40'000 && !found; ++round) {
    value = value * 1664525U + 1013904223U;
    found = value == static_cast<uint32_t>(steps->value_at(0, x, rounds[0])->bits(7));
  }
  EXPECT_TRUE(found);
  for (size_t i = 1; i < rounds.size(); ++i) {
    value = value * 1664525U + 1013904223U;
    EXPECT_EQ(steps->value_at(0, x, rounds[i])->bits(7), value);
  }
}

TEST_F(Stepping, ADeadlockCanBeGoneToAndShowsWhoWaitsWhere) {
  machinery.output<int>("out", 64);
  const auto steps = record("wait_for_nobody", {1}, {64});
  EXPECT_TRUE(steps->stopped);
  ASSERT_FALSE(steps->findings.empty());
  bool deadlock = false;
  for (const StepFinding& finding : steps->findings) {
    deadlock = deadlock || finding.id == "deadlock";
    ASSERT_LT(finding.step, steps->steps.size());
    EXPECT_EQ(steps->steps[finding.step].warp, finding.warp);
  }
  EXPECT_TRUE(deadlock);
  const uint32_t last = static_cast<uint32_t>(steps->steps.size()) - 1;
  EXPECT_EQ(steps->state_at(0, last), (StepWarpState{StepWarpState::State::at_barrier, 0}));
  EXPECT_EQ(steps->state_at(1, last).state, StepWarpState::State::at_barrier);
  const Step& end = steps->steps[steps->steps_of(1).back()];
  EXPECT_EQ(end.executed, 0xffffU);  // the lower half, which runs last
  ASSERT_EQ(steps->paths_of(end).size(), 1U);
  EXPECT_EQ(steps->paths_of(end)[0],
            (StepPath{0xffff0000U, steps->paths_of(end)[0].instruction, StepPath::State::at_barrier, 1}));
}

TEST_F(Stepping, AFindingIsAtTheStepThatMadeIt) {
  machinery.input("in", std::vector<float>(100, 1.0F));
  machinery.output<float>("out", 32);
  machinery.value(5);
  const auto steps = record("read_behind", {1}, {32});
  ASSERT_FALSE(steps->findings.empty());
  const StepFinding& first = steps->findings[0];
  EXPECT_EQ(first.id, "out-of-bounds");
  EXPECT_EQ(first.lane, 4U);  // element 96 + 4
  ASSERT_LT(first.step, steps->steps.size());
  EXPECT_EQ(instruction(*steps, first.step).role, StepRole::load);
  const auto addresses = steps->addresses_at(first.step);
  EXPECT_EQ(region_of((*addresses)[4]).offset, 400);
  EXPECT_EQ(first.own, first.step);  // one warp, from its first step
}

TEST_F(Stepping, AFindingBehindTheWindowSaysHowFarItIs) {
  machinery.input("in", std::vector<float>(3200 + 4, 1.0F));
  machinery.output<float>("out", 32);
  machinery.value(102);
  const auto near = record("read_behind", {1}, {32}, {.max_steps = 20});
  ASSERT_FALSE(near->findings.empty());
  EXPECT_EQ(near->findings[0].step, Step::kNone);
  const uint64_t own = near->findings[0].own;
  EXPECT_GT(own, 20U);
  const auto there = record("read_behind", {1}, {32}, {.first_step = own - 10, .max_steps = 20});
  ASSERT_FALSE(there->findings.empty());
  EXPECT_EQ(there->findings[0].step, 10U);
  EXPECT_EQ(instruction(*there, 10).role, StepRole::load);
}

TEST_F(Stepping, AKernelWithoutMistakesHasNoFindings) {
  machinery.input("in", numbers(64));
  machinery.output<int>("out", 64);
  EXPECT_TRUE(record("part_and_meet", {1}, {64})->findings.empty());
}

TEST_F(Stepping, ATrapIsTheLastStep) {
  module = module_of("misbehaving");
  machinery.output<float>("out", 32);
  const auto steps = record("trap_in_lane_5", {1}, {32});
  EXPECT_TRUE(steps->stopped);
  EXPECT_TRUE(instruction(*steps, steps->steps_of(0).back()).text.ends_with("trap"));
  EXPECT_EQ(steps->state_at(0, steps->steps_of(0).back()).state, StepWarpState::State::trapped);
}

TEST_F(Stepping, ABlockThatWaitsForOthersSeesWhatTheyWrote) {
  machinery.input("sums", std::vector<int>(8, 0));
  const auto steps = record("chain_of_blocks", {8}, {32}, {.block = 5});
  const auto stores = steps_like(*steps, 0, "st.volatile");
  ASSERT_EQ(stores.size(), 1U);
  EXPECT_EQ(steps->steps[stores[0]].executed, 1U);
  EXPECT_EQ(stored(*steps, stores[0]).bits(0), 1U + 2 + 3 + 4 + 5 + 6);
}

TEST_F(Stepping, RegistersHaveTheirNamesAndKinds) {
  machinery.input("in", std::vector<float>(128, 1.0F));
  machinery.output<float>("out", 128);
  const auto steps = record("exchange_rows", {1}, {128});
  const uint32_t step = steps_like(*steps, 0, "mul.f32").at(0);
  const StepInstruction& multiply = instruction(*steps, step);
  EXPECT_EQ(steps->registers[multiply.writes.at(0).reg].name, "%f2");
  EXPECT_EQ(multiply.writes[0].kind, ValueKind::f32);
  EXPECT_EQ(steps->registers[multiply.reads.at(0).reg].name, "%f1");
  const StepInstruction& wide = instruction(*steps, steps_like(*steps, 0, "mul.wide.s32").at(0));
  EXPECT_EQ(steps->registers[wide.reads.at(0).reg].name, "%r1");
  EXPECT_EQ(wide.reads[0].kind, ValueKind::signed_integer);
  const StepInstruction& load = instruction(*steps, steps_like(*steps, 0, "ld.global.f32").at(0));
  EXPECT_TRUE(load.is_memory);
  EXPECT_TRUE(load.reads.empty());  // its address is not among the values
  EXPECT_EQ(steps->registers[load.address_register].kind, ValueKind::address);
  EXPECT_EQ(mark_of("stepping", load.line), "[load]");
}

TEST_F(Stepping, VariablesHaveTheNamesOfTheSource) {
  machinery.input("in", std::vector<float>(128, 1.0F));
  machinery.output<float>("out", 128);
  const auto steps = record("exchange_rows", {1}, {128});
  EXPECT_EQ(steps_like(*steps, 0, "mov.u64 %rd7, tile").size(), 1U);  // _ZZ13exchange_rowsE4tile in the PTX
}

TEST_F(Stepping, AFindingOfABarrierIsAtTheBarrier) {
  module = module_of("misbehaving");
  machinery.output<float>("out", 64);
  machinery.value(32);
  const auto steps = record("leave_before_barrier", {1}, {64});
  bool found = false;
  for (const StepFinding& finding : steps->findings) {
    if (finding.id != "divergent-barrier") continue;
    found = true;
    ASSERT_LT(finding.step, steps->steps.size());
    EXPECT_EQ(instruction(*steps, finding.step).role, StepRole::barrier);
  }
  EXPECT_TRUE(found);
}

TEST_F(Stepping, ABlockThatIsNotThereIsRefused) {
  machinery.output<int>("out", 32);
  machinery.options.step_window = StepWindow{.block = 7};
  EXPECT_FALSE(machinery.try_run(module, "loops_of_their_own", {7}, {32}));
}

}  // namespace
}  // namespace tilescope
