// The options of a layer: sliders for its sizes, menus and switches for its kind. They wrap to as many lines as needed.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "app/draw/menus.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/graph/graph_view.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kSliderWidth = 150, kLeastSlider = 96, kSliderHeight = 36, kSliderGap = 16, kChipHeight = 24,
                kChipGap = 11;

/// The text of an option: its title, or with a suffix its explanation.
const std::string& option_text(const PanelContext& context, const char* option, const char* suffix = "") {
  return context.strings(fmt::format("view.{}.{}{}", "graph", option, suffix));
}

class OptionFlow {
 public:
  OptionFlow(PanelContext& context, float width) : context_(context), low_(ImGui::GetCursorScreenPos()), width_(width) {
    at_ = low_;
  }
  /// Where the next part goes.
  ImVec2 take(float width, float height, float gap) {
    if (at_.x > low_.x && at_.x + width > low_.x + width_) wrap();
    const ImVec2 here = at_;
    at_.x += width + gap;
    row_ = std::max(row_, height);
    return here;
  }
  void wrap() {
    at_ = {low_.x, at_.y + row_ + context_.px(4)};
    row_ = 0;
  }
  float height() const { return at_.y + row_ - low_.y; }

 private:
  PanelContext& context_;
  ImVec2 low_, at_{0, 0};
  float width_ = 0, row_ = 0;
};

struct OptionSlider {
  const char* name;
  std::vector<int64_t> stops;  // ascending, the value among them
  int64_t* value;
};

void draw_option_slider(PanelContext& context, OptionFlow& flow, const OptionSlider& slider, float width) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 low = flow.take(width, context.px(kSliderHeight), context.px(kSliderGap));
  ImGui::SetCursorScreenPos(low);
  hit_area(slider.name, {width, context.px(kSliderHeight)});
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  mark(context, std::string("graph.slider.") + slider.name, low, {low.x + width, low.y + context.px(kSliderHeight)});
  explain(context, option_text(context, slider.name, "_meaning"));
  const float left = low.x + context.px(5), room = width - context.px(10), track = low.y + context.px(27);
  const auto last = static_cast<float>(std::max<size_t>(slider.stops.size(), 2) - 1);
  if (active) {
    const float part = std::clamp((ImGui::GetIO().MousePos.x - left) / room, 0.0F, 1.0F);
    const auto stop = static_cast<size_t>(std::lround(part * last));
    *slider.value = slider.stops[std::min(stop, slider.stops.size() - 1)];
  }
  const auto place = std::ranges::find(slider.stops, *slider.value) - slider.stops.begin();
  const float knob = left + room * static_cast<float>(place) / last;
  draw_text(list, context.fonts.small, {low.x, low.y}, theme.muted, option_text(context, slider.name));
  draw_text_right(list, context.fonts.small_semibold, {low.x + width, low.y}, theme.text,
                  with_separators(*slider.value));
  const float half = std::max(1.0F, context.px(1.25F));
  list->AddRectFilled({left, track - half}, {left + room, track + half}, theme.separator, half);
  list->AddRectFilled({left, track - half}, {knob, track + half}, theme.accent, half);
  list->AddCircleFilled({knob, track}, context.px(active || hovered ? 5.5F : 4.5F), theme.accent);
}

/// "label value ▾": a menu of names. Returns the chosen index.
int draw_option_menu(PanelContext& context, OptionFlow& flow, const char* name, std::span<const std::string> values,
                     int current) {
  const Theme& theme = context.theme;
  ImFont *small = context.fonts.small, *bold = context.fonts.small_semibold;
  const std::string& title = option_text(context, name);
  const std::string& value = values[static_cast<size_t>(current)];
  const float label = text_size(small, title).x + context.px(5);
  const float width = std::ceil(label + text_size(bold, value).x + context.px(14)), height = context.px(kChipHeight);
  const ImVec2 low = flow.take(width, height, context.px(kChipGap));
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos(low);
  const std::string popup = std::string("graph menu ") + name;
  if (hit_area(name, {width, height})) open_menu(context.view, popup.c_str());
  const bool hovered = ImGui::IsItemHovered();
  explain(context, option_text(context, name, "_meaning"));
  mark(context, std::string("graph.menu.") + name, low, {low.x + width, low.y + height});
  const float middle = low.y + height / 2;
  draw_text(list, small, {low.x, centred_top(small, middle)}, theme.muted, title);
  draw_text(list, bold, {low.x + label, centred_top(bold, middle)}, hovered ? theme.accent : theme.text, value);
  draw_chevron(list, {low.x + width - context.px(5), middle}, context.px(8), theme.muted);
  ImGui::SetNextWindowPos({low.x, low.y + height + context.px(2)}, ImGuiCond_Always);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(8), context.px(8)));
  if (ImGui::BeginPopup(popup.c_str())) {
    for (int index = 0; index < static_cast<int>(values.size()); ++index) {
      if (ImGui::Selectable(values[static_cast<size_t>(index)].c_str(), index == current)) current = index;
      mark(context, fmt::format("graph.menu.{}.{}", name, index), ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
  return current;
}

void draw_option_switch(PanelContext& context, OptionFlow& flow, const char* name, bool& on) {
  const Theme& theme = context.theme;
  ImFont* small = context.fonts.small;
  const std::string& title = option_text(context, name);
  const float box = context.px(14), width = std::ceil(box + context.px(6) + text_size(small, title).x),
              height = context.px(kChipHeight);
  const ImVec2 low = flow.take(width, height, context.px(kChipGap));
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos(low);
  if (hit_area(name, {width, height})) on = !on;
  const bool hovered = ImGui::IsItemHovered();
  explain(context, option_text(context, name, "_meaning"));
  mark(context, std::string("graph.switch.") + name, low, {low.x + width, low.y + height});
  const float middle = std::round(low.y + height / 2);
  const ImVec2 corner{low.x, middle - box / 2}, end{low.x + box, middle + box / 2};
  if (on) {
    list->AddRectFilled(corner, end, theme.accent, context.px(3));
    draw_check(list, {low.x + box / 2, middle}, context.px(9), theme.on_accent, context.px(1.5F));
  } else {
    list->AddRect({corner.x + 0.5F, corner.y + 0.5F}, {end.x - 0.5F, end.y - 0.5F},
                  hovered ? theme.accent : theme.muted, context.px(3), 0, context.px(1));
  }
  draw_text(list, small, {end.x + context.px(6), centred_top(small, middle)}, hovered ? theme.text : theme.muted,
            title);
}

std::vector<int64_t> with_value(std::vector<int64_t> stops, int64_t value) {
  if (!std::ranges::binary_search(stops, value)) stops.insert(std::ranges::upper_bound(stops, value), value);
  return stops;
}
std::vector<int64_t> powers_of_two(int64_t from, int64_t to) {
  std::vector<int64_t> stops;
  for (int64_t stop = from; stop <= to; stop *= 2) stops.push_back(stop);
  return stops;
}
std::vector<int64_t> divisors_of(int64_t value, int64_t most) {
  std::vector<int64_t> stops;
  for (const int64_t stop : {1, 2, 4, 8, 10, 12, 16, 20, 32, 40, 64, 96, 128})
    if (stop <= most && value % stop == 0) stops.push_back(stop);
  return stops;
}
int64_t nearest_stop(const std::vector<int64_t>& stops, int64_t value) {
  return *std::ranges::min_element(stops, {}, [&](int64_t stop) { return std::abs(stop - value); });
}

/// Heads that no longer divide the hidden size, and KV heads that no longer divide the heads, take the nearest value.
void keep_divisible(TransformerOptions& options, const TransformerOptions& before) {
  if (options.hidden != before.hidden) options.mlp = std::max<int64_t>(options.hidden * before.mlp / before.hidden, 1);
  if (options.hidden % options.heads != 0)
    options.heads = nearest_stop(divisors_of(options.hidden, options.hidden), options.heads);
  const bool all = before.kv_heads == before.heads;
  if (options.heads != before.heads && all) options.kv_heads = options.heads;
  if (options.heads % options.kv_heads != 0)
    options.kv_heads = nearest_stop(divisors_of(options.heads, options.heads), options.kv_heads);
}

void draw_sizes(PanelContext& context, OptionFlow& flow, TransformerOptions& options, float room) {
  const TransformerOptions before = options;
  const std::vector<int64_t> hidden{256, 512, 768, 1024, 2048, 3072, 4096, 5120, 8192, 12288, 16384};
  std::vector<int64_t> mlp;
  for (const int64_t quarter : {4, 8, 10, 14, 16, 32}) mlp.push_back(options.hidden * quarter / 4);
  std::array<OptionSlider, 6> sliders{
      OptionSlider{"batch", with_value(powers_of_two(1, 512), options.batch), &options.batch},
      OptionSlider{"sequence", with_value(powers_of_two(64, 131072), options.sequence), &options.sequence},
      OptionSlider{"hidden", with_value(hidden, options.hidden), &options.hidden},
      OptionSlider{"heads", with_value(divisors_of(options.hidden, options.hidden), options.heads), &options.heads},
      OptionSlider{"kv_heads", with_value(divisors_of(options.heads, options.heads), options.kv_heads),
                   &options.kv_heads},
      OptionSlider{"mlp", with_value(mlp, options.mlp), &options.mlp}};
  const auto count = static_cast<float>(sliders.size());
  const float width = std::clamp(std::floor((room - (count - 1) * context.px(kSliderGap)) / count),
                                 context.px(kLeastSlider), context.px(kSliderWidth));
  for (const OptionSlider& slider : sliders) draw_option_slider(context, flow, slider, width);
  keep_divisible(options, before);
}

void draw_kinds(PanelContext& context, OptionFlow& flow, TransformerOptions& options) {
  const Strings& strings = context.strings;
  const std::array types{DType::f32, DType::f16, DType::bf16};
  const std::array<std::string, 3> type_names{"fp32", "fp16", "bf16"};
  const auto type = std::ranges::find(types, options.type) - types.begin();
  options.type = types[static_cast<size_t>(
      draw_option_menu(context, flow, "type", type_names, static_cast<int>(type) % static_cast<int>(types.size())))];
  const std::array<std::string, 2> norms{"LayerNorm", "RMSNorm"};
  options.norm = static_cast<NormKind>(draw_option_menu(context, flow, "norm", norms, static_cast<int>(options.norm)));
  const std::array<std::string, 2> places{strings("view.graph.before"), strings("view.graph.after")};
  options.norm_place = static_cast<NormPlace>(
      draw_option_menu(context, flow, "norm_place", places, static_cast<int>(options.norm_place)));
  const std::array<std::string, 4> kinds{"GELU", "ReLU", "SwiGLU",
                                         strings.format("view.graph.experts", fmt::arg("count", options.experts),
                                                        fmt::arg("chosen", options.experts_per_token))};
  options.mlp_kind =
      static_cast<MlpKind>(draw_option_menu(context, flow, "mlp_kind", kinds, static_cast<int>(options.mlp_kind)));
  for (const auto& [name, on] : {std::pair("causal", &options.causal),
                                 {"rotary", &options.rotary},
                                 {"biases", &options.biases},
                                 {"fused_qkv", &options.fused_qkv},
                                 {"flash", &options.flash}})
    draw_option_switch(context, flow, name, *on);
}

}  // namespace

float draw_layer_options(PanelContext& context, TransformerOptions& options, float width) {
  ImGui::PushID("layer options");
  OptionFlow flow(context, width);
  draw_sizes(context, flow, options, width);
  flow.wrap();
  draw_kinds(context, flow, options);
  ImGui::PopID();
  return flow.height();
}

}  // namespace tilescope
