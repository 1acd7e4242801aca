// Variables of the module, and arrays of pointers, in the form of a kernel.
#include <gmock/gmock.h>

#include "app/sandbox/form/kernel_form.hpp"
#include "tests/run/shared_engine.hpp"

namespace tilescope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char* const kBlur = R"(#define RADIUS 1
namespace filter { __constant__ float weights[2 * RADIUS + 1]; }
__constant__ int width, unused_here;
__device__ float table[64];
__device__ unsigned counter = 0;
__device__ float other;
__global__ void blur(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&counter, 1);
  if (i > 0 && i < width - 1) y[i] = filter::weights[0] * x[i - 1] + filter::weights[2] * x[i + 1] + table[i % 64];
}
__global__ void uses_other(float* y) { y[0] = other; }
void prepare(int n) { cudaMemcpyToSymbol(width, &n, sizeof(int)); }
int main() {
  const int n = 1024;
  const float usual[3] = {0.25f, 0.5f, 0.25f};
  float from_file[64];
  float *x, *y;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  cudaMemcpyToSymbol(filter::weights, usual, sizeof(usual));
  cudaMemcpyToSymbol(table, from_file, sizeof(from_file));
  prepare(n);
  blur<<<n / 256, 256>>>(x, y);
}
)";

KernelForm form_for(const std::string& source, const std::string& kernel) {
  return form_of(kernel, read_source_facts(source), {});
}

TEST(FormVariables, AreThoseThatTheKernelMayRead) {
  std::vector<std::string> declared;
  for (const FormVariable& one : form_for(kBlur, "blur").variables) declared.push_back(one.declared);
  EXPECT_THAT(declared, ElementsAre("float weights[3]", "int width", "float table[64]", "unsigned counter"));
}

TEST(FormVariables, TakeWhatTheHostCopies) {
  const KernelForm form = form_for(kBlur, "blur");
  EXPECT_EQ(form.text("@filter::weights"), "0.25, 0.5, 0.25");
  EXPECT_EQ(form.origins.at("@filter::weights"), (FieldOrigin{FieldOrigin::Kind::host, "main", 21}));
  EXPECT_EQ(form.text("@width"), "1024");    // through a function
  EXPECT_EQ(form.text("@table"), "normal");  // the host reads it from elsewhere
  EXPECT_EQ(form.text("@counter"), "");      // as the file declares it
  const FilledForm filled = fill_in(form, n_of(form));
  EXPECT_TRUE(filled.good());
  EXPECT_FALSE(filled.values.contains("@filter::weights"));  // three numbers are not a single value
  EXPECT_THAT(filled.symbols,
              ElementsAre("filter::weights=f32:0.25,0.5,0.25", "width=i32:1024", "table=buf:f32:64:normal"));
  EXPECT_THAT(exec_line("x.cu", filled, DeviceKind::sim, 1),
              HasSubstr(" --symbol filter::weights=f32:0.25,0.5,0.25 --symbol width=i32:1024"));
}

TEST(FormVariables, AFieldTakesNumbersThatFollowFromN) {
  KernelForm form = form_for(kBlur, "blur");
  form.set("@width", "n/2");
  form.set("@filter::weights", "0, 1, 0");
  form.set("@table", "");
  const FilledForm filled = fill_in(form, 512);
  EXPECT_THAT(filled.symbols, ElementsAre("filter::weights=f32:0,1,0", "width=i32:256"));
  form.set("@table", "nothing");
  EXPECT_EQ(fill_in(form, 512).problems.at("@table").key, "sandbox.unknown_name");
  form.set("@table", "2 f32");
  EXPECT_TRUE(fill_in(form, 512).problems.contains("@table"));
}

TEST(FormVariables, TheRunFindsThem) {
  const auto engine = testing::shared_engine();
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  const KernelForm form = form_for(kBlur, "blur");
  FilledForm filled = fill_in(form, n_of(form));
  for (BufferSpec& buffer : filled.buffers)
    if (buffer.name == "x") buffer.fill = Fill::ones;
  Plan plan{.source_file = "blur.cu", .source_text = kBlur};
  plan.buffers = filled.buffers;
  plan.variables = filled.variables;
  plan.variables.pop_back();  // table
  plan.launches = {filled.launch};
  const auto result = engine->run_plan(std::move(plan), {});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(value_at(*result->buffers[1], 500), 0.5);
  ASSERT_EQ(result->warnings.size(), 1U);
  EXPECT_THAT(result->warnings[0].english(), HasSubstr("'table'"));
}

TEST(FormVariables, OneThatTheCompilerLeftOutIsNoError) {
  const auto engine = testing::shared_engine();
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  const char* source = "__constant__ float gone;\n__global__ void k(float* y) { if (false) y[0] = gone; y[0] = 1; }\n";
  KernelForm form = form_for(source, "k");
  form.set("@gone", "3");
  const FilledForm filled = fill_in(form, 1);
  Plan plan{.source_file = "k.cu", .source_text = source};
  plan.buffers = filled.buffers;
  plan.variables = filled.variables;
  plan.launches = {filled.launch};
  ASSERT_EQ(plan.variables.size(), 1U);
  const auto result = engine->run_plan(std::move(plan), {});
  EXPECT_TRUE(result) << result.error().message;
}

TEST(FormTables, AnArrayOfPointersIsFilledWithBuffers) {
  const KernelForm form = form_for(
      "__global__ void rows(float** in, double* const* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[0][i] = in[1][i];\n}\n",
      "rows");
  const FilledForm filled = fill_in(form, 256);
  EXPECT_TRUE(filled.good());
  EXPECT_EQ(filled.specs[0], "ptrs:4*buf:f32:256:normal");
  EXPECT_EQ(filled.specs[1], "ptrs:4*buf:f64:256:normal");
  ASSERT_EQ(filled.buffers.size(), 10U);
  EXPECT_EQ(filled.buffers[4].name, "in");
  EXPECT_EQ(filled.launch.presets[1].buffer, 9U);
  EXPECT_THAT(exec_line("x.cu", filled, DeviceKind::sim, 1),
              AllOf(HasSubstr("'in=ptrs:4*buf:f32:256:normal'"), HasSubstr("n=i32:256")));
}

}  // namespace
}  // namespace tilescope
