// ImGui contexts whose fonts are made once for all tests of the program: those with thousands of Chinese characters
// take seconds.
#pragma once

#include <imgui.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "app/draw/theme.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {

/// Every character that the window can show.
inline const std::string& all_texts() {
  static const std::string texts = interface_texts(TILESCOPE_SOURCE);
  return texts;
}

/// Opens a context, in place of the current one, whose fonts have the characters of these texts.
inline Fonts open_context(float scale, const std::string& texts) {
  struct Made {
    std::unique_ptr<ImFontAtlas> atlas = std::make_unique<ImFontAtlas>();
    Fonts fonts = {};
  };
  static std::map<std::pair<float, std::string>, Made> all;
  if (ImGui::GetCurrentContext() != nullptr) ImGui::DestroyContext();
  const auto [made, is_new] = all.try_emplace({scale, texts});
  auto& [atlas, fonts] = made->second;
  ImGui::CreateContext(atlas.get());
  if (is_new) {
    fonts = load_fonts(scale, texts, nullptr);
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    atlas->GetTexDataAsRGBA32(&pixels, &width, &height);
  }
  ImGui::GetIO().FontDefault = fonts.small;
  ImGui::GetIO().IniFilename = nullptr;
  return fonts;
}

}  // namespace tilescope::testing
