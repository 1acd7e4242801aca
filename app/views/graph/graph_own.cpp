// The field for the path of a learner's own graph: Tab completes, Enter opens.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <cmath>
#include <utility>

#include "app/draw/widgets.hpp"
#include "app/sandbox/folder_listing.hpp"
#include "app/views/graph/graph_view.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Unscaled pixels.
constexpr float kPathHeight = 28, kOpenButton = 72;

/// The longest beginning that all entries of the folder share which begin as typed.
int complete_path(ImGuiInputTextCallbackData* data) {
  if (data->EventFlag != ImGuiInputTextFlags_CallbackCompletion) return 0;
  const std::string typed(data->Buf, static_cast<size_t>(data->BufTextLen));
  const size_t slash = typed.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : typed.substr(0, slash + 1);
  const std::string beginning = typed.substr(folder.size());
  std::error_code ignored;
  std::vector<FolderEntry> entries;
  constexpr size_t kMostEntries = 10000;
  for (const auto& entry : fs::directory_iterator(path_from_typed(folder.empty() ? "./" : folder), ignored)) {
    if (entries.size() == kMostEntries) break;
    const std::string name = entry.path().filename().string();
    if (name.starts_with(beginning)) entries.push_back({name, entry.is_directory(ignored)});
  }
  std::string completed = common_completion(entries, beginning);
  if (entries.size() == 1 && entries.front().is_folder && !completed.ends_with('/')) completed += '/';
  if (completed.size() <= beginning.size()) return 0;
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, (folder + completed).c_str());
  return 0;
}

bool outlined_button(PanelContext& context, const char* name, const std::string& text, ImVec2 low, ImVec2 size) {
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(name, size);
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 high{low.x + size.x, low.y + size.y};
  mark(context, std::string("graph.") + name, low, high);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F},
                hovered ? context.theme.accent : context.theme.separator, context.px(6), 0, context.px(1));
  draw_text_centred(list, context.fonts.small_semibold, {(low.x + high.x) / 2, (low.y + high.y) / 2},
                    hovered ? context.theme.text : context.theme.accent, text);
  return pressed;
}

}  // namespace

void GraphView::draw_own(PanelContext& context, float width) {
  const Strings& strings = context.strings;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = context.px(kPathHeight), gap = context.px(8);
  const std::string& example = strings("view.graph.example");
  const float of_example = text_size(context.fonts.small_semibold, example).x + context.px(20);
  const float field = width - context.px(kOpenButton) - of_example - 2 * gap;
  ImGui::PushFont(context.fonts.small);
  const float above = std::floor((height - line_height(context.fonts.small)) / 2);  // as high as the buttons
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(context.px(8), above));
  ImGui::SetNextItemWidth(std::max(field, context.px(80)));
  const bool entered = ImGui::InputTextWithHint(
      "##graph path", strings("view.graph.path_hint").c_str(), &own_.typed,
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_AutoSelectAll,
      complete_path);
  explain(context, strings("view.graph.path_meaning"));
  mark(context, "graph.path", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  ImGui::PopStyleVar();
  ImGui::PopFont();
  const float x = at.x + std::max(field, context.px(80)) + gap;
  const bool pressed =
      outlined_button(context, "open", strings("view.graph.open"), {x, at.y}, {context.px(kOpenButton), height});
  if (outlined_button(context, "example", example, {x + context.px(kOpenButton) + gap, at.y}, {of_example, height}))
    open_own_graph(own_, context.session.engine().root() / "assets" / "graphs" / "encoder_block.json");
  else if ((entered || pressed) && !own_.typed.empty())
    open_own_graph(own_, path_from_typed(own_.typed));
  ImGui::SetCursorScreenPos({at.x, at.y + height + context.px(8)});
}

}  // namespace tilescope
