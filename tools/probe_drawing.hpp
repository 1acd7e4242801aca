// Drawing of which every pixel is known beforehand, in pieces whose times tell where OpenGL waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace tilescope {

/// One line of the probe's output: what is done, how long each part took, and how it ended. Shown as it grows, so that
/// a part which never ends is the last that one sees; a watchdog ends the process then.
class ProbeLine {
 public:
  explicit ProbeLine(const std::string& what);
  ~ProbeLine();
  ProbeLine(const ProbeLine&) = delete;
  ProbeLine& operator=(const ProbeLine&) = delete;
  /// Names what begins now. What was under way gets its time.
  void part(const std::string& name);
  void result(const std::string& text);

 private:
  void finish_part();
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now(), part_start_ = start_;
  bool in_part_ = false;
  std::string result_;
};

/// "right", "blank", or how many pixels differ.
struct PixelCount {
  size_t wrong = 0, blank = 0, all = 0;
  std::string text() const;
};

/// A texture filled from host memory, drawn into another, read back.
void draw_texture(ProbeLine& line);
/// The words of a fresh buffer of so many bytes (a square number of words), read by a shader, one pixel each.
void draw_buffer(ProbeLine& line, size_t bytes);

}  // namespace tilescope
