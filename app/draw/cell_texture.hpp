// A texture with one colour per cell, for maps with more cells than can be drawn as rectangles in a frame.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <span>

namespace tilescope {

/// A texture name in the current OpenGL context, kept by a view across frames. The context deletes it, not this object,
/// because a view outlives its window.
class CellTexture {
 public:
  /// Uploads width × height colours in row-major order. Without a current OpenGL context this does nothing, and the map
  /// is drawn without its colours.
  void upload(int width, int height, std::span<const ImU32> colours);
  bool ready() const { return name_ != 0; }
  ImTextureID id() const { return (ImTextureID)(intptr_t)name_; }

 private:
  uint32_t name_ = 0;
};

}  // namespace tilescope
