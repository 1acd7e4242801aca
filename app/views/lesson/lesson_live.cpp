#include "app/views/lesson/lesson_live.hpp"

#include "app/draw/strings.hpp"
#include "app/observed/run_values.hpp"
#include "app/observed/waves_model.hpp"
#include "engine/numbers.hpp"

namespace tilescope {

std::optional<std::string> live_value(std::string_view name, const RunResult& result) {
  const auto text = [](auto value) { return with_separators(static_cast<int64_t>(value)); };
  if (const WaveSchedule* waves = shown_waves(result); waves != nullptr && name == "last_wave")
    return text(waves->last_wave_blocks());
  const auto value = run_value(name, result);
  return value ? std::optional(text(*value)) : std::nullopt;
}

bool has_live_values(const LessonBlock& block) {
  for (const LessonSpan& span : block.spans)
    if (!span.code && span.text.find("{{") != std::string::npos) return true;
  return false;
}

LessonSpans with_live_values(const LessonSpans& spans, const RunResult* result) {
  LessonSpans filled = spans;
  for (LessonSpan& span : filled) {
    if (span.code) continue;
    for (size_t open = span.text.find("{{"); open != std::string::npos; open = span.text.find("{{", open)) {
      const size_t close = span.text.find("}}", open);
      if (close == std::string::npos) break;
      const std::string_view name = std::string_view(span.text).substr(open + 2, close - open - 2);
      const auto value = result == nullptr ? std::nullopt : live_value(name, *result);
      const std::string text = value.value_or("–");
      span.text.replace(open, close + 2 - open, text);
      open += text.size();
    }
  }
  return filled;
}

}  // namespace tilescope
