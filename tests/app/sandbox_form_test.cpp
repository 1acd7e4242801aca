// A kernel as people write it runs at once with what the form suggests, and a wrong field gives the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "app/sandbox/form/arguments.hpp"
#include "app/sandbox/form/kernel_form.hpp"
#include "tests/app/sandbox_kernels.hpp"
#include "tests/run/shared_engine.hpp"

namespace tilescope {
namespace {

using namespace testing;  // NOLINT: the kernels, and gmock's matchers
using ::testing::ElementsAre;

KernelForm first_form(const std::string& source, FieldTexts edits = {}) {
  const SourceFacts facts = read_source_facts(source);
  return form_of(facts.kernels.empty() ? "" : facts.kernels.front().name, facts, std::move(edits));
}

const BufferSpec& buffer_named(const FilledForm& filled, std::string_view name) {
  for (const BufferSpec& buffer : filled.buffers)
    if (buffer.name == name) return buffer;
  static const BufferSpec none;
  ADD_FAILURE() << "no buffer " << name;
  return none;
}

std::string problem_of(const std::string& field, const std::string& text, const char* source = kSaxpy) {
  KernelForm form = first_form(source);
  form.set(field, text);
  const FilledForm filled = fill_in(form, n_of(form));
  const auto found = filled.problems.find(field);
  return found == filled.problems.end() ? "none" : found->second.key;
}

TEST(KernelForm, ReadsParametersFromTheSource) {
  const KernelForm form = first_form(kSaxpy);
  ASSERT_EQ(form.parameters.size(), 4U);
  EXPECT_EQ(form.parameters[0].name, "n");
  EXPECT_EQ(form.parameters[0].type, DType::i32);
  EXPECT_EQ(form.parameters[1].type, DType::f32);
  EXPECT_EQ(form.parameters[2].kind, ParameterType::Kind::pointer);
  EXPECT_TRUE(form.parameters[2].is_const);
  EXPECT_FALSE(form.parameters[3].is_const);
}

TEST(KernelForm, GuessesRolesFromConstAndStores) {
  EXPECT_EQ(first_form(kSaxpy).text("x.role"), "input");
  EXPECT_EQ(first_form(kSaxpy).text("y.role"), "inout");  // y[i] = a * x[i] + y[i]
  EXPECT_EQ(first_form(kScale).text("y.role"), "output");
  EXPECT_EQ(first_form(kScale).text("y.fill"), "poison");
  EXPECT_EQ(first_form(kHistogram).text("bins.fill"), "zero");  // only added to
}

TEST(KernelForm, ShapesFollowTheIndices) {
  const KernelForm matmul = first_form(kMatmul);
  EXPECT_EQ(matmul.text("A.shape"), "M, K");
  EXPECT_EQ(matmul.text("B.shape"), "K, N");
  EXPECT_EQ(matmul.text("C.shape"), "M, N");
  EXPECT_EQ(first_form(kSoftmax).text("in.shape"), "rows, cols");
  EXPECT_EQ(first_form(kBlockSums).text("partial.shape"), "grid.x");
  EXPECT_EQ(first_form(kVectors).text("x.shape"), "n4*4");
}

TEST(KernelForm, LaunchFollowsTheAxes) {
  const KernelForm saxpy = first_form(kSaxpy);
  EXPECT_EQ(saxpy.text("grid.x"), "ceil(n/block.x)");
  EXPECT_EQ(saxpy.text("block.x"), "256");
  const KernelForm matmul = first_form(kMatmul);
  EXPECT_EQ(matmul.text("grid.x"), "ceil(N/16)");
  EXPECT_EQ(matmul.text("grid.y"), "ceil(M/16)");
  EXPECT_EQ(matmul.text("block.y"), "16");
  const KernelForm softmax = first_form(kSoftmax);
  EXPECT_EQ(softmax.text("shared"), "block*4");
  const KernelForm transpose = first_form(kTranspose);
  EXPECT_EQ(transpose.text("block.x"), "32");
  EXPECT_EQ(transpose.text("block.y"), "8");
  EXPECT_EQ(first_form(kScale).text("block.x"), "128");    // as main() launches it
  EXPECT_EQ(first_form(kAliased).text("block.x"), "128");  // __launch_bounds__
}

TEST(KernelForm, ATemplateTakesTheArgumentsOfTheHostsLaunchAndTheirTypes) {
  KernelForm form = first_form(kScale);
  EXPECT_EQ(form.text("template"), "double");
  EXPECT_EQ(form.text("x.type"), "f64");
  const SourceFacts facts = read_source_facts(kScale);
  form.set("template", "half");
  suggest(form, facts);
  EXPECT_EQ(form.text("x.type"), "f16");
  EXPECT_EQ(fill_in(form, 64).launch.kernel, "scale<half>");
}

TEST(KernelForm, AliasesAndTypedefsAreFollowed) {
  const KernelForm form = first_form(kAliased);
  EXPECT_EQ(form.text("values.type"), "f32");
  EXPECT_EQ(form.text("idx.type"), "u32");
  EXPECT_EQ(form.text("idx.fill"), "iota");
}

TEST(KernelForm, OneNDrivesEverything) {
  const KernelForm form = first_form(kSaxpy);
  const FilledForm filled = fill_in(form, 1000);
  EXPECT_TRUE(filled.good());
  EXPECT_EQ(filled.launch.grid.x, 4U);
  EXPECT_THAT(buffer_named(filled, "x").shape, ElementsAre(1000));
  const auto& n = std::get<ScalarArgument>(filled.launch.arguments[0]);
  int32_t value = 0;
  std::memcpy(&value, n.bytes.data(), sizeof value);
  EXPECT_EQ(value, 1000);
}

TEST(KernelForm, SaysAtTheFieldWhatIsWrong) {
  EXPECT_EQ(problem_of("grid.x", "0"), "sandbox.too_small");
  EXPECT_EQ(problem_of("grid.y", "70000"), "sandbox.too_large");
  EXPECT_EQ(problem_of("grid.x", "n/"), "sandbox.breaks_off");
  EXPECT_EQ(problem_of("grid.x", "grid.x"), "sandbox.circular");
  EXPECT_EQ(problem_of("block.x", "2048"), "sandbox.too_large");
  EXPECT_EQ(problem_of("block.y", "32"), "none");
  EXPECT_EQ(problem_of("shared", "1000000"), "sandbox.too_large");
  EXPECT_EQ(problem_of("x.shape", "2^60"), "sandbox.too_much_memory");
  EXPECT_EQ(problem_of("x.shape", "0"), "sandbox.too_small");
  EXPECT_EQ(problem_of("x.shape", "m"), "sandbox.unknown_name");
  EXPECT_EQ(problem_of("x.fill", "gauss"), "sandbox.bad_fill");
  EXPECT_EQ(problem_of("x.fill", "@/nonexistent/file.bin"), "sandbox.no_file");
  EXPECT_EQ(problem_of("a.value", "two"), "sandbox.unknown_name");
  EXPECT_EQ(problem_of("n.value", "3000000000"), "sandbox.too_large");
  EXPECT_EQ(problem_of("n.value", "0.5"), "sandbox.not_whole");
  EXPECT_EQ(problem_of("defines", "1X=2"), "sandbox.bad_define");
  EXPECT_EQ(problem_of("includes", "/nonexistent"), "sandbox.no_folder");
  EXPECT_EQ(problem_of("template", "", kScale), "sandbox.template_empty");
}

TEST(KernelForm, TooManyThreadsAreWrongAtTheBlock) {
  KernelForm form = first_form(kSaxpy);
  form.set("block.y", "32");
  EXPECT_TRUE(fill_in(form, 64).problems.contains("block.x"));
  form.set("block.x", "32");
  EXPECT_TRUE(fill_in(form, 64).good());
}

TEST(KernelForm, WhatIsRightHasNoProblem) {
  EXPECT_EQ(problem_of("grid.x", "(n + block.x - 1 - (n - 1) % block.x) / block.x"), "none");
  EXPECT_EQ(problem_of("x.shape", "null"), "none");
  EXPECT_EQ(problem_of("x.shape", "n/4, 4"), "none");
  EXPECT_EQ(problem_of("x.fill", "uniform(-1, 1)"), "none");
  EXPECT_EQ(problem_of("a.value", "-1.5e3"), "none");
  EXPECT_EQ(problem_of("defines", "-DTILE=16 FAST"), "none");
}

TEST(KernelForm, AnEditThatSaysWhatTheSourceSuggestsIsNone) {
  KernelForm form = first_form(kSaxpy);
  form.set("block.x", "128");
  EXPECT_TRUE(form.is_edited("block.x"));
  form.set("block.x", "256");
  EXPECT_FALSE(form.is_edited("block.x"));
}

TEST(KernelForm, TheCommandLineMakesTheSamePlan) {
  KernelForm form = first_form(kStructure);
  const FilledForm filled = fill_in(form, 64);
  ASSERT_TRUE(filled.good());
  std::vector<BufferSpec> buffers;
  const auto arguments = parse_arguments(filled.specs, buffers);
  ASSERT_TRUE(arguments) << arguments.error().message;
  ASSERT_EQ(buffers.size(), filled.buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(buffers[i].name, filled.buffers[i].name);
    EXPECT_EQ(buffers[i].shape, filled.buffers[i].shape);
    EXPECT_EQ(buffers[i].fill, filled.buffers[i].fill);
  }
  const std::vector<uint64_t> addresses{0x1000, 0x2000};
  EXPECT_EQ(argument_bytes((*arguments)[0], addresses), argument_bytes(filled.launch.arguments[0], addresses));
  EXPECT_THAT(exec_line("/a b/x.cu", filled, DeviceKind::sim, 1),
              ::testing::StartsWith("tilescope exec '/a b/x.cu' --kernel with_struct --grid "));
}

/// Runs a kernel with what its form suggests.
class SuggestedRun : public ::testing::TestWithParam<const char*> {};

TEST_P(SuggestedRun, IsCleanAndWritesEveryOutput) {
  const auto engine = testing::shared_engine();
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  const KernelForm form = first_form(GetParam());
  FilledForm filled = fill_in(form, n_of(form));
  for (const auto& [field, problem] : filled.problems) ADD_FAILURE() << field << ": " << problem.key;
  Plan plan{.source_file = "own.cu", .source_text = GetParam(), .buffers = filled.buffers, .launches = {filled.launch}};
  const auto result = engine->run_plan(std::move(plan), Request{});
  ASSERT_TRUE(result) << result.error().message;
  for (const Finding& finding : result->findings) ADD_FAILURE() << finding.message;
  for (const OutputStatistics& output : result->statistics)
    EXPECT_EQ(output.untouched, 0U) << result->plan.buffers[output.buffer].name;
}

INSTANTIATE_TEST_SUITE_P(Kernels, SuggestedRun,
                         ::testing::Values(kSaxpy, kScale, kMatmul, kSoftmax, kBlockSums, kHistogram, kTranspose,
                                           kStructure, kVectors, kHello, kAliased));

TEST(SourceFacts, TextThatIsNoProgramHasNoKernelsAndDoesNoHarm) {
  EXPECT_TRUE(read_source_facts("").kernels.empty());
  EXPECT_TRUE(read_source_facts("int main() { return 0; }\n").kernels.empty());
  const std::string whole = std::string(kMatmul) + kScale + kStructure + kSoftmax;
  for (size_t length = 0; length < whole.size(); ++length) {
    const SourceFacts facts = read_source_facts(whole.substr(0, length));
    for (const SourceKernel& kernel : facts.kernels) (void)fill_in(form_of(kernel.name, facts, {}), 64);
  }
}

}  // namespace
}  // namespace tilescope
