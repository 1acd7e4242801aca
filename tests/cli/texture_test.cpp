// --arg tex:…: how it is parsed, and how `tilescope exec` uses it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/sandbox/form/arguments.hpp"
#include "tests/cli/exec_program.hpp"

namespace tilescope {
namespace {

using testing::HasSubstr;
using Shape = TextureSpec::Shape;
using Address = TextureSpec::Address;

TEST(TextureArgument, ExtentsAreThoseOfCudaMallocArrayAndTheBuffersOutermostFirst) {
  const auto plane = parse_texture("tex:u8x4:5x3:uniform:float:linear:normalized:wrap");
  ASSERT_TRUE(plane) << plane.error().message;
  EXPECT_EQ(plane->texels.shape, (std::vector<int64_t>{3, 5, 4}));
  EXPECT_EQ(plane->texels.type, DType::u8);
  EXPECT_EQ(plane->texture, (TextureSpec{.shape = Shape::two,
                                         .type = DType::u8,
                                         .channels = 4,
                                         .extent = {5, 3, 1},
                                         .linear_filter = true,
                                         .normalized = true,
                                         .normalized_float = true,
                                         .address = Address::wrap}));
  EXPECT_EQ(parse_texture("tex:f32:7:zero")->texture.shape, Shape::one);
  EXPECT_EQ(parse_texture("tex:f32:7:zero:linear-memory")->texture.shape, Shape::linear);
  EXPECT_EQ(parse_texture("tex:f16x2:7x6x5:zero")->texels.shape, (std::vector<int64_t>{5, 6, 7, 2}));
  EXPECT_EQ(parse_texture("tex:f32:7x6:zero:layered")->texture.shape, Shape::layered_one);
  EXPECT_EQ(parse_texture("tex:f32:7x6x5:zero:layered")->texture.shape, Shape::layered_two);
}

TEST(TextureArgument, WhatCudaDoesNotTakeIsRefusedWithWhatToDo) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"tex:f32:8", "a texture object is tex:TYPE[x2|x4]:WIDTH[xHEIGHT[xDEPTH]]:INIT[:OPTION…]"},
      {"tex:f64:8:zero", "a texture has no texels of type 'f64'; there are f32 f16"},
      {"tex:f32x3:8:zero", "a texture has no texels of type 'f32x3'"},
      {"tex:bf16:8:zero", "a texture has no texels of type 'bf16'"},
      {"tex:f32:0:zero", "the count '0' is not a number"},
      {"tex:f32:8:randomly", "there is no initial content 'randomly'"},
      {"tex:f32:8:zero:cubic", "there is no option 'cubic'; there are point linear clamp"},
      {"tex:f32:2x2x2x2:zero", "a texture has one to three extents, WIDTHxHEIGHTxDEPTH"},
      {"tex:f32:200000:zero", "the largest extents of such a texture are 131072"},
      {"tex:f32:8:zero:layered", "the extents of a layered texture are WIDTHxLAYERS"},
      {"tex:f32:8x8:zero:linear-memory", "linear-memory has one extent"},
      {"tex:f32:8:zero:linear-memory:wrap:normalized", "linear-memory is read by index"},
      {"tex:f32:8:zero:float", "float (cudaReadModeNormalizedFloat) is for texels of i8"},
      {"tex:i32:8:zero:linear", "linear filtering needs texels that are read as floats"},
      {"tex:f32:8:zero:mirror", "add :normalized, or use clamp"}};
  for (const auto& [spec, sentence] : cases) {
    const auto texture = parse_texture(spec);
    ASSERT_FALSE(texture) << spec;
    EXPECT_THAT(texture.error().message, HasSubstr(sentence)) << spec;
  }
}

class TextureProgram : public ExecFolder {
 protected:
  TextureProgram() {
    write("look.cu",
          "__global__ void look(cudaTextureObject_t image, float* out, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < n) out[i] = tex2D<float2>(image, i + 0.5f, 0.5f).y;\n"
          "}\n");
  }
};

const std::string kLaunch = "look.cu --grid 1 --block 32 ";

TEST_F(TextureProgram, ItsTexelsAreABufferOfTheParametersName) {
  const ExecOutcome run = exec(kLaunch +
                               "--arg image=tex:f32x2:4x2:iota --arg out=buf:f32:4:poison --arg n=i32:4 --print out "
                               "--print 'image[1,3,0:2]' --dump image=image.bin");
  ASSERT_EQ(run.status, 0) << run.out << run.problems;
  EXPECT_THAT(run.out, HasSubstr("[0] 1 3 5 7"));
  EXPECT_THAT(run.out, HasSubstr("14 15"));
  EXPECT_EQ(read_file(folder_ / "image.bin").size(), 4U * 2 * 2 * sizeof(float));
}

TEST_F(TextureProgram, ATexelThatWasNeverWrittenIsFoundAtTheLineThatReadsIt) {
  const ExecOutcome run = exec(kLaunch + "--arg tex:f32x2:4x2:poison --arg buf:f32:4:poison --arg i32:4");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out,
              HasSubstr("uninitialised read: texture read of 8 bytes at image+0 (buffer of 64 bytes), look.cu:3"));
}

TEST_F(TextureProgram, TwoTexturesAndAPointerToTheTexelsOfOneAreToldApart) {
  write("two.cu",
        "struct Images { cudaTextureObject_t first, second; };\n"
        "__global__ void two(Images images, cudaTextureObject_t third, float* texels, float* out) {\n"
        "  out[0] = tex1D<float>(images.first, 1);\n"
        "  out[1] = tex1D<float>(images.second, 1);\n"
        "  out[2] = tex1Dfetch<float>(third, 1);\n"
        "  out[3] = texels[2];\n"
        "}\n");
  const ExecOutcome run = exec(
      "two.cu --grid 1 --block 1 --arg 'images=struct:tex:f32:2:ones;tex:f32:2:2' --arg third=tex:f32:4:3:"
      "linear-memory --arg ptr:third --arg buf:f32:4:poison:out --print out");
  ASSERT_EQ(run.status, 0) << run.out << run.problems;
  EXPECT_THAT(run.out, HasSubstr("[0] 1 2 3 3"));
}

TEST_F(TextureProgram, AnArgumentOfADifferentKindIsRefusedWithTheForm) {
  const ExecOutcome number = exec(kLaunch + "--arg u64:0 --arg buf:f32:4:poison --arg i32:4");
  EXPECT_EQ(number.status, 2);
  EXPECT_THAT(number.problems,
              HasSubstr("argument 1 (cudaTextureObject_t image) of kernel 'look' is a texture object, as "
                        "tex:f32x4:64x32:uniform makes one of 64 x 32 texels, and 'u64:0' is not"));
  const ExecOutcome buffer = exec(kLaunch + "--arg buf:f32:4:ones --arg buf:f32:4:poison --arg i32:4");
  EXPECT_THAT(buffer.problems, HasSubstr("is a texture object"));
  const ExecOutcome pointer = exec(kLaunch + "--arg tex:f32:4:ones --arg tex:f32:4:ones --arg i32:4");
  EXPECT_THAT(pointer.problems, HasSubstr("argument 2 (float* out) of kernel 'look' is a pointer, and 'tex:…' is not"));
}

TEST_F(TextureProgram, TheSuggestedLineHasATextureOfTheTypeThatTheKernelReads) {
  const ExecOutcome none = exec("look.cu");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.problems, HasSubstr("--arg image=tex:f32x2:64x64:uniform"));
  const std::string line = none.problems.substr(none.problems.find("exec look.cu") + 5);
  const ExecOutcome run = exec(line.substr(0, line.find('\n')));
  EXPECT_EQ(run.status, 0) << line << run.out << run.problems;
  write("fetch.cu",
        "__global__ void fetch(cudaTextureObject_t table, int* out, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) out[i] = tex1Dfetch<uchar4>(table, i).x;\n"
        "}\n");
  const ExecOutcome memory = exec("fetch.cu --arg n=i32:1000");
  EXPECT_THAT(memory.problems, HasSubstr("--arg table=tex:u8x4:1000:uniform:linear-memory")) << memory.problems;
}

TEST_F(TextureProgram, TheSuggestionFollowsATextureIntoADeviceFunction) {
  write("inside.cu",
        "__device__ float sample(cudaTextureObject_t volume, int i) { return tex3D<float>(volume, i, 0, 0); }\n"
        "__global__ void inside(cudaTextureObject_t data, float* out, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) out[i] = sample(data, i);\n"
        "}\n");
  EXPECT_THAT(exec("inside.cu").problems, HasSubstr("--arg data=tex:f32:16x16x16:uniform"));
}

TEST_F(TextureProgram, SurfacesAreRefusedByName) {
  write("surface.cu", "__global__ void k(cudaSurfaceObject_t out) { surf2Dwrite(1.0f, out, 4 * threadIdx.x, 0); }\n");
  const ExecOutcome run = exec("surface.cu --grid 1 --block 32 --arg u64:0");
  EXPECT_NE(run.status, 0);
  EXPECT_THAT(run.problems, HasSubstr("the simulator does not run surfaces (cudaSurfaceObject_t)"));
}

}  // namespace
}  // namespace tilescope
