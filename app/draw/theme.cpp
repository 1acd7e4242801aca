#include "app/draw/theme.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilescope {
namespace {

constexpr ImU32 hex(uint32_t rgb) { return IM_COL32((rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255, 255); }

constexpr Theme kDark{
    .dark = true,
    .window = hex(0x111418),
    .panel = hex(0x171B21),
    .raised = hex(0x1E242C),
    .separator = hex(0x2A323C),
    .text = hex(0xD7DDE5),
    .muted = hex(0x8A97A6),
    .accent = hex(0x4CC2FF),
    .read = hex(0x56B4E9),
    .write = hex(0xE69F00),
    .reference = hex(0xCC79A7),
    .ok = hex(0x2DBE8D),
    .waiting = hex(0xF0E442),
    .error = hex(0xF0703A),
    .on_accent = hex(0x111418),
    .grid = hex(0x1C2129),
    .syntax_keyword = hex(0x9DB7E8),
    .syntax_type = hex(0x9DB7E8),
    .syntax_number = hex(0xC9B8A0),
    .syntax_comment = hex(0x8A97A6),
    .syntax_string = hex(0xC9B8A0),
    .syntax_builtin = hex(0x8FC9B8),
};

constexpr Theme kLight{
    .dark = false,
    .window = hex(0xF6F7F9),
    .panel = hex(0xFFFFFF),
    .raised = hex(0xEDF0F3),
    .separator = hex(0xD5DBE1),
    .text = hex(0x1B2430),
    .muted = hex(0x5D6B7A),
    .accent = hex(0x0072B2),
    .read = hex(0x0072B2),
    .write = hex(0xB86E00),
    .reference = hex(0xA3527F),
    .ok = hex(0x00785A),
    .waiting = hex(0x8A7A00),
    .error = hex(0xC04A00),
    .on_accent = hex(0xFFFFFF),
    .grid = hex(0xE9ECF0),
    .syntax_keyword = hex(0x3A4FA0),
    .syntax_type = hex(0x3A4FA0),
    .syntax_number = hex(0x7A4E1E),
    .syntax_comment = hex(0x5D6B7A),
    .syntax_string = hex(0x7A4E1E),
    .syntax_builtin = hex(0x1F6F62),
};

struct Channels {
  float red, green, blue, alpha;
};
Channels channels(ImU32 colour) {
  return {
      static_cast<float>((colour >> IM_COL32_R_SHIFT) & 255), static_cast<float>((colour >> IM_COL32_G_SHIFT) & 255),
      static_cast<float>((colour >> IM_COL32_B_SHIFT) & 255), static_cast<float>((colour >> IM_COL32_A_SHIFT) & 255)};
}
ImU32 packed(const Channels& value) {
  const auto byte = [](float channel) { return static_cast<ImU32>(std::clamp(std::lround(channel), 0L, 255L)); };
  return (byte(value.red) << IM_COL32_R_SHIFT) | (byte(value.green) << IM_COL32_G_SHIFT) |
         (byte(value.blue) << IM_COL32_B_SHIFT) | (byte(value.alpha) << IM_COL32_A_SHIFT);
}

/// WCAG 2.1, relative luminance.
float luminance(ImU32 colour) {
  const Channels value = channels(colour);
  const auto linear = [](float channel) {
    channel /= 255.0F;
    return channel <= 0.03928F ? channel / 12.92F : std::pow((channel + 0.055F) / 1.055F, 2.4F);
  };
  return 0.2126F * linear(value.red) + 0.7152F * linear(value.green) + 0.0722F * linear(value.blue);
}

void apply_colours(const Theme& theme, ImGuiStyle& style) {
  const auto set = [&](ImGuiCol role, ImU32 colour) { style.Colors[role] = ImGui::ColorConvertU32ToFloat4(colour); };
  set(ImGuiCol_Text, theme.text);
  set(ImGuiCol_TextDisabled, theme.muted);
  set(ImGuiCol_WindowBg, theme.window);
  set(ImGuiCol_ChildBg, with_alpha(theme.window, 0));
  set(ImGuiCol_PopupBg, theme.panel);
  set(ImGuiCol_Border, theme.separator);
  set(ImGuiCol_BorderShadow, with_alpha(theme.window, 0));
  set(ImGuiCol_FrameBg, theme.raised);
  set(ImGuiCol_FrameBgHovered, mix(theme.raised, theme.accent, 0.10F));
  set(ImGuiCol_FrameBgActive, mix(theme.raised, theme.accent, 0.18F));
  set(ImGuiCol_TitleBg, theme.panel);
  set(ImGuiCol_TitleBgActive, theme.panel);
  set(ImGuiCol_TitleBgCollapsed, theme.panel);
  set(ImGuiCol_MenuBarBg, theme.panel);
  set(ImGuiCol_ScrollbarBg, with_alpha(theme.window, 0));
  set(ImGuiCol_ScrollbarGrab, theme.separator);
  set(ImGuiCol_ScrollbarGrabHovered, mix(theme.separator, theme.muted, 0.5F));
  set(ImGuiCol_ScrollbarGrabActive, theme.muted);
  set(ImGuiCol_CheckMark, theme.accent);
  set(ImGuiCol_SliderGrab, theme.accent);
  set(ImGuiCol_SliderGrabActive, theme.accent);
  set(ImGuiCol_Button, theme.raised);
  set(ImGuiCol_ButtonHovered, mix(theme.raised, theme.accent, 0.15F));
  set(ImGuiCol_ButtonActive, mix(theme.raised, theme.accent, 0.28F));
  set(ImGuiCol_Header, theme.raised);
  set(ImGuiCol_HeaderHovered, theme.raised);
  set(ImGuiCol_HeaderActive, mix(theme.raised, theme.accent, 0.15F));
  set(ImGuiCol_Separator, theme.separator);
  set(ImGuiCol_SeparatorHovered, theme.accent);
  set(ImGuiCol_SeparatorActive, theme.accent);
  set(ImGuiCol_ResizeGrip, with_alpha(theme.separator, 0));
  set(ImGuiCol_TableBorderLight, theme.separator);
  set(ImGuiCol_TableBorderStrong, theme.separator);
  set(ImGuiCol_TableHeaderBg, theme.raised);
  set(ImGuiCol_TextSelectedBg, mix(theme.window, theme.accent, 0.35F));
  set(ImGuiCol_NavHighlight, theme.accent);
  set(ImGuiCol_ModalWindowDimBg, with_alpha(theme.window, 0.6F));
}

}  // namespace

const Theme& dark_theme() { return kDark; }
const Theme& light_theme() { return kLight; }

void apply_theme(const Theme& theme, float scale) {
  ImGuiStyle style;
  style.WindowPadding = {0, 0};
  style.WindowRounding = 0;
  style.WindowBorderSize = 0;
  style.WindowMinSize = {8, 8};
  style.ChildRounding = 0;
  style.ChildBorderSize = 0;
  style.PopupRounding = 6;
  style.PopupBorderSize = 1;
  style.FramePadding = {8, 4};
  style.FrameRounding = 6;
  style.FrameBorderSize = 0;
  style.ItemSpacing = {8, 8};
  style.ItemInnerSpacing = {8, 4};
  style.CellPadding = {8, 4};
  style.ScrollbarSize = 10;
  style.ScrollbarRounding = 5;
  style.GrabMinSize = 12;
  style.GrabRounding = 6;
  style.DisplaySafeAreaPadding = {4, 4};
  style.ScaleAllSizes(scale);
  style.PopupBorderSize = 1;
  apply_colours(theme, style);
  ImGui::GetStyle() = style;
}

ImU32 mix(ImU32 a, ImU32 b, float amount) {
  const Channels from = channels(a), to = channels(b);
  const auto between = [&](float low, float high) { return low + (high - low) * amount; };
  return packed({between(from.red, to.red), between(from.green, to.green), between(from.blue, to.blue), 255});
}

ImU32 with_alpha(ImU32 colour, float alpha) {
  Channels value = channels(colour);
  value.alpha = alpha * 255.0F;
  return packed(value);
}

ImU32 viridis(float t) {
  // 16 evenly spaced samples of matplotlib's viridis (van der Walt and Smith, 2015), interpolated linearly.
  static constexpr std::array<uint32_t, 16> kSamples{0x440154, 0x481A6C, 0x472F7D, 0x414487, 0x39568C, 0x31688E,
                                                     0x2A788E, 0x23888E, 0x1F988B, 0x22A884, 0x35B779, 0x54C568,
                                                     0x7AD151, 0xA5DB36, 0xD2E21B, 0xFDE725};
  const float position = std::clamp(std::isnan(t) ? 0.0F : t, 0.0F, 1.0F) * static_cast<float>(kSamples.size() - 1);
  const auto index = std::min(static_cast<size_t>(position), kSamples.size() - 2);
  return mix(hex(kSamples[index]), hex(kSamples[index + 1]), position - static_cast<float>(index));
}

float contrast(ImU32 a, ImU32 b) {
  const float first = luminance(a), second = luminance(b);
  return (std::max(first, second) + 0.05F) / (std::min(first, second) + 0.05F);
}

ImU32 readable_on(ImU32 surface, const Theme& theme) {
  const ImU32 bright = theme.dark ? theme.text : hex(0xFFFFFF);
  const ImU32 deep = theme.dark ? theme.window : theme.text;
  return contrast(surface, bright) >= contrast(surface, deep) ? bright : deep;
}

}  // namespace tilescope
