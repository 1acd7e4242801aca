// Generated kernels on the simulator, against their definition.
#include <gtest/gtest.h>

#include <set>

#include "engine/sim/simulator.hpp"
#include "tests/differential/fuzz_run.hpp"
#include "tests/differential/runner.hpp"
#include "tests/thorough.hpp"

namespace tilescope::differential {
namespace {

constexpr uint64_t kKernelsPerModule = 34;

TEST(GeneratedKernels, ComputeWhatTheirDefinitionSaysAndAreFoundFaultless) {
  const auto compiler = Compiler::open(std::string(TILESCOPE_BINARY) + "/differential_modules");
  if (!compiler) GTEST_SKIP() << compiler.error().message;
  const auto simulator = make_simulator(2);
  FuzzRunner runner(*compiler, *simulator, nullptr);
  uint64_t kernels = 0;
  const uint64_t modules = is_thorough() ? 3 : 1;
  for (uint64_t module = 0; module < modules; ++module) {
    const FuzzReport report = runner.run(1 + module * kKernelsPerModule, kKernelsPerModule);
    kernels += report.kernels;
    for (const FuzzFailure& failure : report.failures)
      ADD_FAILURE() << failure.kind << ", seed " << failure.kernel.seed << ": " << failure.what << "\n"
                    << "fuzz_kernels --seed " << failure.kernel.seed << " --kernels 1 shows the smallest such kernel";
  }
  EXPECT_GE(kernels, is_thorough() ? 100U : 34U);
}

TEST(GeneratedKernels, AreTheSameForASeedAndOthersForAnother) {
  EXPECT_EQ(print_kernels({generate_kernel(7)}), print_kernels({generate_kernel(7)}));
  EXPECT_NE(print_kernels({generate_kernel(7)}), print_kernels({generate_kernel(8)}));
}

TEST(GeneratedKernels, AllStatementsOccur) {
  std::set<Statement::Kind> seen;
  const std::function<void(const std::vector<Statement>&)> visit = [&](const std::vector<Statement>& list) {
    for (const Statement& statement : list) {
      seen.insert(statement.kind);
      for (const auto& body : statement.bodies) visit(body);
    }
  };
  for (uint64_t seed = 1; seed <= 3 * kKernelsPerModule; ++seed) {
    const FuzzKernel kernel = generate_kernel(seed);
    visit(kernel.body);
    visit(kernel.tail);
  }
  EXPECT_EQ(seen.size(), static_cast<size_t>(Statement::Kind::uniform_loop) + 1);
}

/// An executor that flips one bit of its result in the buffer with this index: always, or only where it compiles the
/// PTX itself.
class Faulty : public Executor {
 public:
  Faulty(std::unique_ptr<Executor> inner, size_t index, bool only_from_ptx = false)
      : inner_(std::move(inner)), index_(index), only_from_ptx_(only_from_ptx) {}
  DeviceInfo device() const override { return inner_->device(); }
  Result<std::shared_ptr<DeviceBuffer>> allocate(const BufferRequest& request) override {
    auto buffer = inner_->allocate(request);
    if (buffer && request.index == index_) wrong_ = buffer->get();
    return buffer;
  }
  Result<void> upload(DeviceBuffer& buffer, std::span<const std::byte> bytes, bool poison) override {
    return inner_->upload(buffer, bytes, poison);
  }
  Result<void> download(const DeviceBuffer& buffer, std::span<std::byte> bytes) override {
    auto done = inner_->download(buffer, bytes);
    if (&buffer == wrong_ && (!only_from_ptx_ || from_ptx_)) bytes.back() ^= std::byte{1};
    return done;
  }
  Result<LaunchReport> launch(const CompiledModule& module, const Launch& launch,
                              std::span<const std::shared_ptr<DeviceBuffer>> buffers, const LaunchOptions& options,
                              std::stop_token stop) override {
    from_ptx_ = module.cubin.empty();
    return inner_->launch(module, launch, buffers, options, stop);
  }

 private:
  std::unique_ptr<Executor> inner_;
  size_t index_;
  bool only_from_ptx_, from_ptx_ = true;
  const DeviceBuffer* wrong_ = nullptr;
};

TEST(GeneratedKernels, OneWrongBitIsToldWithTheSeedAndAsWhose) {
  const auto compiler = Compiler::open({});
  if (!compiler) GTEST_SKIP() << compiler.error().message;
  constexpr size_t kOut = 6;
  Faulty wrong(make_simulator(1), kOut);
  const auto right = make_simulator(1);
  const FuzzReport simulator_wrong = FuzzRunner(*compiler, wrong, nullptr).run(3, 1);
  ASSERT_EQ(simulator_wrong.failures.size(), 1U);
  EXPECT_EQ(simulator_wrong.failures[0].kind, "simulator");
  EXPECT_EQ(simulator_wrong.failures[0].kernel.seed, 3U);
  const FuzzReport they_differ = FuzzRunner(*compiler, *right, &wrong).run(3, 1);
  ASSERT_EQ(they_differ.failures.size(), 1U);
  EXPECT_EQ(they_differ.failures[0].what.find("not as on the GPU: "), 0U);
  EXPECT_TRUE(they_differ.compiler.empty());
  const FuzzReport both_wrong = FuzzRunner(*compiler, wrong, &wrong).run(3, 1);
  EXPECT_TRUE(both_wrong.failures.empty());
  EXPECT_EQ(both_wrong.compiler.size(), 1U);
  EXPECT_EQ(FuzzRunner(*compiler, *right, right.get()).run(3, 1).agreed, 1U);
}

TEST(GeneratedKernels, WhatOnlyTheOptimiserOfTheAssemblerGetsWrongIsNoFailure) {
  const auto compiler = Compiler::open({});
  if (!compiler) GTEST_SKIP() << compiler.error().message;
  constexpr size_t kOut = 6;
  Faulty optimiser_wrong(make_simulator(1), kOut, true);
  const auto right = make_simulator(1);
  const FuzzReport told = FuzzRunner(*compiler, *right, &optimiser_wrong).run(3, 1);
  EXPECT_TRUE(told.failures.empty());
  ASSERT_EQ(told.compiler.size(), 1U);
  EXPECT_EQ(told.compiler[0].what.find("ptxas, if it optimises: "), 0U);
  // With the level given from the start, the executor gets a cubin, and nothing differs.
  EXPECT_EQ(FuzzRunner(*compiler, *right, &optimiser_wrong, {}, 0).run(3, 1).agreed, 1U);
}

// The definition itself, against values calculated by hand.
TEST(GeneratedKernels, DefinitionOfABranchInALoop) {
  FuzzKernel kernel;
  kernel.seed = 5;
  kernel.block = 3;
  kernel.variables = {Type::u32};  // starts as the thread's number + 3
  const auto literal = [](uint64_t bits) {
    Expression made;
    made.bits = bits;
    return made;
  };
  Expression variable, sum;
  variable.kind = Expression::Kind::variable;
  sum.kind = Expression::Kind::binary;
  sum.arguments = {variable, literal(10)};
  Expression small;
  small.kind = Expression::Kind::binary;
  small.op = Op::lt;
  small.arguments = {variable, literal(25)};
  Statement add{Statement::Kind::assign}, branch{Statement::Kind::branch}, loop{Statement::Kind::loop};
  add.expressions = {sum};
  branch.expressions = {small};
  branch.bodies = {{add}};
  loop.mode = 7;
  loop.expressions = {literal(5)};
  loop.bodies = {{branch}};
  kernel.tail = {loop};
  const auto scenario = scenario_of(kernel, 0);
  ASSERT_TRUE(scenario.has_value());
  // 3, 4 and 5 grow by 10 until they are at least 25; four slots before each are untouched.
  std::vector<uint64_t> out(15);
  std::memcpy(out.data(), scenario->expectations[0].bytes.data(), out.size() * sizeof(uint64_t));
  EXPECT_EQ(out, (std::vector<uint64_t>{0, 0, 0, 0, 33, 0, 0, 0, 0, 34, 0, 0, 0, 0, 25}));
}

TEST(GeneratedKernels, AreMinimisedToWhatStillFails) {
  const auto multiplies = [](const FuzzKernel& kernel) {
    return print_kernels({kernel}).find("__mul64hi(") != std::string::npos;
  };
  uint64_t seed = 1;
  while (!multiplies(generate_kernel(seed))) ++seed;
  const FuzzKernel whole = generate_kernel(seed), small = minimise(whole, multiplies, 5000);
  EXPECT_TRUE(multiplies(small));
  EXPECT_EQ(small.body.size() + small.tail.size() <= 1, true) << print_kernels({small});
}

}  // namespace
}  // namespace tilescope::differential
