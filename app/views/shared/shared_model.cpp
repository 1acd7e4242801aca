#include "app/views/shared/shared_model.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engine/traffic/access/shared_banks.hpp"

namespace tilescope {
namespace {

size_t index_of_step(std::span<const SharedEvent> events, uint32_t step) {
  const auto at = std::partition_point(events.begin(), events.end(), [&](const auto& one) { return one.step < step; });
  return std::min(static_cast<size_t>(at - events.begin()), events.empty() ? 0 : events.size() - 1);
}

/// State of a region while a warp's events are processed.
struct Open {
  bool filling = false, holding = false;
  uint32_t batch = 0;
  size_t since = 0, last_read = 0;
  bool read = false;
};

}  // namespace

std::vector<SharedSpan> spans_of(const SharedPicture& picture, uint32_t warp) {
  using Kind = SharedEvent::Kind;
  const auto events = picture.events(warp);
  std::vector<SharedSpan> spans;
  std::vector<Open> open(picture.regions().size());
  const auto close_holding = [&](size_t region, size_t at) {
    Open& now = open[region];
    if (now.holding) spans.push_back({static_cast<int32_t>(region), now.since, now.read ? now.last_read : at, false});
    now.holding = now.read = false;
  };
  std::vector<size_t> stored;  // regions that this warp has stored to since the last barrier
  for (size_t i = 0; i < events.size(); ++i) {
    const SharedEvent& event = events[i];
    if (event.kind == Kind::barrier) {
      for (const size_t region : stored) {
        spans.push_back({static_cast<int32_t>(region), open[region].since, i, true});
        open[region] = {.holding = true, .since = i, .last_read = i};
      }
      stored.clear();
    }
    if (event.region < 0) continue;
    const auto region = static_cast<size_t>(event.region);
    Open& now = open[region];
    if (event.kind == Kind::copy && !(now.filling && now.batch == event.batch)) {
      close_holding(region, i);
      const size_t arrives =
          event.arrives == SharedWord::kNone ? events.size() - 1 : index_of_step(events, event.arrives);
      spans.push_back({event.region, i, arrives, true});
      now = {.filling = true,
             .holding = event.arrives != SharedWord::kNone,
             .batch = event.batch,
             .since = arrives,
             .last_read = arrives};
    } else if (event.kind == Kind::store && std::find(stored.begin(), stored.end(), region) == stored.end()) {
      close_holding(region, i);
      now.since = i;
      stored.push_back(region);
    } else if (event.kind == Kind::load) {
      now.last_read = i;
      now.read = true;
    }
  }
  for (size_t region = 0; region < open.size(); ++region)
    if (open[region].holding && open[region].read) close_holding(region, open[region].last_read);
  return spans;
}

std::optional<size_t> event_at(const SharedPicture& picture, uint32_t warp, uint32_t step) {
  const auto events = picture.events(warp);
  const auto behind =
      std::partition_point(events.begin(), events.end(), [&](const SharedEvent& one) { return one.step <= step; });
  if (behind == events.begin()) return std::nullopt;
  return static_cast<size_t>(behind - events.begin()) - 1;
}

std::vector<SharedRun> runs_of_row(const SharedPicture& picture, std::span<const SharedWord> contents, uint32_t row,
                                   const RunResult& result) {
  constexpr uint32_t kWide = 8;
  std::vector<SharedRun> runs;
  for (uint32_t word = row * kSharedBanks; word < (row + 1) * kSharedBanks && word < contents.size(); ++word) {
    const SharedWord& now = contents[word];
    if (!runs.empty()) {
      SharedRun& run = runs.back();
      bool joins = run.first.state == now.state && run.first.buffer == now.buffer && run.word + run.count == word;
      if (joins && now.buffer >= 0) {
        const size_t bytes = size_of(result.plan.buffers[static_cast<size_t>(now.buffer)].type);
        const auto on = static_cast<int64_t>(run.count * kBankWordBytes / bytes);
        const auto touched = picture.touched_at(run.first.step);
        const bool ends = touched && touched->bytes >= kWide && run.count * kBankWordBytes >= touched->bytes;
        joins = now.element == run.first.element + on && !ends;
      }
      if (joins) {
        ++run.count;
        continue;
      }
    }
    runs.push_back({.word = word, .count = 1, .first = now});
  }
  return runs;
}

std::string coordinates_text(const BufferSpec& buffer, int64_t element) {
  std::vector<int64_t> coordinates(buffer.shape.size(), 0);
  for (size_t i = buffer.shape.size(); i-- > 0;) {
    const int64_t extent = buffer.shape[i];
    coordinates[i] = i == 0 || extent <= 0 ? element : element % extent;
    if (extent > 0) element /= extent;
  }
  return fmt::format("{}", fmt::join(coordinates, ", "));
}

SharedMoment moment_of(const SharedPicture& picture, std::span<const SharedWord> contents, uint32_t warp,
                       uint32_t step) {
  SharedMoment moment;
  std::set<int32_t> arriving;
  for (size_t word = 0; word < contents.size(); ++word)
    if (contents[word].state == SharedWord::State::arriving)
      arriving.insert(picture.region_at(static_cast<uint32_t>(word) * kBankWordBytes));
  arriving.erase(-1);
  moment.arriving.assign(arriving.begin(), arriving.end());
  const auto events = picture.events(warp);
  if (const auto last = event_at(picture, warp, step))
    for (size_t i = *last + 1; i-- > 0;) {
      if (events[i].kind == SharedEvent::Kind::barrier) break;
      if (events[i].kind != SharedEvent::Kind::load) continue;
      moment.reading = events[i].region;
      break;
    }
  return moment;
}

}  // namespace tilescope
