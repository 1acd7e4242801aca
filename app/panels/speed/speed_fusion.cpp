// Fusion accounting, side by side:
//
//   Eight kernels ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇ 1.44 MB    one pair of segments for each launch: read, written
//   Fused         ▇▇ 160 KB
//                            Eight kernels   Fused   ratio
//   launches                             8       1      8×
//   read                            800 KB   80 KB     10×   [SIMULATED]
//   …
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/speed_model.hpp"
#include "app/observed/wording.hpp"
#include "app/panels/speed/speed_views.hpp"
#include "engine/bench/timed_place.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kFusionRow = 20, kBar = 12, kBarRow = 22, kGap = 8, kRatio = 52, kBadge = 106, kScroll = 10,
                kWide = 640;

constexpr const char* kUnknown = "–";

struct Times {
  const TimingPoint *unfused = nullptr, *fused = nullptr;
  Badge badge = Badge::recorded;
  bool both() const { return unfused != nullptr && fused != nullptr; }
};

/// Times in the report at exactly this size, with the parameters used for timing.
Times times_of(const PanelContext& context, const FusionAccount& account, const SpeedReport* report) {
  Times times;
  if (report == nullptr) return times;
  times.badge = report->badge;
  if (const auto place = exact_place(context.lab(), *report, account.config)) {
    times.unfused = timed_point(*report, account.unfused.rung, *place);
    times.fused = timed_point(*report, account.fused.rung, *place);
  }
  return times;
}

std::string rung_title(const PanelContext& context, const std::string& name) {
  const Rung* rung = find_rung(context.lab(), name);
  return rung != nullptr ? context.strings(rung->title) : name;
}

std::string ratio_text(double unfused, double fused) {
  if (!(fused > 0)) return kUnknown;
  const double ratio = unfused / fused;
  return fmt::format("{:.{}f}×", ratio,
                     ratio < 9.95 && std::abs(ratio - std::round(ratio)) > 0.005 ? (ratio < 1.995 ? 2 : 1) : 0);
}

/// The columns of the table.
struct Columns {
  float left = 0, unfused = 0, fused = 0, ratio = 0, right = 0;  // right edges of the numbers
};

/// Draws the account once; `y` moves down.
class Account {
 public:
  /// wide: table and launches side by side.
  Account(PanelContext& context, const FusionAccount& account, const Times& times, bool wide)
      : context_(context), account_(account), times_(times), wide_(wide), list_(ImGui::GetWindowDrawList()) {}

  /// What is saved, and what each launch reads and writes. Returns its lower end.
  float draw_launches(ImVec2 low, float width) {
    columns_ = {.left = low.x, .right = low.x + width};
    y_ = low.y;
    draw_finding();
    draw_bars();
    if (wide_) {
      draw_key();
      y_ += px(kFusionRow);
    }
    return y_;
  }

  float draw_table(ImVec2 low, float width) {
    const float ratio = low.x + width - px(kBadge), rest = ratio - px(kRatio) - low.x;
    columns_ = {low.x, low.x + std::round(rest * 0.7F), low.x + rest, ratio, low.x + width};
    y_ = low.y;
    draw_header();
    draw_counts();
    draw_predicted();
    draw_timed();
    return y_;
  }

 private:
  float px(float value) const { return context_.px(value); }
  const Strings& words() const { return context_.strings; }
  const Theme& theme() const { return context_.theme; }
  ImFont* small() const { return context_.fonts.small; }
  float centred(ImFont* font) const { return centred_top(font, y_ + px(kFusionRow) / 2); }
  double launches(const FusionSide& side) const { return static_cast<double>(side.launches.size()); }

  void draw_finding() {
    const double unfused = account_.unfused.read() + account_.unfused.written(),
                 fused = account_.fused.read() + account_.fused.written();
    const size_t many = account_.unfused.launches.size(), few = account_.fused.launches.size();
    const std::string finding =
        words().format("speed.fusion_finding", fmt::arg("saved", with_separators(many - few)),
                       fmt::arg("launches", with_separators(many)),
                       fmt::arg("bytes", fmt::format("{:.0f}%", unfused > 0 ? 100 * (1 - fused / unfused) : 0)));
    const std::string at = words().format(
        "speed.fusion_at", fmt::arg("sizes", sizes_text(context_.strings, context_.lab(), account_.config)));
    const TextRun runs[] = {{context_.fonts.small_semibold, theme().text, finding}, {small(), theme().muted, at}};
    y_ += flow_text(list_, {columns_.left, y_}, columns_.right - columns_.left, px(18), runs) + px(6);
  }

  void draw_bars() {
    double most = 1;
    for (const FusionSide* side : {&account_.unfused, &account_.fused})
      most = std::max(most, side->read() + side->written());
    float name = 0;
    for (const FusionSide* side : {&account_.unfused, &account_.fused})
      name = std::max(name, text_size(small(), rung_title(context_, side->rung)).x);
    name = std::min(name, (columns_.right - columns_.left) * 0.36F);
    for (const FusionSide* side : {&account_.unfused, &account_.fused}) draw_bar(*side, most, name);
    y_ += px(kGap);
  }

  void draw_bar(const FusionSide& side, double most, float name) {
    const float left = columns_.left + name + px(12), centre = y_ + px(kBarRow) / 2;
    const std::string total = bytes_text(side.read() + side.written());
    const float room = columns_.right - left - text_size(small(), bytes_text(most)).x - px(8);
    const bool chosen = side.rung == context_.rung().name;
    draw_text(list_, chosen ? context_.fonts.small_semibold : small(), {columns_.left, centred_top(small(), centre)},
              chosen ? theme().accent : theme().text, fit_text(small(), rung_title(context_, side.rung), name + 1));
    // Gaps between launches, unless there are many.
    const float gap = launches(side) * 6 < room ? px(2) : 0;
    float x = left;
    for (size_t i = 0; i < side.launches.size(); ++i) {
      const LaunchBytes& one = side.launches[i];
      const float begin = x;
      for (const auto& [bytes, colour] : {std::pair{one.read, theme().read}, {one.written, theme().write}}) {
        const auto wide = static_cast<float>(bytes / most) * room;
        if (wide <= 0) continue;
        list_->AddRectFilled({x, centre - px(kBar) / 2},
                             {std::max(x + wide - gap / 2, x + 0.5F), centre + px(kBar) / 2}, colour);
        x += wide;
      }
      explain_rect(context_, {begin, y_}, {x, y_ + px(kBarRow)},
                   words().format("speed.fusion_launch", fmt::arg("number", i + 1), fmt::arg("kernel", one.kernel),
                                  fmt::arg("read", bytes_text(one.read)), fmt::arg("written", bytes_text(one.written)),
                                  fmt::arg("badge", badge_text(context_, account_.bytes_badge()))));
      mark(context_, fmt::format("fusion.{}.{}", side.rung, i), {begin, y_}, {x, y_ + px(kBarRow)});
    }
    draw_text(list_, small(), {x + px(8), centred_top(small(), centre)}, theme().muted, total);
    y_ += px(kBarRow);
  }

  void draw_key() {
    const float key = centred(small());
    float x = columns_.left;
    for (const auto& [colour, name] :
         {std::pair{theme().read, "speed.fusion_read"}, {theme().write, "speed.fusion_written"}}) {
      list_->AddRectFilled({x, key + px(4)}, {x + px(8), key + px(12)}, colour);
      x += px(13) + draw_text(list_, small(), {x + px(13), key}, theme().muted, words()(name)).x + px(12);
    }
  }

  void draw_header() {
    const float fused = columns_.fused - columns_.unfused - px(8);
    const auto title = [&](float right, const std::string& text) {
      draw_text_right(list_, small(), {right, centred(small())}, theme().muted, text);
    };
    if (!wide_) draw_key();
    title(columns_.unfused, words()("speed.fusion_unfused"));
    title(columns_.fused, fit_text(small(), words()("speed.fusion_fused"), fused));
    title(columns_.ratio, words()("speed.fusion_ratio"));
    y_ += px(kFusionRow);
    list_->AddRectFilled({columns_.left, y_}, {columns_.right, y_ + std::max(1.0F, px(1))}, theme().separator);
    y_ += px(3);
  }

  struct Figure {
    std::string name, unfused, fused, ratio, meaning;
    bool strong = false;
  };
  void draw_row(const Figure& figure, std::optional<Badge> badge) {
    ImFont* font = figure.strong ? context_.fonts.small_semibold : small();
    const float top = centred(font);
    const float room = columns_.unfused - columns_.left - text_size(font, figure.unfused).x - px(8);
    draw_text(list_, small(), {columns_.left, top}, theme().muted, fit_text(small(), figure.name, room));
    draw_text_right(list_, font, {columns_.unfused, top}, theme().text, figure.unfused);
    draw_text_right(list_, font, {columns_.fused, top}, theme().text, figure.fused);
    const bool known = figure.ratio != kUnknown;
    draw_text_right(list_, context_.fonts.small_semibold, {columns_.ratio, top}, known ? theme().accent : theme().muted,
                    figure.ratio);
    explain_rect(context_, {columns_.left, y_}, {columns_.ratio, y_ + px(kFusionRow)}, figure.meaning);
    if (badge) draw_badge(context_, list_, {columns_.right, y_}, *badge);
    y_ += px(kFusionRow);
  }

  void draw_counts() {
    const FusionSide &a = account_.unfused, &b = account_.fused;
    const std::string how =
        account_.scaled()
            ? words().format("speed.fusion_scaled",
                             fmt::arg("sizes", sizes_text(context_.strings, context_.lab(), account_.simulated)))
            : words()("speed.fusion_counted");
    draw_row({words()("speed.fusion_launches"), with_separators(a.launches.size()), with_separators(b.launches.size()),
              ratio_text(launches(a), launches(b)), words()("speed.fusion_launches_meaning")},
             std::nullopt);
    draw_row(
        {words()("speed.fusion_read"), bytes_text(a.read()), bytes_text(b.read()), ratio_text(a.read(), b.read()), how},
        account_.bytes_badge());
    draw_row({words()("speed.fusion_written"), bytes_text(a.written()), bytes_text(b.written()),
              ratio_text(a.written(), b.written()), how},
             std::nullopt);
    y_ += px(kGap) / 2;
  }

  void draw_predicted() {
    const LaunchCost& cost = account_.cost;
    const auto meaning = [&](const char* how, double seconds) {
      return words().format("speed.fusion_predicted_meaning", fmt::arg("how", words()(how)),
                            fmt::arg("gpu", account_.gpu), fmt::arg("cost", milliseconds_text(1000 * seconds)),
                            fmt::arg("on", cost.measured_on),
                            fmt::arg("speed", with_separators(std::llround(account_.bytes_per_second * 1e-9))));
    };
    const auto row = [&](const char* key, const char* how, double seconds, std::optional<Badge> badge) {
      const double a = account_.predicted_ms(account_.unfused, seconds),
                   b = account_.predicted_ms(account_.fused, seconds);
      draw_row({words()(key), milliseconds_text(a), milliseconds_text(b), ratio_text(a, b), meaning(how, seconds)},
               badge);
    };
    row("speed.fusion_one_by_one", "speed.fusion_eager_how", cost.one_by_one, Badge::modelled);
    row("speed.fusion_in_graph", "speed.fusion_graph_how", cost.in_graph, std::nullopt);
    y_ += px(kGap) / 2;
  }

  void draw_timed() {
    if (times_.both()) {
      draw_row(
          {words()("speed.fusion_timed"), milliseconds_text(times_.unfused->median_ms),
           milliseconds_text(times_.fused->median_ms), ratio_text(times_.unfused->median_ms, times_.fused->median_ms),
           words()(times_.unfused->cold_l2 ? "speed.fusion_timed_cold" : "speed.fusion_timed_warm"), true},
          times_.badge);
      return;
    }
    draw_row({words()("speed.fusion_timed"), kUnknown, kUnknown, kUnknown, words()("speed.fusion_timed_cold")},
             std::nullopt);
  }

  PanelContext& context_;
  const FusionAccount& account_;
  const Times& times_;
  bool wide_;
  ImDrawList* list_;
  Columns columns_;
  float y_ = 0;
};

/// Why there is no time, and how to get one.
std::string untimed_text(const PanelContext& context, const FusionAccount& account, const SpeedReport* report) {
  const Strings& words = context.strings;
  if (report == nullptr) {
    if (context.session.engine().gpu()) return words("speed.fusion_measure");
    return words.format("speed.fusion_record", fmt::arg("lab", context.lab().name));
  }
  std::string sizes;
  if (const auto range = sizes_of(*report); range && report->shapes.empty())
    sizes = fmt::format("{} … {}", short_place_text(*report, range->low), short_place_text(*report, range->high));
  for (const SweepPoint& shape : report->shapes) sizes += (sizes.empty() ? "" : words("speed.comma")) + shape.name;
  return words.format("speed.fusion_other_sizes",
                      fmt::arg("sizes", sizes_text(context.strings, context.lab(), account.config)),
                      fmt::arg("name", report->size_name), fmt::arg("timed", sizes));
}

/// The source of the times, or why there are none. Returns its lower end.
float draw_source(PanelContext& context, const FusionAccount& account, const Times& times, const SpeedReport* report,
                  ImVec2 low, float width) {
  const bool timed = times.both() && report != nullptr;
  const std::string text = timed ? provenance_text(*report, context.strings) : untimed_text(context, account, report);
  const TextRun runs[] = {{context.fonts.small, context.theme.muted, text}};
  low.y += context.px(4);
  const float height = flow_text(ImGui::GetWindowDrawList(), low, width, context.px(18), runs);
  if (timed) explain_rect(context, low, {low.x + width, low.y + height}, provenance_sentence(*report, context.strings));
  return low.y + height;
}

}  // namespace

void draw_fusion(PanelContext& context, const SpeedReport* report, ImVec2 low, ImVec2 size) {
  context.session.want_fusion();
  const auto account = context.session.fusion();
  ImGui::SetCursorScreenPos(low);
  if (!account) {
    const auto error = context.session.fusion_error();
    return empty_state(context, context.strings(error ? "speed.fusion_none" : "speed.fusion_counting"),
                       error ? as_sentence(context.strings, *error) : context.strings("speed.fusion_counting_what"));
  }
  ImGui::BeginChild("fusion", size, false, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
  const ImVec2 begin = ImGui::GetCursorScreenPos();
  const float width = size.x - (ImGui::GetScrollMaxY() > 0 ? context.px(kScroll) : 0);
  const Times times = times_of(context, *account, report);
  const bool wide = size.x >= context.px(kWide);
  Account drawing(context, *account, times, wide);
  float bottom = 0;
  if (wide) {
    const float left = std::round(width * 0.42F), gap = context.px(32);
    const float table = drawing.draw_table({begin.x + left + gap, begin.y}, width - left - gap);
    const float launches = drawing.draw_launches(begin, left);
    bottom = std::max(table, draw_source(context, *account, times, report, {begin.x, launches}, left));
  } else {
    const float launches = drawing.draw_launches(begin, width);
    const float table = drawing.draw_table({begin.x, launches}, width);
    bottom = draw_source(context, *account, times, report, {begin.x, table}, width);
  }
  ImGui::SetCursorScreenPos(begin);
  ImGui::Dummy({1, bottom - begin.y});
  ImGui::EndChild();
}

}  // namespace tilescope
