// What the shell writes after a frame: a picture of the window, the progress, a certificate.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <nlohmann/json.hpp>

#include "app/draw/sentences.hpp"
#include "app/session/saved_files.hpp"
#include "app/window/certificate.hpp"
#include "app/window/export.hpp"
#include "app/window/shell.hpp"
#include "engine/json_text.hpp"

namespace tilescope {

namespace fs = std::filesystem;

void Shell::save_picture() {
  int width = 0, height = 0;
  glfwGetWindowSize(window_, &width, &height);
  const float scale = screen_->view.scale;
  draw_offscreen(static_cast<int>(static_cast<float>(width) / scale),
                 static_cast<int>(static_cast<float>(height) / scale));
  auto file = free_file(screen_->session.request(), "png");
  if (file)
    if (auto written = write_png(read_offscreen(), *file); !written) file = tl::unexpected(written.error());
  tell_saved(file);
}

/// `tilescope progress --json` of this window.
void Shell::save_progress_json() {
  const std::string text = json_text(to_json(report_of_window()), 2) + "\n";
  auto file = free_file("tilescope-progress", "json");
  if (file)
    if (auto written = replace_file(*file, text); !written) file = tl::unexpected(written.error());
  tell_saved(file);
}

void Shell::save_certificate_of_window() {
  auto file = free_file("tilescope-certificate", "png");
  if (file)
    if (auto saved =
            save_certificate(*this, report_of_window(), {screen_->view.learner, screen_->strings.language}, *file);
        !saved)
      file = tl::unexpected(saved.error());
  tell_saved(file);
}

ProgressReport Shell::report_of_window() {
  Screen& screen = *screen_;
  return report_of(screen.session.engine().root(), screen.session.learned, screen.recall, screen.workshop.catalogue(),
                   options_.settings_file.parent_path() / "exercises");
}

void Shell::tell_saved(const Result<fs::path>& file) {
  screen_->show_message(file ? screen_->strings.format("status.saved", fmt::arg("file", file->string()))
                             : as_sentence(screen_->strings, file.error()));
  noticed_ = true;  // a frame must show it
}

}  // namespace tilescope
