// The form of a Triton kernel: what its fields become for Triton's compiler, and the command line that says the same.
#include <gmock/gmock.h>

#include "app/sandbox/form/kernel_form.hpp"
#include "app/sandbox/reading/foreign_facts.hpp"
#include "engine/run/triton_launch.hpp"

namespace tilescope {
namespace {

using testing::HasSubstr;
using testing::Not;

/// select(x, mask, scale, flag, BLOCK)
SourceFacts facts() {
  TritonFunction select{.name = "select", .line = 5};
  select.parameters = {{.name = "x", .spec = "desc:f16:n,n:normal:block=BLOCK,32"},
                       {.name = "mask", .is_pointer = true, .type = "bool", .shape = "n", .role = "input"},
                       {.name = "scale", .type = "f32", .number = "0.5"},
                       {.name = "flag", .type = "bool", .number = "true"},
                       {.name = "BLOCK", .is_constexpr = true, .value = "64"}};
  TritonFile file;
  file.kernels = {select};
  return facts_of_triton(file, "def select(): pass\n");
}

std::vector<std::string> types_of(const FilledForm& filled) {
  Plan plan{.buffers = filled.buffers, .launches = {filled.launch}};
  std::vector<std::string> types;
  const std::vector<TritonKernel> kernels = triton_kernels(plan).value();
  for (const TritonKernel::Argument& one : kernels.front().arguments) types.push_back(one.type);
  return types;
}

TEST(TritonForm, TypesReachTheCompilersSignature) {
  KernelForm form = form_of("select", facts(), {{"n", "128"}});
  const FilledForm filled = fill_in(form, n_of(form));
  ASSERT_TRUE(filled.good()) << filled.problems.begin()->first;
  EXPECT_THAT(types_of(filled), testing::ElementsAre("tensordesc<fp16[64, 32]>", "*i1", "fp32", "i1"));
  form.set("mask.type", "f8e5m2");
  EXPECT_EQ(types_of(fill_in(form, n_of(form)))[1], "*fp8e5");
  form.set("mask.type", "f8e4m3");
  EXPECT_EQ(types_of(fill_in(form, n_of(form)))[1], "*fp8e4nv");
  form.set("mask.type", "u8");
  EXPECT_EQ(types_of(fill_in(form, n_of(form)))[1], "*u8");
}

TEST(TritonForm, TheCommandLineSaysTheTypes) {
  const KernelForm form = form_of("select", facts(), {{"n", "128"}});
  const std::string line = exec_line("select.py", fill_in(form, n_of(form)), DeviceKind::sim, 1);
  EXPECT_THAT(line, HasSubstr("--arg x=desc:f16:128x128:normal:block=BLOCK,32"));
  EXPECT_THAT(line, HasSubstr("--arg buf:bool:128:normal:mask --arg scale=f32:0.5 --arg flag=bool:1"));
  EXPECT_THAT(line, Not(HasSubstr("--target")));
}

TEST(TritonForm, TheTargetIsAField) {
  KernelForm form = form_of("select", facts(), {{"target", "sm_89"}});
  const FilledForm filled = fill_in(form, n_of(form));
  EXPECT_EQ(filled.architecture, "compute_89");
  EXPECT_THAT(exec_line("select.py", filled, DeviceKind::sim, 1), HasSubstr("--target sm_89"));
  form.set("target", "hopper");
  EXPECT_EQ(fill_in(form, n_of(form)).problems.at("target").key, "sandbox.bad_target");
}

}  // namespace
}  // namespace tilescope
