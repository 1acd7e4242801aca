// The font atlas: three sizes of Inter in two weights and one of JetBrains Mono, each merged with the symbols and the
// Chinese characters that the interface uses.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "app/draw/theme.hpp"
#include "engine/lab.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// One font file. `line` is (ascender − descender) / em: ImGui sizes a font by that height, the design by its em.
struct Face {
  const char* file;
  std::array<const char*, 2> folders;
  float line;
};
constexpr Face kInterRegular{
    "Inter-Regular.otf", {"/usr/share/fonts/opentype/inter", "/usr/share/fonts/inter"}, 1.2102F};
constexpr Face kInterSemibold{
    "Inter-SemiBold.otf", {"/usr/share/fonts/opentype/inter", "/usr/share/fonts/inter"}, 1.2102F};
constexpr Face kMono{"JetBrainsMono-Regular.ttf",
                     {"/usr/share/fonts/truetype/jetbrains-mono", "/usr/share/fonts/jetbrains-mono"},
                     1.32F};
constexpr Face kChinese{
    "wqy-microhei.ttc", {"/usr/share/fonts/truetype/wqy", "/usr/share/fonts/wqy-microhei"}, 1.1724F};

// ImGui keeps pointers to glyph ranges until the atlas is built; these live as long as the program.
constexpr ImWchar kLatin[] = {0x20,   0x7E,   0xA0,   0xFF,   0x391,  0x3A9,  0x3B1,  0x3C9,  0x1D57,
                              0x1D57, 0x2010, 0x2026, 0x2030, 0x2030, 0x2032, 0x2033, 0x2039, 0x203A,
                              0x2070, 0x208E, 0x2190, 0x2195, 0x2202, 0x2202, 0x2211, 0x2212, 0x2218,
                              0x2218, 0x221A, 0x221A, 0x221E, 0x221E, 0x2248, 0x2248, 0x2260, 0x2265,
                              0x2308, 0x230B, 0x2500, 0x257F, 0x25A0, 0x25CF, 0x2713, 0x2717, 0};

fs::path path_of(const Face& face) {
  for (const char* folder : face.folders) {
    fs::path path = fs::path(folder) / face.file;
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path;
  }
  return {};
}

/// Font files are read once and shared by every size; the atlas refers to these bytes.
std::string& bytes_of(const fs::path& path) {
  static std::map<fs::path, std::string> files;
  const auto [file, is_new] = files.try_emplace(path);
  if (is_new) file->second = read_text(path).value_or("");
  return file->second;
}

class FontLoader {
 public:
  FontLoader(float scale, std::string_view texts, std::vector<fs::path>* missing) : scale_(scale) {
    ImFontGlyphRangesBuilder builder;
    builder.AddRanges(kLatin);
    builder.AddText(texts.data(), texts.data() + texts.size());
    static ImVector<ImWchar> shown;
    shown.clear();
    builder.BuildRanges(&shown);
    ranges_ = shown.Data;
    for (const Face* face : {&kInterRegular, &kInterSemibold, &kMono, &kChinese})
      if (path_of(*face).empty() && missing != nullptr) missing->push_back(face->file);
  }

  ImFont* load(const Face& face, float em) {
    ImFont* font = add(face, em, /*merge=*/false, /*oversample=*/scale_ < 1.5F ? 3 : 1);
    if (font == nullptr) {
      ImFontConfig fallback;
      fallback.SizePixels = std::round(em * scale_);
      font = ImGui::GetIO().Fonts->AddFontDefault(&fallback);
    }
    // A glyph missing in a face is taken from the first of these that has it: none of them has all symbols.
    for (const Face* other : {&kMono, &kInterRegular, &kChinese})
      if (other != &face) add(*other, em, /*merge=*/true, 1);
    return font;
  }

 private:
  ImFont* add(const Face& face, float em, bool merge, int oversample) {
    const fs::path path = path_of(face);
    if (path.empty()) return nullptr;
    ImFontConfig config;
    config.MergeMode = merge;
    config.OversampleH = oversample;
    config.OversampleV = 1;
    config.PixelSnapH = merge;
    config.RasterizerMultiply = 1.1F;  // thin strokes of light text on dark would look grey
    config.GlyphRanges = ranges_;
    config.FontDataOwnedByAtlas = false;
    std::string& bytes = bytes_of(path);
    return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(bytes.data(), static_cast<int>(bytes.size()),
                                                      em * scale_ * face.line, &config, ranges_);
  }

  float scale_;
  const ImWchar* ranges_ = nullptr;  // all characters that are shown
};

#if IMGUI_VERSION_NUM < 19200
/// Inter's digits are proportional, but columns of numbers need equal widths. Each digit is centred in the advance of
/// the widest one.
void make_digits_tabular(ImFont& font) {
  float widest = 0;
  for (ImWchar digit = '0'; digit <= '9'; ++digit)
    if (const ImFontGlyph* glyph = font.FindGlyph(digit)) widest = std::max(widest, glyph->AdvanceX);
  for (ImWchar digit = '0'; digit <= '9'; ++digit) {
    auto* glyph = const_cast<ImFontGlyph*>(font.FindGlyph(digit));
    if (glyph == nullptr) continue;
    const float shift = (widest - glyph->AdvanceX) / 2;
    glyph->X0 += shift;
    glyph->X1 += shift;
    glyph->AdvanceX = widest;
  }
  font.BuildLookupTable();
}
#endif

void append_file(std::string& texts, const fs::path& path) { texts += read_text(path).value_or(""); }
void append_folder(std::string& texts, const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error)) append_file(texts, entry.path());
}
void append_exercises(std::string& texts, const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) append_folder(texts, entry.path());
}

}  // namespace

std::string interface_texts(const fs::path& root) {
  // The last ones appear in sentences that a lab generates only for some configurations; fonts_test.cpp knows all.
  std::string texts = "中文，。：；（）、？！“”《》〈〉「」『』【】％匀";
  for (const char* folder : {"assets/strings", "docs/labs/en", "docs/labs/zh", "docs/labs/steps", "docs/labs/review",
                             "docs/cheatsheets/en", "docs/cheatsheets/zh", "kernels"})
    append_folder(texts, root / folder);
  append_file(texts, root / "assets/skills.toml");
  append_exercises(texts, root / "exercises");
  if (const char* own = std::getenv("TILESCOPE_EXERCISES"); own != nullptr) append_exercises(texts, own);
  const auto append = [&](const Text& text) { texts += text.en + text.zh; };
  for (const Lab& lab : labs()) {
    append(lab.title);
    append(lab.bytes_formula);
    for (const auto& size : lab.sizes) append(size.title), append(size.unit);
    for (const auto& param : lab.params) append(param.title), append(param.unit), append(param.help);
    for (const auto& toggle : lab.break_it) append(toggle.title), append(toggle.help);
    for (const auto& rung : lab.rungs) append(rung.title);
    for (const auto& param : lab.params)
      for (const auto& choice : param.choices) append(choice.title);
    for (const auto& predict : lab.predicts) {
      append(predict.question);
      if (predict.why) append(predict.why(default_config(lab, DeviceKind::sim)));
    }
  }
  return texts;
}

Fonts load_fonts(float scale, std::string_view texts, std::vector<fs::path>* missing) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  atlas.TexDesiredWidth = scale > 1.5F ? 4096 : 2048;
  FontLoader loader(scale, texts, missing);
  Fonts fonts;
  fonts.small = loader.load(kInterRegular, 13);
  fonts.small_semibold = loader.load(kInterSemibold, 13);
  fonts.body = loader.load(kInterRegular, 15);
  fonts.body_semibold = loader.load(kInterSemibold, 15);
  fonts.title = loader.load(kInterRegular, 20);
  fonts.title_semibold = loader.load(kInterSemibold, 20);
  fonts.code = loader.load(kMono, 14);
#if IMGUI_VERSION_NUM < 19200
  atlas.Build();
  for (ImFont* font : {fonts.small, fonts.small_semibold, fonts.body, fonts.body_semibold, fonts.title,
                       fonts.title_semibold, fonts.code}) {
    make_digits_tabular(*font);
    font->FontSize = std::round(font->FontSize);  // integral line heights keep layout on whole pixels; glyphs are
                                                  // unchanged
  }
#endif
  ImGui::GetIO().FontDefault = fonts.small;
  return fonts;
}

}  // namespace tilescope
