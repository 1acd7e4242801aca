#include "app/session/progress.hpp"

#include <algorithm>

#include "engine/compile/source_tokens.hpp"

namespace tilescope {
namespace {

bool same_tokens(std::string_view one, std::string_view other) {
  return std::ranges::equal(source_tokens(one), source_tokens(other), {}, &SourceToken::text, &SourceToken::text);
}

/// A switch that breaks the result counts if the result is wrong; one that only slows the kernel down counts in any run
/// whose counters show it.
bool shows_the_bug(const BreakIt& one, const RunResult& result) {
  if (!one.concerns(result.rung)) return false;
  if (one.only_slower) return result.observed;
  const bool wrong = !result.correctness.empty() && !result.passed();
  return wrong || !result.findings.empty();
}

const LabProgress& progress_of(const ProgressByLab& progress, const Lab& lab) {
  static const LabProgress none;
  const auto found = progress.find(lab.name);
  return found != progress.end() ? found->second : none;
}

}  // namespace

const Guess* LabProgress::guess_at(const std::string& question, const std::vector<int64_t>& choices,
                                   int64_t answer) const {
  const auto found = guesses.find(question);
  if (found == guesses.end()) return nullptr;
  for (const Guess& guess : found->second)
    if (guess.choices == choices && guess.answer == answer) return &guess;
  return nullptr;
}

bool CardRecord::is_consistent() const {
  return box >= 0 && box <= kLastBox && tries >= 1 && right >= 0 && right <= tries && (box == 0 || right > 0) &&
         answered >= 0 && due >= answered;
}

Score score_of(const LabProgress& progress) {
  Score score;
  for (const auto& [question, guesses] : progress.guesses) {
    score.all += guesses.size();
    score.right += static_cast<size_t>(std::ranges::count_if(guesses, &Guess::right));
  }
  return score;
}

Score score_of(const ProgressByLab& progress) {
  Score score;
  for (const auto& [name, lab] : progress) {
    const Score one = score_of(lab);
    score.right += one.right;
    score.all += one.all;
  }
  return score;
}

void add_progress(ProgressByLab& into, const ProgressByLab& other) {
  for (const auto& [name, theirs] : other) {
    LabProgress& ours = into[name];
    ours.lesson_read |= theirs.lesson_read;
    ours.own_edit |= theirs.own_edit;
    ours.cards_opened |= theirs.cards_opened;
    ours.predictions.insert(theirs.predictions.begin(), theirs.predictions.end());
    ours.broken.insert(theirs.broken.begin(), theirs.broken.end());
    for (const auto& [question, guesses] : theirs.guesses)
      for (const Guess& guess : guesses)
        if (ours.guess_at(question, guess.choices, guess.answer) == nullptr) ours.guesses[question].push_back(guess);
    for (const std::string& question : theirs.skipped)
      if (!ours.guesses.contains(question)) ours.skipped.insert(question);
    for (const auto& [id, step] : theirs.steps)
      if (DoneStep& mark = ours.steps[id]; !mark.answered()) mark = step;
    for (const auto& [id, card] : theirs.cards)
      if (const auto known = ours.cards.find(id); known == ours.cards.end() || known->second.answered < card.answered)
        ours.cards[id] = card;
  }
}

std::vector<PartDone> parts_of(const Lab& lab, const LabProgress& progress, const LabExtras& extras) {
  std::vector<PartDone> parts{{ProgressPart::lesson, progress.lesson_read ? 1U : 0U, 1}};
  if (const size_t all = lab.predicts.size(); all > 0) {
    const auto known = [all](int question) { return question >= 0 && static_cast<size_t>(question) < all; };
    parts.push_back(
        {ProgressPart::predictions, static_cast<size_t>(std::ranges::count_if(progress.predictions, known)), all});
  }
  if (const size_t all = lab.break_it.size(); all > 0) {
    const auto seen = [&](const BreakIt& one) { return progress.broken.contains(one.name); };
    parts.push_back({ProgressPart::bugs, static_cast<size_t>(std::ranges::count_if(lab.break_it, seen)), all});
  }
  if (extras.exercises > 0)
    parts.push_back({ProgressPart::exercises, extras.exercises_correct, extras.exercises});
  else
    parts.push_back({ProgressPart::own_edit, progress.own_edit ? 1U : 0U, 1});
  if (extras.cards > 0) parts.push_back({ProgressPart::review, extras.cards_right, extras.cards});
  return parts;
}

MarksTotal total_of(const ProgressByLab& progress, const ExtrasOf& extras) {
  MarksTotal total;
  for (const Lab& lab : labs()) {
    const std::vector<PartDone> parts = parts_of(lab, progress_of(progress, lab), extras(lab));
    const auto earned = static_cast<size_t>(std::ranges::count_if(parts, &PartDone::complete));
    ++total.labs;
    total.complete_labs += earned == parts.size() ? 1 : 0;
    total.marks += parts.size();
    total.earned += earned;
    for (const PartDone& part : parts) total.share += static_cast<double>(part.done) / static_cast<double>(part.all);
  }
  if (total.marks > 0) total.share /= static_cast<double>(total.marks);
  return total;
}

void note_run(const Lab& lab, const RunResult& result, std::string_view source, LabProgress& progress) {
  const Request& request = result.request;
  // With two switches on, it is unknown which one broke the result.
  if (request.broken.size() == 1 && !request.edited_source)
    for (const BreakIt& one : lab.break_it)
      if (one.name == request.broken.front() && shows_the_bug(one, result)) progress.broken.insert(one.name);
  if (request.broken.empty() && request.edited_source && result.passed() && result.findings.empty() &&
      !same_tokens(*request.edited_source, source))
    progress.own_edit = true;
}

}  // namespace tilescope
