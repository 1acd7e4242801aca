#include "app/window/certificate.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/window/shell.hpp"
#include "engine/clock.hpp"

namespace tilescope {
namespace {

// Units: the page is A4 with this width; a text of 13 units is 12.5 points.
constexpr float kPageWidth = 620, kPageHeight = 877, kMargin = 56;
constexpr float kPixels = 3;                   // of the picture, for each unit
constexpr float kFontScale = 4;                // the atlas is larger than any text but the title, which is as large
constexpr float kSmallEm = 13, kTitleEm = 20;  // of Fonts::small and Fonts::title, unscaled
constexpr float kTableTop = 318, kTableBottom = 716, kTallestRow = 20;

constexpr ImU32 kPaper = IM_COL32(255, 255, 255, 255), kInk = IM_COL32(20, 26, 33, 255),
                kGrey = IM_COL32(92, 102, 114, 255), kRule = IM_COL32(214, 219, 225, 255),
                kGreen = IM_COL32(22, 122, 78, 255), kBlue = IM_COL32(24, 105, 172, 255);

enum class Align { left, centre, right };

class Sheet {
 public:
  Sheet(const Fonts& fonts, ImDrawList* list) : fonts_(fonts), list_(list) {}

  /// `y`: the middle of the line.
  float text(float x, float y, float em, ImU32 colour, std::string_view text, Align align = Align::left,
             bool semibold = false) const {
    ImFont* font = font_for(em, semibold);
    const float size = size_of(font, em), width = font->CalcTextSizeA(size, FLT_MAX, 0, begin(text), end(text)).x;
    const float shift = align == Align::left ? 0 : align == Align::right ? width : width / 2;
    list_->AddText(font, size, {std::round(x * kPixels - shift), std::round(y * kPixels - size / 2)}, colour,
                   begin(text), end(text));
    return width / kPixels;
  }
  float width(float em, std::string_view text) const {
    ImFont* font = font_for(em, false);
    return font->CalcTextSizeA(size_of(font, em), FLT_MAX, 0, begin(text), end(text)).x / kPixels;
  }
  /// Lines of at most `room`, broken at blanks, and beside Chinese characters. Returns the middle of the line below.
  float wrapped(float x, float y, float room, float em, float step, ImU32 colour, std::string_view text) const {
    std::string line;
    for (size_t at = 0; at < text.size();) {
      size_t next = at;
      if (static_cast<unsigned char>(text[at]) >= 0xE0)
        next += 3;
      else
        while (next < text.size() && text[next] != ' ' && static_cast<unsigned char>(text[next]) < 0xE0) ++next;
      if (next < text.size() && text[next] == ' ') ++next;
      const std::string_view word = text.substr(at, next - at);
      // A full stop or a comma does not begin a line.
      static constexpr std::string_view kClosing[] = {"，", "。", "；", "：", "、", "）"};
      const bool closing = std::ranges::find(kClosing, word) != std::end(kClosing);
      if (!line.empty() && !closing && width(em, line + std::string(word)) > room) {
        this->text(x, y, em, colour, line);
        line.clear();
        y += step;
      }
      line += word;
      at = next;
    }
    this->text(x, y, em, colour, line);
    return y + step;
  }
  void rule(float left, float right, float y, ImU32 colour, float thickness = 0.5F) const {
    list_->AddRectFilled({left * kPixels, y * kPixels}, {right * kPixels, (y + thickness) * kPixels}, colour);
  }
  void check(float x, float y) const {
    draw_check(list_, {x * kPixels, y * kPixels}, 9 * kPixels, kGreen, 1.5F * kPixels);
  }
  /// The four tiles of the program.
  void logo(float x, float y) const {
    constexpr float kSide = 7, kStep = 8.5F;
    for (int tile = 0; tile < 4; ++tile) {
      const float left = x + static_cast<float>(tile % 2) * kStep, top = y + static_cast<float>(tile / 2) * kStep;
      list_->AddRectFilled({left * kPixels, top * kPixels}, {(left + kSide) * kPixels, (top + kSide) * kPixels},
                           tile == 1 || tile == 2 ? kBlue : kInk, kPixels);
    }
  }

 private:
  ImFont* font_for(float em, bool semibold) const {
    if (em > kSmallEm) return semibold ? fonts_.title_semibold : fonts_.title;
    return semibold ? fonts_.small_semibold : fonts_.small;
  }
  static float size_of(const ImFont* font, float em) {
    const float loaded = em > kSmallEm ? kTitleEm : kSmallEm;
    return font->FontSize * (em * kPixels) / (loaded * kFontScale);
  }
  static const char* begin(std::string_view text) { return text.data(); }
  static const char* end(std::string_view text) { return text.data() + text.size(); }

  const Fonts& fonts_;
  ImDrawList* list_;
};

/// Everything that the certificate says, in its language.
struct Wording {
  const Strings& strings;
  const ProgressReport& report;
  const CertificateOptions& options;
  std::string date;
  const std::string& operator()(const char* key) const { return strings(std::string("certificate.") + key); }
  std::string of(size_t done, size_t all) const {
    return strings.format("certificate.of", fmt::arg("done", done), fmt::arg("all", all));
  }
};

void draw_heading(const Sheet& sheet, const Wording& say) {
  const float right = kPageWidth - kMargin;
  sheet.logo(kMargin, 52);
  sheet.text(kMargin + 24, 60, 13, kInk, "Tilescope", Align::left, true);
  sheet.text(right, 60, 10.5F, kGrey, say.date, Align::right);
  sheet.text(kMargin, 114, 26, kInk, say("title"), Align::left, true);
  sheet.text(kMargin, 142, 12, kGrey, say("subject"));
  sheet.text(kMargin, 178, 9.5F, kGrey, say("learner"));
  if (!say.options.name.empty()) sheet.text(kMargin, 200, 20, kInk, say.options.name, Align::left, true);
  sheet.rule(kMargin, right, 216, kInk, 0.75F);
}

/// Four figures side by side, each with what it counts.
void draw_figures(const Sheet& sheet, const Wording& say) {
  const ProgressReport& report = say.report;
  const std::array<std::pair<std::string, std::string>, 4> figures{
      {{say.of(report.exercises_correct.done, report.exercises_correct.all),
        say.strings.format("certificate.exercises", fmt::arg("goals", report.exercises_with_goals))},
       {say.of(report.predicted.right, report.predicted.all), say("predictions")},
       {say.of(report.cards.done, report.cards.all), say("cards")},
       {say.of(report.total.earned, report.total.marks), say("marks")}}};
  const float step = (kPageWidth - 2 * kMargin) / static_cast<float>(figures.size());
  for (float x = kMargin; const auto& [figure, meaning] : figures) {
    sheet.text(x, 246, 18, kInk, figure, Align::left, true);
    sheet.wrapped(x, 267, step - 14, 9, 11.5F, kGrey, meaning);
    x += step;
  }
}

void draw_mark_cell(const Sheet& sheet, float x, float y, const PartDone* mark) {
  if (mark == nullptr) return;
  if (mark->complete())
    sheet.check(x, y);
  else if (mark->done == 0)
    sheet.text(x, y, 10, kRule, "–", Align::centre);
  else
    sheet.text(x, y, 10, kGrey, fmt::format("{}/{}", mark->done, mark->all), Align::centre);
}

void draw_table(const Sheet& sheet, const Wording& say) {
  constexpr float kFirst = 236, kStep = 56;
  const float right = kPageWidth - kMargin;
  const char* const columns[] = {"read", "predicted", "bug", "exercise", "review"};
  sheet.text(kMargin, kTableTop, 9.5F, kGrey, say("lab"));
  for (float x = kFirst; const char* column : columns) {
    sheet.text(x, kTableTop, 9.5F, kGrey, say(column), Align::centre);
    x += kStep;
  }
  sheet.text(right, kTableTop, 9.5F, kGrey, say("first_try"), Align::right);
  const auto rows = static_cast<float>(say.report.labs.size());
  const float row = std::min(kTallestRow, (kTableBottom - kTableTop - 12) / rows);
  const float em = std::min(10.5F, row * 0.62F);
  float y = kTableTop + 10;
  for (const LabReport& lab : say.report.labs) {
    sheet.rule(kMargin, right, y, kRule);
    const float middle = y + row / 2;
    sheet.text(kMargin, middle, em, kInk, say.strings(lab.lab->title));
    const bool own = lab.mark(ProgressPart::own_edit) != nullptr;
    const ProgressPart parts[] = {ProgressPart::lesson, ProgressPart::predictions, ProgressPart::bugs,
                                  own ? ProgressPart::own_edit : ProgressPart::exercises, ProgressPart::review};
    for (float x = kFirst; const ProgressPart part : parts) {
      draw_mark_cell(sheet, x, middle, lab.mark(part));
      x += kStep;
    }
    const Score& score = lab.predicted;
    sheet.text(right, middle, 10, score.all > 0 ? kInk : kRule,
               score.all > 0 ? fmt::format("{}/{}", score.right, score.all) : std::string("–"), Align::right);
    y += row;
  }
  sheet.rule(kMargin, right, y, kRule);
}

void draw_foot(const Sheet& sheet, const Wording& say) {
  const float right = kPageWidth - kMargin, room = right - kMargin;
  float y = kTableBottom + 26;
  y = sheet.wrapped(kMargin, y, room, 9, 13, kGrey, say("judged"));
  sheet.wrapped(kMargin, y + 2, room, 9, 13, kGrey, say("recorded"));
  sheet.rule(kMargin, right, 823, kRule);
  sheet.text(kMargin, 836, 9, kGrey, "Tilescope " TILESCOPE_VERSION);
  if (!say.report.texts_digest.empty())
    sheet.text(right, 836, 9, kGrey,
               say.strings.format("certificate.texts", fmt::arg("digest", say.report.texts_digest.substr(0, 16))),
               Align::right);
}

/// Every text, for the glyphs.
std::string texts_of(const Wording& say) {
  std::string texts = say.options.name + "✓–";
  for (const char* key : {"title", "subject", "learner", "of", "exercises", "predictions", "cards", "marks", "lab",
                          "read", "predicted", "bug", "exercise", "review", "first_try", "judged", "recorded", "texts"})
    texts += say(key);
  for (const LabReport& lab : say.report.labs) texts += say.strings(lab.lab->title);
  return texts;
}

}  // namespace

Result<void> save_certificate(Shell& shell, const ProgressReport& report, const CertificateOptions& options,
                              const std::filesystem::path& file) {
  Strings strings = shell.screen().strings;
  strings.language = options.language;
  const Wording say{strings, report, options, utc_now().substr(0, 10)};
  const Shell::Page page{.width = static_cast<int>(kPageWidth * kPixels),
                         .height = static_cast<int>(kPageHeight * kPixels),
                         .font_scale = kFontScale,
                         .background = kPaper,
                         .texts = texts_of(say)};
  shell.draw_page(page, [&](const Fonts& fonts) {
    const Sheet sheet(fonts, ImGui::GetForegroundDrawList());
    draw_heading(sheet, say);
    draw_figures(sheet, say);
    draw_table(sheet, say);
    draw_foot(sheet, say);
  });
  return write_png(shell.read_offscreen(), file);
}

}  // namespace tilescope
