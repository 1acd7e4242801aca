// The status bar: device, times, the path used for pictures, what the simulator did, what is missing.
#include <cmath>
#include <cstdio>

#include "app/draw/gl/heat_map.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/context.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

/// Label muted, value in the text colour, then the gap; hovering explains.
class StatusLine {
 public:
  explicit StatusLine(PanelContext& context)
      : context_(context),
        left_(ImGui::GetWindowPos().x + context.px(16)),
        right_(ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - context.px(16)),
        top_(centred_top(context.fonts.small, ImGui::GetWindowPos().y + std::round(ImGui::GetWindowHeight() / 2))) {}

  void add(const char* label, const std::string& value, std::string_view meaning) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImFont* font = context_.fonts.small;
    const std::string& name = context_.strings(label);
    const float start = left_;
    const float needed = text_size(font, name).x + context_.px(5) + text_size(font, value).x;
    if (start + needed > right_) return;  // a narrow window shows as much as fits
    left_ += draw_text(list, font, {left_, top_}, context_.theme.muted, name).x + context_.px(5);
    left_ += draw_text(list, font, {left_, top_}, context_.theme.text, value).x;
    explain_rect(context_, {start, ImGui::GetWindowPos().y},
                 {left_, ImGui::GetWindowPos().y + ImGui::GetWindowHeight()}, meaning);
    left_ += context_.px(24);
  }

  void add_right(const std::string& text, std::string_view meaning) {
    const ImVec2 size = text_size(context_.fonts.small, text);
    draw_text(ImGui::GetWindowDrawList(), context_.fonts.small, {right_ - size.x, top_}, context_.theme.muted, text);
    explain_rect(context_, {right_ - size.x, ImGui::GetWindowPos().y},
                 {right_, ImGui::GetWindowPos().y + ImGui::GetWindowHeight()}, meaning);
    right_ -= size.x + context_.px(24);
  }

 private:
  PanelContext& context_;
  float left_, right_, top_;
};

/// "CPU simulator, 2 threads, AVX-512" in the current language.
std::string simulator_text(const Strings& text, const std::string& name) {
  int threads = 0, rest = 0;
  if (std::sscanf(name.c_str(), "CPU simulator, %d thread%*[s]%n", &threads, &rest) != 1) return name;
  return text.format("status.simulator", fmt::arg("threads", threads)) + name.substr(static_cast<size_t>(rest));
}

std::string device_text(const PanelContext& context) {
  Engine& engine = context.session.engine();
  const bool on_gpu = context.session.request().device == DeviceKind::gpu && engine.gpu();
  const DeviceInfo device = on_gpu ? (*engine.gpu())->device() : engine.simulator().device();
  if (!on_gpu) return simulator_text(context.strings, device.name);
  std::string text = device.name + ", " + std::to_string(device.multiprocessors) + " SMs";
  if (device.sm_clock_mhz > 0) text += ", " + with_separators(device.sm_clock_mhz) + " MHz";
  return text;
}

void add_missing(PanelContext& context, StatusLine& line) {
  const Engine& engine = context.session.engine();
  std::string names, reasons;
  const auto missing = [&](const std::string& name, const std::string& reason) {
    names += (names.empty() ? "" : ", ") + name;
    reasons += (reasons.empty() ? "" : "\n") + reason;
  };
  if (!engine.compiler()) missing("NVRTC", as_sentence(context.strings, engine.compiler().error()));
  if (!engine.gpu()) missing("GPU", as_sentence(context.strings, engine.gpu().error()));
  for (const std::string& font : context.view.missing_fonts) missing(font, font);
  for (const Error& refused : context.session.recordings().refused)
    missing(context.strings("status.recording"), as_sentence(context.strings, refused));
  if (!names.empty()) line.add_right(context.strings.format("status.missing", fmt::arg("what", names)), reasons);
}

}  // namespace

void draw_status(PanelContext& context) {
  const Strings& text = context.strings;
  StatusLine line(context);
  add_missing(context, line);
  if (context.view.show_frame_time)
    line.add_right(text("status.frame") + " " + milliseconds_text(context.view.frame_ms), text("status.frame_meaning"));
  line.add("status.device", device_text(context), text("header.device_meaning"));
  if (context.result) {
    const RunResult& result = *context.result;
    const bool on_gpu = result.request.device == DeviceKind::gpu;
    line.add("status.compile",
             result.compiled.from_cache ? text("status.cached") : milliseconds_text(result.compile_ms),
             text(result.compiled.from_cache ? "status.cached_meaning" : "status.compile_meaning"));
    line.add("status.run", milliseconds_text(result.run_ms),
             text(on_gpu ? "status.run_meaning_gpu" : "status.run_meaning_sim"));
  }
  if (context.heat_maps != nullptr) {
    const Interop& interop = context.heat_maps->interop();
    const bool direct = interop.path_of(context.result.get()) == Interop::Path::interop;
    line.add("status.picture", text(direct ? "status.interop" : "status.copy"),
             interop.explain(text, context.result.get()));
  }
  if (context.result && context.result->observed && context.result->simulate_ms > 0) {
    const double rate = static_cast<double>(context.result->simulated_warps) / context.result->simulate_ms * 1000;
    line.add("status.simulated",
             text.format("status.warps", fmt::arg("warps", with_separators(context.result->simulated_warps)),
                         fmt::arg("rate", rate_text(rate))),
             text("status.simulated_meaning"));
  }
}

}  // namespace tilescope
