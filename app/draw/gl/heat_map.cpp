#include "app/draw/gl/heat_map.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "app/draw/theme.hpp"

namespace tilescope {
namespace {

/// An output without a reference has an empty one.
const Correctness& check_of(const RunResult& run, size_t output) {
  static const Correctness none;
  return run.correctness.empty() ? none : run.correctness[output];
}

constexpr int kSmallestCell = 2, kLargestCell = 16;  // unscaled pixels
/// Far longer than any picture takes, far shorter than the driver waits.
constexpr auto kWaitedInVain = std::chrono::seconds(1);
/// Number of polls for which elements are kept after the last rows were drawn.
constexpr int kPollsKept = 120;
/// Elements that a frame rendered on the CPU may process: about 5 ms.
constexpr int64_t kElementsPerFrame = int64_t{1} << 19;

enum Unit : int { kGotUnit, kExpectedUnit, kRestUnit, kScaleUnit };

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// The ends of the scale: the smallest and the largest cell of the reference if it is known, so that an extreme wrong
/// value does not wash out the rest, else of the finite values themselves.
Range range_of(const RunResult& run, size_t output, size_t buffer, const CellGrid& grid) {
  const std::vector<float>& expected = check_of(run, output).expected;
  const HostBuffer& values = *run.buffers[buffer];
  const bool known = expected.size() >= static_cast<size_t>(grid.count);
  std::vector<double> sums(static_cast<size_t>(grid.columns)), counts(sums.size());
  Range range;
  const auto finish_cells = [&] {
    for (size_t i = 0; i < sums.size(); ++i)
      if (counts[i] > 0) range.add(sums[i] / counts[i]);
    std::fill(sums.begin(), sums.end(), 0);
    std::fill(counts.begin(), counts.end(), 0);
  };
  int64_t index = 0;
  for (int64_t row = 0; index < grid.count; ++row) {
    if (row > 0 && row % grid.cell_rows == 0) finish_cells();
    const int64_t end = std::min(index + grid.row_length, grid.count);
    for (size_t cell = 0; index < end; ++cell) {
      for (const int64_t stop = std::min(index + grid.cell_columns, end); index < stop; ++index) {
        const auto at = static_cast<size_t>(index);
        const double value = known ? static_cast<double>(expected[at]) : value_at(values, at);
        if (!std::isfinite(value)) continue;
        sums[cell] += value;
        counts[cell] += 1;
      }
    }
  }
  finish_cells();
  if (range.low > range.high) range.low = range.high = 0;
  return range;
}

void bind(int unit, GLenum target, GLuint texture) {
  glActiveTexture(static_cast<GLenum>(GL_TEXTURE0 + unit));
  glBindTexture(target, texture);
}

std::span<const std::byte> first_floats(const std::vector<float>& values, size_t count) {
  return std::as_bytes(std::span(values).first(count));
}

}  // namespace

Result<std::unique_ptr<HeatMaps>> HeatMaps::create(const std::filesystem::path& shader_folder,
                                                   const Result<std::shared_ptr<Executor>>& gpu,
                                                   InteropOptions interop) {
  auto program = ShaderProgram::load(shader_folder, "heat_map.vert.glsl", "heat_map.frag.glsl");
  if (!program) return tl::unexpected(program.error());
  return std::unique_ptr<HeatMaps>(new HeatMaps(std::move(*program), gpu, std::move(interop)));
}

HeatMaps::HeatMaps(ShaderProgram program, const Result<std::shared_ptr<Executor>>& gpu, InteropOptions interop)
    : program_(std::move(program)), interop_(gpu, std::move(interop)) {
  glGenVertexArrays(1, &vertex_array_);
  std::array<ImU32, 256> colours{};
  for (size_t i = 0; i < colours.size(); ++i) colours[i] = viridis(static_cast<float>(i) / 255.0F);
  scale_.upload(static_cast<int>(colours.size()), 1, colours);
  for (WordBuffer* buffer : {&got_, &expected_, &rest_}) buffer->reserve(4);
}

HeatMaps::~HeatMaps() { glDeleteVertexArrays(1, &vertex_array_); }

void HeatMaps::poll() {
  interop_.poll();
  if (std::exchange(losses_, interop_.losses()) != interop_.losses()) draw_all_anew();
  release_unused();
}

/// The pictures are separate textures. Elements are needed again for a different size or kind of picture.
void HeatMaps::release_unused() {
  if (loaded_.count == 0 || ++polls_since_load_ < kPollsKept) return;
  loaded_ = {};
  interop_.empty(got_);
  expected_.shrink();
  rest_.shrink();
}

void HeatMaps::draw_all_anew() {
  loaded_ = {};
  value_.run.reset();
  error_.run.reset();
}

std::optional<size_t> HeatMaps::buffer_of(const RunResult& run, size_t output) {
  for (size_t i = 0; i < run.plan.buffers.size() && i < run.buffers.size(); ++i)
    if (run.buffers[i] && (run.correctness.empty() ? i == run.statistics[output].buffer
                                                   : run.plan.buffers[i].name == run.correctness[output].buffer))
      return i;
  return std::nullopt;
}

CellGrid HeatMaps::fit(const RunResult& run, size_t output, int width, int height, float scale) {
  const auto buffer = buffer_of(run, output);
  if (!buffer) return {};
  const auto words = static_cast<int64_t>(WordBuffer::max_words());
  const auto bytes_each = static_cast<int64_t>(size_of(run.plan.buffers[*buffer].type));
  const int64_t limit = std::min(static_cast<int64_t>(Correctness::kErrorMapElements), words * 4 / bytes_each);
  const auto pixels = [scale](int size) { return std::max(1, static_cast<int>(std::lround(size * scale))); };
  return fit_cells(run.plan.buffers[*buffer].shape, limit, width, height, pixels(kSmallestCell), pixels(kLargestCell));
}

void HeatMaps::load(const std::shared_ptr<const RunResult>& run, size_t output, int64_t count, bool with_expected) {
  polls_since_load_ = 0;
  if (loaded_.run.lock() != run || loaded_.output != output) loaded_ = {run, output, 0, 0};
  if (loaded_.count < count) {
    const size_t buffer = *buffer_of(*run, output);
    interop_.fill(got_, *run, buffer, static_cast<size_t>(count) * size_of(run->plan.buffers[buffer].type));
    loaded_.count = count;
  }
  if (!with_expected || loaded_.expected_count >= count) return;
  const Correctness& check = check_of(*run, output);
  for (auto [target, values] : {std::pair{&expected_, &check.expected}, std::pair{&rest_, &check.expected_rest}}) {
    if (values->size() < static_cast<size_t>(count)) continue;
    target->reserve(static_cast<size_t>(count) * sizeof(float));
    target->write(first_floats(*values, static_cast<size_t>(count)));
  }
  loaded_.expected_count = count;
}

void HeatMaps::set_uniforms(const Map& map, const RunResult& run) const {
  const CellGrid& grid = map.request.grid;
  const Correctness& check = check_of(run, map.request.output);
  const size_t buffer = *buffer_of(run, map.request.output);
  const auto integer = [this](const char* name, int64_t value) {
    glUniform1i(program_.uniform(name), static_cast<GLint>(value));
  };
  integer("got", kGotUnit);
  integer("expected", kExpectedUnit);
  integer("expected_rest", kRestUnit);
  integer("scale", kScaleUnit);
  integer("has_rest", check.expected_rest.size() >= static_cast<size_t>(grid.count) ? 1 : 0);
  integer("type", static_cast<int64_t>(run.plan.buffers[buffer].type));
  integer("kind", map.request.kind == Kind::error ? 1 : 0);
  integer("count", grid.count);
  integer("row_length", grid.row_length);
  glUniform2i(program_.uniform("cell_elements"), static_cast<GLint>(grid.cell_columns),
              static_cast<GLint>(grid.cell_rows));
  integer("cell_pixels", grid.gap > 0 ? grid.cell_pixels : 1);
  integer("gap", grid.gap);
  glUniform2f(program_.uniform("range"), static_cast<float>(map.low), static_cast<float>(map.high));
  glUniform2f(program_.uniform("tolerance"), static_cast<float>(check.tolerance.absolute),
              static_cast<float>(check.tolerance.relative));
  const ImVec4 failing = ImGui::ColorConvertU32ToFloat4(map.request.failing);
  glUniform4f(program_.uniform("failing"), failing.x, failing.y, failing.z, failing.w);
}

void HeatMaps::draw_rows(Map& map, const RunResult& run) {
  const Texture& texture = map.target.texture();
  int rows = texture.height() - map.rows_done;
  if (interop_.software_renderer() && !map.request.whole) {
    const int64_t per_row = std::max<int64_t>(1, map.request.grid.row_length * map.request.grid.cell_rows);
    rows = std::clamp(static_cast<int>(kElementsPerFrame / per_row), 1, rows);
  }
  const Framebuffer::Drawing drawing(map.target);
  program_.use();
  set_uniforms(map, run);
  bind(kGotUnit, GL_TEXTURE_BUFFER, got_.texture());
  bind(kExpectedUnit, GL_TEXTURE_BUFFER, expected_.texture());
  bind(kRestUnit, GL_TEXTURE_BUFFER, rest_.texture());
  bind(kScaleUnit, GL_TEXTURE_2D, scale_.name());
  glBindVertexArray(vertex_array_);
  glEnable(GL_SCISSOR_TEST);
  glScissor(0, map.rows_done, texture.width(), rows);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  bind(kScaleUnit, GL_TEXTURE_2D, 0);
  for (const int unit : {kGotUnit, kExpectedUnit, kRestUnit}) bind(unit, GL_TEXTURE_BUFFER, 0);
  map.rows_done += rows;
}

void HeatMaps::start(Map& map, const Request& request, const std::shared_ptr<const RunResult>& run) {
  const CellGrid& grid = request.grid;
  map.run = run;
  map.request = request;
  map.rows_done = 0;
  const Range range = request.kind == Kind::error
                          ? Range{0, 1}
                          : range_of(*run, request.output, *buffer_of(*run, request.output), grid);
  map.low = range.low;
  map.high = range.high;
  const int pixels = grid.gap > 0 ? grid.cell_pixels : 1;
  map.target.resize(grid.columns * pixels, grid.rows * pixels);
  const Framebuffer::Drawing drawing(map.target);
  constexpr std::array<GLfloat, 4> kNothing{};
  glClearBufferfv(GL_COLOR, 0, kNothing.data());
}

HeatMaps::Picture HeatMaps::draw(const Request& request, const std::shared_ptr<const RunResult>& run) {
  poll();
  const auto buffer = buffer_of(*run, request.output);
  const CellGrid& grid = request.grid;
  const bool error = request.kind == Kind::error;
  if (!buffer || grid.count == 0) return {};
  if (error && check_of(*run, request.output).expected.size() < static_cast<size_t>(grid.count)) return {};
  Map& map = error ? error_ : value_;
  if (map.run.lock() != run || !(map.request == request)) start(map, request, run);
  if (map.rows_done < map.target.texture().height()) {
    const auto began = std::chrono::steady_clock::now();
    load(run, request.output, grid.count, error);
    draw_rows(map, *run);
    // What OpenGL was drawing during such a wait is lost.
    if (interop_.doubtful()) glFinish();
    if (interop_.doubtful() && std::chrono::steady_clock::now() - began > kWaitedInVain) draw_all_anew();
  }
  const bool complete = map.run.lock() == run && map.rows_done == map.target.texture().height();
  if (!complete) glfwPostEmptyEvent();  // the window sleeps when nothing happens, but the next rows need a next frame
  return {map.target.texture().id(), map.low, map.high, complete};
}

std::vector<ImU32> HeatMaps::pixels(Kind kind) const { return (kind == Kind::error ? error_ : value_).target.read(); }

}  // namespace tilescope
