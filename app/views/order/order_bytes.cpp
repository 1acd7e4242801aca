// Bars of the bytes in each order: hardware counters filled, modelled ones outlined, the sum of the strips as a line.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "app/draw/widgets.hpp"
#include "app/views/order/order_view.hpp"

namespace tilescope {
namespace {

using Kind = OrderTraffic::Kind;

// Unscaled pixels.
constexpr float kBytesPadding = 24, kTabs = 32, kNoteLine = 18, kBytesBottom = 10;

struct Bar {
  Kind kind = Kind::row_major;
  int64_t group = 0;
  bool launched = false;
  double modelled = 0, counted = 0, strips = 0;  // 0: there is none
  double least = 0, most = 0;                    // the model's range; both 0: it states none
};
/// The bars of one size.
struct Bars {
  std::string size;  // "8,192"; empty if it need not be shown
  std::vector<Bar> bars;
};

struct Counted {
  const CounterSet* set = nullptr;  // the source of the counters; null: none
  std::vector<Bars> sizes;          // the shown one first
  OrderBytes bytes = OrderBytes::device;
};

std::string size_text(const std::map<std::string, int64_t>& sizes) {
  const bool same =
      std::all_of(sizes.begin(), sizes.end(), [&](const auto& one) { return one.second == sizes.begin()->second; });
  if (same && !sizes.empty()) return with_separators(sizes.begin()->second);
  std::string text;
  for (const auto& [name, value] : sizes) text += (text.empty() ? "" : " × ") + with_separators(value);
  return text;
}

using Orders = std::vector<std::pair<Kind, int64_t>>;

Orders orders_of(const OrderPicture& picture) {
  Orders orders;
  for (const ShownOrder& order : picture.orders) orders.emplace_back(order.kind, order.group);
  return orders;
}

Bars shown_bars(const PanelContext& context, const OrderPicture& picture, const Orders& orders, Counted& bars) {
  Bars shown;
  const auto found = counted_together(context.session.counters(), *picture.result, picture.result->config, orders);
  for (size_t i = 0; i < orders.size(); ++i) {
    const ShownOrder& order = picture.orders[i];
    Bar bar{.kind = order.kind, .group = order.group, .launched = order.launched};
    bar.modelled = modelled_bytes(*order.traffic, bars.bytes);
    if (bars.bytes == OrderBytes::device) bar.strips = static_cast<double>(order.traffic->strip_bytes());
    const OrderModel& model = *picture.result->block_order;
    if (bars.bytes == OrderBytes::device && order.launched && !model.is_sure()) {
      bar.least = static_cast<double>(model.least_read());
      bar.most = static_cast<double>(model.most_read());
    }
    if (found[i]) {
      bar.counted = counted_bytes(*found[i].row, bars.bytes);
      bars.set = found[i].set;
    }
    shown.bars.push_back(bar);
  }
  return shown;
}

double volume_of(const std::map<std::string, int64_t>& sizes) {
  double volume = 1;
  for (const auto& [name, value] : sizes) volume *= static_cast<double>(value);
  return volume;
}

/// Whether one results from the other by scaling all sizes equally, as with two squares.
bool is_scaled(const std::map<std::string, int64_t>& one, const std::map<std::string, int64_t>& other) {
  return std::ranges::all_of(one, [&](const auto& size) {
    const auto found = other.find(size.first);
    return found != other.end() && size.second * other.begin()->second == found->second * one.begin()->second;
  });
}

/// Adds the counters of the same orders at other sizes: same shapes first, smaller sizes before larger ones, nearer
/// ones before more distant ones.
void add_other_sizes(const PanelContext& context, const OrderPicture& picture, const Orders& orders, Counted& bars) {
  if (bars.set == nullptr) return;
  const RunResult& result = *picture.result;
  std::vector<std::map<std::string, int64_t>> sizes;
  for (const CounterRow& row : bars.set->rows)
    if (std::find(sizes.begin(), sizes.end(), row.sizes) == sizes.end()) sizes.push_back(row.sizes);
  std::ranges::sort(sizes, {}, [&own = result.config.sizes](const auto& size) {
    const double times = volume_of(size) / volume_of(own);
    return std::tuple(!is_scaled(size, own), times > 1, times > 1 ? times : 1 / times);
  });
  for (const auto& size : sizes) {
    Config other = result.config;
    for (const auto& [name, value] : size) other.sizes[name] = value;
    if (other == result.config) continue;
    const auto found = counted_together(context.session.counters(), result, other, orders);
    Bars group{.size = size_text(size), .bars = {}};
    for (size_t i = 0; i < orders.size(); ++i)
      if (found[i] && found[i].set == bars.set)
        group.bars.push_back({.kind = orders[i].first,
                              .group = orders[i].second,
                              .launched = picture.orders[i].launched,
                              .counted = counted_bytes(*found[i].row, bars.bytes)});
    if (!group.bars.empty()) bars.sizes.push_back(std::move(group));
  }
  if (bars.sizes.size() > 1) {
    std::map<std::string, int64_t> own;
    for (const auto& [name, value] : bars.set->rows.front().sizes)
      own[name] = result.config.sizes.contains(name) ? result.config.size(name) : value;
    bars.sizes.front().size = size_text(own);
  }
}

Counted collect(const PanelContext& context, const OrderPicture& picture, OrderBytes bytes) {
  Counted bars{.bytes = bytes};
  const Orders orders = orders_of(picture);
  bars.sizes.push_back(shown_bars(context, picture, orders, bars));
  add_other_sizes(context, picture, orders, bars);
  return bars;
}

struct BarColumns {
  float size_left, name_left, bar_left, bar_right, right;
  OrderBytes bytes;
};

float height_of(const PanelContext& context, const Bar& bar) {
  return context.px((bar.modelled > 0 && bar.counted > 0 ? 40 : 26) + (bar.strips > 0 ? 16 : 0));
}

/// The sum of the strips, which one can work out by hand: a line with an end, below the bars.
void draw_strips(PanelContext& context, const Bar& bar, const BarColumns& at, float middle, float end, ImU32 colour) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const float y = std::round(middle) + 0.5F, half = context.px(4);
  list->AddLine({at.bar_left, y}, {end, y}, colour, context.px(1));
  list->AddLine({end - 0.5F, y - half}, {end - 0.5F, y + half}, colour, context.px(1));
  const std::string text = context.strings.format("order.strips", fmt::arg("amount", three_figures(bar.strips)));
  draw_text(list, font, {end + context.px(8), centred_top(font, middle)}, context.theme.muted, text);
  const ImVec2 low{at.bar_left, middle - context.px(8)}, high{at.right, middle + context.px(8)};
  mark(context, bar.launched ? "order.strips" : "order.strips_beside", low, high);
  explain_rect(context, low, high, context.strings("order.strip_meaning"));
}

/// The range of a model that is not sure, as a line with two ends on the bar. Returns its right end, 0 if there is
/// none.
float draw_range(PanelContext& context, const Bar& bar, float left, float right, float middle) {
  if (bar.most <= 0) return 0;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float y = std::round(middle) + 0.5F, half = context.px(4), width = context.px(1.5F);
  const ImU32 colour = context.theme.waiting;
  list->AddLine({left, y}, {right, y}, colour, width);
  for (const float end : {left, right}) list->AddLine({end, y - half}, {end, y + half}, colour, width);
  const ImVec2 low{left - half, middle - context.px(8)}, high{right + half, middle + context.px(8)};
  mark(context, "order.range", low, high);
  explain_rect(context, low, high, order_certainty(context.strings, *context.result->block_order));
  return right;
}

void draw_bar(PanelContext& context, const Bar& bar, const BarColumns& at, float top, double most) {
  const Theme& theme = context.theme;
  const Fonts& fonts = context.fonts;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 colour = bar.launched ? theme.accent : mix(theme.window, theme.muted, 0.85F);
  const auto end_of = [&](double value) {
    return std::round(at.bar_left + (at.bar_right - at.bar_left) * static_cast<float>(value / most));
  };
  const std::string name = order_name(context.strings, bar.kind, bar.group);
  ImFont* name_font = bar.launched ? fonts.small_semibold : fonts.small;
  const float first = top + context.px(8);
  draw_text(list, name_font, {at.name_left, centred_top(name_font, first)}, theme.text,
            fit_text(name_font, name, at.bar_left - at.name_left - context.px(6)));
  if (bar.counted > 0) {
    const float end = end_of(bar.counted);
    list->AddRectFilled({at.bar_left, first - context.px(7)}, {end, first + context.px(7)}, colour);
    draw_text(list, fonts.small_semibold, {end + context.px(8), centred_top(fonts.small_semibold, first)}, theme.text,
              three_figures(bar.counted));
  }
  if (bar.modelled <= 0) return;
  const bool both = bar.counted > 0;
  const float middle = both ? top + context.px(24) : first, half = context.px(both ? 5 : 7);
  const float end = end_of(bar.modelled);
  list->AddRect({at.bar_left + 0.5F, middle - half + 0.5F}, {end - 0.5F, middle + half - 0.5F}, colour, 0, 0,
                context.px(1));
  const float text_left =
      std::max(end, draw_range(context, bar, end_of(bar.least), end_of(bar.most), middle)) + context.px(8);
  std::string text = three_figures(bar.modelled);
  if (both) {
    const long percent = std::lround(model_error(bar.modelled, bar.counted));
    text += context.strings("speed.comma") + (percent == 0 ? std::string("±0%") : fmt::format("{:+}%", percent));
    if (percent < 0) text.replace(text.rfind('-'), 1, "−");
  }
  ImFont* font = both ? fonts.small : fonts.small_semibold;
  draw_text(list, font, {text_left, centred_top(font, middle)}, both ? theme.muted : theme.text, text);
  if (both)
    explain_rect(context, {bar.most > 0 ? text_left : at.bar_left, middle - context.px(8)},
                 {at.right, middle + context.px(8)},
                 context.strings(at.bytes == OrderBytes::device ? "order.error_meaning" : "order.l2_error_meaning"));
  if (bar.strips > 0) draw_strips(context, bar, at, middle + context.px(16), end_of(bar.strips), colour);
}

float height_of(const PanelContext& context, const Bars& group) {
  float height = 0;
  for (const Bar& bar : group.bars) height += height_of(context, bar);
  return height;
}

/// As many sizes as fit into the height; at least the shown one.
std::span<const Bars> sizes_that_fit(const PanelContext& context, const Counted& counted, float height) {
  size_t count = 0;
  for (float y = 0; count < counted.sizes.size(); ++count) {
    const float own = height_of(context, counted.sizes[count]);
    if (count > 0 && y + own + context.px(16) > height) break;
    y += own + context.px(count > 0 ? 14 : 0);
  }
  return std::span(counted.sizes).first(count);
}

float draw_bars(PanelContext& context, const Counted& counted, ImVec2 low, ImVec2 high) {
  const Fonts& fonts = context.fonts;
  BarColumns at{low.x, low.x, 0, 0, high.x, counted.bytes};
  double most = 1;
  float names = 0, sizes = 0;
  const std::span<const Bars> shown = sizes_that_fit(context, counted, high.y - low.y);
  for (const Bars& group : shown) {
    sizes = std::max(sizes, text_size(fonts.small_semibold, group.size).x);
    for (const Bar& bar : group.bars) {
      most = std::max({most, bar.modelled, bar.counted, bar.strips, bar.most});
      names = std::max(names, text_size(fonts.small_semibold, order_name(context.strings, bar.kind, bar.group)).x);
    }
  }
  if (sizes > 0) at.name_left += std::min(sizes, (high.x - low.x) * 0.25F) + context.px(12);
  at.bar_left = std::round(at.name_left + names + context.px(12));
  at.bar_right = std::max(at.bar_left + context.px(40), high.x - context.px(108));
  float y = low.y;
  for (size_t i = 0; i < shown.size(); ++i) {
    const Bars& group = shown[i];
    if (i > 0) {
      ImGui::GetWindowDrawList()->AddRectFilled({low.x, y + context.px(4)},
                                                {high.x, y + context.px(4) + std::max(1.0F, context.px(1))},
                                                context.theme.separator);
      y += context.px(14);
    }
    if (!group.size.empty())
      draw_text(ImGui::GetWindowDrawList(), fonts.small_semibold,
                {low.x, centred_top(fonts.small_semibold, y + context.px(8))}, context.theme.text,
                fit_text(fonts.small_semibold, group.size, at.name_left - low.x - context.px(6)));
    for (const Bar& bar : group.bars) {
      if (y + height_of(context, bar) > high.y + context.px(8)) return y;
      draw_bar(context, bar, at, y, most);
      y += height_of(context, bar);
    }
  }
  return y;
}

/// The origin of the counters.
std::string provenance(const Strings& strings, const CounterSet& set) {
  return strings.format("order.counted", fmt::arg("gpu", set.gpu), fmt::arg("kernel", strings.note(set.kernel)),
                        fmt::arg("tool", set.tool), fmt::arg("date", set.date.substr(0, 10)));
}

/// The size whose counters show best that the order matters, offered if nothing was counted at the shown one: the
/// smallest cube for which they show it clearly, or any size if there is none.
std::pair<const CounterSet*, const CounterRow*> telling_size(const PanelContext& context) {
  constexpr double kMatters = 1.5;
  std::pair<const CounterSet*, const CounterRow*> best{};
  const RecordedCounters* counters = context.session.counters();
  if (counters == nullptr) return best;
  std::tuple<bool, bool, double> best_merit{};
  for (const CounterSet& set : counters->sets) {
    for (const CounterRow& row : set.rows) {
      const bool matters = std::any_of(set.rows.begin(), set.rows.end(), [&](const CounterRow& other) {
        return other.sizes == row.sizes && other.params == row.params &&
               other.blocks_per_multiprocessor == row.blocks_per_multiprocessor &&
               other.device_bytes_read > kMatters * row.device_bytes_read;
      });
      const bool cube =
          std::ranges::all_of(row.sizes, [&](const auto& size) { return size.second == row.sizes.begin()->second; });
      const std::tuple merit(matters, cube, -volume_of(row.sizes));
      if (best.second != nullptr && merit <= best_merit) continue;
      best = {&set, &row};
      best_merit = merit;
    }
  }
  return best;
}

void go_to(PanelContext& context, const CounterSet& set, const CounterRow& row) {
  Session& session = context.session;
  for (const auto& [name, value] : row.sizes) session.set_size(name, value);
  for (const auto& [name, value] : row.params) session.set_param(name, value);
  session.set_param("CTAS_PER_SM", row.blocks_per_multiprocessor);
  if (const auto& gpus = session.engine().gpus())
    for (const GpuSpec& gpu : *gpus)
      if (same_gpu(gpu.name, set.gpu)) session.set_gpu(gpu.id);
}

/// The note below the bars. Returns its height.
float draw_note(PanelContext& context, const Counted& counted, ImDrawList* list, ImVec2 low, float width) {
  const Strings& strings = context.strings;
  const auto flow = [&](const std::string& text, float y) {
    const TextRun run[] = {{context.fonts.small, context.theme.muted, text}};
    return flow_text(list, {low.x, y}, width, context.px(kNoteLine), run);
  };
  if (counted.set != nullptr) {
    std::string text = provenance(strings, *counted.set);
    if (counted.bytes == OrderBytes::l2) text += strings("order.l2_note");
    return flow(text, low.y);
  }
  const auto [set, row] = telling_size(context);
  float height = flow(strings(row != nullptr ? "order.not_counted" : "order.never_counted"), low.y);
  if (row == nullptr) return height;
  const std::string link = strings.format("order.go_to_counted", fmt::arg("size", size_text(row->sizes)));
  const ImVec2 size = text_size(context.fonts.small, link);
  const float top = low.y + height;
  if (list != nullptr) {
    ImGui::SetCursorScreenPos({low.x, top});
    if (hit_area("go to counted", {size.x, context.px(kNoteLine)})) go_to(context, *set, *row);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    mark(context, "order.go_to_counted", {low.x, top}, {low.x + size.x, top + context.px(kNoteLine)});
    draw_text(list, context.fonts.small, {low.x, centred_top(context.fonts.small, top + context.px(kNoteLine / 2))},
              hovered ? context.theme.text : context.theme.accent, link);
  }
  return height + context.px(kNoteLine);
}

}  // namespace

void OrderView::draw_bytes(PanelContext& context) {
  if (!has_order(context.result)) return;
  const OrderPicture& picture = this->picture(context.result);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float left = origin.x + context.px(kBytesPadding), right = origin.x + room.x - context.px(kBytesPadding);
  const float bottom = origin.y + room.y - context.px(kBytesBottom);
  const Counted counted = collect(context, picture, bytes_);
  const std::array<std::string, 2> names{context.strings("order.device_bytes"), context.strings("order.l2_bytes")};
  const std::array<TabNote, 2> notes{TabNote{.meaning = context.strings("order.tab_device_meaning")},
                                     TabNote{.meaning = context.strings("order.tab_l2_meaning")}};
  ImGui::SetCursorScreenPos({left, origin.y + context.px(2)});
  bytes_ = static_cast<OrderBytes>(
      tab_row(context, "order_bytes", names, static_cast<int>(bytes_), context.px(kTabs), notes));
  ImDrawList* list = ImGui::GetWindowDrawList();
  float badge = right;
  const float tabs = left + text_size(context.fonts.small_semibold, names[0] + names[1]).x + context.px(32);
  for (const Badge one : {Badge::modelled, Badge::recorded}) {
    if (one == Badge::recorded && counted.set == nullptr) continue;
    if (badge - badge_width(context, one) < tabs) break;
    badge -= draw_badge(context, list, {badge, origin.y + context.px(8)}, one) + context.px(8);
  }
  const float top = origin.y + context.px(kTabs + 16), width = right - left;
  const float note = draw_note(context, counted, nullptr, {left, 0}, width);
  const float room_for_note = bottom - note - context.px(8);
  const bool with_note = room_for_note - top > context.px(40);
  const float end = draw_bars(context, counted, {left, top}, {right, with_note ? room_for_note : bottom});
  if (with_note) {
    const float note_top = std::min(end + context.px(12), bottom - note);
    draw_note(context, counted, list, {left, note_top}, width);
    if (counted.set != nullptr && !counted.set->command.empty())
      explain_rect(context, {left, note_top}, {right, note_top + note}, counted.set->command);
  }
  dim_if_stale(context);
}

}  // namespace tilescope
