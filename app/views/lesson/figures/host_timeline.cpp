// host-timeline kernels=1 kernel=5 copy=3 wait=synchronize,copy: what the host and the device do during a program, and
// which call waits for the kernel.
#include "app/views/lesson/figures/host_timeline.hpp"

#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"

namespace tilescope {
namespace {

class HostTimeline final : public Figure {
 public:
  HostTimeline(const HostTimes& times, std::vector<std::string> waits)
      : times_(times), waits_(std::move(waits)), spans_(host_timeline(times)) {
    for (const HostSpan& span : spans_) {
      end_ = std::max(end_, span.end);
      if (span.work == HostWork::wait) waited_ += span.end - span.begin;
      if (span.actor == HostActor::queue) queues_ = true;
    }
  }

  float paint(FigureCanvas& canvas) const override {
    const Strings& strings = canvas.strings();
    float y = canvas.heading(strings("figure.host_title"));
    y = paint_legend(canvas, y) + 6;
    for (size_t panel = 0; panel < waits_.size(); ++panel) {
      if (panel > 0) y += kBetween;
      y = paint_panel(canvas, waits_[panel] == "synchronize", y);
    }
    const uint32_t launches = times_.launch * times_.kernels, kernels = times_.kernel * times_.kernels;
    return canvas.note(y, strings.format("figure.host_note", fmt::arg("launch", launches),
                                         fmt::arg("whole", times_.launch + kernels)));
  }

 private:
  static constexpr float kLine = 22, kRow = 28, kBetween = 14, kWidest = 56, kMargin = 4;
  enum Kind { of_span };

  static ImU32 tint_of(const Theme& theme, HostWork work) {
    switch (work) {
      case HostWork::copy_in:
      case HostWork::copy_out:
        return theme.read;
      case HostWork::kernel:
      case HostWork::queued:
        return theme.write;
      case HostWork::launch:
        return theme.ok;
      default:
        return theme.muted;
    }
  }

  float paint_legend(FigureCanvas& canvas, float y) const {
    const Theme& theme = canvas.theme();
    const Strings& strings = canvas.strings();
    std::vector<FigureLegend> entries{
        {strings("figure.host_allocates"), tint_of(theme, HostWork::allocate)},
        {strings("figure.host_copies"), tint_of(theme, HostWork::copy_in)},
        {strings("figure.host_launches"), tint_of(theme, HostWork::launch)},
        {strings("figure.host_waits"), tint_of(theme, HostWork::wait), FigureLegend::Sample::outline},
        {strings("figure.host_kernel"), tint_of(theme, HostWork::kernel)}};
    if (queues_)
      entries.push_back(
          {strings("figure.host_queued"), tint_of(theme, HostWork::queued), FigureLegend::Sample::outline});
    return canvas.legend(y, entries);
  }

  std::vector<HostActor> rows() const {
    if (queues_) return {HostActor::host, HostActor::queue, HostActor::device};
    return {HostActor::host, HostActor::device};
  }
  static const std::string& name_of(const Strings& strings, HostActor actor) {
    return strings(actor == HostActor::host    ? "figure.host_host"
                   : actor == HostActor::queue ? "figure.host_stream"
                                               : "figure.host_device");
  }

  float paint_panel(FigureCanvas& canvas, bool synchronizes, float y) const {
    const Theme& theme = canvas.theme();
    const Strings& strings = canvas.strings();
    canvas.text(0, y + kLine / 2, theme.text,
                strings(synchronizes ? "figure.host_synchronizes" : "figure.host_copy_waits"), true);
    canvas.text_right(canvas.width(), y + kLine / 2, theme.muted,
                      strings.format("figure.host_time", fmt::arg("steps", end_), fmt::arg("waited", waited_)));
    y += kLine;
    const std::vector<HostActor> actors = rows();
    float left = 0;
    for (const HostActor actor : actors) left = std::max(left, canvas.text_width(name_of(strings, actor)) + 14);
    const float unit = std::min((canvas.width() - left) / static_cast<float>(end_), kWidest);
    const float bottom = y + kRow * static_cast<float>(actors.size());
    for (uint32_t time = 0; time <= end_; ++time) {
      const float x = left + unit * static_cast<float>(time);
      canvas.line({x, y}, {x, bottom}, mix(theme.panel, theme.separator, time == 0 || time == end_ ? 1.0F : 0.5F));
    }
    for (const HostActor actor : actors) {
      canvas.text(0, y + kRow / 2, theme.muted, name_of(strings, actor));
      for (const HostSpan& span : spans_)
        if (span.actor == actor)
          paint_span(canvas, span, synchronizes,
                     {left + unit * static_cast<float>(span.begin) + 1, y + 3,
                      left + unit * static_cast<float>(span.end) - 1, y + kRow - 3});
      y += kRow;
    }
    return y;
  }

  /// What runs on the device belongs to the call of the host that asked for it.
  static bool belongs(const FigureItem& item, const HostSpan& span) {
    if (item.kind != of_span) return false;
    const auto work = static_cast<HostWork>(item.index);
    const auto about_kernel = [](HostWork one) {
      return one == HostWork::launch || one == HostWork::kernel || one == HostWork::queued;
    };
    if (about_kernel(work)) return about_kernel(span.work) && span.kernel == static_cast<uint32_t>(item.second);
    // Whoever waits, waits for every kernel.
    return work == span.work || (work == HostWork::wait && span.work == HostWork::kernel);
  }

  void paint_span(FigureCanvas& canvas, const HostSpan& span, bool synchronizes, const FigureBox& box) const {
    const Theme& theme = canvas.theme();
    const FigureLight light = canvas.light(belongs(canvas.pointed(), span));
    const ImU32 tint = tint_of(theme, span.work);
    std::string text = name_of(canvas.strings(), span, synchronizes);
    if (canvas.text_width(text) + 2 * kMargin > box.width()) text.clear();
    if (span.work == HostWork::wait || span.work == HostWork::queued) {
      canvas.outline(box, mix(theme.panel, tint, light == FigureLight::dimmed ? 0.2F : 0.6F),
                     light == FigureLight::lit ? 2 : 1);
      canvas.text_centred(box.centre().x, box.centre().y, theme.muted, text);
    } else {
      canvas.cell(box, text, tint, light);
    }
    canvas.element({of_span, static_cast<int64_t>(span.work), span.kernel}, box,
                   [&] { return meaning(canvas.strings(), span, synchronizes); });
  }

  static std::string name_of(const Strings& strings, const HostSpan& span, bool synchronizes) {
    switch (span.work) {
      case HostWork::allocate:
        return "cudaMalloc";
      case HostWork::copy_in:
      case HostWork::copy_out:
        return "cudaMemcpy";
      case HostWork::launch:
        return "<<<>>>";
      case HostWork::wait:
        return synchronizes ? "cudaDeviceSynchronize" : "cudaMemcpy";
      default:
        return strings.format("figure.host_kernel_number", fmt::arg("number", span.kernel + 1));
    }
  }

  static std::string meaning(const Strings& strings, const HostSpan& span, bool synchronizes) {
    const char* key = "figure.host_allocate_meaning";
    const bool host = span.actor == HostActor::host;
    if (span.work == HostWork::copy_in) key = host ? "figure.host_copy_in_meaning" : "figure.host_bytes_in_meaning";
    if (span.work == HostWork::copy_out) key = host ? "figure.host_copy_out_meaning" : "figure.host_bytes_out_meaning";
    if (span.work == HostWork::launch) key = "figure.host_launch_meaning";
    if (span.work == HostWork::kernel) key = "figure.host_kernel_meaning";
    if (span.work == HostWork::queued) key = "figure.host_queued_meaning";
    if (span.work == HostWork::wait)
      key = synchronizes ? "figure.host_synchronize_meaning" : "figure.host_wait_meaning";
    return strings.format(key, fmt::arg("begin", span.begin), fmt::arg("end", span.end),
                          fmt::arg("kernel", span.kernel + 1), fmt::arg("before", span.kernel));
  }

  HostTimes times_;
  std::vector<std::string> waits_;
  std::vector<HostSpan> spans_;
  uint32_t end_ = 0, waited_ = 0;
  bool queues_ = false;
};

const FigureRegistration registered_host{
    {"host-timeline", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
       HostTimes times;
       times.kernels = static_cast<uint32_t>(parameters.number("kernels", 1, 1, 3));
       times.kernel = static_cast<uint32_t>(parameters.number("kernel", 5, 1, 8));
       times.copy = static_cast<uint32_t>(parameters.number("copy", 3, 1, 4));
       return std::make_unique<HostTimeline>(times, parameters.chosen("wait", {"synchronize", "copy"}));
     }}};

}  // namespace

std::vector<HostSpan> host_timeline(const HostTimes& times) {
  std::vector<HostSpan> spans;
  const auto add = [&](HostActor actor, HostWork work, uint32_t begin, uint32_t end, uint32_t kernel = 0) {
    if (end > begin) spans.push_back({actor, work, begin, end, kernel});
  };
  uint32_t host = times.allocate;
  add(HostActor::host, HostWork::allocate, 0, host);
  for (const HostActor actor : {HostActor::host, HostActor::device})
    add(actor, HostWork::copy_in, host, host + times.copy);
  host += times.copy;
  uint32_t free = host;  // when the device has nothing left to do
  for (uint32_t kernel = 0; kernel < times.kernels; ++kernel) {
    add(HostActor::host, HostWork::launch, host, host + times.launch, kernel);
    host += times.launch;
    const uint32_t begin = std::max(host, free);
    add(HostActor::queue, HostWork::queued, host, begin, kernel);
    free = begin + times.kernel;
    add(HostActor::device, HostWork::kernel, begin, free, kernel);
  }
  add(HostActor::host, HostWork::wait, host, free);
  host = std::max(host, free);
  for (const HostActor actor : {HostActor::host, HostActor::device})
    add(actor, HostWork::copy_out, host, host + times.copy);
  return spans;
}

}  // namespace tilescope
