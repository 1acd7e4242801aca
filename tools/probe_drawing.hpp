// Drawing with every pixel known in advance, in parts whose times show where OpenGL waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace tilescope {

/// One line of the probe's output: the action, the time of each part, and the result. It is printed as it grows, so a
/// part that never ends is the last one visible; then a watchdog ends the process.
class ProbeLine {
 public:
  explicit ProbeLine(const std::string& what);
  ~ProbeLine();
  ProbeLine(const ProbeLine&) = delete;
  ProbeLine& operator=(const ProbeLine&) = delete;
  /// Names the part that begins now, and prints the time of the part before.
  void part(const std::string& name);
  void result(const std::string& text);

 private:
  void finish_part();
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now(), part_start_ = start_;
  bool in_part_ = false;
  std::string result_;
};

/// "right", "blank", or the number of differing pixels.
struct PixelCount {
  size_t wrong = 0, blank = 0, all = 0;
  std::string text() const;
};

/// A texture filled from host memory, drawn into another texture, read back.
void draw_texture(ProbeLine& line);
/// The words of a new buffer of `bytes` bytes (a square number of words), read by a shader, one pixel each.
void draw_buffer(ProbeLine& line, size_t bytes);

}  // namespace tilescope
