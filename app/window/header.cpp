#include "app/window/header.hpp"

#include <cmath>

#include "app/draw/menus.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/view.hpp"
#include "app/window/header_parts.hpp"
#include "app/window/screen.hpp"

namespace tilescope {
namespace {

// Window widths, unscaled, below which the header shows less.
constexpr float kShortDevice = 1440, kNoSwitches = 1120;

void draw_name(PanelContext& context, const HeaderLine& line) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const float x = line.origin.x + context.px(16), y = line.origin.y + context.px(16), square = context.px(7);
  const float step = context.px(9), corner = context.px(1);
  const ImU32 quiet = mix(theme.panel, theme.muted, theme.dark ? 0.28F : 0.45F);
  for (int cell = 0; cell < 4; ++cell) {
    const float left = x + static_cast<float>(cell % 2) * step, top = y + static_cast<float>(cell / 2) * step;
    list->AddRectFilled({left, top}, {left + square, top + square}, cell == 0 || cell == 3 ? theme.accent : quiet,
                        corner);
  }
  draw_text(list, context.fonts.body_semibold,
            {line.origin.x + context.px(42), baseline_top(context.fonts.body_semibold, line.baseline)}, theme.text,
            "Tilescope");
}

float draw_chevron_right(PanelContext& context, float x, float centre) {
  const float half = context.px(2.5F);
  const ImVec2 points[] = {{x, centre - half * 1.4F}, {x + half, centre}, {x, centre + half * 1.4F}};
  ImGui::GetWindowDrawList()->AddPolyline(points, 3, context.theme.muted, 0, context.px(1.25F));
  return half;
}

void draw_breadcrumb(PanelContext& context, const HeaderLine& line, float left, float right) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const Fonts& fonts = context.fonts;
  const float baseline = line.baseline + context.px(1);
  const float gap = context.px(9.5F);
  float x = left + context.px(24);
  const bool exercise = shows_exercise(context.session);
  const std::string place = context.session.shows_own() && !exercise
                                ? context.strings("rail.sandbox")
                                : context.strings.format("header.stage", fmt::arg("stage", context.lab().stage));
  x += draw_text(list, fonts.body, {x, baseline_top(fonts.body, baseline)}, theme.muted, place).x + gap;
  x += draw_chevron_right(context, x, line.centre + context.px(2)) + gap;
  const std::string& title = context.strings(context.lab().title);
  const ImVec2 first{left, line.centre - context.px(16)};
  x += draw_text(list, fonts.title_semibold, {x, baseline_top(fonts.title_semibold, baseline)}, theme.text,
                 fit_text(fonts.title_semibold, title, right - x))
           .x +
       gap;
  const std::string& rung = exercise ? context.strings("workshop.exercise") : context.strings(context.rung().title);
  const float after = x + context.px(2.5F) + gap, room = right - after;
  std::string meaning = place + " › " + title + " › " + rung;
  explain_rect(context, first, {right, line.centre + context.px(16)},
               context.strings.format("header.breadcrumb_meaning", fmt::arg("place", meaning)));
  if (room < context.px(48)) return;
  draw_chevron_right(context, x, line.centre + context.px(2));
  draw_text(list, fonts.body, {after, baseline_top(fonts.body, baseline)}, theme.text,
            fit_text(fonts.body, rung, room));
}

std::string simulator_name(const PanelContext& context, const std::string& gpu) {
  const auto modelled = context.session.engine().modelled_gpu(gpu);
  return modelled ? context.strings.format("header.simulator_as", fmt::arg("gpu", modelled->name))
                  : context.strings("header.simulator");
}

std::string short_simulator_name(const PanelContext& context, const std::string& gpu) {
  const auto modelled = context.session.engine().modelled_gpu(gpu);
  return modelled ? context.strings.format("header.simulator_short", fmt::arg("gpu", modelled->name))
                  : context.strings("header.simulator");
}

std::string gpu_name(const PanelContext& context) {
  const Engine& engine = context.session.engine();
  return engine.gpu() ? (*engine.gpu())->device().name : context.strings("header.no_gpu");
}

bool draw_device_choice(PanelContext& context, const std::string& name, const std::string& id, bool chosen,
                        bool there) {
  const bool clicked =
      ImGui::Selectable(name.c_str(), chosen, there ? 0 : ImGuiSelectableFlags_Disabled, {context.px(280), 0});
  mark(context, "device." + id, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  return clicked;
}

/// The simulator imitating each GPU of the table, then the GPU of this machine.
void draw_device_choices(PanelContext& context) {
  Session& session = context.session;
  const bool simulated = session.request().device == DeviceKind::sim;
  const auto& gpus = session.engine().gpus();
  const auto modelled = session.engine().modelled_gpu(session.request().gpu);
  for (const GpuSpec& gpu : gpus ? *gpus : std::vector<GpuSpec>{}) {
    const bool chosen = simulated && modelled && modelled->id == gpu.id;
    if (!draw_device_choice(context, simulator_name(context, gpu.id), "sim." + gpu.id, chosen, true)) continue;
    session.set_device(DeviceKind::sim);
    session.set_gpu(gpu.id);
  }
  if (!gpus && draw_device_choice(context, simulator_name(context, {}), "sim", simulated, true))
    session.set_device(DeviceKind::sim);
  const auto& gpu = session.engine().gpu();
  if (draw_device_choice(context, gpu_name(context), "gpu", !simulated, gpu.has_value())) {
    session.set_device(DeviceKind::gpu);
    session.set_gpu({});  // the simulator beside it imitates that GPU
  }
  if (gpu) return;
  ImGui::PushTextWrapPos(context.px(288));
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.muted);
  ImGui::TextUnformatted(as_sentence(context.strings, gpu.error()).c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
}

void draw_device_menu(PanelContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(8), context.px(8)));
  if (ImGui::BeginPopup("device menu")) {
    draw_device_choices(context);
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

/// The drop-down, with its right edge at x. Returns its left edge.
float draw_device(PanelContext& context, const HeaderLine& line, float x) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  const DeviceKind kind = context.session.request().device;
  const std::string all = kind != DeviceKind::sim     ? gpu_name(context)
                          : line.width < kShortDevice ? short_simulator_name(context, context.session.request().gpu)
                                                      : simulator_name(context, context.session.request().gpu);
  const std::string name = fit_text(font, all, context.px(220));
  const float width = std::round(text_size(font, name).x) + context.px(48);
  const ImVec2 low{x - width, line.centre - context.px(12)}, high{x, line.centre + context.px(12)};
  ImGui::SetCursorScreenPos(low);
  if (hit_area("device", {width, high.y - low.y})) open_menu(context.view, "device menu");
  const bool hovered = ImGui::IsItemHovered();
  mark(context, "device", low, high);
  explain(context, context.strings("header.device_meaning"));
  list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, hovered ? theme.muted : theme.separator,
                context.px(6), 0, context.px(1));
  list->AddCircleFilled({low.x + context.px(12.5F), line.centre}, context.px(3.5F),
                        kind == DeviceKind::gpu ? theme.ok : theme.accent);
  draw_text(list, font, {low.x + context.px(23), centred_top(font, line.centre)}, theme.text, name);
  draw_chevron(list, {high.x - context.px(13), line.centre}, context.px(8), theme.muted);
  ImGui::SetNextWindowPos({high.x, high.y + context.px(4)}, ImGuiCond_Always, {1, 0});
  draw_device_menu(context);
  return low.x;
}

/// EN | 中, with its right edge at x. Returns its left edge.
float draw_language(PanelContext& context, Strings& strings, const HeaderLine& line, float x) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const float half = context.px(36), height = context.px(24);
  const ImVec2 low{x - 2 * half, line.centre - height / 2}, high{x, line.centre + height / 2};
  const bool chinese = strings.language == Language::zh;
  const float selected = low.x + (chinese ? half : 0);
  list->AddRectFilled({selected, low.y}, {selected + half, high.y}, theme.raised, context.px(6));
  list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, theme.separator, context.px(6), 0,
                context.px(1));
  const auto side = [&](const char* id, const char* label, ImFont* font, Language language, float left) {
    ImGui::SetCursorScreenPos({left, low.y});
    if (hit_area(id, {half, height})) strings.language = language;
    explain(context, context.strings("header.language_meaning"));
    mark(context, id, {left, low.y}, {left + half, high.y});
    const bool on = strings.language == language;
    draw_text_centred(list, font, {left + half / 2, line.centre},
                      on || ImGui::IsItemHovered() ? theme.text : theme.muted, label);
  };
  side("language.en", "EN", chinese ? context.fonts.small : context.fonts.small_semibold, Language::en, low.x);
  side("language.zh", "中", context.fonts.small, Language::zh, low.x + half);
  return low.x;
}

/// A half-filled disc, with its right edge at x. Returns its left edge.
float draw_theme_switch(PanelContext& context, const HeaderLine& line, float x) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float side = context.px(24), radius = context.px(6);
  const ImVec2 low{x - side, line.centre - side / 2};
  ImGui::SetCursorScreenPos(low);
  if (hit_area("theme", {side, side})) context.view.light = !context.view.light;
  explain(context, context.strings(context.view.light ? "header.theme_to_dark" : "header.theme_to_light"));
  mark(context, "theme", low, {low.x + side, low.y + side});
  const ImU32 colour = ImGui::IsItemHovered() ? context.theme.text : context.theme.muted;
  const ImVec2 centre{x - side / 2, line.centre};
  list->PathArcTo(centre, radius, -1.5708F, 1.5708F, 16);
  list->PathFillConvex(colour);
  list->AddCircle(centre, radius, colour, 24, context.px(1.25F));
  return low.x;
}

}  // namespace

void draw_header(PanelContext& context, Screen& screen, float left) {
  const ImVec2 origin = ImGui::GetWindowPos();
  const float right = origin.x + ImGui::GetWindowWidth();
  const HeaderLine line{origin, origin.y + context.px(24), origin.y + context.px(30), right / context.view.scale};
  draw_name(context, line);
  float x = right - context.px(12);
  x = draw_header_menus(context, screen, line, x) - context.px(8);
  if (line.width >= kNoSwitches) {  // the menu contains them too
    x = draw_theme_switch(context, line, x) - context.px(8);
    x = draw_language(context, screen.strings, line, x) - context.px(16);
  }
  x = draw_device(context, line, x) - context.px(12);
  const Badge badge = context.session.request().device == DeviceKind::gpu ? Badge::measured : Badge::simulated;
  x -= draw_badge(context, ImGui::GetWindowDrawList(), {x, line.centre - context.px(10)}, badge) + context.px(12);
  x = draw_header_verdict(context, line, x, left) - context.px(16);
  draw_breadcrumb(context, line, left, x);
}

}  // namespace tilescope
