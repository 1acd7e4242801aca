#include "app/window/review_command.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/commands.hpp"
#include "app/recall/recall.hpp"
#include "app/recall/schedule.hpp"
#include "app/session/progress_file.hpp"
#include "app/window/settings.hpp"
#include "engine/json_text.hpp"
#include "engine/report/report.hpp"

namespace tilescope {
namespace {

using nlohmann::ordered_json;

constexpr int kFormat = 1;

struct LabRow {
  const Lab* lab = nullptr;
  size_t cards = 0, right_once = 0;
  DueCards due;
  std::vector<LabCard> waiting;  // due or new
};

std::vector<LabRow> rows_of(const Recall& recall, const ProgressByLab& learned) {
  std::vector<LabRow> rows;
  for (const Lab& lab : labs()) {
    const auto& cards = recall.cards_of(lab.name);
    if (cards.empty()) continue;
    LabRow row{.lab = &lab,
               .cards = cards.size(),
               .right_once = recall.right_once(learned, lab.name),
               .due = {},
               .waiting = {}};
    if (const auto progress = learned.find(lab.name); progress != learned.end()) row.due = recall.due({*progress});
    if (row.due.all() > 0)
      for (const ReviewCard& card : cards)
        if (is_due(record_of(learned, {&lab, &card}), recall.now())) row.waiting.push_back({&lab, &card});
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The text and its links as written; the answer is not printed.
ordered_json review_json(const Recall& recall, const ProgressByLab& learned, const std::vector<LabRow>& rows) {
  const DueCards due = recall.due(learned);
  ordered_json object{{"format", kFormat},
                      {"now", recall.now()},
                      {"due", due.due},
                      {"new", due.fresh},
                      {"next_due", recall.next_due(learned)},
                      {"labs", ordered_json::array()}};
  for (const LabRow& row : rows) {
    ordered_json waiting = ordered_json::array();
    for (const LabCard& one : row.waiting) {
      const CardRecord* record = record_of(learned, one);
      ordered_json card{{"id", one.card->id}, {"skill", one.card->skill}, {"question", one.card->question.en}};
      card["box"] = record != nullptr ? ordered_json(record->box) : ordered_json();
      card["due"] = record != nullptr ? ordered_json(record->due) : ordered_json();
      waiting.push_back(std::move(card));
    }
    object["labs"].push_back({{"name", row.lab->name},
                              {"cards", row.cards},
                              {"right_once", row.right_once},
                              {"due", row.due.due},
                              {"new", row.due.fresh},
                              {"waiting", std::move(waiting)}});
  }
  return object;
}

std::string review_text(const Recall& recall, const ProgressByLab& learned, const std::vector<LabRow>& rows) {
  std::string text = fmt::format("{:<20} {:>5} {:>5} {:>12}\n", "lab", "due", "new", "right once");
  for (const LabRow& row : rows)
    text += fmt::format("{:<20} {:>5} {:>5} {:>12}\n", row.lab->name, row.due.due, row.due.fresh,
                        fmt::format("{}/{}", row.right_once, row.cards));
  const DueCards due = recall.due(learned);
  text += fmt::format("{} due, {} new", due.due, due.fresh);
  const int64_t next = recall.next_due(learned);
  if (next > 0) text += fmt::format("; the next one in {:.1f} hours", static_cast<double>(next - recall.now()) / 3600);
  return text + "\n";
}

}  // namespace

int review_command(const Engine& engine, const ReviewOptions& options, std::ostream& out, std::ostream& problems) {
  const Recall recall(engine.root());
  for (const Error& one : recall.problems()) report_error(one, false, out, problems);
  const ProgressByLab learned = read_progress(user_settings_file());
  const auto rows = rows_of(recall, learned);
  out << (options.json ? json_text(review_json(recall, learned, rows), 2) + "\n" : review_text(recall, learned, rows));
  return recall.problems().empty() ? kClean : kMisbehaved;
}

}  // namespace tilescope
