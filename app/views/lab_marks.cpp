#include "app/views/lab_marks.hpp"

#include "app/recall/recall.hpp"
#include "app/workshop/workshop.hpp"

namespace tilescope {

LabExtras extras_of(const Lab& lab, const ProgressByLab& progress, const Recall* recall,
                    const ExerciseCatalogue* catalogue, const std::function<bool(const std::string&)>& is_correct) {
  LabExtras extras;
  if (recall != nullptr) {
    extras.cards = recall->cards_of(lab.name).size();
    extras.cards_right = recall->right_once(progress, lab.name);
  }
  if (catalogue == nullptr) return extras;
  for (const Exercise& one : catalogue->exercises) {
    if (one.lab != lab.name) continue;
    ++extras.exercises;
    extras.exercises_correct += is_correct(one.name) ? 1 : 0;
  }
  return extras;
}

LabExtras extras_of(const PanelContext& context, const Lab& lab) {
  const Workshop* workshop = context.workshop;
  return extras_of(
      lab, context.session.learned, context.recall, workshop != nullptr ? &workshop->catalogue() : nullptr,
      [workshop](const std::string& exercise) { return workshop->record(exercise).state >= ExerciseState::correct; });
}

}  // namespace tilescope
