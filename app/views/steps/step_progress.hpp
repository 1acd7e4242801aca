// Whether a step has been done, and what its question's answer is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/views/context.hpp"
#include "app/views/steps/lab_steps.hpp"

namespace tilescope {

/// Whether the condition holds in this frame. Conditions on the result hold only for one of the present request.
bool holds(const StepCondition& condition, const PanelContext& context);
/// Whether all of them hold and the result of the present request is shown.
bool is_done(const LabStep& step, const PanelContext& context);

/// Index of the right choice; nothing if the run has no answer to the question.
std::optional<size_t> right_choice(const LabStep& step, const RunResult* result);
/// "8", "0.5", or the text.
std::vector<std::string> choice_labels(const LabStep& step, const Strings& strings);

/// The tabs of the lower part by the names of `lower:`; nothing for an unknown one.
std::optional<BottomTab> bottom_tab_named(std::string_view name);

}  // namespace tilescope
