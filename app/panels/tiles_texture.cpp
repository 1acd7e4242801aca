#include "app/panels/tiles_texture.hpp"

#define GLFW_INCLUDE_NONE  // OpenGL comes from epoxy
#include <GLFW/glfw3.h>

namespace tilescope {

void CellTexture::upload(int width, int height, std::span<const ImU32> colours) {
  if (width <= 0 || height <= 0 || glfwGetCurrentContext() == nullptr) return;
  if (!texture_) texture_ = std::make_unique<Texture>();
  texture_->upload(width, height, colours);
}

}  // namespace tilescope
