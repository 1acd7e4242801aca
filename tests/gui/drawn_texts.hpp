// The texts of a frame, read back from its vertices: each glyph is a rectangle whose texture coordinates identify it.
// So no way of drawing text is missed.
#pragma once

#include <imgui.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/testing.hpp"

namespace tilescope::testing {

/// Runs of glyphs on one line, in drawing order. A character beyond ASCII becomes '#'; clipped glyphs are missing and
/// end a run.
class DrawnTexts {
 public:
  DrawnTexts() {
    for (const ImFont* font : ImGui::GetIO().Fonts->Fonts)
      for (const ImFontGlyph& glyph : font->Glyphs)
        if (glyph.Visible) glyphs_.insert({{glyph.U0, glyph.V0}, {font, &glyph}});
  }

  /// The texts of one window's draw list. Call it between ImGui::Render and the next frame.
  std::vector<std::string> of(const ImDrawList& list) const {
    std::vector<std::string> texts;
    std::string text;
    ImVec2 pen{0, 0};
    const ImFont* font = nullptr;
    const auto end = [&] {
      if (!text.empty()) texts.push_back(std::exchange(text, {}));
      font = nullptr;
    };
    for (int i = 0; i + 3 < list.VtxBuffer.Size;) {
      const std::optional<Found> found = glyph_at(&list.VtxBuffer.Data[i]);
      if (!found) {
        end();
        ++i;
        continue;
      }
      const float gap = found->pen.x - pen.x;
      const bool follows = font == found->font && std::fabs(found->pen.y - pen.y) < 1 && gap > -2;
      if (!follows || gap > 0.8F * found->height) {
        end();
      } else if (gap > 0.12F * found->height) {
        text += ' ';
      }
      text += found->code < 128 ? static_cast<char>(found->code) : '#';
      font = found->font;
      pen = {found->pen.x + found->advance, found->pen.y};
      i += 4;
    }
    end();
    return texts;
  }

 private:
  struct Found {
    const ImFont* font;
    unsigned code;
    ImVec2 pen;  // origin of the glyph's box in its font
    float advance, height;
  };
  std::optional<Found> glyph_at(const ImDrawVert* corner) const {
    const auto known = glyphs_.find({corner[0].uv.x, corner[0].uv.y});
    if (known == glyphs_.end()) return std::nullopt;
    const auto& [font, glyph] = known->second;
    if (corner[2].uv.x != glyph->U1 || corner[2].uv.y != glyph->V1) return std::nullopt;
    const float scale = (corner[2].pos.x - corner[0].pos.x) / (glyph->X1 - glyph->X0);
    return Found{font,
                 glyph->Codepoint,
                 {corner[0].pos.x - glyph->X0 * scale, corner[0].pos.y - glyph->Y0 * scale},
                 glyph->AdvanceX * scale,
                 font->FontSize * scale};
  }

  std::map<std::pair<float, float>, std::pair<const ImFont*, const ImFontGlyph*>> glyphs_;
};

}  // namespace tilescope::testing
