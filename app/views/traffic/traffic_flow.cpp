// The memory chart: registers, shared memory, caches and device memory, and the bytes that flow between them, drawn to
// scale. If the caches are not modelled, they and the device are one node, with the reason.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/traffic/traffic_view.hpp"
#include "engine/numbers.hpp"
#include "engine/traffic/block_order/model_error.hpp"

namespace tilescope {
namespace {

/// Unscaled pixels.
struct ChartMetrics {
  float node, band;                       // heights; a node contains two bands and the gap between them
  float band_gap, row_gap, copies;        // between bands; between rows of nodes, without and with copies
  float amount, arrow;                    // vertical centres inside a band
  float thickest;                         // maximum thickness of an arrow
  float title, figure, what, first_line;  // inside a node: a top, two baselines, a top
};
constexpr ChartMetrics kRoomy{92, 42, 4, 14, 40, 12, 30, 14, 10, 54, 76, 36};
constexpr ChartMetrics kCompact{60, 28, 4, 6, 28, 8, 21, 10, 4, 36, 52, 24};

/// Left and right edges of the nodes, and the heights of both rows.
struct ChartPlan {
  float registers[2], l1[2], l2[2], device[2];
  float top, second;  // of the rows
  float bottom;
  ChartMetrics metrics;
};

struct Arrow {
  bool to_right = true;
  ImU32 role = 0;
  uint64_t bytes = 0;       // determines its thickness
  double wasted_share = 0;  // drawn in vermilion
};

ChartPlan lay_out_chart(const PanelContext& context, const TrafficPicture& picture, ImVec2 low, float width) {
  const MemoryChart& chart = picture.chart;
  const bool narrow = width < context.px(900);
  const float outer = context.px(narrow ? 110 : 124), inner = context.px(narrow ? 86 : 108);
  const float room = width - 2 * outer - 2 * inner;
  const float first = std::floor(room * (narrow ? 0.43F : 0.42F)),
              second = std::floor(room * (narrow ? 0.285F : 0.29F));
  ChartPlan plan{};
  plan.metrics = picture.compact ? kCompact : kRoomy;
  const float node = context.px(plan.metrics.node);
  const auto place = [](float(&edges)[2], float from, float extent) {
    edges[0] = from;
    edges[1] = from + extent;
  };
  place(plan.registers, low.x, outer);
  place(plan.l1, plan.registers[1] + first, inner);
  place(plan.l2, plan.l1[1] + second, inner);
  place(plan.device, low.x + width - outer, outer);
  plan.top = low.y;
  plan.second = low.y + node + context.px(chart.copies() > 0 ? plan.metrics.copies : plan.metrics.row_gap);
  plan.bottom = (chart.uses_shared() ? plan.second : low.y) + node;
  return plan;
}

void draw_node(PanelContext& context, const ChartPlan& plan, ImVec2 low, ImVec2 high, std::string_view title) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, high, context.theme.raised, context.px(6));
  const bool compact = plan.metrics.node < kRoomy.node;
  ImFont* font = compact ? context.fonts.small_semibold : context.fonts.body_semibold;
  draw_text(list, font, {low.x + context.px(12), low.y + context.px(plan.metrics.title)}, context.theme.text,
            fit_text(font, title, high.x - low.x - context.px(16)));
}

/// A number below the node's name, and its meaning.
void node_figure(PanelContext& context, const ChartPlan& plan, ImVec2 low, float width, std::string_view figure,
                 std::string_view what, ImU32 colour) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool compact = plan.metrics.node < kRoomy.node;
  ImFont *font = compact ? context.fonts.body_semibold : context.fonts.title_semibold, *small = context.fonts.small;
  for (ImFont* smaller : {context.fonts.body_semibold, context.fonts.small_semibold})
    if (text_size(font, figure).x > width - context.px(16)) font = smaller;
  draw_text(list, font, {low.x + context.px(12), baseline_top(font, low.y + context.px(plan.metrics.figure))}, colour,
            figure);
  draw_text(list, small, {low.x + context.px(12), baseline_top(small, low.y + context.px(plan.metrics.what))},
            context.theme.muted, fit_text(small, what, width - context.px(16)));
}

void node_line(PanelContext& context, const ChartPlan& plan, ImVec2 low, float width, int line, std::string_view text) {
  ImFont* small = context.fonts.small;
  draw_text(ImGui::GetWindowDrawList(), small,
            {low.x + context.px(12), low.y + context.px(plan.metrics.first_line + 20 * static_cast<float>(line))},
            context.theme.muted, fit_text(small, text, width - context.px(16)));
}

void describe_registers(PanelContext& context, const RunResult& result, const ChartPlan& plan) {
  const ImVec2 low{plan.registers[0], plan.top};
  const float width = plan.registers[1] - plan.registers[0];
  if (result.plan.launches.empty()) return;
  const size_t launch = std::min<size_t>(result.launch, result.plan.launches.size() - 1);
  const KernelInfo* kernel = result.compiled.find(result.plan.launches[launch].kernel);
  if (kernel == nullptr || kernel->registers == 0) return;
  const auto threads = static_cast<int64_t>(result.plan.launches[launch].block.count());
  node_line(context, plan, low, width, 0,
            context.strings.format("traffic.registers_thread", fmt::arg("count", kernel->registers)));
  const std::string count = with_separators(threads * kernel->registers);
  std::string of_block = context.strings.format("traffic.registers_block", fmt::arg("count", count));
  if (text_size(context.fonts.small, of_block).x > width - context.px(16))
    of_block = context.strings.format("traffic.registers_block_short", fmt::arg("count", count));
  node_line(context, plan, low, width, 1, of_block);
}

/// Thickness of a band: bytes to scale, at least two pixels if nonzero.
float thickness(const PanelContext& context, const ChartPlan& plan, uint64_t bytes, uint64_t largest) {
  if (bytes == 0) return 0;
  const float share = static_cast<float>(static_cast<double>(bytes) / static_cast<double>(largest));
  return std::max(context.px(2), std::round(context.px(plan.metrics.thickest) * share));
}

/// A band with an arrowhead in the direction of flow; its lower, wasted part is vermilion.
void draw_arrow(PanelContext& context, float x0, float x1, float middle, float height, const Arrow& arrow) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (height <= 0) {
    list->AddRectFilled({x0, middle}, {x1, middle + std::max(1.0F, context.px(1))}, context.theme.separator);
    return;
  }
  const float point = context.px(10), top = middle - height / 2, bottom = middle + height / 2;
  const float reach = std::max(height / 2, context.px(4));  // half height of the arrowhead, with a minimum for thin
                                                            // bands
  const auto shape = [&](float from, float to, ImU32 colour) {
    list->PushClipRect({x0 - 1, from}, {x1 + 1, to}, true);
    const float tip = arrow.to_right ? x1 : x0, base = arrow.to_right ? x1 - point : x0 + point;
    list->AddRectFilled({std::min(base, arrow.to_right ? x0 : x1), top},
                        {std::max(base, arrow.to_right ? x0 : x1), bottom}, colour);
    const ImVec2 triangle[] = {{base, middle - reach}, {tip, middle}, {base, middle + reach}};
    if (arrow.to_right)
      list->AddTriangleFilled(triangle[0], triangle[1], triangle[2], colour);
    else
      list->AddTriangleFilled(triangle[2], triangle[1], triangle[0], colour);
    list->PopClipRect();
  };
  shape(middle - reach - 1, middle + reach + 1, arrow.role);
  if (arrow.wasted_share <= 0) return;
  const float wasted = std::max(context.px(2), height * static_cast<float>(arrow.wasted_share));
  shape(bottom - wasted, middle + reach + 1, context.theme.error);
}

struct BandText {
  std::string amount;                   // "in 16.8 MB"
  std::string rate, shorter, shortest;  // "4 sectors per request", "4 per request", "4/req"
  bool bad = false;
  std::string explanation;
};

/// Text above, arrow below.
void draw_band(PanelContext& context, const ChartPlan& plan, float x0, float x1, float top, uint64_t largest,
               const Arrow& arrow, const BandText& text) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  ImFont *bold = context.fonts.small_semibold, *small = context.fonts.small;
  const float inset = context.px(x1 - x0 < context.px(120) ? 4 : 8);
  x0 += inset;
  x1 -= inset;
  const float y = top + context.px(plan.metrics.amount), room = x1 - x0 - context.px(4);
  const ImU32 amount_colour = arrow.bytes == 0 ? theme.muted : theme.text;
  float x = x0 + context.px(4);
  x += draw_text(list, bold, {x, centred_top(bold, y)}, amount_colour, fit_text(bold, text.amount, room)).x +
       context.px(8);
  for (const std::string& rate : {text.rate, text.shorter, text.shortest}) {
    if (rate.empty() || x + text_size(small, rate).x > x1) continue;
    draw_text(list, small, {x, centred_top(small, y)}, text.bad ? theme.error : theme.muted, rate);
    break;
  }
  draw_arrow(context, x0, x1, top + context.px(plan.metrics.arrow), thickness(context, plan, arrow.bytes, largest),
             arrow);
  explain_rect(context, {x0, top}, {x1, top + context.px(plan.metrics.band)}, text.explanation);
}

std::string amount_text(const Strings& strings, const char* key, uint64_t bytes) {
  return strings.format(key, fmt::arg("bytes", bytes_text(static_cast<double>(bytes))));
}

BandText counted_text(const PanelContext& context, const char* amount, const char* rate, const char* explanation,
                      const DataMovement& movement, uint64_t bytes) {
  const Strings& strings = context.strings;
  BandText text;
  text.amount = amount_text(strings, amount, bytes);
  if (movement.requests == 0) {
    text.explanation = strings("traffic.explain_none");
    return text;
  }
  const std::string count = figure_text(movement.steps_per_request());
  const char* of_one = movement.passes > 0 ? "traffic.per_request_one_pass" : "traffic.per_request_one_sector";
  text.rate = count == "1" ? strings(of_one) : strings.format(rate, fmt::arg("count", count));
  text.shorter = strings.format("traffic.per_request_short", fmt::arg("count", count));
  text.shortest = strings.format("traffic.per_request_shortest", fmt::arg("count", count));
  text.bad = is_wasteful(movement);
  text.explanation = strings.format(explanation, fmt::arg("requests", with_separators(movement.requests)),
                                    fmt::arg("steps", with_separators(movement.steps())),
                                    fmt::arg("needed", with_separators(movement.needed_passes)),
                                    fmt::arg("moved", bytes_text(static_cast<double>(movement.moved()))),
                                    fmt::arg("used", percent_text(movement.used())));
  return text;
}

/// The fraction drawn in vermilion: none if the requests need all sectors that they touch.
double wasted_share(const DataMovement& movement) {
  if (!is_wasteful(movement)) return 0;
  return static_cast<double>(movement.wasted()) / static_cast<double>(movement.moved());
}

/// Between registers and the memory behind the L1, as requested by the kernel. SIMULATED.
void draw_global_bands(PanelContext& context, const ChartUse& use, const ChartPlan& plan, float to) {
  const Theme& theme = context.theme;
  const uint64_t largest = use.largest();
  draw_band(context, plan, plan.registers[1], to, plan.top, largest,
            {false, theme.read, use.loads.moved(), wasted_share(use.loads)},
            counted_text(context, "traffic.in", "traffic.per_request_sectors", "traffic.explain_read", use.loads,
                         use.loads.moved()));
  draw_band(context, plan, plan.registers[1], to, plan.top + context.px(plan.metrics.band + plan.metrics.band_gap),
            largest, {true, theme.write, use.stores.moved(), wasted_share(use.stores)},
            counted_text(context, "traffic.out", "traffic.per_request_sectors", "traffic.explain_write", use.stores,
                         use.stores.moved()));
}

/// Between the lower levels. MODELLED.
void draw_level_bands(PanelContext& context, const ChartUse& use, const ChartPlan& plan) {
  const Theme& theme = context.theme;
  const Strings& strings = context.strings;
  const uint64_t largest = use.largest();
  const float lower = plan.top + context.px(plan.metrics.band + plan.metrics.band_gap);
  const auto text = [&](const char* amount, const char* explanation, uint64_t bytes) {
    const std::string shown = bytes_text(static_cast<double>(bytes));
    return BandText{amount_text(strings, amount, bytes),
                    {},
                    {},
                    {},
                    false,
                    strings.format(explanation, fmt::arg("bytes", shown),
                                   fmt::arg("sectors", with_separators(bytes / kSectorBytes)))};
  };
  const uint64_t l1_in = use.l2_to_l1_bytes(), l1_out = use.l1_to_l2_bytes();
  draw_band(context, plan, plan.l1[1], plan.l2[0], plan.top, largest, {false, theme.read, l1_in, 0},
            text("traffic.in", "traffic.explain_l2_in", l1_in));
  draw_band(context, plan, plan.l1[1], plan.l2[0], lower, largest, {true, theme.write, l1_out, 0},
            text("traffic.out", "traffic.explain_l2_out", l1_out));
  const uint64_t read = use.levels.device_bytes_read, written = use.levels.device_bytes_written;
  draw_band(context, plan, plan.l2[1], plan.device[0], plan.top, largest, {false, theme.read, read, 0},
            text("traffic.in", "traffic.explain_device_in", read));
  BandText out = text("traffic.out", "traffic.explain_device_out", written);
  if (use.levels.bytes_left_in_l2 > 0) {
    const std::string left = bytes_text(static_cast<double>(use.levels.bytes_left_in_l2));
    out.rate = strings.format("traffic.stays_in_l2", fmt::arg("bytes", left));
    out.explanation += strings.format("traffic.explain_left", fmt::arg("bytes", left));
  }
  draw_band(context, plan, plan.l2[1], plan.device[0], lower, largest, {true, theme.write, written, 0}, out);
}

void draw_cache_nodes(PanelContext& context, const TrafficPicture& picture, const ChartUse& use,
                      const ChartPlan& plan) {
  const Strings& strings = context.strings;
  const ImU32 text = context.theme.text;
  const float bottom = plan.top + context.px(plan.metrics.node);
  const auto rate = [](const LevelTraffic& level) {
    return level.read_sectors == 0 ? std::string("–") : percent_text(level.read_hit_rate());
  };
  const std::string gpu = picture.result->modelled_gpu.name;
  draw_node(context, plan, {plan.l1[0], plan.top}, {plan.l1[1], bottom}, "L1");
  node_figure(context, plan, {plan.l1[0], plan.top}, plan.l1[1] - plan.l1[0], rate(use.levels.l1),
              strings("traffic.read_hits"), text);
  explain_rect(context, {plan.l1[0], plan.top}, {plan.l1[1], bottom},
               strings.format("traffic.explain_l1", fmt::arg("gpu", gpu),
                              fmt::arg("hits", with_separators(use.levels.l1.read_hits)),
                              fmt::arg("sectors", with_separators(use.levels.l1.read_sectors))));
  draw_node(context, plan, {plan.l2[0], plan.top}, {plan.l2[1], bottom}, "L2");
  node_figure(context, plan, {plan.l2[0], plan.top}, plan.l2[1] - plan.l2[0], rate(use.levels.l2),
              strings("traffic.read_hits"), text);
  explain_rect(context, {plan.l2[0], plan.top}, {plan.l2[1], bottom},
               strings.format("traffic.explain_l2", fmt::arg("gpu", gpu),
                              fmt::arg("hits", with_separators(use.levels.l2.read_hits)),
                              fmt::arg("sectors", with_separators(use.levels.l2.read_sectors))));
  draw_node(context, plan, {plan.device[0], plan.top}, {plan.device[1], bottom}, strings("traffic.device"));
  node_figure(context, plan, {plan.device[0], plan.top}, plan.device[1] - plan.device[0],
              bytes_text(static_cast<double>(use.device_bytes())), strings("traffic.in_and_out"), text);
  explain_rect(context, {plan.device[0], plan.top}, {plan.device[1], bottom},
               strings.format("traffic.explain_device", fmt::arg("gpu", gpu)) + " " + model_error_text(strings));
}

/// One node for everything behind the registers, and the reason.
void draw_unmodelled(PanelContext& context, const TrafficPicture& picture, const ChartPlan& plan) {
  const float bottom = plan.top + context.px(plan.metrics.node);
  draw_node(context, plan, {plan.l1[0], plan.top}, {plan.device[1], bottom}, context.strings("traffic.global_memory"));
  const RunResult& result = *picture.result;
  const std::string reason =
      result.hierarchy.reason.empty()
          ? context.strings("traffic.not_modelled")
          : context.strings.format("traffic.not_modelled_because",
                                   fmt::arg("reason", context.strings.say(result.hierarchy.reason)));
  const TextRun run[] = {{context.fonts.small, context.theme.muted, reason}};
  flow_text(ImGui::GetWindowDrawList(), {plan.l1[0] + context.px(12), plan.top + context.px(plan.metrics.first_line)},
            plan.device[1] - plan.l1[0] - context.px(24), context.px(20), run);
}

void draw_shared(PanelContext& context, const TrafficPicture& picture, const ChartUse& use, const ChartPlan& plan) {
  const Theme& theme = context.theme;
  const Strings& strings = context.strings;
  const bool all = use.name.empty();  // shared memory has no buffers
  const DataMovement none;
  const DataMovement &writes = all ? use.shared_writes : none, &reads = all ? use.shared_reads : none;
  DataMovement both = picture.chart.total.shared_reads;
  both.add(picture.chart.total.shared_writes);
  both.add(picture.chart.total.shared_copies);
  const auto ways_of = [](const DataMovement& one) {
    return one.needed_passes == 0 ? 0 : static_cast<double>(one.passes) / static_cast<double>(one.needed_passes);
  };
  const uint64_t largest = use.largest();
  draw_band(context, plan, plan.registers[1], plan.l1[0], plan.second, largest,
            {true, is_wasteful(writes) ? theme.error : theme.write, writes.useful, 0},
            counted_text(context, "traffic.out", "traffic.per_request_passes", "traffic.explain_shared_write", writes,
                         writes.useful));
  draw_band(context, plan, plan.registers[1], plan.l1[0],
            plan.second + context.px(plan.metrics.band + plan.metrics.band_gap), largest,
            {false, is_wasteful(reads) ? theme.error : theme.read, reads.useful, 0},
            counted_text(context, "traffic.in", "traffic.per_request_passes", "traffic.explain_shared_read", reads,
                         reads.useful));
  const ImVec2 low{plan.l1[0], plan.second}, high{plan.l1[1], plan.second + context.px(plan.metrics.node)};
  draw_node(context, plan, low, high, strings("traffic.shared"));
  DataMovement worse = picture.chart.total.shared_reads;
  const char* of_worse = "traffic.read_conflict";
  for (const DataMovement* one : {&picture.chart.total.shared_writes, &picture.chart.total.shared_copies}) {
    if (ways_of(*one) <= ways_of(worse)) continue;
    worse = *one;
    of_worse = "traffic.write_conflict";
  }
  std::string what = strings(of_worse);
  if (text_size(context.fonts.small, what).x > high.x - low.x - context.px(16)) what = strings("traffic.conflicting");
  if (is_wasteful(worse))
    node_figure(context, plan, low, high.x - low.x,
                strings.format("traffic.ways", fmt::arg("ways", figure_text(ways_of(worse)))), what, theme.error);
  else if (both.requests > 0)
    node_figure(context, plan, low, high.x - low.x, percent_text(both.conflicts() == 0 ? 0 : 1 - 1 / ways_of(both)),
                text_size(context.fonts.small, strings("traffic.no_conflict")).x > high.x - low.x - context.px(16)
                    ? strings("traffic.conflicting")
                    : strings("traffic.no_conflict"),
                theme.text);
  explain_rect(context, low, high,
               strings.format("traffic.explain_shared", fmt::arg("passes", with_separators(both.passes)),
                              fmt::arg("needed", with_separators(both.needed_passes)),
                              fmt::arg("conflicts", with_separators(both.conflicts()))));
}

/// Asynchronous copies go into shared memory without passing through a register: through the L1 above it, or bypassing
/// it.
void draw_copies(PanelContext& context, const ChartUse& use, const ChartPlan& plan) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const Strings& strings = context.strings;
  ImFont* font = context.fonts.small_semibold;
  const float top = plan.top + context.px(plan.metrics.node), bottom = plan.second, middle = (top + bottom) / 2;
  const auto head = [&](float x) {
    const float half = context.px(6);
    list->AddTriangleFilled({x - half, bottom - context.px(9)}, {x + half, bottom - context.px(9)},
                            {x, bottom - context.px(1)}, theme.read);
  };
  const auto label = [&](float x, const char* key, const DataMovement& copies) {
    const std::string text = amount_text(strings, key, copies.moved());
    const float y = centred_top(font, middle - context.px(9));
    const float width = draw_text(list, font, {x, y}, theme.text, text).x;
    explain_rect(
        context, {x, top}, {x + width, bottom},
        counted_text(context, key, "traffic.per_request_sectors", "traffic.explain_copies", copies, copies.moved())
            .explanation);
  };
  if (use.copies.requests > 0) {
    const float x = plan.l1[0] + context.px(24);
    const float half = thickness(context, plan, use.copies.moved(), use.largest()) / 2;
    list->AddRectFilled({x - half, top + context.px(1)}, {x + half, bottom - context.px(8)}, theme.read);
    head(x);
    label(x - context.px(16) - text_size(font, amount_text(strings, "traffic.copied", use.copies.moved())).x,
          "traffic.copied", use.copies);
  }
  if (use.copies_past_l1.requests == 0) return;
  const float x = (plan.l1[0] + plan.l1[1]) / 2, from = (plan.l2[0] + plan.l2[1]) / 2;
  const float half = thickness(context, plan, use.copies_past_l1.moved(), use.largest()) / 2;
  list->AddRectFilled({from - half, top + context.px(1)}, {from + half, middle + half}, theme.read);
  list->AddRectFilled({x - half, middle - half + context.px(4)}, {from + half, middle + half + context.px(4)},
                      theme.read);
  list->AddRectFilled({x - half, middle + context.px(4)}, {x + half, bottom - context.px(8)}, theme.read);
  head(x);
  const float room = from - half - plan.l1[1] - context.px(24);
  const bool fits =
      text_size(font, amount_text(strings, "traffic.copied_past_l1", use.copies_past_l1.moved())).x <= room;
  label(plan.l1[1] + context.px(12), fits ? "traffic.copied_past_l1" : "traffic.copied", use.copies_past_l1);
}

/// The meaning of the badges.
float draw_badges(PanelContext& context, const TrafficPicture& picture, ImVec2 low, float right) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* small = context.fonts.small;
  const Strings& strings = context.strings;
  float x = low.x, y = low.y;
  const auto entry = [&](Badge badge, const std::string& text, std::string_view explanation) {
    const float wide = badge_width(context, badge) + context.px(8) + text_size(small, text).x;
    if (x > low.x && x + wide > right) {
      x = low.x;
      y += context.px(26);
    }
    const float start = x;
    x += draw_badge(context, list, {x + badge_width(context, badge), y}, badge) + context.px(8);
    x += draw_text(list, small, {x, centred_top(small, y + context.px(10))}, context.theme.muted,
                   fit_text(small, text, right - x))
             .x;
    explain_rect(context, {start, y}, {x, y + context.px(20)}, explanation);
    x += context.px(16);
  };
  entry(Badge::simulated, strings("traffic.what_is_counted"), strings("traffic.what_is_counted_meaning"));
  if (picture.chart.modelled)
    entry(
        Badge::modelled,
        strings.format("traffic.what_is_modelled", fmt::arg("percent", figure_text(kDeviceReadError.largest_percent))),
        model_error_text(strings));
  // In a low view the notes have no separate rows.
  std::string notes;
  for (const std::string& note : picture.compact ? notes_of(strings, *picture.result) : std::vector<std::string>())
    notes += (notes.empty() ? "" : " ") + note;
  if (notes.empty()) return y + context.px(20) - low.y;
  if (right - x < context.px(120)) {
    x = low.x;
    y += context.px(24);
  }
  draw_text(list, small, {x, centred_top(small, y + context.px(10))}, context.theme.muted,
            fit_text(small, notes, right - x));
  explain_rect(context, {x, y}, {right, y + context.px(20)}, notes);
  return y + context.px(20) - low.y;
}

/// The list of buffers, a line about the block, and the badges: right of shared memory if there is room, else below the
/// chart. Returns their lower end.
float draw_figures(PanelContext& context, TrafficPicture& picture, const ChartPlan& plan, ImVec2 low, float width) {
  const float right = low.x + width, shared_right = plan.l1[1] + context.px(28);
  const bool compact = picture.compact;
  if (picture.chart.uses_shared() && right - shared_right >= context.px(340)) {
    const float block_y = plan.bottom + context.px(compact ? 0 : 6);
    const float block = block_y + draw_block(context, picture, {low.x, block_y}, plan.l1[1]);
    const float table = plan.second + draw_buffer_table(context, picture, {shared_right, plan.second}, right) +
                        context.px(compact ? 2 : 8);
    // In a low view the badges have a separate row, in which they fit side by side; else they are below the shorter of
    // the list of buffers and the line about the block.
    const float beside_table = block + context.px(8);
    const bool left = !compact && beside_table < table;
    const ImVec2 corner = compact ? ImVec2(low.x, std::max(table, block))
                          : left  ? ImVec2(low.x, beside_table)
                                  : ImVec2(shared_right, table);
    const float badges = draw_badges(context, picture, corner, left ? plan.l1[1] : right);
    return std::max({corner.y + badges, compact ? 0 : table, block}) - low.y;
  }
  const float below = plan.bottom + context.px(compact ? 6 : 14);
  const float beside = low.x + context.px(compact ? std::min(600.0F, width / context.view.scale - 320) : 600);
  if (right - beside >= context.px(300) && beside - low.x >= context.px(280)) {
    const float table = draw_buffer_table(context, picture, {low.x, below}, beside - context.px(16));
    const float block = std::max(context.px(28), draw_block(context, picture, {beside, below}, right) + context.px(8));
    const float badges = draw_badges(context, picture, {beside, below + block}, right);
    return below + std::max(table, block + badges) - low.y;
  }
  const float table = draw_buffer_table(context, picture, {low.x, below}, right);
  const float block = draw_block(context, picture, {low.x + context.px(10), below + table}, right);
  const float badges_y = below + table + std::max(context.px(28), block + context.px(8));
  return badges_y + draw_badges(context, picture, {low.x, badges_y}, right) - low.y;
}

}  // namespace

float draw_flow(PanelContext& context, TrafficPicture& picture, ImVec2 low, float width) {
  // Determined before the chart is drawn, so that it follows the pointer in the same frame.
  picture.hovered_buffer.clear();
  for (const TrafficPicture::BufferRow& row : picture.buffer_rows)
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(row.low, row.high)) picture.hovered_buffer = row.buffer;
  const MemoryChart& chart = picture.chart;
  const ChartUse& use = shown_use(picture);
  const ChartPlan plan = lay_out_chart(context, picture, low, width);
  draw_node(context, plan, {plan.registers[0], plan.top}, {plan.registers[1], plan.bottom},
            context.strings("traffic.registers"));
  describe_registers(context, *picture.result, plan);
  draw_global_bands(context, use, plan, plan.l1[0]);
  if (chart.modelled) {
    draw_cache_nodes(context, picture, use, plan);
    draw_level_bands(context, use, plan);
  } else {
    draw_unmodelled(context, picture, plan);
  }
  if (chart.uses_shared()) draw_shared(context, picture, use, plan);
  if (chart.copies() > 0) draw_copies(context, use, plan);

  return draw_figures(context, picture, plan, low, width);
}

}  // namespace tilescope
