#include "app/window/palette.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>

#include "app/draw/glossary.hpp"
#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/sheet_names.hpp"
#include "app/views/view.hpp"
#include "app/window/export.hpp"
#include "app/window/screen.hpp"
#include "app/workshop/workshop.hpp"

namespace tilescope {
namespace {

constexpr int kRowsShown = 12;

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

void add_labs(std::vector<PaletteEntry>& entries, PanelContext& context) {
  Session& session = context.session;
  for (const Lab& lab : labs())
    entries.push_back({context.strings(lab.title), context.strings.format("header.stage", fmt::arg("stage", lab.stage)),
                       [&session, name = lab.name] { session.select_lab(name); }});
  if (Workshop* workshop = context.workshop; workshop != nullptr)
    for (const Exercise& one : workshop->catalogue().exercises)
      entries.push_back({context.strings(one.title), context.strings("workshop.exercise"),
                         [&session, workshop, name = one.name] { workshop->open(session, name); }});
  int number = 1;
  for (const Rung& rung : context.lab().rungs)
    entries.push_back({context.strings(rung.title),
                       context.session.shows_own()
                           ? context.strings("sandbox.kernel")
                           : context.strings.format("palette.rung", fmt::arg("number", number++)),
                       [&session, name = rung.name] { session.select_rung(name); }});
}

void add_switches(std::vector<PaletteEntry>& entries, PanelContext& context, Screen& screen) {
  const Strings& text = context.strings;
  Session& session = context.session;
  ViewState& view = context.view;
  for (const BreakIt& one : context.lab().break_it) {
    const auto& broken = session.request().broken;
    const bool on = std::find(broken.begin(), broken.end(), one.name) != broken.end();
    entries.push_back({text(one.title), text("palette.break_it"),
                       [&session, name = one.name, on] { session.set_broken(name, !on); }});
  }
  const bool chinese = text.language == Language::zh;
  entries.push_back({chinese ? "Switch to English" : "切换到中文", "",
                     [&screen, chinese] { screen.strings.language = chinese ? Language::en : Language::zh; }});
  entries.push_back({text(view.light ? "palette.dark" : "palette.light"), "", [&view] { view.light = !view.light; }});
  entries.push_back({text(view.veils ? "palette.unveil" : "palette.veil"), "", [&view] { view.veils = !view.veils; }});
  entries.push_back({text("palette.diff"), "D", [&screen] { screen.toggle_diff(); }});
  entries.push_back({text("palette.steps"), "S", [&screen] { screen.toggle_steps(); }});
  entries.push_back({text("palette.frame_time"), "", [&view] { view.show_frame_time = !view.show_frame_time; }});
  entries.push_back({text("palette.reset_layout"), "", [&screen] { screen.reset_layout(); }});
  if (session.engine().gpu())
    for (const DeviceKind kind : {DeviceKind::sim, DeviceKind::gpu})
      entries.push_back({text(kind == DeviceKind::sim ? "palette.on_simulator" : "palette.on_gpu"), "",
                         [&session, kind] { session.set_device(kind); }});
}

void add_actions(std::vector<PaletteEntry>& entries, PanelContext& context, Screen& screen) {
  const Strings& text = context.strings;
  Session& session = context.session;
  entries.push_back({text("palette.open_file"), "Ctrl+O", [&view = context.view] { view.asks_for_file = true; }});
  entries.push_back({text("palette.run"), "F5", [&session] { session.submit(); }});
  if (session.busy()) entries.push_back({text("palette.cancel"), "Esc", [&session] { session.cancel(); }});
  entries.push_back({text("palette.defaults"), "", [&session] { session.reset_values(); }});
  if (session.engine().gpu() && !session.shows_own())
    entries.push_back(session.bench_running()
                          ? PaletteEntry{text("palette.stop_sweep"), "", [&session] { session.cancel_bench(); }}
                          : PaletteEntry{text("palette.start_sweep"), "", [&session] { session.start_bench(); }});
  if (context.result != nullptr)
    entries.push_back({text("palette.pin"), "B", [context = context]() mutable { pin_baseline(context); }});
  if (context.view.baseline != nullptr)
    entries.push_back({text("palette.unpin"), "", [&view = context.view] { view.baseline.reset(); }});
  entries.push_back({text("palette.copy_command"), "", [&screen] { copy_command(screen); }});
  entries.push_back({text("palette.export_json"), "", [&screen] { export_json(screen); }});
  entries.push_back({text("palette.export_csv"), "", [&screen] { export_csv(screen); }});
  entries.push_back({text("palette.export_png"), "", [&screen] { export_png(screen); }});
  entries.push_back({text("palette.certificate"), "", [&screen] { screen.view.asks_for_certificate = true; }});
  entries.push_back({text("palette.progress_json"), "", [&screen] { screen.view.asks_for_progress_json = true; }});
}

void add_source_commands(std::vector<PaletteEntry>& entries, const Strings& text, Screen& screen) {
  struct Command {
    const char *title, *key;
    SourceWish wish;
  };
  static constexpr Command kCommands[] = {{"palette.edit", "Ctrl+E", SourceWish::edit},
                                          {"palette.find", "Ctrl+F", SourceWish::find},
                                          {"palette.replace", "Ctrl+H", SourceWish::replace},
                                          {"palette.go_to_line", "Ctrl+G", SourceWish::go_to_line},
                                          {"palette.save", "Ctrl+S", SourceWish::save}};
  for (const Command& command : kCommands)
    entries.push_back({text(command.title), command.key, [&screen, wish = command.wish] { screen.ask_source(wish); }});
  entries.push_back({text(screen.view.source_maximised ? "palette.restore" : "palette.maximise"), "Ctrl+Shift+E",
                     [&screen] { screen.toggle_source_maximised(); }});
  entries.push_back({text(screen.view.lower_hidden ? "palette.show_lower" : "palette.hide_lower"), "Ctrl+J",
                     [&screen] { screen.toggle_lower(); }});
}

/// The pages to look things up in, and every term.
void add_pages(std::vector<PaletteEntry>& entries, const Strings& text, Screen& screen) {
  entries.push_back({text("menu.keys"), "F1", [&screen] { screen.show_help(Screen::Help::keys); }});
  entries.push_back({text("menu.terms"), "", [&screen] { screen.show_help(Screen::Help::terms); }});
  entries.push_back({text("terms.glossary"), "", [&screen] { screen.show_help(Screen::Help::glossary); }});
  entries.push_back({text("view.review.title"), "", [&screen] { screen.view.tab = "review"; }});
  entries.push_back({text("view.skills.title"), "", [&screen] { screen.view.tab = "skills"; }});
  for (const char* sheet : kSheets)
    entries.push_back({text(std::string("menu.sheet_") + sheet), "", [&screen, sheet] { screen.show_sheet(sheet); }});
  for (const Term& term : text.glossary()->terms())
    entries.push_back({text(term.name), text("terms.term"), [&screen, &term] { screen.show_term(term.name.en); },
                       /*yields=*/true});
}

void draw_palette_row(PanelContext& context, const PaletteEntry& entry, bool chosen, float width) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float middle = (low.y + high.y) / 2;
  ImFont* font = chosen ? context.fonts.small_semibold : context.fonts.small;
  if (chosen) {
    list->AddRectFilled(low, high, context.theme.raised, context.px(6));
    list->AddRectFilled({low.x, low.y + context.px(6)}, {low.x + context.px(2), high.y - context.px(6)},
                        context.theme.accent);
  }
  draw_text(list, font, {low.x + context.px(12), centred_top(font, middle)}, context.theme.text,
            fit_text(font, entry.title, width - context.px(140)));
  draw_text_right(list, context.fonts.small, {high.x - context.px(12), centred_top(context.fonts.small, middle)},
                  context.theme.muted, entry.detail);
}

void draw_typing(Palette& palette, PanelContext& context) {
  ImGui::PushFont(context.fonts.body);
  ImGui::SetNextItemWidth(-1);
  if (palette.just_opened) ImGui::SetKeyboardFocusHere();
  if (ImGui::InputTextWithHint("##typed", context.strings("palette.hint").c_str(), &palette.typed)) palette.chosen = 0;
  ImGui::PopFont();
  ImGui::Dummy({0, context.px(8)});
}

/// Returns whether to execute the chosen entry.
bool draw_entries(Palette& palette, PanelContext& context, const std::vector<PaletteEntry>& entries, float width) {
  const int count = static_cast<int>(entries.size());
  if (count == 0) {
    ImGui::TextDisabled("%s", context.strings("palette.nothing").c_str());
    return false;
  }
  if (key_repeats(Key::down)) ++palette.chosen;
  if (key_repeats(Key::up)) --palette.chosen;
  palette.chosen = std::clamp(palette.chosen, 0, count - 1);
  const int first = std::clamp(palette.chosen - kRowsShown / 2, 0, std::max(0, count - kRowsShown));
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  bool act = key_went_down(Key::enter);
  for (int index = first; index < std::min(count, first + kRowsShown); ++index) {
    ImGui::PushID(index);
    if (hit_area("entry", {width - context.px(24), context.px(32)})) {
      palette.chosen = index;
      act = true;
    }
    if (ImGui::IsItemHovered() && (moved.x != 0 || moved.y != 0)) palette.chosen = index;
    draw_palette_row(context, entries[static_cast<size_t>(index)], index == palette.chosen, width);
    ImGui::PopID();
  }
  return act;
}

}  // namespace

int match_score(std::string_view text, std::string_view typed) {
  if (typed.empty()) return 0;
  int score = 0;
  size_t from = 0;
  for (const char letter : typed) {
    if (letter == ' ') continue;
    size_t at = from;
    while (at < text.size() && lower(text[at]) != lower(letter)) ++at;
    if (at == text.size()) return -1;
    const bool starts_word = at == 0 || text[at - 1] == ' ' || text[at - 1] == '-';
    score += static_cast<int>(at - from) * (starts_word ? 1 : 4);
    from = at + 1;
  }
  return score;
}

std::vector<PaletteEntry> palette_entries(PanelContext& context, Screen& screen) {
  std::vector<PaletteEntry> entries;
  add_labs(entries, context);
  for (int number = 1; const ViewSpec& spec : views()) {
    const std::string key = std::to_string(number++);
    if (!screen.views().at(spec.name).concerns(screen.session)) continue;
    entries.push_back(
        {context.strings(spec.text("title")), key, [&view = context.view, name = spec.name] { view.tab = name; }});
  }
  add_actions(entries, context, screen);
  add_source_commands(entries, context.strings, screen);
  add_switches(entries, context, screen);
  add_pages(entries, context.strings, screen);
  return entries;
}

std::vector<PaletteEntry> filtered(std::vector<PaletteEntry> entries, std::string_view typed) {
  std::vector<std::pair<int, PaletteEntry>> ranked;
  for (auto& entry : entries)
    if (const int score = match_score(entry.title, typed); score >= 0) ranked.emplace_back(score, std::move(entry));
  std::ranges::stable_sort(ranked, {}, [](const auto& one) { return std::pair(one.second.yields, one.first); });
  std::vector<PaletteEntry> result;
  result.reserve(ranked.size());
  for (auto& [score, entry] : ranked) result.push_back(std::move(entry));
  return result;
}

void open_palette(Palette& palette) { palette = {.open = true, .just_opened = true, .typed = {}, .chosen = 0}; }

void draw_palette(Palette& palette, PanelContext& context, Screen& screen) {
  if (!palette.open) return;
  const float width = context.px(520);
  ImGui::SetNextWindowPos({(ImGui::GetIO().DisplaySize.x - width) / 2, context.px(96)});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(12), context.px(12)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, context.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(context.px(8), 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.panel);
  ImGui::Begin("palette", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoMove);
  draw_typing(palette, context);
  const auto entries = filtered(palette_entries(context, screen), palette.typed);
  const bool act = draw_entries(palette, context, entries, width);
  const bool left = !palette.just_opened && !ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(4);
  palette.just_opened = false;
  if (act) entries[static_cast<size_t>(palette.chosen)].act();
  if (act || left || key_went_down(Key::escape)) palette.open = false;
}

}  // namespace tilescope
