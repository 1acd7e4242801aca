// The tape view: a small program of operators, both of its passes, and what lives between them.
#include <algorithm>

#include "app/draw/small_button.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/tape/tape_view.hpp"
#include "engine/autograd/tape_text.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

const ViewRegistration registered_tape{{"tape", 98, make_view<TapeView>, /*leads=*/true}};

// Unscaled pixels.
constexpr float kTapeSide = 24, kTapeLower = 140, kErrorLine = 20, kSentenceLine = 22;
constexpr float kTextLeast = 230, kTextMost = 380, kTextShare = 0.32F;
constexpr float kBesideLeast = 900;  // width from which the text stands beside the picture
constexpr float kTextHeight = 230, kButtonRows = 68, kTextLine = 20, kPageHeight = 300;

const char* key_of(Save save) {
  if (save == Save::all) return "view.tape.save_all";
  return save == Save::inputs ? "view.tape.save_inputs" : "view.tape.save_checkpoint";
}

}  // namespace

TapeView::TapeView() {
  text_.editable = true;
  text_.buffer.reset(tape_examples().back().text);
}

Lower TapeView::lower(const PanelContext&, bool) const { return {.lowered = kTapeLower}; }

/// The text follows the rung and its setting until the learner changes it.
void TapeView::follow_rung(const PanelContext& context) {
  if (context.session.lab().name != "autograd") return;
  const Config& config = context.session.request().config;
  const Save save = save_of_parameter(config.param("SAVE"));
  std::string wanted = context.session.request().rung + " " + std::string(name_of(save));
  if (wanted == followed_) return;
  followed_ = std::move(wanted);
  if (const auto program = program_of_rung(context.session.request().rung, save)) text_.buffer.reset(text_of(*program));
}

void TapeView::update(const PanelContext& context) {
  follow_rung(context);
  const Config& config = context.session.request().config;
  rows_ = config.sizes.contains("rows") ? config.size("rows") : 1;
  columns_ = config.sizes.contains("columns") ? config.size("columns") : 1;
  element_ = config.params.contains("DTYPE") && config.param("DTYPE") == 1 ? 2 : 4;
  if (taken_ != text_.buffer.revision()) {
    taken_ = text_.buffer.revision();
    shown_.take(text_.buffer.text());
  }
  if (!shown_.valid()) return;
  const Key key{.version = shown_.version,
                .language = context.strings.language == Language::en ? "en" : "zh",
                .rows = rows_,
                .columns = columns_,
                .element = element_,
                .scale = context.screen.scale,
                .room = room_};
  if (key == key_) return;
  if (key.version != key_.version) chosen_.reset();
  key_ = key;
  picture_ = draw_tape(shown_.tape, wording(context));
}

void TapeView::draw(PanelContext& context) {
  update(context);
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float left = window.x + context.px(kTapeSide), right = window.x + size.x - context.px(kTapeSide);
  const float top = ImGui::GetCursorScreenPos().y + context.px(8), bottom = window.y + size.y - context.px(8);
  if (right - left < context.px(120) || bottom - top < context.px(60)) return;
  const bool beside = right - left >= context.px(kBesideLeast);
  // As high as the text needs: the buttons above it, its lines and one more, and what is wrong with it.
  const auto lines = static_cast<float>(text_.buffer.lines().size() + (shown_.error ? 4 : 1));
  const float text_height = context.px(std::min(kTextHeight, kButtonRows + kTextLine * lines));
  const float least = context.px(kPageHeight);
  // Above one another the text and the page scroll together.
  const float page = std::max(least, page_height_);
  const float height = std::max(bottom - top, beside ? least : text_height + context.px(12) + page);
  ImGui::SetCursorScreenPos({left, top});
  ImGui::BeginChild("tape page", {right - left, bottom - top}, false, ImGuiWindowFlags_NoNav);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - (height > bottom - top ? context.px(8) : 0);
  const float column = std::clamp(width * kTextShare, context.px(kTextLeast), context.px(kTextMost));
  const float gap = context.px(20);
  draw_text_column(context, origin, {origin.x + (beside ? column : width), origin.y + (beside ? height : text_height)});
  const ImVec2 low =
      beside ? ImVec2(origin.x + column + gap, origin.y) : ImVec2(origin.x, origin.y + text_height + context.px(12));
  if (beside) {
    const float line = std::max(1.0F, std::round(context.px(1))), x = origin.x + column + gap / 2;
    ImGui::GetWindowDrawList()->AddRectFilled({x, origin.y}, {x + line, origin.y + height}, context.theme.separator);
  }
  if (shown_.valid()) draw_page(context, low, {origin.x + width, origin.y + height});
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({1, height - 1});
  ImGui::EndChild();
}

void TapeView::replace_text(const std::string& text) {
  text_.buffer.select_all();
  text_.buffer.paste(text);
  text_.buffer.place({0, 0});
}

/// The programs of the rungs, then what is kept. Returns where they end.
float TapeView::draw_buttons(PanelContext& context, ImVec2 low, float right) {
  const Strings& strings = context.strings;
  ImVec2 at = low;
  const float row = context.px(kSmallButtonHeight + 6);
  const std::string current = shown_.valid() ? text_of(with_save(shown_.tape.program, Save::all)) : std::string();
  const auto button = [&](const std::string& id, const std::string& text, const char* meaning, bool lit) {
    if (at.x > low.x && at.x + small_button_width(context, text) > right) at = {low.x, at.y + row};
    bool pressed = false;
    at.x = small_button(context, id.c_str(), text, strings(meaning), at, lit, &pressed) + context.px(6);
    return pressed;
  };
  for (const TapeExample& example : tape_examples()) {
    const Rung* rung = find_rung(context.session.lab(), std::string(example.rung));
    const std::string title = rung != nullptr ? strings(rung->title) : std::string(example.rung);
    if (button(fmt::format("tape example {}", example.rung), title, "view.tape.example_meaning",
               current == example.text))
      replace_text(std::string(example.text));
  }
  at = {low.x, at.y + row};
  for (const Save save : {Save::all, Save::inputs, Save::checkpoint}) {
    const bool lit = shown_.valid() && with_save(shown_.tape.program, save) == shown_.tape.program;
    const std::string meaning = std::string(key_of(save)) + "_meaning";
    if (button(fmt::format("tape save {}", name_of(save)), strings(key_of(save)), meaning.c_str(), lit) &&
        shown_.valid() && !shown_.error)
      replace_text(text_of(with_save(shown_.tape.program, save)));
  }
  return at.y + row;
}

void TapeView::draw_text_column(PanelContext& context, ImVec2 low, ImVec2 high) {
  const float top = draw_buttons(context, low, high.x) + context.px(2);
  std::string what;
  float error = 0;
  if (shown_.error) {
    what = context.strings.message(*shown_.error) + context.strings("view.tape.stop") +
           context.strings("view.tape.kept_text");
    const TextRun run[] = {{context.fonts.small, context.theme.error, what}};
    error = flow_text(nullptr, {0, 0}, high.x - low.x, context.px(kErrorLine), run) + context.px(8);
  }
  CodeView::Hooks hooks;
  hooks.fill = [&](uint32_t line) -> ImU32 {
    return shown_.error && shown_.line == line ? mix(context.theme.window, context.theme.error, 0.16F) : 0;
  };
  const float height = std::max(context.px(40), high.y - error - top);
  ImGui::SetCursorScreenPos({low.x, top});
  ImGui::BeginChild("tape text", {high.x - low.x, height}, false, kFixedArea);
  text_.draw(context, "tape text", {high.x - low.x, height}, hooks);
  ImGui::EndChild();
  mark(context, "tape_text", {low.x, top}, {high.x, top + height});
  if (!shown_.error) return;
  const TextRun run[] = {{context.fonts.small, context.theme.error, what}};
  flow_text(ImGui::GetWindowDrawList(), {low.x, high.y - error + context.px(4)}, high.x - low.x, context.px(kErrorLine),
            run);
  mark(context, "tape_error", {low.x, high.y - error}, high);
}

/// What the program costs, the picture, the chosen step, and the gradients.
void TapeView::draw_page(PanelContext& context, ImVec2 low, ImVec2 high) {
  const Tape& tape = shown_.tape;
  const size_t forward = tape.program.nodes.size(), again = tape.recomputations();
  const std::string sum = context.strings.format(
      again > 0 ? "view.tape.sum_again" : "view.tape.sum", fmt::arg("forward", forward),
      fmt::arg("backward", tape.steps.size() - forward - again), fmt::arg("again", again),
      fmt::arg("bytes", three_figures(static_cast<double>(tape.saved_bytes(rows_, columns_, element_)))),
      fmt::arg("rows", rows_), fmt::arg("columns", columns_));
  const TextRun run[] = {{context.fonts.body_semibold, context.theme.text, sum}};
  ImGui::SetCursorScreenPos(low);
  ImGui::BeginChild("tape right", {high.x - low.x, high.y - low.y}, false, ImGuiWindowFlags_NoNav);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  float y = origin.y;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float badge = draw_badge(context, list, {origin.x + width, y}, Badge::modelled) + context.px(12);
  y += flow_text(list, {origin.x, y}, width - badge, context.px(kSentenceLine), run);
  mark(context, "tape_sum", origin, {origin.x + width, y});
  y += context.px(6);
  y += draw_picture(context, {origin.x, y}, width);
  y += draw_chosen(context, {origin.x, y}, width);
  y += draw_gradients(context, {origin.x, y}, width);
  ImGui::SetCursorScreenPos({origin.x, y});
  ImGui::Dummy({1, context.px(4)});
  page_height_ = y + context.px(16) - origin.y;
  ImGui::EndChild();
}

}  // namespace tilescope
