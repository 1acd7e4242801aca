#include "app/window/progress_command.hpp"

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/commands.hpp"
#include "app/exercises/judge.hpp"
#include "app/session/progress_file.hpp"
#include "app/window/certificate.hpp"
#include "app/window/progress_report.hpp"
#include "app/window/settings.hpp"
#include "app/window/shell.hpp"
#include "engine/json_text.hpp"
#include "engine/report/report.hpp"
#include "engine/sha256.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// One accepted text of the file, judged again. Nothing: it holds; else why not.
std::optional<std::string> why_not(const std::shared_ptr<Engine>& engine, const ExerciseCatalogue& catalogue,
                                   const nlohmann::json& one) {
  const auto& accepted = one["accepted"];
  const std::string name = one.value("name", std::string()), text = accepted.value("text", std::string());
  const Exercise* exercise = catalogue.find(name);
  if (exercise == nullptr) return "there is no such exercise here";
  if (sha256_of(text) != accepted.value("sha256", std::string())) return "its text is not the one that was exported";
  const Judgement judgement = judge(engine, *exercise, {.file = accepted.value("file", std::string()), .text = text},
                                    {.stop = {}, .progress = {}});
  if (judgement.verdict != Judgement::Verdict::refused) return std::nullopt;
  return "refused (" + judgement.reason + ")";
}

int verify(const std::shared_ptr<Engine>& engine, const ExerciseCatalogue& catalogue, const std::string& file,
           std::ostream& out, std::ostream& problems) {
  const auto text = read_text(file);
  if (!text) return report_error(make_error(ErrorId::file_not_found, file, std::strerror(errno)), false, out, problems);
  const auto all = json_from(*text);
  const bool good = all.is_object() && all.value("format", nlohmann::json()) == kProgressReportFormat &&
                    all.contains("exercises") && all["exercises"].is_array();
  if (!good)
    return report_error(make_error(ErrorId::file_refused, file, phrase("it is no progress that Tilescope exported")),
                        false, out, problems);
  size_t held = 0, judged = 0;
  for (const auto& one : all["exercises"]) {
    if (!one.is_object() || !one.contains("accepted") || !one["accepted"].is_object()) continue;
    ++judged;
    const auto problem = why_not(engine, catalogue, one);
    held += problem ? 0 : 1;
    out << fmt::format("{:<28} {}\n", one.value("name", std::string()), problem.value_or("holds"));
  }
  out << fmt::format("{} of {} accepted texts hold\n", held, judged);
  return held == judged ? kClean : kMisbehaved;
}

}  // namespace

int progress_command(const std::shared_ptr<Engine>& engine, const ProgressOptions& options, std::ostream& out,
                     std::ostream& problems) {
  const ExerciseCatalogue catalogue = read_exercises(engine->root());
  if (!options.verify.empty()) return verify(engine, catalogue, options.verify, out, problems);
  const fs::path settings = user_settings_file();
  const Recall recall(engine->root());
  const ProgressReport report =
      report_of(engine->root(), read_progress(settings), recall, catalogue, settings.parent_path() / "exercises");
  if (!options.certificate.empty()) {
    const auto language = options.language == "zh" ? Language::zh : Language::en;
    auto shell = Shell::open(engine, {.visible = false});
    if (!shell) return report_error(shell.error(), false, out, problems);
    if (auto saved = save_certificate(**shell, report, {options.name, language}, options.certificate); !saved)
      return report_error(saved.error(), false, out, problems);
    out << options.certificate << "\n";
    return kClean;
  }
  out << (options.json ? json_text(to_json(report), 2) + "\n" : to_text(report));
  return kClean;
}

}  // namespace tilescope
