#include "app/window/file_dialog.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/window/screen.hpp"
#include "engine/text.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Unscaled pixels.
constexpr float kWidth = 720, kList = 336, kRow = 28, kRecent = 224, kPadding = 20;

void put_typed(FileDialog& dialog, std::string text) {
  dialog.typed = std::move(text);
  dialog.replace = true;
  dialog.chosen = 0;
}

std::string with_slash(const fs::path& folder) {
  std::string text = folder.string();
  return text.ends_with('/') ? text : text + "/";
}

/// Tab completes; a path set from outside replaces the field's text.
int on_typing(ImGuiInputTextCallbackData* data) {
  auto& dialog = *static_cast<FileDialog*>(data->UserData);
  const auto put = [data](const std::string& text) {
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, text.c_str());
    data->CursorPos = data->BufTextLen;
    data->ClearSelection();
  };
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    const std::string typed(data->Buf, static_cast<size_t>(data->BufTextLen));
    const TypedPath path = read_typed_path(typed);
    const FolderContents contents = dialog.listing->contents();
    if (contents.folder != path.folder) return 0;
    const std::string completed = common_completion(matching(contents.entries, path.beginning), path.beginning);
    put(typed.substr(0, typed.size() - path.beginning.size()) + completed);
  } else if (dialog.replace) {
    put(dialog.typed);
    dialog.replace = false;
  } else if (std::exchange(dialog.fresh, false)) {
    data->CursorPos = data->BufTextLen;  // typing continues after the folder
    data->ClearSelection();
  }
  return 0;
}

void draw_path(FileDialog& dialog, PanelContext& context) {
  ImGui::PushFont(context.fonts.body);
  ImGui::SetNextItemWidth(-1);
  if (dialog.just_opened || dialog.replace) ImGui::SetKeyboardFocusHere();
  const std::string before = dialog.typed;
  ImGui::InputText("##path", &dialog.typed, ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_CallbackAlways,
                   on_typing, &dialog);
  if (!ImGui::IsItemActive()) dialog.replace = false;
  mark(context, "dialog.path", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (dialog.typed != before) dialog.chosen = 0;
  ImGui::PopFont();
}

void draw_row(PanelContext& context, const std::string& text, bool is_folder, bool chosen) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float middle = (low.y + high.y) / 2;
  if (chosen) {
    list->AddRectFilled(low, high, context.theme.raised, context.px(6));
    list->AddRectFilled({low.x, low.y + context.px(6)}, {low.x + context.px(2), high.y - context.px(6)},
                        context.theme.accent);
  } else if (ImGui::IsItemHovered()) {
    list->AddRectFilled(low, high, context.theme.grid, context.px(6));
  }
  ImFont* font = context.fonts.small;
  draw_text(list, font, {low.x + context.px(12), centred_top(font, middle)},
            is_folder ? context.theme.muted : context.theme.text,
            fit_text(font, text, high.x - low.x - context.px(24)));
}

/// The recently opened files. Returns the one that was pressed.
fs::path draw_recent(PanelContext& context, const Sandbox& sandbox, float width) {
  fs::path pressed;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_text(ImGui::GetWindowDrawList(), context.fonts.small,
            {at.x, centred_top(context.fonts.small, at.y + context.px(kRow / 2))}, context.theme.muted,
            context.strings("dialog.recent"));
  ImGui::Dummy({width, context.px(kRow)});
  int number = 0;
  for (const fs::path& file : sandbox.recent()) {
    ImGui::PushID(++number);
    if (hit_area("recent", {width, context.px(kRow)})) pressed = file;
    mark(context, "dialog.recent." + std::to_string(number), ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    draw_row(context, file.filename().string(), false, false);
    explain(context, file.string());
    ImGui::PopID();
  }
  if (number == 0) {
    const TextRun none[] = {{context.fonts.small, context.theme.muted, context.strings("dialog.no_recent")}};
    flow_text(ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), width, context.px(20), none);
  }
  return pressed;
}

/// The folder's rows: the parent folder first. Returns the row that was pressed, or chosen by Enter.
std::optional<size_t> draw_folder(FileDialog& dialog, PanelContext& context, const std::vector<FolderEntry>& rows) {
  const int count = static_cast<int>(rows.size());
  if (key_repeats(Key::down)) ++dialog.chosen, dialog.scroll = true;
  if (key_repeats(Key::up)) --dialog.chosen, dialog.scroll = true;
  dialog.chosen = std::clamp(dialog.chosen, 0, std::max(count - 1, 0));
  std::optional<size_t> act;
  if (key_went_down(Key::enter) && count > 0) act = static_cast<size_t>(dialog.chosen);
  const float row = context.px(kRow), width = ImGui::GetContentRegionAvail().x;
  if (std::exchange(dialog.scroll, false)) {
    const float top = row * static_cast<float>(dialog.chosen);
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (top + row > ImGui::GetScrollY() + ImGui::GetWindowHeight())
      ImGui::SetScrollY(top + row - ImGui::GetWindowHeight());
  }
  ImGuiListClipper clipper;
  clipper.Begin(count, row);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const FolderEntry& entry = rows[static_cast<size_t>(i)];
      ImGui::PushID(i);
      if (hit_area("entry", {width, row})) act = static_cast<size_t>(i);
      mark(context, "dialog.entry." + entry.name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
      draw_row(context, entry.name + (entry.is_folder ? "/" : ""), entry.is_folder, i == dialog.chosen);
      ImGui::PopID();
    }
  return act;
}

/// Explains an empty list.
void draw_nothing(PanelContext& context, const FileDialog& dialog, const FolderContents& contents) {
  std::string text = context.strings("dialog.nothing");
  if (dialog.listing->reading())
    text = context.strings("dialog.reading");
  else if (!contents.problem.empty())
    text = context.strings.format("dialog.cannot_read", fmt::arg("folder", contents.folder.string()),
                                  fmt::arg("reason", context.strings.note(contents.problem)));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const TextRun run[] = {{context.fonts.small, context.theme.muted, text}};
  flow_text(ImGui::GetWindowDrawList(), {at.x + context.px(12), at.y + context.px(6)},
            ImGui::GetContentRegionAvail().x - context.px(24), context.px(20), run);
}

/// Goes to the folder of a chosen row, or opens its file.
void act_on(FileDialog& dialog, Screen& screen, const fs::path& folder, const FolderEntry& entry) {
  if (entry.name == "..") return put_typed(dialog, with_slash(folder.parent_path()));
  if (entry.is_folder) return put_typed(dialog, with_slash(folder / entry.name));
  screen.open_file(folder / entry.name);
  dialog.open = false;
}

void draw_body(FileDialog& dialog, PanelContext& context, Screen& screen) {
  const TypedPath typed = read_typed_path(dialog.typed);
  dialog.listing->ask(typed.folder);
  const FolderContents contents = dialog.listing->contents();
  std::vector<FolderEntry> rows;
  if (typed.beginning.empty() && typed.folder.has_relative_path()) rows.push_back({"..", true});
  if (contents.folder == typed.folder)
    for (FolderEntry& entry : matching(contents.entries, typed.beginning)) rows.push_back(std::move(entry));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float list = context.px(kList), recent = context.px(kRecent);
  ImGui::BeginChild("recent", {recent, list}, false, ImGuiWindowFlags_NoNav);
  const fs::path pressed = draw_recent(context, *context.sandbox, recent - context.px(16));
  ImGui::EndChild();
  ImGui::GetWindowDrawList()->AddRectFilled({at.x + recent - context.px(8), at.y},
                                            {at.x + recent - context.px(7), at.y + list}, context.theme.separator);
  ImGui::SetCursorScreenPos({at.x + recent, at.y});
  ImGui::BeginChild("folder", {0, list}, false, ImGuiWindowFlags_NoNav);
  // A path that names a complete file refers to that file, whatever row is chosen.
  std::error_code ignored;
  if (!typed.beginning.empty() && key_went_down(Key::enter) &&
      fs::is_regular_file(typed.folder / typed.beginning, ignored)) {
    act_on(dialog, screen, typed.folder, {typed.beginning, false});
  } else if (const auto row = draw_folder(dialog, context, rows)) {
    act_on(dialog, screen, typed.folder, rows[*row]);
  }
  if (rows.empty() || (rows.size() == 1 && rows[0].name == "..")) draw_nothing(context, dialog, contents);
  ImGui::EndChild();
  if (!pressed.empty()) {
    screen.open_file(pressed);
    dialog.open = false;
  }
}

}  // namespace

TypedPath read_typed_path(const std::string& typed) {
  const size_t slash = typed.rfind('/');
  const std::string folder = slash == std::string::npos ? (typed == "~" ? "~" : ".") : typed.substr(0, slash + 1);
  fs::path path = path_from_typed(folder);
  if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
  return {path, slash == std::string::npos ? (typed == "~" ? "" : typed) : typed.substr(slash + 1)};
}

std::vector<FolderEntry> matching(const std::vector<FolderEntry>& entries, const std::string& beginning) {
  const std::string wanted = lower_case(beginning);
  std::vector<FolderEntry> first, later;
  for (const FolderEntry& entry : entries) {
    if (entry.name.starts_with('.') && !beginning.starts_with('.')) continue;
    const size_t at = lower_case(entry.name).find(wanted);
    if (at == 0) first.push_back(entry);
    if (at != 0 && at != std::string::npos) later.push_back(entry);
  }
  first.insert(first.end(), later.begin(), later.end());
  return first;
}

void open_file_dialog(FileDialog& dialog, const fs::path& folder, std::function<void()> wake) {
  dialog.open = dialog.just_opened = dialog.fresh = true;
  dialog.typed = with_slash(folder);
  dialog.replace = false;
  dialog.chosen = 0;
  dialog.listing = std::make_unique<FolderListing>(std::move(wake));
}

void draw_file_dialog(FileDialog& dialog, PanelContext& context, Screen& screen) {
  if (!dialog.open) return;
  const float width = std::min(context.px(kWidth), ImGui::GetIO().DisplaySize.x - context.px(32));
  ImGui::SetNextWindowPos({std::round((ImGui::GetIO().DisplaySize.x - width) / 2), context.px(96)});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(kPadding), context.px(16)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, context.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(context.px(8), 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.theme.panel);
  ImGui::Begin("file dialog", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoMove);
  if (dialog.just_opened) ImGui::SetWindowFocus();
  ImGui::PushFont(context.fonts.body_semibold);
  ImGui::TextUnformatted(context.strings("dialog.title").c_str());
  ImGui::PopFont();
  ImGui::Dummy({0, context.px(12)});
  draw_path(dialog, context);
  ImGui::Dummy({0, context.px(12)});
  draw_body(dialog, context, screen);
  ImGui::Dummy({0, context.px(8)});
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.muted);
  ImGui::TextUnformatted(context.strings("dialog.keys").c_str());
  ImGui::PopStyleColor();
  const bool left = !dialog.just_opened && !ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(4);
  dialog.just_opened = false;
  if (left || key_went_down(Key::escape)) dialog.open = false;
}

}  // namespace tilescope
