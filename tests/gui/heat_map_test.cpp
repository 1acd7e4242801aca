// The heat maps' pixels against the same map computed on the CPU, and the case that a shader does not compile.
#include "app/draw/gl/heat_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "app/draw/gl/cell_grid.hpp"
#include "app/draw/theme.hpp"
#include "tests/gui/gl_window.hpp"

namespace tilescope {
namespace {

constexpr ImU32 kFailing = IM_COL32(240, 112, 58, 255);

// ---- cells, without a window ----

TEST(CellGrid, SmallVectorsGetOneLargeCellPerElement) {
  const CellGrid grid = fit_cells(std::array<int64_t, 1>{1000}, 1 << 24, 520, 300, 2, 16);
  EXPECT_TRUE(grid.one_element_per_cell());
  EXPECT_EQ(grid.columns % 32, 0);
  EXPECT_GE(grid.cell_pixels, 8);
  EXPECT_LE(grid.height(), 300);
  EXPECT_EQ(grid.gap, 1);
}

TEST(CellGrid, EveryElementIsInExactlyOneCell) {
  const std::vector<std::vector<int64_t>> shapes{{1},        {31},      {98432},   {1000003},
                                                 {300, 200}, {7, 5000}, {5000, 3}, {4, 30, 20}};
  for (const auto& shape : shapes) {
    const CellGrid grid = fit_cells(shape, 1 << 24, 500, 280, 2, 16);
    EXPECT_LE(grid.width(), 500);
    EXPECT_LE(grid.height(), 280);
    int64_t covered = 0;
    for (int row = 0; row < grid.rows; ++row) {
      for (int column = 0; column < grid.columns; ++column) {
        const auto elements = elements_of(grid, {column, row});
        if (!elements) continue;
        for (int64_t r = elements->first_row; r <= elements->last_row; ++r)
          for (int64_t c = elements->first_column; c <= elements->last_column; ++c)
            if (r * grid.row_length + c < grid.count) {
              ++covered;
              EXPECT_EQ(cell_of(grid, r * grid.row_length + c), (Cell{column, row}));
            }
      }
    }
    EXPECT_EQ(covered, grid.count);
  }
}

TEST(CellGrid, AMatrixKeepsItsRows) {
  const CellGrid grid = fit_cells(std::array<int64_t, 2>{64, 48}, 1 << 24, 400, 400, 2, 16);
  EXPECT_EQ(grid.columns, 48);
  EXPECT_EQ(grid.rows, 64);
  EXPECT_EQ(cell_of(grid, 48), (Cell{0, 1}));
}

TEST(CellGrid, NothingLiesBeyondTheLastElement) {
  const CellGrid grid = fit_cells(std::array<int64_t, 1>{33}, 1 << 24, 32 * 16, 300, 2, 16);
  ASSERT_EQ(grid.columns, 32);
  EXPECT_TRUE(cell_at(grid, 8, 24));
  EXPECT_FALSE(cell_at(grid, 40, 24));
  EXPECT_FALSE(cell_at(grid, -1, 8));
}

// ---- pixels ----

struct MapCase {
  DType type;
  std::vector<int64_t> shape;
};

HostBuffer buffer_of(DType type, const std::vector<double>& values) {
  HostBuffer buffer(type, values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const auto narrow = static_cast<float>(values[i]);
    uint32_t bits = 0;
    std::memcpy(&bits, &narrow, 4);
    switch (type) {
      case DType::f32:
        buffer.as<float>()[i] = narrow;
        break;
      case DType::f64:
        buffer.as<double>()[i] = values[i];
        break;
      case DType::bf16:
        buffer.as<uint16_t>()[i] = static_cast<uint16_t>(bits >> 16);
        break;
      case DType::f16:  // normal numbers only, truncated
        buffer.as<uint16_t>()[i] = static_cast<uint16_t>(
            (bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10 & 0x7c00) | (bits >> 13 & 1023));
        break;
      case DType::i32:
        buffer.as<int32_t>()[i] = static_cast<int32_t>(values[i] * 1e6);
        break;
      case DType::i8:
        buffer.as<int8_t>()[i] = static_cast<int8_t>(values[i] * 20);
        break;
      default:
        ADD_FAILURE() << "no such case";
    }
  }
  return buffer;
}

/// A run with one output: values near the reference, a few wrong ones, a few NaNs and one infinity.
std::shared_ptr<RunResult> make_run(const MapCase& one, bool with_wrong) {
  auto run = std::make_shared<RunResult>();
  BufferSpec spec{.name = "out", .type = one.type, .shape = one.shape, .role = Role::output, .fill = Fill::poison};
  const auto count = static_cast<size_t>(spec.count());
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(random) + 5;
  HostBuffer exact = buffer_of(one.type, values);
  Correctness check;
  check.buffer = "out";
  check.checked = count;
  check.tolerance = {1e-3, 1e-3};
  for (size_t i = 0; i < count; ++i) {
    const double reference = value_at(exact, i) * (1 + 1e-4 * normal(random));
    check.expected.push_back(static_cast<float>(reference));
    check.expected_rest.push_back(static_cast<float>(reference - static_cast<double>(check.expected.back())));
  }
  if (with_wrong && one.type == DType::f32) {
    for (size_t i = 5; i < count; i += 97) exact.as<float>()[i] += 3;
    for (size_t i = 11; i < count; i += 211) exact.as<float>()[i] = std::nanf("");
    exact.as<float>()[count / 2] = INFINITY;
  }
  run->plan.buffers = {spec};
  run->buffers = {std::make_shared<const HostBuffer>(std::move(exact))};
  run->correctness = {std::move(check)};
  return run;
}

ImU32 expected_colour(const RunResult& run, const CellGrid& grid, const CellElements& elements, bool error, double low,
                      double high, int* slack) {
  const Correctness& check = run.correctness[0];
  double sum = 0, worst = 0;
  int64_t count = 0;
  for (int64_t r = elements.first_row; r <= elements.last_row; ++r) {
    for (int64_t c = elements.first_column; c <= elements.last_column; ++c) {
      const int64_t index = r * grid.row_length + c;
      if (index >= grid.count) continue;
      const auto at = static_cast<size_t>(index);
      const double got = value_at(*run.buffers[0], at);
      if (!std::isfinite(got)) return kFailing;
      const double reference = static_cast<double>(check.expected[at]) + static_cast<double>(check.expected_rest[at]);
      worst = std::max(worst, std::fabs(got - reference) /
                                  (check.tolerance.absolute + check.tolerance.relative * std::fabs(reference)));
      sum += got;
      ++count;
    }
  }
  if (error && worst > 1) return kFailing;
  const double t =
      error ? (worst > HeatMaps::kSmallestRatio ? 1 - std::log2(worst) / std::log2(HeatMaps::kSmallestRatio) : 0)
            : (sum / static_cast<double>(count) - low) / (high - low);
  *slack = static_cast<int>(std::clamp(t, 0.0, 1.0) * 255 + 0.5);
  return viridis(static_cast<float>(*slack) / 255);
}

class HeatMapPixels : public GlWindow {
 protected:
  void check(const MapCase& one, bool with_wrong) {
    auto maps = HeatMaps::create(shaders(), fail(ErrorId::no_gpu, "a test of the copy path"));
    ASSERT_TRUE(maps) << maps.error().message;
    EXPECT_EQ((*maps)->interop().path(), Interop::Path::copy);
    const std::shared_ptr<const RunResult> run = make_run(one, with_wrong);
    const CellGrid grid = HeatMaps::fit(*run, 0, 500, 280, 1);
    for (const auto kind : {HeatMaps::Kind::value, HeatMaps::Kind::error}) {
      const auto picture = (*maps)->draw({kind, 0, grid, kFailing, true}, run);
      EXPECT_TRUE(picture.complete);
      compare(*run, grid, kind, picture, (*maps)->pixels(kind), with_wrong);
    }
    EXPECT_EQ(glGetError(), GLenum{GL_NO_ERROR});
  }

  static void compare(const RunResult& run, const CellGrid& grid, HeatMaps::Kind kind, const HeatMaps::Picture& picture,
                      const std::vector<ImU32>& pixels, bool with_wrong) {
    const int side = grid.gap > 0 ? grid.cell_pixels : 1;
    const auto stride = static_cast<size_t>(grid.columns * side);
    ASSERT_EQ(pixels.size(), stride * static_cast<size_t>(grid.rows * side));
    size_t failing = 0, different = 0, shown = 0;
    for (int row = 0; row < grid.rows; ++row) {
      for (int column = 0; column < grid.columns; ++column) {
        const ImU32 pixel = pixels[static_cast<size_t>(row * side) * stride + static_cast<size_t>(column * side)];
        const auto elements = elements_of(grid, {column, row});
        if (!elements) {
          EXPECT_EQ(pixel, 0U) << "a cell past the end is not empty";
          continue;
        }
        ++shown;
        int step = 0;
        const bool error = kind == HeatMaps::Kind::error;
        const ImU32 wanted = expected_colour(run, grid, *elements, error, picture.low, picture.high, &step);
        failing += wanted == kFailing ? 1 : 0;
        if (pixel == wanted) continue;
        // Single-precision arithmetic may round to a neighbour among the 256 colours.
        const bool neighbour = wanted != kFailing && (pixel == viridis(static_cast<float>(step - 1) / 255) ||
                                                      pixel == viridis(static_cast<float>(step + 1) / 255));
        EXPECT_TRUE(neighbour) << "cell " << column << ", " << row;
        ++different;
      }
    }
    EXPECT_GT(shown, 0U);
    EXPECT_LT(different, shown / 20 + 2);
    EXPECT_EQ(failing > 0, with_wrong);
  }
};

TEST_F(HeatMapPixels, AVectorOfFloatsWithWrongElements) { check({DType::f32, {98432}}, true); }
TEST_F(HeatMapPixels, AFewElementsWithGapsBetweenCells) { check({DType::f32, {333}}, true); }
TEST_F(HeatMapPixels, AMatrixOfSeveralElementsPerCell) { check({DType::f32, {700, 900}}, true); }
TEST_F(HeatMapPixels, Doubles) { check({DType::f64, {5000}}, false); }
TEST_F(HeatMapPixels, HalfPrecision) { check({DType::f16, {5001}}, false); }
TEST_F(HeatMapPixels, BrainFloats) { check({DType::bf16, {5001}}, false); }
TEST_F(HeatMapPixels, Integers) { check({DType::i32, {5000}}, false); }
TEST_F(HeatMapPixels, Bytes) { check({DType::i8, {4999}}, false); }

TEST_F(HeatMapPixels, AFailingElementIsNeverHiddenInItsCell) {
  auto maps = HeatMaps::create(shaders(), fail(ErrorId::no_gpu, "a test of the copy path"));
  ASSERT_TRUE(maps);
  auto run = make_run({DType::f32, {1000000}}, false);
  auto values = std::make_shared<HostBuffer>(*run->buffers[0]);
  values->as<float>()[777777] += 1;
  run->buffers[0] = values;
  const CellGrid grid = HeatMaps::fit(*run, 0, 500, 280, 1);
  ASSERT_FALSE(grid.one_element_per_cell());
  const std::shared_ptr<const RunResult> shared = run;
  (*maps)->draw({HeatMaps::Kind::error, 0, grid, kFailing, true}, shared);
  const auto pixels = (*maps)->pixels(HeatMaps::Kind::error);
  const Cell cell = *cell_of(grid, 777777);
  EXPECT_EQ(std::count(pixels.begin(), pixels.end(), kFailing), 1);
  EXPECT_EQ(pixels[static_cast<size_t>(cell.row * grid.columns + cell.column)], kFailing);
}

TEST_F(HeatMapPixels, APictureDrawnInPiecesEqualsTheWhole) {
  auto maps = HeatMaps::create(shaders(), fail(ErrorId::no_gpu, "a test of the copy path"));
  ASSERT_TRUE(maps);
  const std::shared_ptr<const RunResult> run = make_run({DType::f32, {3000000}}, true);
  const CellGrid grid = HeatMaps::fit(*run, 0, 500, 280, 1);
  (*maps)->draw({HeatMaps::Kind::error, 0, grid, kFailing, true}, run);
  const auto whole = (*maps)->pixels(HeatMaps::Kind::error);
  int calls = 1;
  while (!(*maps)->draw({HeatMaps::Kind::error, 0, grid, kFailing, false}, run).complete && calls < 1000) ++calls;
  const bool in_pieces = calls > 1;
  EXPECT_EQ(in_pieces, (*maps)->interop().software_renderer());
  EXPECT_EQ((*maps)->pixels(HeatMaps::Kind::error), whole);
}

TEST_F(HeatMapPixels, ElementsThatAreDrawnAreGivenBackAndComeAgainForAnotherPicture) {
  auto maps = HeatMaps::create(shaders(), fail(ErrorId::no_gpu, "a test of the copy path"));
  ASSERT_TRUE(maps);
  const std::shared_ptr<const RunResult> run = make_run({DType::f32, {300000}}, true);
  const auto draw = [&](int width) {
    const CellGrid grid = HeatMaps::fit(*run, 0, width, 280, 1);
    const auto picture = (*maps)->draw({HeatMaps::Kind::error, 0, grid, kFailing, true}, run);
    compare(*run, grid, HeatMaps::Kind::error, picture, (*maps)->pixels(HeatMaps::Kind::error), true);
  };
  draw(500);
  EXPECT_GE((*maps)->held_bytes(), 3 * 300000 * sizeof(float));
  for (int frame = 0; frame < 1000; ++frame) (*maps)->poll();
  EXPECT_LT((*maps)->held_bytes(), 100U);
  draw(400);
  EXPECT_GE((*maps)->held_bytes(), 3 * 300000 * sizeof(float));
}

TEST_F(HeatMapPixels, DrawingLeavesOpenGlAsItWas) {
  auto maps = HeatMaps::create(shaders(), fail(ErrorId::no_gpu, "a test of the copy path"));
  ASSERT_TRUE(maps);
  const std::shared_ptr<const RunResult> run = make_run({DType::f32, {1000}}, false);
  glViewport(3, 4, 50, 40);
  glEnable(GL_BLEND);
  (*maps)->draw({HeatMaps::Kind::value, 0, HeatMaps::fit(*run, 0, 300, 200, 1), kFailing, true}, run);
  std::array<GLint, 4> viewport{};
  glGetIntegerv(GL_VIEWPORT, viewport.data());
  GLint framebuffer = -1;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer);
  EXPECT_EQ(viewport, (std::array<GLint, 4>{3, 4, 50, 40}));
  EXPECT_EQ(framebuffer, 0);
  EXPECT_TRUE(glIsEnabled(GL_BLEND));
}

// ---- shaders ----

using Shaders = GlWindow;

TEST_F(Shaders, ACompileErrorNamesTheFileAndSaysWhat) {
  const auto program =
      ShaderProgram::compile({"good.vert.glsl", "#version 330 core\nvoid main() { gl_Position = vec4(0.0); }\n"},
                             {"broken.frag.glsl", "#version 330 core\nout vec4 c;\nvoid main() { c = colour; }\n"});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().id, ErrorId::gl_failed);
  EXPECT_NE(program.error().message.find("broken.frag.glsl"), std::string::npos) << program.error().message;
  EXPECT_NE(program.error().message.find("colour"), std::string::npos) << program.error().message;
}

TEST_F(Shaders, AMissingFileIsNamed) {
  const auto program = ShaderProgram::load(shaders(), "heat_map.vert.glsl", "no_such.frag.glsl");
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().message.find("no_such.frag.glsl"), std::string::npos);
}

TEST_F(Shaders, StagesThatDoNotMeetAreALinkError) {
  const auto program = ShaderProgram::compile(
      {"a.vert.glsl", "#version 330 core\nout vec3 v;\nvoid main() { v = vec3(1.0); gl_Position = vec4(v, 1.0); }\n"},
      {"b.frag.glsl", "#version 330 core\nin vec2 v;\nout vec4 c;\nvoid main() { c = v.xyxy; }\n"});
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().message.find("do not link"), std::string::npos) << program.error().message;
}

}  // namespace
}  // namespace tilescope
