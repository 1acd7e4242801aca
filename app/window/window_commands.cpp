#include "app/window/window_commands.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <thread>

#include "app/exercises/submission.hpp"
#include "app/panels/source/source_headers.hpp"
#include "app/sandbox/folder_listing.hpp"
#include "app/sandbox/form/arguments.hpp"
#include "app/views/lesson/lesson_document.hpp"
#include "app/window/screenshot.hpp"
#include "app/window/settings.hpp"
#include "app/window/shell.hpp"
#include "app/window/tour.hpp"
#include "engine/report/report.hpp"

namespace tilescope {
namespace {

struct Extent {
  int width, height;
};

Result<Extent> parse_picture_extent(const std::string& text) {
  Extent extent{};
  char rest = 0;
  constexpr int kSmallest = 320, kLargest = 8192;
  const bool two_numbers = std::sscanf(text.c_str(), "%dx%d%c", &extent.width, &extent.height, &rest) == 2;
  if (!two_numbers || std::min(extent.width, extent.height) < kSmallest ||
      std::max(extent.width, extent.height) > kLargest)
    return fail(ErrorId::usage,
                fmt::format("--extent '{}' is not WIDTHxHEIGHT with {} to {} pixels", text, kSmallest, kLargest));
  return extent;
}

Result<float> parse_scale(const std::string& text) {
  char* end = nullptr;
  const float scale = std::strtof(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !(scale >= 0.5F && scale <= 4.0F))
    return fail(ErrorId::usage, fmt::format("--scale '{}' is not a number from 0.5 to 4", text));
  return scale;
}

Result<void> make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return fail(ErrorId::file_not_written, folder.string(), failed.message());
  return {};
}

/// Every view of every lab, and the tiles also in Chinese and in the light theme.
Result<int> draw_tour(Shell& shell, const std::filesystem::path& folder, std::ostream& out) {
  struct Look {
    std::string suffix;
    std::string_view view;
    Language language = Language::en;
    bool light = false;
  };
  std::vector<Look> looks;
  for (const ViewSpec& view : views()) looks.push_back({std::string(view.name), view.name});
  looks.push_back({"tiles-zh", "tiles", Language::zh});
  looks.push_back({"tiles-light", "tiles", Language::en, true});
  int pictures = 0;
  for (const auto& lab : labs()) {
    ShotOptions shot;
    shot.request.lab = lab.name;
    shot.request.rung = lab.rungs[lab.rungs.size() / 2].name;
    shot.request.config = default_config(lab, DeviceKind::sim);
    for (const Look& look : looks) {
      shot.view = look.view;
      shot.language = look.language;
      shot.light = look.light;
      const auto file = folder / fmt::format("{}-{}.png", lab.name, look.suffix);
      if (auto taken = take_screenshot(shell, shot, file); !taken) return tl::unexpected<Error>(taken.error());
      out << file.string() << "\n";
      ++pictures;
    }
  }
  return pictures;
}

/// A user's own file instead of a lab: --rung names its kernel, --size n=… and --set FIELD=TEXT fill its form.
Result<Request> own_request(Shell& shell, const RunOptions& options) {
  Screen& screen = shell.screen();
  screen.open_file(options.lab);
  screen.session.auto_run = false;
  while (screen.sandbox.opening()) {
    screen.sandbox.poll(screen.session);
    if (screen.sandbox.question()) screen.sandbox.answer(true);  // the command names the file
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!screen.sandbox.is_shown(screen.session)) return fail(ErrorId::file_not_found, options.lab, screen.message);
  if (!options.rung.empty()) screen.sandbox.choose_kernel(options.rung);
  for (const std::vector<std::string>* list : {&options.size, &options.set})
    for (const std::string& text : *list) {
      auto assignment = parse_assignment(text);
      if (!assignment) return tl::unexpected<Error>(assignment.error());
      screen.sandbox.set_field(assignment->name, assignment->value);
    }
  if (options.device == name_of(DeviceKind::gpu)) screen.session.set_device(DeviceKind::gpu);
  screen.sandbox.poll(screen.session);
  screen.session.auto_run = true;
  return screen.session.request();
}

/// "exercise:add-ten" instead of a lab.
Result<Request> exercise_request(Shell& shell, const std::string& name) {
  Screen& screen = shell.screen();
  if (screen.workshop.catalogue().find(name) == nullptr) return fail(ErrorId::exercise_not_found, name);
  screen.workshop.open(screen.session, name);
  return screen.session.request();
}

BottomTab bottom_tab_from(const std::string& name) {
  constexpr std::array<std::pair<const char*, BottomTab>, 6> kNames{{{"ladder", BottomTab::ladder},
                                                                     {"roofline", BottomTab::roofline},
                                                                     {"fusion", BottomTab::fusion},
                                                                     {"map", BottomTab::map},
                                                                     {"small", BottomTab::small},
                                                                     {"memory", BottomTab::memory}}};
  for (const auto& [known, tab] : kNames)
    if (name == known) return tab;
  return BottomTab::sweep;
}

/// Checks that the source of the request's rung can be compared with that of `other`.
Result<void> check_compared(const Engine& engine, const Request& request, const std::string& other) {
  const Lab& lab = *lab_of(request);
  const Rung* rung = find_rung(lab, other);
  if (rung == nullptr) {
    Request wrong = request;
    wrong.rung = other;
    return tl::unexpected<Error>(engine.resolve(wrong).error());
  }
  if (rung->pick)
    return fail(ErrorId::usage, fmt::format("--diff '{}' picks another rung and has no source of its own", other));
  const auto resolved = engine.resolve(request);
  if (resolved && resolved->rung == rung)
    return fail(ErrorId::usage, fmt::format("--diff '{}' is the rung that is shown", other));
  if (resolved && resolved->rung->kernel_file != rung->kernel_file)
    return fail(ErrorId::usage,
                fmt::format("--diff '{}' is a rung of a different file, {}", other, source_file_of(lab, *rung)));
  return {};
}

/// Checks that the kernel's file includes that header.
Result<void> check_header(const Engine& engine, const Request& request, const std::string& header) {
  const Lab& lab = *lab_of(request);
  const Rung* rung = find_rung(lab, request.rung);
  const std::string name = rung != nullptr ? source_file_of(lab, *rung) : source_file_of(lab);
  const std::filesystem::path file = engine.root() / name;
  std::string text = lab.source_text.value_or("");
  if (!lab.source_text) {
    auto read = read_source_file(file.string());
    if (!read) return tl::unexpected<Error>(read.error());
    text = std::move(*read);
  }
  std::string names;
  for (const SourceHeader& one : headers_of(text, file.parent_path(), lab.include_folders)) {
    if (one.name == header) return {};
    names += (names.empty() ? "" : ", ") + one.name;
  }
  return fail(ErrorId::usage, fmt::format("--header '{}' is none that {} includes; it includes {}", header,
                                          file.filename().string(), names.empty() ? "none" : names));
}

/// A window is open for hours and tries many sizes, and with glibc's defaults its heaps stay fragmented: every thread
/// has its own heap, and once a separately mapped array has been freed, arrays up to its size (32 MiB at most) come
/// from the heaps. With these limits, large arrays are returned to the system when they are freed, and threads share a
/// heap.
void keep_heap_small() {
  constexpr int kMiB = 1 << 20;
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, kMiB);
  mallopt(M_TRIM_THRESHOLD, 4 * kMiB);
}

}  // namespace

int window_command(std::shared_ptr<Engine> engine, const WindowOptions& options, std::ostream& problems) {
  keep_heap_small();
  if (!options.file.empty())
    if (const auto text = read_source_file(options.file); !text)
      return report_error(text.error(), false, problems, problems);
  if (!options.lab.empty()) {
    auto request = make_request({.lab = options.lab, .rung = options.rung});
    if (!request) return report_error(request.error(), false, problems, problems);
    if (find_rung(*find_lab(options.lab), request->rung) == nullptr)
      return report_error(engine->plan(*request).error(), false, problems, problems);
  }
  engine->keep_compilers_warm();
  // The first start without a lab or a file to open begins with the tour.
  std::error_code ignored;
  const bool first = options.lab.empty() && options.file.empty() && !user_settings_file().empty() &&
                     !std::filesystem::exists(user_settings_file(), ignored);
  auto shell =
      Shell::open(std::move(engine), {.settings_file = user_settings_file(), .state_file = options.state_file});
  if (!shell) return report_error(shell.error(), false, problems, problems);
  Screen& screen = (*shell)->screen();
  if (!options.lab.empty()) {
    screen.sandbox.stop_opening();
    screen.session.select_lab(options.lab);
  }
  if (first) start_tour(screen);
  if (!options.rung.empty()) screen.session.select_rung(options.rung);
  if (!options.language.empty()) screen.strings.language = options.language == "zh" ? Language::zh : Language::en;
  if (options.light) screen.view.light = true;
  if (!options.file.empty()) screen.open_file(options.file);
  return (*shell)->run();
}

int shot_command(std::shared_ptr<Engine> engine, const ShotCommandOptions& options, std::ostream& out,
                 std::ostream& problems) {
  const auto refuse = [&](const Error& error) { return report_error(error, false, out, problems); };
  const bool own = is_cuda_source(options.run.lab);
  const bool exercise = options.run.lab.starts_with(kExerciseLab);
  Result<Request> request = Request{};
  if (own) {
    if (auto text = read_source_file(options.run.lab); !text) return refuse(text.error());
  } else if (!exercise) {
    request = make_request(options.run, opening_config);
    if (!request) return refuse(request.error());
    if (auto plan = engine->plan(*request); !plan) return refuse(plan.error());
    if (auto possible = check_launch(*engine, *request); !possible) return refuse(possible.error());
  }
  auto extent = parse_picture_extent(options.extent);
  if (!extent) return refuse(extent.error());
  auto scale = parse_scale(options.scale);
  if (!scale) return refuse(scale.error());

  auto shell = Shell::open(std::move(engine), {.scale = *scale, .visible = false});
  if (!shell) return refuse(shell.error());
  if (own) request = own_request(**shell, options.run);
  if (exercise) request = exercise_request(**shell, options.run.lab.substr(kExerciseLab.size()));
  if (!request) return refuse(request.error());
  ShotOptions shot;
  if (!options.diff.empty()) {
    if (auto possible = check_compared((*shell)->screen().session.engine(), *request, options.diff); !possible)
      return refuse(possible.error());
    shot.diff = options.diff;
  }
  if (!options.header.empty()) {
    if (auto known = check_header((*shell)->screen().session.engine(), *request, options.header); !known)
      return refuse(known.error());
    shot.header = options.header;
  }
  shot.page = source_page_named(options.page);
  shot.request = *request;
  shot.request.model_order = options.order;
  shot.view = options.panel;
  shot.bottom = bottom_tab_from(options.bottom);
  shot.speed = !options.bottom.empty();
  shot.wishes.bottom = options.bottom;
  shot.wishes.zoom = options.zoom;
  shot.language = options.language == "zh" ? Language::zh : Language::en;
  shot.light = options.light;
  shot.width = extent->width;
  shot.height = extent->height;
  shot.frames = options.frames;
  shot.veils = options.veil;
  shot.step_of_lab = options.steps;
  if (options.warp >= 0) shot.wishes.warp = static_cast<uint32_t>(options.warp);
  if (options.step >= 0) shot.wishes.step = static_cast<uint64_t>(options.step);
  if (options.tensor >= 0) shot.wishes.tensor = static_cast<uint32_t>(options.tensor);
  if (options.issued >= 0) shot.wishes.issued = static_cast<uint64_t>(options.issued);
  auto taken = take_screenshot(**shell, shot, options.out);
  if (!taken) return refuse(taken.error());
  out << options.out << "\n";
  if (taken->frames > 0)
    out << fmt::format("{} frames, median {:.1f} ms, worst {:.1f} ms\n", taken->frames, taken->median_ms,
                       taken->worst_ms);
  return kClean;
}

int tour_command(std::shared_ptr<Engine> engine, const TourOptions& options, std::ostream& out,
                 std::ostream& problems) {
  if (const auto& compiler = engine->compiler(); !compiler) return report_error(compiler.error(), false, out, problems);
  const int status = tour_table(*engine, labs(), out, problems);
  if (status == kBadInput || status == kUnavailable) return status;
  if (auto made = make_folder(options.out); !made) return report_error(made.error(), false, out, problems);
  auto shell = Shell::open(std::move(engine), {.scale = 1, .visible = false});
  if (!shell) return report_error(shell.error(), false, out, problems);
  auto pictures = draw_tour(**shell, options.out, out);
  if (!pictures) return report_error(pictures.error(), false, out, problems);
  out << fmt::format("{} pictures in {}\n", *pictures, options.out);
  return status;
}

}  // namespace tilescope
