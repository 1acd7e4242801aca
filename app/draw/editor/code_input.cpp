// Mouse and keyboard of a CodeView.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/draw/editor/code_view.hpp"
#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"

namespace tilescope {
namespace {

std::string utf8_of(uint32_t code) {
  const auto tail = [](uint32_t bits) { return static_cast<char>(0x80 | (bits & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | (code >> 6)), tail(code)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | (code >> 12)), tail(code >> 6), tail(code)};
  return {static_cast<char>(0xF0 | (code >> 18)), tail(code >> 12), tail(code >> 6), tail(code)};
}

}  // namespace

void CodeView::take_mouse(const Geometry& geometry, Outcome& outcome) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) {
    const TextPosition position = position_at(geometry, mouse);
    const bool below = mouse.y > geometry.origin.y + geometry.row_height * static_cast<float>(rows_.size());
    if (!below) outcome.hovered = static_cast<uint32_t>(position.line);
    outcome.number_hovered = mouse.x < geometry.text_x;
    if (mouse.x >= geometry.text_x) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      ImGui::SetWindowFocus();
      focused_ = true;
      cursor_since_ = ImGui::GetTime();
      dragging_ = true;
      aim_.reset();
      if (!below) outcome.clicked = static_cast<uint32_t>(position.line);
      buffer.place(position, ImGui::GetIO().KeyShift);
    }
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      buffer.select_word(position);
      dragging_ = false;
    }
  }
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) dragging_ = false;
  if (dragging_ && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2)) {
    buffer.place(position_at(geometry, mouse), true);
    reveal_cursor_ = true;
  }
}

void CodeView::take_keys(const Geometry& geometry, float visible_height) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool control = io.KeyCtrl && !io.KeyAlt, shift = io.KeyShift;
  if (control && key_went_down(Key::c) && !buffer.selection().empty())
    ImGui::SetClipboardText(buffer.selected_text().c_str());
  if (control && key_went_down(Key::a)) buffer.select_all();
  if (!editable) return;
  // Text is being typed here: no other part of the window may take these keys.
  ImGui::GetCurrentContext()->WantTextInputNextFrame = 1;
  const TextPosition before = buffer.cursor();
  const uint64_t revision = buffer.revision();
  if (!control)
    for (const ImWchar code : io.InputQueueCharacters)
      if (code >= 0x20 && code != 0x7F) buffer.type(utf8_of(code));
  take_editing_keys(control, shift);
  take_movement_keys(control, shift, static_cast<size_t>(std::max(visible_height / geometry.row_height - 1, 1.0F)));
  if (before != buffer.cursor() || revision != buffer.revision()) {
    cursor_since_ = ImGui::GetTime();
    aim_.reset();
    reveal_cursor_ = true;
  }
}

void CodeView::take_editing_keys(bool control, bool shift) {
  if (key_repeats(Key::backspace)) buffer.erase_left(control);
  if (key_repeats(Key::erase)) buffer.erase_right(control);
  if (key_repeats(Key::enter) && !control) buffer.new_line();
  if (key_repeats(Key::tab) && !control) shift ? buffer.unindent() : buffer.indent();
  if (!control) return;
  if (key_went_down(Key::x) && !buffer.selection().empty()) {
    ImGui::SetClipboardText(buffer.selected_text().c_str());
    buffer.erase_selection();
  }
  if (key_repeats(Key::v)) {
    const char* text = ImGui::GetClipboardText();
    if (text != nullptr) buffer.paste(text);
  }
  if (key_repeats(Key::z)) shift ? buffer.redo() : buffer.undo();
  if (key_repeats(Key::y)) buffer.redo();
  if (key_repeats(Key::d)) buffer.duplicate_lines();
  if (key_repeats(Key::slash)) buffer.toggle_comment();
}

void CodeView::take_movement_keys(bool control, bool shift, size_t page) {
  if (ImGui::GetIO().KeyAlt) {
    if (key_repeats(Key::up)) buffer.move_lines(false);
    if (key_repeats(Key::down)) buffer.move_lines(true);
    return;
  }
  if (key_repeats(Key::left)) buffer.move(control ? Movement::word_left : Movement::left, shift);
  if (key_repeats(Key::right)) buffer.move(control ? Movement::word_right : Movement::right, shift);
  if (key_repeats(Key::up)) buffer.move(Movement::up, shift);
  if (key_repeats(Key::down)) buffer.move(Movement::down, shift);
  if (key_repeats(Key::page_up)) buffer.move(Movement::up, shift, page);
  if (key_repeats(Key::page_down)) buffer.move(Movement::down, shift, page);
  if (key_repeats(Key::home)) buffer.move(control ? Movement::text_start : Movement::line_start, shift);
  if (key_repeats(Key::end)) buffer.move(control ? Movement::text_end : Movement::line_end, shift);
}

}  // namespace tilescope
