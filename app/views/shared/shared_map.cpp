// Shared memory over its 32 banks: all of it as a strip, and a close-up of the rows around the access at the cursor.
#include <algorithm>
#include <bit>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/traffic_banks.hpp"
#include "app/observed/wording.hpp"
#include "app/views/shared/shared_view.hpp"
#include "engine/numbers.hpp"
#include "engine/traffic/access/shared_banks.hpp"

namespace tilescope {
namespace {

constexpr float kHeader = 28, kAxis = 20, kStrip = 64, kNames = 84, kRow = 20;  // unscaled
constexpr uint32_t kChunk = 16;                                                 // bytes

uint32_t rows_of(const SharedPicture& picture) { return picture.words() / kBanks; }

/// The access whose rows are shown close up: that of the step, else the warp's last one.
std::optional<SharedPicture::Touched> shown_access(const SharedFrame& frame, bool* at_cursor) {
  const auto now = frame.picture.touched_at(frame.step.step_number);
  *at_cursor = now.has_value();
  if (now) return now;
  const auto events = frame.picture.events(frame.step.warp);
  if (const auto last = event_at(frame.picture, frame.step.warp, frame.step.step_number))
    for (size_t i = *last + 1; i-- > 0;)
      if (const auto touched = frame.picture.touched_at(events[i].step)) return touched;
  return std::nullopt;
}

/// Words that the access at the cursor touches, one bit each.
std::vector<bool> touched_words(const SharedFrame& frame, const std::optional<SharedPicture::Touched>& touched) {
  std::vector<bool> words(frame.picture.words(), false);
  if (!touched) return words;
  for (uint32_t left = touched->lanes; left != 0; left &= left - 1) {
    const uint32_t first = touched->first[static_cast<size_t>(std::countr_zero(left))];
    for (uint32_t at = 0; at < touched->bytes; at += kBankWordBytes)
      if ((first + at) / kBankWordBytes < words.size()) words[(first + at) / kBankWordBytes] = true;
  }
  return words;
}

ImU32 colour_of(const SharedFrame& frame, const SharedRun& run) {
  const Theme& theme = frame.context().theme;
  const SharedWord& word = run.first;
  if (word.state == SharedWord::State::untouched) return mix(theme.window, theme.separator, 0.75F);
  if (word.state == SharedWord::State::arriving) return mix(theme.window, theme.waiting, 0.55F);
  if (word.buffer < 0) return mix(theme.window, theme.muted, 0.5F);
  // Chunks of a matrix row have different tints, so that a swizzle is visible.
  const BufferSpec& buffer = frame.result().plan.buffers[static_cast<size_t>(word.buffer)];
  const auto in_chunk = static_cast<int64_t>(kChunk / size_of(buffer.type));
  const int64_t row = buffer.shape.empty() ? word.element : buffer.shape.back();
  const int64_t chunk = (row > 0 ? word.element % row : word.element) / std::max<int64_t>(in_chunk, 1) % 8;
  return mix(theme.window, colour_of_buffer(theme, frame.picture, word.buffer),
             0.24F + 0.07F * static_cast<float>(chunk));
}

void draw_header(SharedFrame& frame, ImVec2 low, float right) {
  PanelContext& context = frame.context();
  const float y = low.y + frame.px(10);
  const float badge_left = right - draw_badge(context, frame.step.list, {right, low.y}, Badge::simulated);
  const std::string title = context.strings("shared.map");
  const float width = draw_text(frame.step.list, context.fonts.small_semibold,
                                {low.x, centred_top(context.fonts.small_semibold, y)}, context.theme.text, title)
                          .x;
  const std::string what = context.strings.format(
      "shared.map_of", fmt::arg("block", block_number(frame.result().tiles.grid, frame.step.record().block)),
      fmt::arg("bytes", with_separators(frame.picture.words() * kBankWordBytes)));
  draw_text(frame.step.list, context.fonts.small, {low.x + width + frame.px(10), centred_top(context.fonts.small, y)},
            context.theme.muted, fit_text(context.fonts.small, what, badge_left - low.x - width - frame.px(18)));
  explain_rect(context, low, {badge_left, low.y + frame.px(20)}, context.strings("shared.map_meaning"));
}

struct Strip {
  ImVec2 low, high;
  uint32_t rows = 1;
  float y_of(uint32_t row) const {
    return low.y + (high.y - low.y) * static_cast<float>(row) / static_cast<float>(rows);
  }
};

/// All of shared memory; rows thinner than a pixel share one.
void draw_strip(SharedFrame& frame, const Strip& strip, uint32_t first, uint32_t count) {
  const Theme& theme = frame.context().theme;
  const auto pixels = static_cast<uint32_t>(strip.high.y - strip.low.y);
  const uint32_t step = std::max(1U, strip.rows / std::max(pixels, 1U));
  const float bank = (strip.high.x - strip.low.x) / kBanks;
  for (uint32_t row = 0; row < strip.rows; row += step)
    for (const SharedRun& run : runs_of_row(frame.picture, frame.contents, row, frame.result())) {
      const float x = strip.low.x + static_cast<float>(run.word % kBanks) * bank;
      frame.step.list->AddRectFilled({x, std::floor(strip.y_of(row))},
                                     {x + static_cast<float>(run.count) * bank, std::ceil(strip.y_of(row + step))},
                                     colour_of(frame, run));
    }
  frame.step.list->AddRect({strip.low.x - 2, strip.y_of(first) - 1}, {strip.high.x + 2, strip.y_of(first + count) + 1},
                           theme.text, 2, 0, std::max(1.0F, frame.px(1)));
}

float names_width(const SharedFrame& frame) {
  float width = 0;
  for (size_t i = 0; i < frame.picture.regions().size(); ++i)
    width =
        std::max(width, text_size(frame.context().fonts.small_semibold,
                                  region_text(frame.context(), frame.result(), frame.picture, static_cast<int32_t>(i)))
                            .x);
  return std::min(width, frame.px(140));
}

/// Names of the regions beside the strip, as many as fit. Returns the lower end of the last one.
float draw_names(SharedFrame& frame, const Strip& strip, float right) {
  PanelContext& context = frame.context();
  ImFont* small = context.fonts.small;
  float free = strip.low.y;
  for (size_t i = 0; i < frame.picture.regions().size(); ++i) {
    const SharedRegion& region = frame.picture.regions()[i];
    const float top = strip.y_of(region.first / (kBanks * kBankWordBytes));
    const float bottom =
        std::min(strip.y_of((region.end + kBanks * kBankWordBytes - 1) / (kBanks * kBankWordBytes)), strip.high.y);
    const float x = strip.high.x + frame.px(6);
    frame.step.list->AddRectFilled({x, top + 1}, {x + frame.px(2), std::max(bottom - 1, top + 2)},
                                   colour_of_buffer(context.theme, frame.picture, region.buffer));
    const float y = std::clamp((top + bottom) / 2, strip.low.y + frame.px(7), strip.high.y - frame.px(7));
    if (y - frame.px(7) < free) continue;
    free = y + frame.px(7);
    const bool read = frame.moment.reading == static_cast<int32_t>(i);
    ImFont* font = read ? context.fonts.small_semibold : small;
    draw_text(frame.step.list, font, {x + frame.px(7), centred_top(font, y)},
              read ? context.theme.text : context.theme.muted,
              fit_text(font, region_text(context, frame.result(), frame.picture, static_cast<int32_t>(i)),
                       right - x - frame.px(9)));
  }
  return free;
}

std::string explain_word_text(const SharedFrame& frame, uint32_t word) {
  const PanelContext& context = frame.context();
  const SharedWord& at = frame.contents[word];
  const auto say = [&](const char* key) {
    std::string what;
    if (at.buffer >= 0) {
      const BufferSpec& buffer = frame.result().plan.buffers[static_cast<size_t>(at.buffer)];
      what = buffer.name + "[" + coordinates_text(buffer, at.element) + "]";
    }
    const auto step = at.step != SharedWord::kNone ? frame.step.record().steps[at.step] : Step();
    const uint32_t line = at.step != SharedWord::kNone ? frame.step.record().instructions[step.instruction].line : 0;
    return context.strings.format(key, fmt::arg("bank", word % kBanks), fmt::arg("byte", with_separators(word * 4)),
                                  fmt::arg("what", what), fmt::arg("warp", step.warp),
                                  fmt::arg("line", step_line_text(context, line)));
  };
  switch (at.state) {
    case SharedWord::State::untouched:
      return say("shared.explain_untouched");
    case SharedWord::State::arriving:
      return say(at.buffer >= 0 ? "shared.explain_arriving" : "shared.explain_arriving_zero");
    case SharedWord::State::there:
      break;
  }
  return say(at.buffer >= 0 ? "shared.explain_there" : "shared.explain_computed");
}

struct Near {
  ImVec2 low;
  float bank = 1, row_height = 1;
  uint32_t first = 0, count = 0;
  ImVec2 corner(uint32_t word) const {
    return {low.x + static_cast<float>(word % kBanks) * bank,
            low.y + static_cast<float>(word / kBanks - first) * row_height};
  }
};

/// The text in a run of words: the coordinates of its first element, or only the last of them, or the zero that a copy
/// fills in.
std::string run_text(const SharedFrame& frame, const SharedRun& run, bool brief) {
  if (run.first.state == SharedWord::State::untouched) return {};
  if (run.first.buffer < 0) {
    const Step& step = frame.step.record().steps[run.first.step];
    const bool copied = frame.step.record().instructions[step.instruction].text.find("cp.async") != std::string::npos;
    return copied ? "0" : "";
  }
  const BufferSpec& buffer = frame.result().plan.buffers[static_cast<size_t>(run.first.buffer)];
  const std::string text = coordinates_text(buffer, run.first.element);
  const size_t last = text.rfind(' ');
  return brief && last != std::string::npos ? text.substr(last + 1) : text;
}

void draw_run(SharedFrame& frame, const Near& near, const SharedRun& run, bool brief) {
  const PanelContext& context = frame.context();
  const float gap = std::max(1.0F, std::floor(frame.px(1)));
  const ImVec2 at = near.corner(run.word);
  const ImVec2 end{at.x + static_cast<float>(run.count) * near.bank - gap, at.y + near.row_height - gap};
  const ImU32 colour = colour_of(frame, run);
  frame.step.list->AddRectFilled(at, end, colour);
  const std::string text = run_text(frame, run, brief);
  ImFont* small = context.fonts.small;
  if (text.empty() || near.row_height < frame.px(15) || text_size(small, text).x > end.x - at.x - frame.px(2)) return;
  draw_text_centred(frame.step.list, small, {(at.x + end.x) / 2, (at.y + end.y) / 2},
                    readable_on(colour, context.theme), text);
}

/// Frames around what the access touches, per run.
void draw_touched(SharedFrame& frame, const Near& near, const std::vector<bool>& touched, bool writes, bool at_cursor) {
  const Theme& theme = frame.context().theme;
  const ImU32 colour = with_alpha(writes ? theme.write : theme.accent, at_cursor ? 1.0F : 0.45F);
  const float gap = std::max(1.0F, std::floor(frame.px(1)));
  for (uint32_t row = near.first; row < near.first + near.count; ++row) {
    for (uint32_t bank = 0; bank < kBanks;) {
      const uint32_t first = row * kBanks + bank;
      uint32_t end = bank;
      while (end < kBanks && row * kBanks + end < touched.size() && touched[row * kBanks + end] &&
             (end == bank || end % (kChunk / kBankWordBytes) != 0))
        ++end;
      if (end > bank) {
        const ImVec2 at = near.corner(first);
        frame.step.list->AddRect(
            at, {at.x + static_cast<float>(end - bank) * near.bank - gap, at.y + near.row_height - gap}, colour, 0, 0,
            frame.px(2));
      }
      bank = std::max(end, bank + 1);
    }
  }
}

void point_at_near(SharedFrame& frame, const Near& near) {
  PanelContext& context = frame.context();
  const float width = near.bank * kBanks, height = near.row_height * static_cast<float>(near.count);
  ImGui::SetCursorScreenPos(near.low);
  hit_area("near", {std::max(width, 1.0F), std::max(height, 1.0F)});
  mark(context, "shared.near", near.low, {near.low.x + width, near.low.y + height});
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 pointer = ImGui::GetIO().MousePos;
  const auto bank = static_cast<uint32_t>(std::clamp((pointer.x - near.low.x) / near.bank, 0.0F, 31.0F));
  const auto row = static_cast<uint32_t>(
      std::clamp((pointer.y - near.low.y) / near.row_height, 0.0F, static_cast<float>(near.count - 1)));
  const uint32_t word = (near.first + row) * kBanks + bank;
  if (word >= frame.contents.size()) return;
  explain(context, explain_word_text(frame, word));
  const SharedWord& at = frame.contents[word];
  if (at.buffer >= 0) {
    context.view.hover.buffer = static_cast<size_t>(at.buffer);
    context.view.hover.element = at.element;
  }
  if (ImGui::IsItemClicked() && at.step != SharedWord::kNone)
    go_to_step(context, frame.step.index, frame.step.record().steps[at.step].warp,
               frame.step.index.position_of(at.step));
}

void draw_axis(SharedFrame& frame, const Near& near, float end_of_names) {
  PanelContext& context = frame.context();
  ImFont* small = context.fonts.small;
  const float y = near.low.y + near.row_height * static_cast<float>(near.count) + frame.px(10);
  const bool tight = 7 * near.bank < text_size(small, "24").x + frame.px(6);
  for (const int bank : {0, 8, 16, 24, 31})
    if (!tight || bank == 0 || (bank == 31 && 31 * near.bank >= frame.px(30)))
      draw_text_centred(frame.step.list, small, {near.low.x + (static_cast<float>(bank) + 0.5F) * near.bank, y},
                        context.theme.muted, std::to_string(bank));
  if (y - frame.px(7) < end_of_names) return;
  draw_text_right(frame.step.list, small, {near.low.x - frame.px(8), centred_top(small, y)}, context.theme.muted,
                  context.strings("shared.bank"));
}

}  // namespace

void draw_shared_map(SharedFrame& frame, ImVec2 low, ImVec2 high) {
  draw_header(frame, low, high.x);
  const float top = low.y + frame.px(kHeader), bottom = high.y - frame.px(kAxis);
  const uint32_t rows = rows_of(frame.picture);
  if (rows == 0 || bottom - top < frame.px(kRow)) return;
  const Strip strip{{low.x, top}, {low.x + frame.px(kStrip), bottom}, rows};
  const float near_left = strip.high.x + std::max(frame.px(kNames), names_width(frame) + frame.px(20));
  if (high.x - near_left < frame.px(96)) return;  // cells could not be distinguished
  Near near{.low = {near_left, top}, .bank = (high.x - near_left) / kBanks};
  near.count = std::clamp(static_cast<uint32_t>((bottom - top) / frame.px(kRow)), 1U, rows);
  near.row_height = std::min(std::floor((bottom - top) / static_cast<float>(near.count)), frame.px(28));
  bool at_cursor = false;
  const auto touched = shown_access(frame, &at_cursor);
  const std::vector<bool> words = touched_words(frame, touched);
  const auto first = std::find(words.begin(), words.end(), true);
  const auto wanted = first == words.end() ? 0 : static_cast<uint32_t>(first - words.begin()) / kBanks;
  // Rows stay in position while the access moves within a page.
  const uint32_t page = std::max(1U, near.count / 2);
  near.first = std::min(wanted / page * page, rows - near.count);
  draw_strip(frame, strip, near.first, near.count);
  const float end_of_names = draw_names(frame, strip, near_left);
  std::vector<SharedRun> runs;
  for (uint32_t row = near.first; row < near.first + near.count; ++row)
    for (const SharedRun& run : runs_of_row(frame.picture, frame.contents, row, frame.result())) runs.push_back(run);
  // All in the same form: if full coordinates do not fit one chunk, all chunks use the short form.
  const bool brief = std::any_of(runs.begin(), runs.end(), [&](const SharedRun& run) {
    const float room = static_cast<float>(run.count) * near.bank - frame.px(8);
    return run.count >= kChunk / kBankWordBytes &&
           text_size(frame.context().fonts.small, run_text(frame, run, false)).x > room;
  });
  for (const SharedRun& run : runs) draw_run(frame, near, run, brief);
  if (touched) draw_touched(frame, near, words, touched->writes, at_cursor);
  draw_axis(frame, near, end_of_names);
  point_at_near(frame, near);
}

}  // namespace tilescope
