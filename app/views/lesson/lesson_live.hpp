// Values of the current run inside a lesson: "{{blocks}}" in its text is replaced by what the newest result observed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/views/lesson/lesson_document.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// A value of the run (app/observed/run_values.hpp), or last_wave, the blocks of the last wave, as text with thousands
/// separators; nothing for an unknown name.
std::optional<std::string> live_value(std::string_view name, const RunResult& result);

/// Whether a block contains values; they are shown with the badge of their source.
bool has_live_values(const LessonBlock& block);

/// Replaces every "{{name}}"; without a result, and for unknown names, by an en dash.
LessonSpans with_live_values(const LessonSpans& spans, const RunResult* result);

}  // namespace tilescope
