// The meaning of badges and colours: a help page.
#include "app/window/help_terms.hpp"

#include <array>
#include <cmath>

#include "app/draw/widgets.hpp"

namespace tilescope {
namespace {

constexpr float kFirst = 132, kTermsLine = 20, kTermsRow = 24, kTermsTitle = 32;  // unscaled pixels

struct Page {
  PanelContext& context;
  ImDrawList* list;
  ImVec2 at;
  float width;
  float px(float value) const { return context.px(value); }

  void title(const char* key) {
    ImFont* font = context.fonts.body_semibold;
    draw_text(list, font, {at.x, centred_top(font, at.y + px(kTermsTitle) / 2)}, context.theme.text,
              context.strings(key));
    at.y += px(kTermsTitle);
  }
  /// The meaning, beside the first column, on as many lines as needed.
  void meaning(const std::string& text) {
    const TextRun run[] = {{context.fonts.small, context.theme.muted, text}};
    const float height = flow_text(list, {at.x + px(kFirst), at.y + px(2)}, width - px(kFirst), px(kTermsLine), run);
    at.y += std::max(px(kTermsRow), height + px(4));
  }
  ImVec2 centre() const { return {at.x + px(7), at.y + px(kTermsRow) / 2}; }
  void name(float left, const std::string& text) {
    ImFont* font = context.fonts.small;
    draw_text(list, font, {at.x + left, centred_top(font, at.y + px(kTermsRow) / 2)}, context.theme.text, text);
  }
};

void badges(Page& page) {
  static constexpr std::array<std::pair<Badge, const char*>, 4> kBadges{{{Badge::measured, "badge.measured_meaning"},
                                                                         {Badge::simulated, "badge.simulated_meaning"},
                                                                         {Badge::modelled, "badge.modelled_meaning"},
                                                                         {Badge::recorded, "badge.recorded_meaning"}}};
  page.title("terms.badges");
  for (const auto& [badge, meaning] : kBadges) {
    draw_badge(page.context, page.list, {page.at.x + badge_width(page.context, badge), page.at.y + page.px(2)}, badge);
    page.meaning(page.context.strings(meaning));
  }
}

void colours(Page& page) {
  const Theme& theme = page.context.theme;
  const std::array<std::pair<ImU32, const char*>, 5> roles{{{theme.read, "read"},
                                                            {theme.write, "write"},
                                                            {theme.reference, "reference"},
                                                            {theme.waiting, "waiting"},
                                                            {theme.error, "error"}}};
  page.title("terms.colours");
  for (const auto& [colour, name] : roles) {
    const ImVec2 centre = page.centre();
    const float half = page.px(5);
    page.list->AddRectFilled({centre.x - half, centre.y - half}, {centre.x + half, centre.y + half}, colour,
                             page.px(2));
    const std::string key = std::string("terms.") + name;
    page.name(page.px(22), page.context.strings(key));
    page.meaning(page.context.strings(key + "_meaning"));
  }
  const ImVec2 centre = page.centre();
  constexpr int kPieces = 12;
  for (int i = 0; i < kPieces; ++i) {
    const float each = page.px(72) / kPieces, x = page.at.x + each * static_cast<float>(i);
    page.list->AddRectFilled({x, centre.y - page.px(4)}, {x + each, centre.y + page.px(4)},
                             viridis(static_cast<float>(i) / (kPieces - 1)));
  }
  page.meaning(page.context.strings("terms.quantity_meaning"));
}

}  // namespace

void draw_terms(PanelContext& context, float width) {
  const ImVec2 low = ImGui::GetCursorScreenPos();
  Page page{context, ImGui::GetWindowDrawList(), low, width};
  badges(page);
  colours(page);
  ImGui::SetCursorScreenPos(low);
  ImGui::Dummy({width, page.at.y - low.y});
}

}  // namespace tilescope
