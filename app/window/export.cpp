#include "app/window/export.hpp"

#include <nlohmann/json.hpp>

#include "app/draw/sentences.hpp"
#include "app/session/saved_files.hpp"
#include "app/window/screen.hpp"
#include "engine/json_text.hpp"
#include "engine/report/report.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

void write_text(Screen& screen, const std::string& extension, const std::string& text) {
  const auto file = free_file(screen.session.result()->request, extension);
  if (!file) return screen.show_message(as_sentence(screen.strings, file.error()));
  if (const auto written = replace_file(*file, text); !written)
    return screen.show_message(as_sentence(screen.strings, written.error()));
  screen.show_message(screen.strings.format("status.saved", fmt::arg("file", file->string())));
}

std::string csv(const RunResult& result) {
  std::string text = "# " + reproducing_command(result.request) + "\n# " + result.device.name + ", Tilescope " +
                     result.version + ", " + result.date + ", seed " + std::to_string(result.request.seed) + "\n";
  text += "file,line,space,kind,requests,lanes,sectors,useful_bytes,moved_bytes\n";
  for (const LineTraffic& line : result.traffic.lines)
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", line.file, line.line, name_of(line.space), name_of(line.kind),
                        line.requests, line.lanes, line.sectors, line.useful_bytes, line.moved_bytes());
  return text;
}

}  // namespace

Result<fs::path> free_file(const Request& request, const std::string& extension) {
  // The name of a user file's lab is the file's path.
  const std::string lab = request.own_lab ? fs::path(request.lab).stem().string() : request.lab;
  return free_file(lab + "-" + request.rung, extension);
}

Result<fs::path> free_file(const std::string& stem, const std::string& extension) {
  const auto folder = make_saved_files_folder();
  if (!folder) return tl::unexpected(folder.error());
  std::error_code ignored;
  for (int number = 1;; ++number) {
    const std::string name =
        number == 1 ? fmt::format("{}.{}", stem, extension) : fmt::format("{}-{}.{}", stem, number, extension);
    if (!fs::exists(*folder / name, ignored)) return *folder / name;
  }
}

void copy_command(Screen& screen) {
  const std::string line = reproducing_command(screen.session.request());
  ImGui::SetClipboardText(line.c_str());
  screen.show_message(screen.strings.format("status.copied", fmt::arg("line", line)));
}

void export_json(Screen& screen) {
  if (const auto result = screen.session.result())
    // The path of a user file may not be UTF-8.
    write_text(screen, "json", json_text(to_json(*result), 2) + "\n");
  else
    screen.show_message(screen.strings("status.nothing_to_save"));
}

void export_csv(Screen& screen) {
  if (const auto result = screen.session.result())
    write_text(screen, "csv", csv(*result));
  else
    screen.show_message(screen.strings("status.nothing_to_save"));
}

void export_png(Screen& screen) { screen.wants_picture = true; }

}  // namespace tilescope
