// One colour per cell as a texture: for maps with more cells than rectangles can draw in a frame.
#pragma once

#include <memory>

#include "app/gl/texture.hpp"

namespace tilescope {

class CellTexture {
 public:
  /// Uploads width × height colours, row by row. Without a current OpenGL context nothing happens and the map is drawn
  /// without its colours.
  void upload(int width, int height, std::span<const ImU32> colours);
  bool ready() const { return texture_ != nullptr; }
  ImTextureID id() const { return texture_->id(); }

 private:
  std::unique_ptr<Texture> texture_;
};

}  // namespace tilescope
