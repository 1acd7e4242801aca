// How a run's buffer gets into a GL buffer.
//
//   interop  the GL buffer is registered with CUDA; the device copies into it, nothing crosses the bus
//   copy     glBufferSubData from the host's copy of the buffer
//
// The choice is made once, when the window opens: copy on a machine without a CUDA GPU, where OpenGL is drawn by
// something else than that GPU, with TILESCOPE_PICTURE=copy, where a first trial does not bring back the bytes that
// were sent, and from then on when a registration fails. Runs on the simulator have no device buffer and are always
// copied. Both paths bring the same bytes, so the pictures are equal.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "app/gl/texture.hpp"
#include "app/strings.hpp"
#include "engine/executor.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

class Interop {
 public:
  enum class Path { interop, copy };
  enum class Reason { active, asked_for_copy, no_gpu, other_renderer, registration_failed, trial_failed, simulator };

  /// Needs a current OpenGL context. `gpu` is the engine's, or why there is none.
  explicit Interop(const Result<std::shared_ptr<Executor>>& gpu);
  ~Interop();
  Interop(const Interop&) = delete;
  Interop& operator=(const Interop&) = delete;

  Path path() const { return reason_ == Reason::active ? Path::interop : Path::copy; }
  Reason reason() const { return reason_; }
  /// The path that a run's picture takes: copy for a run on the simulator, else path().
  Path path_of(const RunResult* run) const;
  Reason reason_of(const RunResult* run) const;
  /// One sentence for the status bar's tooltip.
  std::string explain(const Strings& strings, const RunResult* run) const;
  /// What OpenGL draws with, for example "llvmpipe (LLVM 15.0.6, 256 bits)".
  const std::string& renderer() const { return renderer_; }
  /// OpenGL is drawn on the CPU: pictures are drawn in pieces, so that no frame is long.
  bool software_renderer() const;

  /// The first `bytes` of a run's buffer into the target, which grows as needed. Returns the path that was taken.
  Path fill(WordBuffer& target, const RunResult& run, size_t buffer, size_t bytes);

 private:
  struct Registration;
  bool fill_on_device(WordBuffer& target, const DeviceBuffer& source, size_t bytes);
  bool bytes_arrive(Executor& gpu);

  Reason reason_ = Reason::active;
  std::string detail_;                                             // the driver's words, or the renderer
  std::string renderer_;                                           // GL_RENDERER
  std::map<GLuint, std::unique_ptr<Registration>> registrations_;  // by GL buffer
};

}  // namespace tilescope
