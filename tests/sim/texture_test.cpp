// Texture fetches: values calculated by hand from the CUDA C++ Programming Guide, "Texture Fetching".
#include "engine/sim/state/texture.hpp"

#include <limits>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

using Shape = TextureSpec::Shape;
using Address = TextureSpec::Address;
using Values = std::vector<float>;

struct Float4 {
  float x, y, z, w;
  bool operator==(const Float4&) const = default;
};
struct Int4 {
  int32_t x, y, z, w;
  bool operator==(const Int4&) const = default;
};

template <class T>
constexpr DType kType = DType::f32;
template <>
constexpr DType kType<int8_t> = DType::i8;
template <>
constexpr DType kType<uint8_t> = DType::u8;
template <>
constexpr DType kType<int16_t> = DType::i16;
template <>
constexpr DType kType<uint16_t> = DType::u16;
template <>
constexpr DType kType<int32_t> = DType::i32;

/// A launch of one block whose first argument is a texture.
class Texturing : public Machinery {
 public:
  template <class T>
  void texture(const std::vector<T>& texels, TextureSpec spec) {
    spec.buffer = input("texels", texels);
    bind(spec);
  }
  void bind(TextureSpec spec) {
    std::get<BufferArgument>(launch.arguments.back()).texture = launch.textures.size();
    launch.textures.push_back(spec);
  }
  /// The results of a kernel, one per thread.
  template <class R>
  std::vector<R> results(const char* kernel, size_t threads) {
    const size_t out = output<R>("out", threads);
    report = run(module_of("textures"), kernel, {1, 1, 1}, {static_cast<uint32_t>(threads), 1, 1});
    return download<R>(out);
  }
  LaunchReport report;
};

/// The first channels of one-dimensional fetches.
template <class T>
Values fetch_one(const std::vector<T>& texels, const TextureSpec& spec, const Values& x) {
  Texturing machine;
  machine.texture(texels, spec);
  machine.input("x", x);
  Values values;
  for (const Float4& one : machine.results<Float4>("one", x.size())) values.push_back(one.x);
  EXPECT_TRUE(machine.report.findings.empty()) << machine.report.findings[0].message;
  return values;
}

template <class T>
TextureSpec row_of(const std::vector<T>& texels) {
  return {.shape = Shape::one, .type = kType<T>, .extent = {static_cast<uint32_t>(texels.size()), 1, 1}};
}

const Values kRow{10, 20, 30, 40};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Textures, APointFilterTakesTheTexelThatTheCoordinateIsIn) {
  EXPECT_EQ(fetch_one(kRow, row_of(kRow), {-0.5F, 0, 0.99F, 1, 3.99F, 4, 100}), (Values{10, 10, 10, 20, 40, 40, 40}));
  EXPECT_EQ(fetch_one(kRow, row_of(kRow), {-kInfinity, kInfinity, 2.5F}), (Values{10, 40, 30}));
}

TEST(Textures, BorderAddressingGivesZeroOutside) {
  TextureSpec spec = row_of(kRow);
  spec.address = Address::border;
  EXPECT_EQ(fetch_one(kRow, spec, {-0.5F, 0, 3.5F, 4, 1e30F}), (Values{0, 10, 40, 0, 0}));
  spec.linear_filter = true;  // half of the footprint is outside at each end
  EXPECT_EQ(fetch_one(kRow, spec, {0, 4, 0.5F, -0.5F, 4.5F}), (Values{5, 20, 10, 0, 0}));
}

TEST(Textures, WrapAndMirrorRepeatTheTexture) {
  TextureSpec spec = row_of(kRow);
  spec.normalized = true;
  EXPECT_EQ(fetch_one(kRow, spec, {-0.25F, 0.25F, 0.999F, 1.25F}), (Values{10, 20, 40, 40})) << "clamp";
  spec.address = Address::wrap;
  EXPECT_EQ(fetch_one(kRow, spec, {-0.25F, 0.25F, 1, 1.25F, -2}), (Values{40, 20, 10, 20, 10}));
  spec.address = Address::mirror;
  // At the edge of two texels in a mirrored repetition: the one behind it, as on an H200.
  EXPECT_EQ(fetch_one(kRow, spec, {-0.25F, 0.25F, 1, 1.125F, 1.25F, 2.25F}), (Values{10, 20, 40, 40, 30, 20}));
}

TEST(Textures, ALinearFilterInterpolatesBetweenTheCentresOfTexels) {
  TextureSpec spec = row_of(kRow);
  spec.linear_filter = true;
  EXPECT_EQ(fetch_one(kRow, spec, {0.25F, 0.5F, 1, 1.25F, 3.75F}), (Values{10, 10, 15, 17.5F, 40}));
  spec.normalized = true;
  spec.address = Address::wrap;  // between the last texel and the first
  EXPECT_EQ(fetch_one(kRow, spec, {0, 1, 0.25F}), (Values{25, 25, 15}));
  spec.address = Address::mirror;
  EXPECT_EQ(fetch_one(kRow, spec, {0, 1, 0.25F}), (Values{10, 40, 15}));
}

TEST(Textures, TheWeightsOfALinearFilterHaveEightBitsOfFraction) {
  TextureSpec spec = row_of(kRow);
  spec.linear_filter = true;
  const Values x{0.5F + 1.0F / 1024, 0.5F + 1.0F / 256, 0.5F + 3.0F / 1024, 1.5F - 1.0F / 1024};
  EXPECT_EQ(fetch_one(kRow, spec, x), (Values{10, 10 + 10.0F / 256, 10 + 10.0F / 256, 20}));
}

TEST(Textures, IntegersAreReadAsTheyAre) {
  const std::vector<int8_t> texels{-128, -5, 0, 127};
  Texturing machine;
  machine.texture(texels, row_of(texels));
  machine.input("x", Values{0, 1, 2, 3});
  EXPECT_EQ(machine.results<Int4>("whole", 4),
            (std::vector<Int4>{{-128, 0, 0, 0}, {-5, 0, 0, 0}, {0, 0, 0, 0}, {127, 0, 0, 0}}));
  const std::vector<uint8_t> colours{200, 1, 2, 3, 255, 4, 5, 6};
  Texturing other;
  TextureSpec spec = row_of(colours);
  spec.channels = 4;
  spec.extent.x = 2;
  other.texture(colours, spec);
  other.input("x", Values{0, 1});
  EXPECT_EQ(other.results<uint32_t>("bytes", 2), (std::vector<uint32_t>{0x030201C8, 0x060504FF}));
}

TEST(Textures, NormalizedFloatsAreFractionsOfTheLargestInteger) {
  const auto read = [](const auto& texels, const Values& x) {
    TextureSpec spec = row_of(texels);
    spec.normalized_float = true;
    return fetch_one(texels, spec, x);
  };
  EXPECT_EQ(read(std::vector<uint8_t>{0, 51, 255}, {0, 1, 2}), (Values{0, 0.2F, 1}));
  EXPECT_EQ(read(std::vector<int8_t>{-128, -127, 127}, {0, 1, 2}), (Values{-1, -1, 1}));
  EXPECT_EQ(read(std::vector<uint16_t>{13107, 65535}, {0, 1}), (Values{0.2F, 1}));
  EXPECT_EQ(read(std::vector<int16_t>{-32768, 32767, 0}, {0, 1, 2}), (Values{-1, 1, 0}));
  const std::vector<uint8_t> texels{0, 255};
  TextureSpec spec = row_of(texels);
  spec.normalized_float = spec.linear_filter = true;
  EXPECT_EQ(fetch_one(texels, spec, {1}), (Values{32768.0F / 65535}));  // rounded to 16 bits
  const std::vector<int16_t> ends{-32768, 32767};
  spec = row_of(ends);
  spec.normalized_float = spec.linear_filter = true;
  EXPECT_EQ(fetch_one(ends, spec, {0.5F, 1, 1.5F}), (Values{-1, 0, 1}));
}

TEST(Textures, TheWeightsOfFourTexelsAreWholeSteps) {
  // 116 / 256 and 97 / 256: measured on an H200 by solving for the weights.
  const std::array<double, 8> weights = corner_weights({116.0 / 256, 97.0 / 256, 0});
  const std::array<double, 8> expected{87, 72, 53, 44, 0, 0, 0, 0};
  for (size_t i = 0; i < weights.size(); ++i) EXPECT_EQ(weights[i] * 256, expected[i]) << i;
  for (double x : {0.0, 0.25, 1.0 / 256, 203.0 / 256, 255.0 / 256})
    for (double y : {0.0, 0.5, 137.0 / 256, 255.0 / 256})
      for (double z : {0.0, 3.0 / 256, 0.5, 255.0 / 256}) {
        double sum = 0, at_x = 0;
        const auto all = corner_weights({x, y, z});
        for (size_t i = 0; i < all.size(); ++i) {
          sum += all[i];
          if ((i & 1) != 0) at_x += all[i];
        }
        EXPECT_EQ(sum, 1);
        EXPECT_EQ(at_x, x);
      }
}

TEST(Textures, HalvesAreReadAsFloats) {
  const std::vector<uint16_t> bits{0x3C00, 0xC000, 0x0001, 0x7C00};
  TextureSpec spec = row_of(bits);
  spec.type = DType::f16;
  EXPECT_EQ(fetch_one(bits, spec, {0, 1, 2, 3}), (Values{1, -2, 0x1p-24F, kInfinity}));
}

TEST(Textures, ChannelsThatTexelsDoNotHaveAreZero) {
  const Values texels{1, 2, 3, 4};
  Texturing machine;
  TextureSpec spec = row_of(texels);
  spec.channels = 2;
  spec.extent.x = 2;
  machine.texture(texels, spec);
  machine.input("x", Values{0, 1});
  EXPECT_EQ(machine.results<Float4>("one", 2), (std::vector<Float4>{{1, 2, 0, 0}, {3, 4, 0, 0}}));
}

/// 3 × 2 texels: 0 1 2 above 3 4 5.
TextureSpec plane() { return {.shape = Shape::two, .extent = {3, 2, 1}, .linear_filter = true}; }

TEST(Textures, TwoDimensionsAreInterpolatedBetweenFourTexels) {
  for (const char* kernel : {"two", "two_level", "two_gradients"}) {  // there is one level
    Texturing machine;
    machine.texture(Values{0, 1, 2, 3, 4, 5}, plane());
    machine.input("x", Values{1, 1.25F, 0.5F, 2.5F, 9});
    machine.input("y", Values{1, 1, 1.5F, 0.75F, -1});
    Values first;
    for (const Float4& one : machine.results<Float4>(kernel, 5)) first.push_back(one.x);
    EXPECT_EQ(first, (Values{2, 2.25F, 3, 2.75F, 2})) << kernel;
  }
}

TEST(Textures, ThreeDimensionsAreInterpolatedBetweenEightTexels) {
  Texturing machine;
  machine.texture(Values{0, 1, 2, 3, 4, 5, 6, 7}, {.shape = Shape::three, .extent = {2, 2, 2}, .linear_filter = true});
  machine.input("x", Values{1, 0.5F, 1.5F});
  machine.input("y", Values{1, 1.5F, 0.5F});
  machine.input("z", Values{1, 0.5F, 1});
  Values first;
  for (const Float4& one : machine.results<Float4>("three", 3)) first.push_back(one.x);
  EXPECT_EQ(first, (Values{3.5F, 2, 3}));
}

TEST(Textures, LayersAreNotInterpolatedAndTheirIndexIsClamped) {
  Texturing rows;
  rows.texture(Values{1, 2, 10, 20}, {.shape = Shape::layered_one, .extent = {2, 2, 1}, .linear_filter = true});
  rows.input("x", Values{1, 1, 1, 0.5F});
  rows.input("layer", std::vector<int32_t>{0, 1, 7, -1});
  Values first;
  for (const Float4& one : rows.results<Float4>("one_layered", 4)) first.push_back(one.x);
  EXPECT_EQ(first[0], 1.5F);
  EXPECT_EQ(first[1], 15);
  EXPECT_EQ(first[2], 15);
  Texturing planes;
  planes.texture(Values{0, 1, 2, 3, 10, 11, 12, 13}, {.shape = Shape::layered_two, .extent = {2, 2, 2}});
  planes.input("x", Values{0, 1.5F});
  planes.input("y", Values{1, 0});
  planes.input("layer", std::vector<int32_t>{0, 1});
  const auto texels = planes.results<Float4>("two_layered", 2);
  EXPECT_EQ(texels[0].x, 2);
  EXPECT_EQ(texels[1].x, 11);
}

TEST(Textures, AnIndexOutsideOfLinearMemoryGivesZero) {
  Texturing machine;
  machine.texture(kRow, {.shape = Shape::linear, .extent = {4, 1, 1}});
  machine.input("x", std::vector<int32_t>{0, 3, 4, -1});
  Values first;
  for (const Float4& one : machine.results<Float4>("fetch", 4)) first.push_back(one.x);
  EXPECT_EQ(first, (Values{10, 40, 0, 0}));
  EXPECT_TRUE(machine.report.findings.empty());
}

TEST(Textures, ATexelThatIsInMemoryIsResident) {
  Texturing machine;
  machine.texture(Values{0, 1, 2, 3, 4, 5}, plane());
  machine.input("x", Values{1, 2});
  const size_t out = machine.output<float>("out", 2);
  EXPECT_EQ(machine.results<int32_t>("resident", 2), (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(machine.download<float>(out), (Values{0.5F, 1.5F}));
}

TEST(Textures, ATexelThatWasNeverWrittenIsFound) {
  Texturing machine;
  const size_t texels = machine.output<float>("image", 4);
  TextureSpec spec = row_of(kRow);
  spec.buffer = texels;
  machine.bind(spec);
  machine.input("x", Values{0, 2.5F});
  machine.results<Float4>("one", 2);
  ASSERT_EQ(machine.report.findings.size(), 1U);
  EXPECT_EQ(machine.report.findings[0].count, 2U);
  EXPECT_EQ(
      with_marks(machine.report.findings[0].message),
      "uninitialised read: texture read of 4 bytes at image+0 (buffer of 16 bytes), kernels/textures.cu:[fetch], block "
      "(0,0,0) thread (0,0,0)");
}

TEST(Textures, ATextureOfOtherDimensionsIsFound) {
  Texturing machine;
  machine.texture(Values{0, 1, 2, 3, 4, 5}, plane());
  machine.input("x", Values{0});
  EXPECT_EQ(machine.results<Float4>("one", 1), (std::vector<Float4>{{0, 0, 0, 0}}));
  ASSERT_EQ(machine.report.findings.size(), 1U);
  EXPECT_EQ(machine.report.findings[0].id, "bad-texture");
  EXPECT_EQ(machine.report.findings[0].what.english(), "a texture of 2 dimensions is read as one of 1 dimension");
}

TEST(Textures, IntegersThatAreReadAsFloatsAreFound) {
  const std::vector<int32_t> texels{1, 2};
  Texturing machine;
  machine.texture(texels, row_of(texels));
  machine.input("x", Values{1});
  EXPECT_EQ(machine.results<Int4>("one", 1)[0].x, 2) << "the bits";
  ASSERT_EQ(machine.report.findings.size(), 1U);
  EXPECT_EQ(machine.report.findings[0].id, "bad-texture");
  EXPECT_EQ(machine.report.findings[0].what.english(), "a texture of integers is read as floats");
}

TEST(Textures, AValueThatIsNoTextureObjectIsFound) {
  Texturing machine;
  machine.value(uint64_t{1});
  machine.input("x", Values{0});
  machine.results<Float4>("one", 1);
  ASSERT_EQ(machine.report.findings.size(), 1U);
  EXPECT_EQ(machine.report.findings[0].id, "bad-texture");
}

}  // namespace
}  // namespace tilescope
