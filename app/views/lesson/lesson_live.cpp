#include "app/views/lesson/lesson_live.hpp"

#include "app/draw/strings.hpp"
#include "app/observed/waves_model.hpp"

namespace tilescope {

std::optional<std::string> live_value(std::string_view name, const RunResult& result) {
  const auto text = [](uint64_t value) { return with_separators(static_cast<int64_t>(value)); };
  const std::string key(name);
  // For a rung that picks, the picked configuration, once it has run.
  const Config& config = result.config.sizes.empty() ? result.request.config : result.config;
  if (const auto size = config.sizes.find(key); size != config.sizes.end()) return with_separators(size->second);
  if (const auto param = config.params.find(key); param != config.params.end()) return with_separators(param->second);
  if (const WaveSchedule* waves = shown_waves(result)) {
    if (name == "waves") return text(waves->waves());
    if (name == "resident") return text(waves->resident());
    if (name == "held") return text(waves->blocks_per_multiprocessor);
    if (name == "last_wave") return text(waves->last_wave_blocks());
  }
  if (!result.observed) return std::nullopt;
  const TileMap& tiles = result.tiles;
  const Counters& counters = result.traffic.counters;
  if (name == "blocks") return text(tiles.grid.count());
  if (name == "threads") return text(tiles.grid.count() * tiles.block.count());
  if (name == "warps_per_block") return text((tiles.block.count() + 31) / 32);
  if (name == "idle_threads") return text(tiles.idle_threads);
  if (name == "sectors") return text(counters.global_sectors());
  if (name == "requests") return text(counters.global_requests());
  if (name == "bytes_moved") return text(counters.global_bytes_moved());
  return std::nullopt;
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
