// Colours by role, and the fonts. Panels take every colour and font from here.
#pragma once

#include <imgui.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/result.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// The roles: window, panel and raised are surfaces; read, write and reference are data.
struct Theme {
  bool dark = true;
  ImU32 window, panel, raised, separator, text, muted, accent;
  ImU32 read, write, reference;
  ImU32 ok, waiting, error;
  ImU32 on_accent;  // text on a filled accent or ok surface
  ImU32 grid;       // plot grid: just above the window
  ImU32 syntax_keyword, syntax_type, syntax_number, syntax_comment, syntax_string, syntax_builtin;
};
const Theme& dark_theme();
const Theme& light_theme();
/// Sets ImGui's style colours and metrics; scale 1 is 96 dpi.
void apply_theme(const Theme& theme, float scale);

/// An opaque mix of two colours: amount 0 gives a, 1 gives b.
ImU32 mix(ImU32 a, ImU32 b, float amount);
ImU32 with_alpha(ImU32 colour, float alpha);
/// Viridis at t in [0, 1]: the only scale for quantities.
ImU32 viridis(float t);
/// Contrast ratio of two opaque colours as WCAG 2.1 defines it: 1 … 21; body text needs 4.5.
float contrast(ImU32 a, ImU32 b);
/// A text colour that is readable on a surface of this colour.
ImU32 readable_on(ImU32 surface, const Theme& theme);

/// Inter and JetBrains Mono, with WenQuanYi merged for Chinese. Digits of Inter are made tabular after loading.
struct Fonts {
  ImFont* small = nullptr;           // 13, notes
  ImFont* small_semibold = nullptr;  // 13
  ImFont* body = nullptr;            // 15
  ImFont* body_semibold = nullptr;   // 15
  ImFont* title = nullptr;           // 20 regular
  ImFont* title_semibold = nullptr;  // 20
  ImFont* code = nullptr;            // JetBrains Mono 14
};
/// Adds the fonts to ImGui's atlas and builds it (call before the first frame). `texts` contains every text that may be
/// shown: only its Chinese characters get glyphs, so that the atlas is built in a fraction of a second. A missing font
/// file falls back to ImGui's own font, and is reported in `missing`.
Fonts load_fonts(float scale, std::string_view texts, std::vector<std::filesystem::path>* missing);
/// The texts that can appear: the string tables, the lessons, the kernels and the registered labs.
std::string interface_texts(const std::filesystem::path& root);

/// The colour of an element in a map that nothing has touched.
inline ImU32 idle_colour(const Theme& theme) { return theme.separator; }

}  // namespace tilescope
