// The cheat sheets, docs/cheatsheets/{en,zh}/*.md: CUDA, Triton, the errors of both, and questions with check lists.
// The view has a tab only while it is shown; the menu "?" and the palette open it. ViewState::sheet is the sheet.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/areas.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/lesson/lesson_view.hpp"
#include "app/views/sheet_names.hpp"
#include "app/views/view.hpp"

namespace tilescope {
namespace {

constexpr float kSheetsNames = 32, kSheetsSide = 24;  // unscaled pixels

class SheetText final : public LessonView {
 protected:
  Page page(const PanelContext& context) const override {
    const std::string language = context.strings.language == Language::en ? "en" : "zh";
    return {.id = "sheet " + context.view.sheet,
            .file = "docs/cheatsheets/" + language + "/" + context.view.sheet + ".md"};
  }
};

class SheetsView final : public View {
 public:
  void draw(PanelContext& context) override {
    const ImVec2 origin = ImGui::GetCursorScreenPos(), size = ImGui::GetWindowSize();
    const float names = context.px(kSheetsNames);
    ImGui::SetCursorScreenPos({origin.x + context.px(kSheetsSide), origin.y});
    draw_names(context, names);
    begin_area("sheet text", {origin.x, origin.y + names, origin.x + size.x, origin.y + size.y},
               ImGuiWindowFlags_NoNav);
    text_.draw(context);
    ImGui::EndChild();
  }
  bool concerns(const Session&) const override { return false; }
  bool moving(const Session& session, const ViewState& view) const override { return text_.moving(session, view); }
  bool needs_no_run() const override { return true; }
  bool finds_text() const override { return true; }

 private:
  static void draw_names(PanelContext& context, float height) {
    std::vector<std::string> names;
    names.reserve(kSheets.size());
    for (const char* sheet : kSheets) names.push_back(context.strings(std::string("sheets.") + sheet));
    const auto shown = std::ranges::find(kSheets, context.view.sheet);
    const int current = shown == kSheets.end() ? 0 : static_cast<int>(shown - kSheets.begin());
    const int chosen = tab_row(context, "sheet", names, current, height);
    context.view.sheet = kSheets[static_cast<size_t>(chosen)];
  }

  SheetText text_;
};

const ViewRegistration registered_sheets{{"sheets", 99, make_view<SheetsView>}};

}  // namespace
}  // namespace tilescope
