#include "app/window/screenshot.hpp"

#include <png.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

FrameTimes time_frames(Shell& shell, const ShotOptions& options) {
  std::vector<double> times;
  ViewState& view = shell.screen().view;
  view.animate = true;
  view.playback = {.playing = true, .position = static_cast<double>(options.wishes.issued.value_or(0))};
  View& shown = shell.screen().views().at(options.view);
  for (int frame = 0; frame < options.frames; ++frame) {
    shown.play(view, frame);
    const auto start = Clock::now();
    shell.draw_offscreen(options.width, options.height);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  view.step.playing = view.animate = false;
  view.playback = {};
  shown.apply(view, options.wishes);
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  return {static_cast<int>(times.size()), times[times.size() / 2], times.back()};
}

}  // namespace

Result<void> write_png(const Picture& picture, const std::filesystem::path& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGBA;
  errno = 0;
  if (png_image_write_to_file(&image, file.c_str(), 0, picture.pixels.data(), 0, nullptr) == 0)
    return fail(ErrorId::file_not_written, file.string(), errno != 0 ? std::strerror(errno) : image.message);
  return {};
}

Result<FrameTimes> take_screenshot(Shell& shell, const ShotOptions& options, const std::filesystem::path& file) {
  Screen& screen = shell.screen();
  screen.session.set_request(options.request);
  enter_lab(screen.view, screen.session.lab().name);
  screen.view.animate = options.wishes.issued.has_value();
  screen.view.playback = {};
  screen.view.veils = options.veils;
  if (options.step_of_lab > 0) screen.show_step(static_cast<size_t>(options.step_of_lab) - 1);
  if (options.wishes.issued) screen.view.playback.position = static_cast<double>(*options.wishes.issued);
  screen.view.tab = options.view;
  screen.views().each([&](View& view) { view.apply(screen.view, options.wishes); });
  screen.view.bottom = options.bottom;
  screen.view.bottom_speed = options.speed;
  screen.view.diff = options.diff.has_value();
  if (options.diff) screen.view.diff_with[options.request.lab] = *options.diff;
  screen.view.header = options.header;
  screen.view.source_page = options.page;
  screen.view.light = options.light;
  screen.view.selection = {};
  screen.view.selection.block = options.block;
  screen.strings.language = options.language;

  const auto start = Clock::now();
  shell.draw_offscreen(options.width, options.height);  // its poll starts the run
  // After a kernel fault interop is tested again; its result is awaited too, because the status bar shows it.
  while ((screen.session.busy() || shell.trying_interop()) &&
         Clock::now() - start < std::chrono::duration<double>(options.patience_seconds))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  // Records that a view requests start once it is drawn with the result.
  for (int frame = 0; frame < 2; ++frame) shell.draw_offscreen(options.width, options.height);
  while ((screen.session.recording_steps() || screen.session.counting_fusion()) &&
         Clock::now() - start < std::chrono::duration<double>(options.patience_seconds))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  if (options.wishes.warp || options.wishes.step) {
    shell.draw_offscreen(options.width, options.height);  // the view first goes to its default position
    screen.views().each([&](View& view) { view.apply_to_result(screen.view, options.wishes); });
  }
  // One frame takes over the result, the next lays out what depends on it, and scroll bars settle in the third.
  constexpr int kSettling = 6;
  for (int frame = 0; frame < kSettling; ++frame) shell.draw_offscreen(options.width, options.height);
  if (auto written = write_png(shell.read_offscreen(), file); !written) return tl::unexpected(written.error());
  return time_frames(shell, options);
}

}  // namespace tilescope
