// Faults in the texts of a frame: one overlaps a different one, is cut off at the edge of its window, or ends twice.
#pragma once

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/draw/text.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {

constexpr float kTouch = 1.5F;  // pixels by which glyphs may overlap, or extend past an edge

/// The visible part of a text.
struct Seen {
  ImVec2 low, high;
  bool empty() const { return high.x - low.x <= kTouch || high.y - low.y <= kTouch; }
};

inline Seen seen_part(const DrawnText& text) {
  return {{std::max(text.low.x, text.clip_low.x), std::max(text.low.y, text.clip_low.y)},
          {std::min(text.high.x, text.clip_high.x), std::min(text.high.y, text.clip_high.y)}};
}

inline bool overlap(const Seen& a, const Seen& b) {
  return std::min(a.high.x, b.high.x) - std::max(a.low.x, b.low.x) > kTouch &&
         std::min(a.high.y, b.high.y) - std::max(a.low.y, b.low.y) > kTouch;
}

/// The same text at the same position: it is drawn again over its highlight.
inline bool redrawn(const DrawnText& a, const DrawnText& b) {
  return a.text == b.text && std::abs(a.low.x - b.low.x) <= 2 && std::abs(a.low.y - b.low.y) <= 2;
}

inline std::string place_of(const DrawnText& text) {
  return fmt::format("\"{}\" ({:.0f}, {:.0f} to {:.0f}, {:.0f})", text.text, text.low.x, text.low.y, text.high.x,
                     text.high.y);
}

/// Two full stops in a row, as where a text that begins with one follows a sentence. An ellipsis does not count.
inline bool has_doubled_stop(const std::string& text) {
  for (const char* pair : {"。。", "，。", "；。", "。.", ",.", ";."})
    if (text.find(pair) != std::string::npos) return true;
  const size_t at = text.find("..");
  return at != std::string::npos && text.compare(at, 3, "...") != 0;
}

/// The faults in the texts of a frame, one line each.
inline std::vector<std::string> faults_of(std::vector<DrawnText> texts) {
  std::vector<std::string> faults;
  std::stable_sort(texts.begin(), texts.end(),
                   [](const DrawnText& a, const DrawnText& b) { return a.low.y < b.low.y; });
  for (size_t i = 0; i < texts.size(); ++i) {
    const DrawnText& one = texts[i];
    const Seen seen = seen_part(one);
    if (seen.empty()) continue;
    if (has_doubled_stop(one.text)) faults.push_back("two stops: " + place_of(one));
    const bool cut_x = one.low.x < one.clip_low.x - kTouch || one.high.x > one.clip_high.x + kTouch;
    const bool cut_y = !one.scrolls_y && (one.low.y < one.clip_low.y - kTouch || one.high.y > one.clip_high.y + kTouch);
    if (cut_x || cut_y)
      faults.push_back(fmt::format("cut off: {} in {:.0f}, {:.0f} to {:.0f}, {:.0f}", place_of(one), one.clip_low.x,
                                   one.clip_low.y, one.clip_high.x, one.clip_high.y));
    for (size_t j = i + 1; j < texts.size() && texts[j].low.y < one.high.y; ++j)
      if (texts[j].window == one.window && !redrawn(one, texts[j]) && overlap(seen, seen_part(texts[j])))
        faults.push_back(fmt::format("overlap: {} and {}", place_of(one), place_of(texts[j])));
  }
  return faults;
}

}  // namespace tilescope::testing
