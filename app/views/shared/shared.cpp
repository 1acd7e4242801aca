// The shared view: the data in each bank of shared memory at a step, and how the stages of a pipeline fill and drain.
#include <algorithm>
#include <cmath>

#include "app/draw/sentences.hpp"
#include "app/draw/widgets.hpp"
#include "app/observed/result_verdict.hpp"
#include "app/observed/trace_index.hpp"
#include "app/observed/traffic_banks.hpp"
#include "app/views/launch_choice.hpp"
#include "app/views/shared/shared_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr size_t kMostNamed = 2;                         // regions named in a sentence
constexpr float kFragments = 112, kLeastPipeline = 150;  // unscaled heights

const ViewRegistration registered_shared{{"shared", 60, make_view<SharedView>}};

void follow(SharedState& panel, PanelContext& context) {
  const auto record = context.session.steps();
  if (record == nullptr || record == panel.record) return;  // null: a different part is being recorded
  panel = SharedState();
  panel.record = record;
  panel.picture = SharedPicture::make(record, *context.result);
}

/// Until a step is chosen, the view begins at the most informative one: a read while a copy is in flight, or the first
/// read. Not if the checks found something.
void begin_at(PanelContext& context, const StepIndex& index, const SharedPicture& picture) {
  const StepCursor& cursor = context.view.step;
  if (!context.result->findings.empty()) return;
  if (context.view.selection != suggest_selection(trace_index(context.view, context.result))) return;
  std::optional<uint32_t> first;
  for (const SharedEvent& event : picture.events(cursor.warp)) {
    if (event.kind != SharedEvent::Kind::load) continue;
    if (!first) first = event.step;
    if (moment_of(picture, picture.contents_at(event.step), cursor.warp, event.step).arriving.empty()) continue;
    first = event.step;
    break;
  }
  if (first) go_to_step(context, index, cursor.warp, index.position_of(*first));
}

std::string regions_text(const SharedFrame& frame, const std::vector<int32_t>& regions) {
  std::string text;
  for (size_t i = 0; i < regions.size() && i < kMostNamed; ++i)
    text += (i == 0 ? "" : frame.context().strings(regions.size() > kMostNamed ? "shared.comma" : "shared.and")) +
            region_text(frame.context(), frame.result(), frame.picture, regions[i]);
  if (regions.size() > kMostNamed)
    text += frame.context().strings.format("shared.and_more", fmt::arg("count", regions.size() - kMostNamed));
  return text;
}

std::string finding_of(const SharedFrame& frame) {
  const Strings& strings = frame.context().strings;
  const bool reads = frame.moment.reading >= 0, arrives = !frame.moment.arriving.empty();
  const std::string reading =
      reads ? region_text(frame.context(), frame.result(), frame.picture, frame.moment.reading) : std::string();
  const std::string arriving = regions_text(frame, frame.moment.arriving);
  const bool many = frame.moment.arriving.size() > 1;
  const char* key = reads && arrives ? (many ? "shared.says_both_many" : "shared.says_both")
                    : arrives        ? (many ? "shared.says_arriving_many" : "shared.says_arriving")
                    : reads          ? "shared.says_reading"
                                     : "shared.says_nothing";
  return strings.format(key, fmt::arg("arriving", arriving), fmt::arg("reading", reading),
                        fmt::arg("warp", frame.step.warp));
}

/// What the step itself does with shared memory; empty if it does not use it. An open question hides how many
/// wavefronts it needs.
std::string reason_of(const SharedFrame& frame, bool* trouble) {
  const auto touched = frame.picture.touched_at(frame.step.step_number);
  if (!touched) return {};
  if (frame.context().view.hides(ShownNumber::wavefronts)) return frame.context().strings("shared.says_veiled");
  const uint32_t ways = bank_picture(frame.result(), touched->access).ways;
  *trouble = ways > 1;
  return frame.context().strings.format(ways > 1 ? "shared.says_conflict" : "shared.says_no_conflict",
                                        fmt::arg("ways", ways));
}

/// A race in shared memory: of this step, as in the step view, else any race of the run.
std::string race_of(const SharedFrame& frame) {
  if (frame.step.index.mark_at(frame.step.warp, frame.step.position) != nullptr)
    return step_sentence(frame.step).warning;
  const auto& findings = frame.result().findings;
  const auto race = std::ranges::find_if(
      findings, [](const Finding& one) { return one.id == "shared-race" || one.id == "missing-syncwarp"; });
  if (race == findings.end()) return {};
  const Strings& strings = frame.context().strings;
  return strings.format("shared.says_race", fmt::arg("id", finding_name(strings, race->id)),
                        fmt::arg("line", race->line), fmt::arg("count", with_separators(race->count)));
}

float draw_sentence(SharedFrame& frame, ImVec2 low, float right) {
  const Theme& theme = frame.context().theme;
  const Fonts& fonts = frame.context().fonts;
  const Strings& strings = frame.context().strings;
  const std::string space = strings.language == Language::en ? " " : "";
  bool trouble = false;
  const std::string finding = finding_of(frame), does = reason_of(frame, &trouble);
  const std::string reason = does.empty() ? "" : space + does;
  const std::string quiet = space + strings("shared.order_not_time");
  const std::string found = race_of(frame), race = found.empty() ? "" : found + space;
  const std::string failure =
      space + failure_sentence(frame.result(), strings, race.empty() ? WithFindings::yes : WithFindings::no);
  const TextRun runs[] = {{fonts.body_semibold, theme.error, race},
                          {fonts.body_semibold, theme.text, finding},
                          {fonts.body, trouble ? theme.error : theme.text, reason},
                          {fonts.body, theme.muted, quiet},
                          {fonts.body, theme.error, failure}};
  return flow_text(frame.step.list, low, right - low.x, frame.px(24), runs);
}

void draw_known(PanelContext& context, const StepIndex& index, SharedState& panel) {
  const ImVec2 origin = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float unit = context.view.scale, left = origin.x + 24 * unit, right = origin.x + size.x - 24 * unit;
  const float bottom = origin.y + size.y;
  StepFrame step = begin_step_frame(context, index);
  if (panel.contents_step != step.step_number) {
    panel.contents = panel.picture->contents_at(step.step_number);
    panel.contents_step = step.step_number;
  }
  if (panel.spans_warp != step.warp) {
    panel.spans = spans_of(*panel.picture, step.warp);
    panel.spans_warp = step.warp;
  }
  SharedFrame frame{.step = step,
                    .picture = *panel.picture,
                    .contents = panel.contents,
                    .spans = panel.spans,
                    .moment = moment_of(*panel.picture, panel.contents, step.warp, step.step_number)};
  ImGui::PushID("shared");
  const float said = draw_sentence(frame, {left, origin.y + 12 * unit}, right);
  const float warps_y = std::floor(origin.y + 12 * unit + said + 8 * unit);
  const float warps = draw_step_warps(step, {left, warps_y}, right);
  const float top = std::floor(warps_y + warps + 14 * unit), low = bottom - 52 * unit;
  if (low - top > 80 * unit) {
    const float split = std::floor(left + (right - left) * 0.48F), column = split + 32 * unit;
    draw_shared_map(frame, {left, top}, {split, low});
    // If there is no room for both, the fragments are shown only in a higher window.
    const float room = low - top, beside = room - kFragments * unit;
    const float pipeline = std::min(pipeline_height(frame), beside >= kLeastPipeline * unit ? beside : room);
    draw_shared_pipeline(frame, {column, top}, {right, std::floor(top + pipeline)});
    draw_fragments(frame, {column, std::floor(top + pipeline) + 16 * unit}, {right, low});
  }
  draw_step_track(step, {left, bottom - 40 * unit}, {right, bottom - 8 * unit});
  ImGui::PopID();
  end_step_frame(context);
}

}  // namespace

std::string region_text(const PanelContext& context, const RunResult& result, const SharedPicture& picture,
                        int32_t region) {
  if (region < 0) return context.strings("shared.elsewhere");
  const SharedRegion& one = picture.regions()[static_cast<size_t>(region)];
  const auto same = std::count_if(picture.regions().begin(), picture.regions().end(),
                                  [&](const SharedRegion& other) { return other.buffer == one.buffer; });
  const StepVariable* variable = picture.record().shared_variable(one.first, one.end);
  const auto in_variable = [&](const SharedRegion& other) {
    return variable != nullptr && picture.record().shared_variable(other.first, other.end) == variable;
  };
  // Dynamic shared memory divided into several parts: its name would not distinguish them.
  if (variable != nullptr && variable->is_dynamic && std::ranges::count_if(picture.regions(), in_variable) > 1)
    variable = nullptr;
  if (one.buffer < 0 && variable != nullptr) {  // computed data has no name except its array's
    const auto computed = std::ranges::count_if(
        picture.regions(), [&](const SharedRegion& other) { return other.buffer < 0 && in_variable(other); });
    if (computed == 1) return variable->name;
    return context.strings.format("shared.region", fmt::arg("name", variable->name), fmt::arg("slot", one.slot));
  }
  std::string name =
      one.buffer < 0 ? context.strings("shared.computed") : result.plan.buffers[static_cast<size_t>(one.buffer)].name;
  if (same > 1) name = context.strings.format("shared.region", fmt::arg("name", name), fmt::arg("slot", one.slot));
  if (variable == nullptr) return name;
  return context.strings.format("shared.variable_of", fmt::arg("variable", variable->name), fmt::arg("name", name));
}

ImU32 colour_of_buffer(const Theme& theme, const SharedPicture& picture, int32_t buffer) {
  if (buffer < 0) return theme.muted;
  std::vector<int32_t> seen;  // ordered by the address of their first region
  for (const SharedRegion& region : picture.regions())
    if (region.buffer >= 0 && std::find(seen.begin(), seen.end(), region.buffer) == seen.end())
      seen.push_back(region.buffer);
  const auto number = std::find(seen.begin(), seen.end(), buffer) - seen.begin();
  const ImU32 colours[] = {theme.read, theme.ok, theme.reference};
  return colours[static_cast<size_t>(number) % std::size(colours)];
}

bool SharedView::keys(PanelContext& context) {
  step_keys(context);
  return true;
}

const char* SharedView::empty_reason(const std::shared_ptr<const RunResult>& result) const {
  const bool used =
      std::ranges::any_of(result->traffic.lines, [](const LineTraffic& line) { return line.space == Space::shared; });
  return !result->observed || used ? nullptr : "view.shared.empty_reason";
}

void SharedView::draw(PanelContext& context) {
  const StepIndex* index = steps_in_view(context);
  if (index == nullptr) return;
  SharedState& panel = state_;
  follow(panel, context);
  if (panel.picture == nullptr) {
    launch_in_corner(context);
    const bool recorded = context.result->observed;
    empty_state(context, context.strings(recorded ? "shared.none_title" : "shared.unknown_title"),
                context.strings(recorded ? "shared.none_hint" : "shared.unknown_hint"));
    return;
  }
  if (std::exchange(panel.fresh, false)) begin_at(context, *index, *panel.picture);
  draw_known(context, *index, panel);
  dim_if_stale(context);
}

}  // namespace tilescope
