// Values of the current run inside a lesson: "{{blocks}}" in its text becomes what the newest result observed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/views/lesson/lesson_document.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// The value of one name, as text with thousands separators; nothing for a name that is not known.
///
///     n, BLOCK, …       sizes and parameters        blocks, threads, warps_per_block      the launch
///     idle_threads      masked off at every store   bytes_moved, sectors, requests        global memory, counted
std::optional<std::string> live_value(std::string_view name, const RunResult& result);

/// Whether a block has values; they are shown with the badge of where they come from.
bool has_live_values(const LessonBlock& block);

/// Every "{{name}}" replaced; without a result, and for unknown names, by an en dash.
LessonSpans with_live_values(const LessonSpans& spans, const RunResult* result);

}  // namespace tilescope
