#include "app/observed/speed_questions.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/observed/speed_model.hpp"
#include "engine/bench/timed_place.hpp"

namespace tilescope {
namespace {

constexpr size_t kChoices = 4;

/// A rung of the ladder with its time.
struct TimedRung {
  int64_t number = 0;  // as the learner counts: 1 is the first
  const Rung* rung = nullptr;
  const TimingPoint* point = nullptr;
};

/// In the order of the ladder. A rung that picks a different one is left out: it is as fast as its choice.
std::vector<TimedRung> timed_rungs(const Lab& lab, const SpeedReport& report, int64_t size) {
  std::vector<TimedRung> timed;
  int64_t number = 0;
  for (const Rung& rung : lab.rungs) {
    ++number;
    const TimingSeries* series = rung.pick ? nullptr : rung_series(report, rung.name);
    const TimingPoint* point = series != nullptr ? point_at(*series, size) : nullptr;
    if (point != nullptr && point->median_ms > 0) timed.push_back({number, &rung, point});
  }
  return timed;
}

std::string name_of(const TimedRung& timed, const Strings& strings) {
  return fmt::format("{} {}", timed.number, strings(timed.rung->title));
}

/// "8192 × 8192", or "n = 1,048,576".
std::string where(const SpeedReport& report, int64_t size) {
  return report.shapes.empty() ? fmt::format("{} = {}", report.size_name, place_text(report, size))
                               : place_text(report, size);
}

std::string key_of(const char* kind, const SpeedReport& report, int64_t size) {
  return fmt::format("{}, {}, {}", kind, report.gpu, place_name(report, size));
}

/// "3 Shared tile 1.20 ms, 4 Padded tile 0.98 ms", the fastest first.
std::string times_text(std::vector<TimedRung> timed, const Strings& strings) {
  std::ranges::sort(timed, {}, [](const TimedRung& one) { return one.point->median_ms; });
  std::string text;
  for (const TimedRung& one : timed)
    text += (text.empty() ? "" : strings("speed.comma")) + name_of(one, strings) + " " +
            milliseconds_text(one.point->median_ms);
  return text;
}

std::string factor_text(int64_t tenths) {
  return tenths >= 100 ? with_separators(tenths / 10) + "×" : fmt::format("{}.{}×", tenths / 10, tenths % 10);
}

}  // namespace

std::optional<SpeedQuestion> which_is_fastest(const Lab& lab, const SpeedReport& report, int64_t size,
                                              const Strings& strings) {
  std::vector<TimedRung> timed = timed_rungs(lab, report, size);
  if (timed.size() < 2) return {};
  std::ranges::stable_sort(timed, {}, [](const TimedRung& one) { return one.point->median_ms; });
  const TimedRung fastest = timed.front();
  std::vector<TimedRung> offered{fastest};
  for (const TimedRung& one : timed)
    if (offered.size() < kChoices && one.point->low_ms > fastest.point->high_ms) offered.push_back(one);
  if (offered.size() < 2) return {};
  SpeedQuestion question{.key = key_of("fastest", report, size),
                         .text = strings.format("controls.which_is_fastest", fmt::arg("where", where(report, size))),
                         .why = strings.format("controls.times_are", fmt::arg("times", times_text(offered, strings)),
                                               fmt::arg("machine", machine_text(report, strings))),
                         .answer = fastest.number};
  std::ranges::sort(offered, {}, &TimedRung::number);
  for (const TimedRung& one : offered) question.choices.emplace_back(one.number, name_of(one, strings));
  return question;
}

std::optional<SpeedQuestion> how_many_times_faster(const Lab& lab, const SpeedReport& report, int64_t size,
                                                   const Strings& strings) {
  const std::vector<TimedRung> timed = timed_rungs(lab, report, size);
  if (timed.size() < 2) return {};
  TimedRung slow = timed.front(), fast = timed.back();
  if (slow.point->median_ms < fast.point->median_ms) std::swap(slow, fast);
  const double factor = slow.point->median_ms / fast.point->median_ms;
  SpeedQuestion question{
      .key = key_of("times faster", report, size),
      .text = strings.format("controls.how_many_times_faster", fmt::arg("fast", name_of(fast, strings)),
                             fmt::arg("slow", name_of(slow, strings)), fmt::arg("where", where(report, size))),
      .why = strings.format("controls.times_are", fmt::arg("times", times_text({slow, fast}, strings)),
                            fmt::arg("machine", machine_text(report, strings))),
      .answer = factor_in_tenths(factor)};
  // The answer's position must not be the same in every lab, and must not change from frame to frame.
  size_t turn = 0;
  for (const char letter : lab.name + question.key) turn += static_cast<unsigned char>(letter);
  for (const int64_t tenths : factors_around(factor, turn % kChoices))
    question.choices.emplace_back(tenths, factor_text(tenths));
  return question;
}

int64_t factor_in_tenths(double factor) {
  const int64_t tenths = std::llround(10 * factor);
  return tenths < 100 ? tenths : 10 * std::llround(factor);
}

std::vector<int64_t> factors_around(double factor, size_t turn) {
  constexpr double kApart = 2, kLeast = 1.05;  // a smaller factor would be hard to distinguish from 1
  int below = static_cast<int>(turn);
  while (below > 0 && factor / std::pow(kApart, below) < kLeast) --below;
  std::vector<int64_t> factors;
  for (int step = -below; factors.size() < kChoices; ++step)
    factors.push_back(factor_in_tenths(factor * std::pow(kApart, step)));
  return factors;
}

}  // namespace tilescope
