// How the contents of a run's buffer are transferred to a GL buffer.
//
//   interop  the GL buffer is registered with CUDA; the device copies into it, nothing crosses the bus
//   copy     glBufferSubData from the host's copy of the buffer
//
// The path is copy on a machine without a CUDA GPU, if OpenGL uses a different renderer than that GPU, with
// TILESCOPE_PICTURE=copy, until a trial in another process has shown that interop works (interop_trial.hpp), and after
// a registration has failed. A kernel that faults may break interop on the whole machine: every command that uses a
// buffer filled through it then waits for many seconds, and what was to be drawn meanwhile is lost. So after a fault no
// such buffer is used again, and the path becomes copy at once, also in programs started later (InteropRecord), until
// the machine restarts or `tilescope interop-trial` succeeds. On an H200 with driver 580, OpenGL then waits once or
// twice in every process, for 4 to 15 s, even where CUDA is not involved, and loses what it was drawing: maps whose
// drawing took that long are drawn again (HeatMaps). Runs on the simulator have no device buffer and are always copied.
// Both paths deliver the same bytes, so the pictures are equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/draw/gl/interop_trial.hpp"
#include "app/draw/gl/texture.hpp"
#include "app/draw/strings.hpp"
#include "engine/executor.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

class GpuExecutor;

struct InteropOptions {
  InteropTrial::Procedure trial = {};  // empty: interop is used without a trial, whatever happens
  std::function<void()> wake = {};     // called on another thread when poll() has a result to take over
  InteropRecord record = {};           // may prevent a trial
};

class Interop {
 public:
  enum class Path { interop, copy };
  enum class Reason {
    active,
    asked_for_copy,
    no_gpu,
    other_renderer,
    trying,
    trial_failed,
    faulted,
    registration_failed,
    simulator
  };

  /// Needs a current OpenGL context, as does every other call. `gpu` is the engine's, or the reason why there is none.
  explicit Interop(const Result<std::shared_ptr<Executor>>& gpu, InteropOptions options = {});
  ~Interop();
  Interop(const Interop&) = delete;
  Interop& operator=(const Interop&) = delete;

  /// Call once a frame: checks for faults and for the result of a trial. Never waits.
  void poll();
  /// Number of times that drawings and the targets of fill() were lost: a kernel has faulted, or a trial failed.
  uint64_t losses() const { return losses_; }
  /// A kernel has faulted on this machine, or may have: OpenGL may wait for many seconds and lose what is drawn
  /// meanwhile, even if nothing is shared with CUDA.
  bool doubtful() const { return faulted_before_ || reason_ == Reason::faulted || reason_ == Reason::trial_failed; }

  Path path() const { return reason_ == Reason::active ? Path::interop : Path::copy; }
  Reason reason() const { return reason_; }
  /// The path for a run's picture: copy for a run on the simulator, else path().
  Path path_of(const RunResult* run) const;
  Reason reason_of(const RunResult* run) const;
  /// One sentence for the status bar's tooltip.
  std::string explain(const Strings& strings, const RunResult* run) const;
  /// Details of the reason: the driver's message, the renderer, why a trial failed.
  const Phrase& detail() const { return detail_; }
  /// The OpenGL renderer, for example "llvmpipe (LLVM 15.0.6, 256 bits)".
  const std::string& renderer() const { return renderer_; }
  /// OpenGL renders on the CPU: pictures are drawn in pieces, so that no frame takes long.
  bool software_renderer() const;

  /// Copies the first `bytes` of a run's buffer into the target, which grows as needed and must outlive the Interop.
  /// Returns the path used.
  Path fill(WordBuffer& target, const RunResult& run, size_t buffer, size_t bytes);
  /// Frees the target's memory until it is filled again.
  void empty(WordBuffer& target);

 private:
  struct Registration;
  bool fill_on_device(WordBuffer& target, const DeviceBuffer& source, size_t bytes);
  void give_up_registrations();

  Reason reason_ = Reason::active;
  Phrase detail_;
  std::string renderer_;                                           // GL_RENDERER
  bool faulted_before_ = false;                                    // in an earlier process
  std::map<GLuint, std::unique_ptr<Registration>> registrations_;  // by GL buffer
  uint64_t losses_ = 0;
  std::shared_ptr<GpuExecutor> gpu_;   // counts faults
  std::optional<InteropTrial> trial_;  // as long as interop may be possible
};

}  // namespace tilescope
