// The marks of labs (app/session/progress.hpp) with what exercises and review cards add to them.
#pragma once

#include <functional>
#include <string>

#include "app/views/context.hpp"

namespace tilescope {

struct ExerciseCatalogue;  // app/exercises/exercise.hpp

/// `is_correct`: whether the judge found all cases of the exercise correct. A null recall or catalogue adds nothing.
LabExtras extras_of(const Lab& lab, const ProgressByLab& progress, const Recall* recall,
                    const ExerciseCatalogue* catalogue, const std::function<bool(const std::string&)>& is_correct);
/// In the window.
LabExtras extras_of(const PanelContext& context, const Lab& lab);

}  // namespace tilescope
