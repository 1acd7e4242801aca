// The tune view: every configuration of a rung, what limits the impossible ones, and how fast three searches find the
// fastest.
#include <algorithm>
#include <cmath>

#include "app/draw/sentences.hpp"
#include "app/draw/small_button.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/tune/tune_view.hpp"
#include "engine/bench/speed_unit.hpp"
#include "engine/numbers.hpp"
#include "engine/tune/maps/tuned.hpp"

namespace tilescope {
namespace {

const ViewRegistration registered_tune{{"tune", 94, make_view<TuneView>}};

// Unscaled pixels.
constexpr float kTuneSide = 24, kTuneLine = 20;
constexpr float kSideLeast = 250, kSideMost = 360, kBesideLeast = 620;

}  // namespace

std::string tune_sizes(const Lab& lab, const TuneMap& map) {
  std::string text;
  for (const Size& size : lab.sizes)
    if (const auto value = map.sizes.find(size.name); value != map.sizes.end())
      text += (text.empty() ? "" : " × ") + with_separators(value->second);
  return text;
}

std::string limiter_text(const PanelContext& context, Limiter limiter) {
  switch (limiter) {
    case Limiter::threads:
      return context.strings("view.tune.limit_threads");
    case Limiter::registers:
      return context.strings("view.tune.limit_registers");
    case Limiter::shared:
      return context.strings("view.tune.limit_shared");
    case Limiter::divisibility:
      return context.strings("view.tune.limit_divisibility");
    case Limiter::compiler:
      return context.strings("view.tune.limit_compiler");
    case Limiter::none:
    case Limiter::other:
      break;
  }
  return context.strings("view.tune.limit_other");
}

std::string tune_command_of(const SpaceRequest& space) {
  std::string command = fmt::format("tilescope tune {} --rung {}", space.lab, space.rung);
  for (const std::string& name : space.fixed) command += fmt::format(" --set {}={}", name, space.config.param(name));
  return command;
}

const TuneMap* TuneView::shown_map() const {
  if (map_ > 0 && map_ <= content_.known.size()) return &content_.known[map_ - 1];
  return content_.live ? &*content_.live : nullptr;
}

Badge TuneView::badge() const {
  const TuneMap* map = shown_map();
  return map == nullptr || !map->best() ? Badge::modelled : map->badge;
}

void TuneView::choose_map(size_t index) {
  map_ = index;
  best_.reset();
  replayed_.reset();
  replays_.clear();
  if (const TuneMap* map = shown_map(); map != nullptr) {
    cut(*map, slice_);
    best_ = map->best();
  }
}

void TuneView::update(PanelContext& context, const Rung& rung) {
  const Request& request = context.session.request();
  Known now{.lab = context.lab().name,
            .rung = rung.name,
            .gpu = request.gpu,
            .config = request.config,
            .device = request.device,
            .snapshot = context.session.tuning().snapshot(),
            .running = context.session.tuning().running()};
  if (known_ == now) return;
  const bool other = !known_ || known_->lab != now.lab || known_->rung != now.rung;
  if (other) {
    chosen_by_hand_ = false;
    slice_ = {};
  }
  known_ = std::move(now);
  content_ = tune_content(context.session, rung);
  // A known map is shown unless this session measures, or compiles, one of its own.
  const bool own = content_.live && (content_.live_timed || content_.live->count(TuneState::untried) == 0);
  size_t map = map_ <= content_.known.size() ? map_ : 0;
  if (!chosen_by_hand_) map = own || content_.known.empty() ? 0 : 1;
  choose_map(map);
}

void TuneView::use_entry(PanelContext& context, size_t entry) {
  const TuneMap* map = shown_map();
  const Rung* rung = tuned_rung(context.session);
  if (map == nullptr || rung == nullptr) return;
  const auto params = map->configuration_of(entry, rung->params);
  if (context.session.rung().pick) context.session.select_rung(rung->name);
  for (const auto& [name, value] : params) context.session.set_param(name, value);
}

void TuneView::draw(PanelContext& context) {
  const Rung* rung = tuned_rung(context.session);
  if (rung == nullptr)
    return empty_state(context, context.strings("view.tune.title"), context.strings("view.tune.nothing"));
  update(context, *rung);
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float left = window.x + context.px(kTuneSide), right = window.x + size.x - context.px(kTuneSide);
  if (right - left < context.px(160)) return;
  float y = ImGui::GetCursorScreenPos().y + context.px(10);
  y = draw_sentence(context, {left, y}, right) + context.px(8);
  y = draw_maps(context, {left, y}, right) + context.px(6);
  ImGui::SetCursorScreenPos({left, y});
  const float room = window.y + size.y - y - context.px(6);
  if (room < context.px(40)) return;
  ImGui::BeginChild("tune page", {right - left, room}, false, ImGuiWindowFlags_NoNav);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - context.px(10);
  const TuneMap* map = shown_map();
  float end = origin.y;
  if (map != nullptr) {
    const bool beside = width >= context.px(kBesideLeast);
    const float side = std::clamp(width * 0.36F, context.px(kSideLeast), context.px(kSideMost));
    const float map_right = beside ? origin.x + width - side - context.px(20) : origin.x + width;
    pointed_.reset();
    const float map_end = draw_heat_map(context, origin, {map_right, origin.y + context.px(340)});
    const float curves = draw_curves(context, {origin.x, map_end + context.px(12)}, map_right);
    end = beside ? std::max(curves, draw_side(context, {map_right + context.px(20), origin.y}, origin.x + width))
                 : draw_side(context, {origin.x, curves + context.px(12)}, origin.x + width);
  }
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({1, std::max(1.0F, end - origin.y)});
  ImGui::EndChild();
}

/// The fastest configuration and how much of the space is possible; or why there is no space.
float TuneView::draw_sentence(PanelContext& context, ImVec2 low, float right) {
  const TuneMap* map = shown_map();
  const Strings& strings = context.strings;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float badge_room = badge_width(context, badge()) + context.px(12);
  std::string finding, rest, command;
  if (map == nullptr) {
    finding = strings("view.tune.no_space") + tune_gap(strings);
    rest = content_.refused ? as_sentence(strings, *content_.refused) : std::string();
  } else {
    const size_t impossible = map->count(TuneState::impossible);
    const auto count = [](size_t number) { return with_separators(number); };
    if (best_) {
      const TuneEntry& entry = map->entries[*best_];
      finding = strings.format("view.tune.best", fmt::arg("params", map->text_of(*best_)),
                               fmt::arg("time", milliseconds_text(entry.milliseconds())), fmt::arg("gpu", map->gpu)) +
                tune_gap(strings);
    } else if (content_.live && map->count(TuneState::untried) + impossible == map->entries.size()) {
      finding = strings("view.tune.untimed") + tune_gap(strings);
    }
    rest = strings.format("view.tune.space", fmt::arg("all", count(map->entries.size())),
                          fmt::arg("possible", count(map->entries.size() - impossible)),
                          fmt::arg("impossible", count(impossible)));
    if (!best_ && !context.session.engine().gpu()) {
      rest += tune_gap(strings) + strings("view.tune.record");
      command = tune_command_of(content_.space);
    }
  }
  const TextRun runs[] = {{context.fonts.body_semibold, context.theme.text, finding},
                          {context.fonts.body, context.theme.muted, rest}};
  float height = flow_text(list, low, right - low.x - badge_room, context.px(22), runs);
  if (!command.empty()) {
    ImFont* code = context.fonts.code;
    draw_text(list, code, {low.x, low.y + height + context.px(2)}, context.theme.text,
              fit_text(code, command, right - low.x));
    height += context.px(22);
  }
  draw_badge(context, list, {right, low.y}, badge());
  mark(context, "tune.sentence", low, {right, low.y + height});
  return low.y + height;
}

/// These sizes, and the maps of other sizes or GPUs.
float TuneView::draw_maps(PanelContext& context, ImVec2 low, float right) {
  const Strings& strings = context.strings;
  ImVec2 at = low;
  for (size_t i = 0; i <= content_.known.size() && i <= 6; ++i) {
    std::string text = strings("view.tune.these_sizes"), meaning = strings("view.tune.these_sizes_meaning");
    if (i > 0) {
      const TuneMap& map = content_.known[i - 1];
      text = fmt::format("{} · {}", tune_sizes(context.lab(), map), map.gpu);
      meaning = strings.format("view.tune.map_meaning", fmt::arg("command", map.command),
                               fmt::arg("date", map.date.substr(0, 10)), fmt::arg("gpu", map.gpu));
    }
    text = fit_text(context.fonts.small, text, right - low.x - context.px(20));
    const float width = small_button_width(context, text);
    if (at.x > low.x && at.x + width > right) at = {low.x, at.y + context.px(kSmallButtonHeight + 6)};
    bool pressed = false;
    at.x = small_button(context, fmt::format("tune.map.{}", i).c_str(), text, meaning, at, map_ == i, &pressed) +
           context.px(6);
    if (!pressed) continue;
    chosen_by_hand_ = true;
    choose_map(i);
  }
  return at.y + context.px(kSmallButtonHeight);
}

std::string TuneView::sentence_of_entry(const PanelContext& context, size_t index) const {
  const TuneMap& map = *shown_map();
  const TuneEntry& entry = map.entries[index];
  const Strings& strings = context.strings;
  const std::string params = map.text_of(index);
  switch (entry.state) {
    case TuneState::impossible:
      return strings.format("view.tune.cell_impossible", fmt::arg("params", params),
                            fmt::arg("limit", limiter_text(context, entry.limiter)),
                            fmt::arg("why", strings.say(entry.why)));
    case TuneState::wrong:
    case TuneState::failed:
      return strings.format("view.tune.cell_wrong", fmt::arg("params", params),
                            fmt::arg("why", strings.say(entry.why)));
    case TuneState::untried:
      return strings.format("view.tune.cell_untried", fmt::arg("params", params));
    case TuneState::timed:
      break;
  }
  const bool best = best_ == index && entry.final_ms > 0;
  return strings.format(best                 ? "view.tune.cell_best"
                        : entry.final_ms > 0 ? "view.tune.cell_final"
                                             : "view.tune.cell_timed",
                        fmt::arg("params", params), fmt::arg("time", milliseconds_text(entry.milliseconds())),
                        fmt::arg("first", milliseconds_text(entry.median_ms)),
                        fmt::arg("ratio", fmt::format("{:.2f}", map.times_best(index))));
}

}  // namespace tilescope
