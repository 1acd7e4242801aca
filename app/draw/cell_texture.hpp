// One colour per cell as a texture: for maps with more cells than rectangles can draw in a frame.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <span>

namespace tilescope {

/// A name in the current OpenGL context, kept by a view from frame to frame; it ends with the context, not with this
/// value, because a view outlives its window.
class CellTexture {
 public:
  /// Uploads width × height colours, row by row. Without a current OpenGL context nothing happens and the map is drawn
  /// without its colours.
  void upload(int width, int height, std::span<const ImU32> colours);
  bool ready() const { return name_ != 0; }
  ImTextureID id() const { return (ImTextureID)(intptr_t)name_; }

 private:
  uint32_t name_ = 0;
};

}  // namespace tilescope
