#include "app/recall/recall.hpp"

#include <algorithm>
#include <chrono>

#include "app/recall/schedule.hpp"

namespace tilescope {
namespace {

int64_t system_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Whether the lab's cards are asked at all.
bool has_begun(const ProgressByLab& progress, const std::string& lab) {
  const auto found = progress.find(lab);
  return found != progress.end() &&
         (found->second.lesson_read || found->second.cards_opened || !found->second.cards.empty());
}

}  // namespace

const CardRecord* record_of(const ProgressByLab& progress, const LabCard& card) {
  const auto lab = progress.find(card.lab->name);
  if (lab == progress.end()) return nullptr;
  const auto record = lab->second.cards.find(card.card->id);
  return record != lab->second.cards.end() ? &record->second : nullptr;
}

double worth_of_box(int box) { return box <= 0 ? 0 : std::min(0.4 + 0.1 * box, 1.0); }

Recall::Recall(const std::filesystem::path& root) : clock(system_seconds) {
  if (auto skills = read_skills(root / "assets/skills.toml"))
    skills_ = std::move(*skills);
  else
    problems_.push_back(skills.error());
  std::error_code absent;
  for (const Lab& lab : labs()) {
    const auto file = root / "docs/labs/review" / (lab.name + ".toml");
    if (!std::filesystem::exists(file, absent)) continue;
    if (auto cards = read_cards(file))
      cards_[lab.name] = std::move(*cards);
    else
      problems_.push_back(cards.error());
  }
}

const Skill* Recall::find_skill(const std::string& id) const {
  const auto found = std::ranges::find(skills_, id, &Skill::id);
  return found != skills_.end() ? &*found : nullptr;
}

const std::vector<ReviewCard>& Recall::cards_of(const std::string& lab) const {
  static const std::vector<ReviewCard> none;
  const auto found = cards_.find(lab);
  return found != cards_.end() ? found->second : none;
}

std::vector<LabCard> Recall::cards() const {
  std::vector<LabCard> all;
  for (const Lab& lab : labs())
    for (const ReviewCard& card : cards_of(lab.name)) all.push_back({&lab, &card});
  return all;
}

DueCards Recall::due(const ProgressByLab& progress) const {
  DueCards count;
  const int64_t at = now();
  for (const LabCard& one : cards()) {
    if (!has_begun(progress, one.lab->name)) continue;
    const CardRecord* record = record_of(progress, one);
    if (record == nullptr)
      ++count.fresh;
    else if (is_due(record, at))
      ++count.due;
  }
  return count;
}

std::vector<LabCard> Recall::session(const ProgressByLab& progress) const {
  std::vector<LabCard> due, fresh;
  const int64_t at = now();
  for (const LabCard& one : cards()) {
    if (!has_begun(progress, one.lab->name)) continue;
    const CardRecord* record = record_of(progress, one);
    if (record == nullptr)
      fresh.push_back(one);
    else if (is_due(record, at))
      due.push_back(one);
  }
  std::ranges::stable_sort(due, {}, [&](const LabCard& one) { return record_of(progress, one)->due; });
  due.insert(due.end(), fresh.begin(), fresh.end());
  if (due.size() > kSession) due.resize(kSession);
  return due;
}

int64_t Recall::next_due(const ProgressByLab& progress) const {
  int64_t next = 0;
  const int64_t at = now();
  for (const LabCard& one : cards()) {
    const CardRecord* record = record_of(progress, one);
    if (record != nullptr && !is_due(record, at) && (next == 0 || record->due < next)) next = record->due;
  }
  return next;
}

size_t Recall::right_once(const ProgressByLab& progress, const std::string& lab) const {
  const Lab* known = find_lab(lab);
  if (known == nullptr) return 0;
  return static_cast<size_t>(std::ranges::count_if(cards_of(lab), [&](const ReviewCard& card) {
    const CardRecord* record = record_of(progress, {known, &card});
    return record != nullptr && record->was_right();
  }));
}

std::vector<Strength> Recall::strengths(const ProgressByLab& progress,
                                        const std::function<bool(const std::string&)>& is_done) const {
  std::vector<Strength> all;
  all.reserve(skills_.size());
  std::map<std::string, Strength*> by_id;
  for (const Skill& skill : skills_) by_id[skill.id] = &all.emplace_back(Strength{.skill = &skill});
  const int64_t at = now();
  for (const LabCard& one : cards()) {
    const auto found = by_id.find(one.card->skill);
    if (found == by_id.end()) continue;
    Strength& strength = *found->second;
    ++strength.cards;
    const CardRecord* record = record_of(progress, one);
    if (record == nullptr) continue;
    strength.value += worth_of_box(record->box);
    strength.cards_right += record->box > 0 ? 1 : 0;
    strength.due += is_due(record, at) ? 1 : 0;
  }
  for (Strength& strength : all) {
    strength.exercises = strength.skill->exercises.size();
    strength.exercises_done = static_cast<size_t>(std::ranges::count_if(strength.skill->exercises, is_done));
    strength.value += static_cast<double>(strength.exercises_done);
    const size_t parts = strength.cards + strength.exercises;
    strength.value = parts > 0 ? strength.value / static_cast<double>(parts) : 0;
  }
  return all;
}

}  // namespace tilescope
