// Heat maps of a run's output, drawn by a fragment shader into a texture once whenever data or size change.
//
//     auto maps = HeatMaps::create(root / "shaders", engine->gpu());
//     const CellGrid grid = maps->fit(*run, output, width, height, scale);
//     const HeatMaps::Picture picture = maps->draw({HeatMaps::Kind::error, output, grid, theme.error}, run);
//     list->AddImage(picture.texture, low, high);        // high = low + (grid.width(), grid.height())
//
// value: each cell shows the mean of its elements. error: the largest |got − expected| divided by the tolerance, from
// 10⁻⁴ (cold) to 1 on a logarithmic scale; a larger value or NaN is failing. Elements past
// Correctness::kErrorMapElements are not drawn.
#pragma once

#include <imgui.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "app/draw/gl/cell_grid.hpp"
#include "app/draw/gl/framebuffer.hpp"
#include "app/draw/gl/interop.hpp"
#include "app/draw/gl/shader_program.hpp"
#include "app/draw/gl/texture.hpp"

namespace tilescope {

class HeatMaps {
 public:
  enum class Kind { value, error };
  static constexpr double kSmallestRatio = 1e-4;  // relative to the tolerance: the cold end of the error scale

  /// Needs a current OpenGL 3.3 context, as does every other call.
  static Result<std::unique_ptr<HeatMaps>> create(const std::filesystem::path& shader_folder,
                                                  const Result<std::shared_ptr<Executor>>& gpu,
                                                  InteropOptions interop = {});
  ~HeatMaps();

  /// Call once a frame, even if nothing is drawn: checks whether interop can be used, and frees the memory of elements
  /// that are all drawn. Never waits.
  void poll();

  struct Request {
    Kind kind = Kind::value;
    size_t output = 0;  // index into RunResult::correctness, or ::statistics if there is no reference
    CellGrid grid;
    ImU32 failing = 0;   // colour of failing elements
    bool whole = false;  // draw all of it now, even with software OpenGL
    bool operator==(const Request&) const = default;
  };
  struct Picture {
    ImTextureID texture = {};
    double low = 0, high = 0;  // value: the ends of the scale
    bool complete = false;     // false: the next call draws more rows
  };
  /// Draws what has changed since the last call of that kind. Kind::error needs Correctness::expected.
  Picture draw(const Request& request, const std::shared_ptr<const RunResult>& run);
  /// The pixels of the last picture of that kind, for tests and export; top row first.
  std::vector<ImU32> pixels(Kind kind) const;

  /// Cells for an output in an area of pixels.
  static CellGrid fit(const RunResult& run, size_t output, int width, int height, float scale);
  /// The plan's buffer for an output; nothing if no name matches.
  static std::optional<size_t> buffer_of(const RunResult& run, size_t output);

  const Interop& interop() const { return interop_; }
  /// Memory of elements that may still have to be drawn.
  size_t held_bytes() const { return got_.capacity() + expected_.capacity() + rest_.capacity(); }

 private:
  struct Map {
    Framebuffer target;
    Request request;
    std::weak_ptr<const RunResult> run;  // identifies the run without keeping it alive
    double low = 0, high = 0;
    int rows_done = 0;
  };
  HeatMaps(ShaderProgram program, const Result<std::shared_ptr<Executor>>& gpu, InteropOptions interop);
  void load(const std::shared_ptr<const RunResult>& run, size_t output, int64_t count, bool with_expected);
  void start(Map& map, const Request& request, const std::shared_ptr<const RunResult>& run);
  void set_uniforms(const Map& map, const RunResult& run) const;
  void draw_rows(Map& map, const RunResult& run);
  void draw_all_anew();
  void release_unused();

  ShaderProgram program_;
  GLuint vertex_array_ = 0;
  Texture scale_;
  WordBuffer got_, expected_, rest_;
  Interop interop_;      // declared after the buffers, so that it releases them first
  uint64_t losses_ = 0;  // interop_.losses() when the maps were last checked
  Map value_, error_;
  struct Loaded {
    std::weak_ptr<const RunResult> run;
    size_t output = 0;
    int64_t count = 0, expected_count = 0;
  } loaded_;
  int polls_since_load_ = 0;
};

}  // namespace tilescope
