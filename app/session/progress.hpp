// What a learner has done in each lab. Opening a lab earns nothing: its parts are earned by reading the lesson,
// answering the questions, breaking the kernel and editing it. No ImGui.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lab.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

struct LabProgress {
  bool lesson_read = false;      // scrolled to its end
  std::set<int> predictions;     // questions that were answered, rightly or wrongly; indices into Lab::predicts
  std::set<std::string> broken;  // switches that were on, alone, in a run that showed what they break
  bool own_edit = false;         // an edited kernel ran and passed
  bool operator==(const LabProgress&) const = default;
};
using ProgressByLab = std::map<std::string, LabProgress>;

enum class ProgressPart { lesson, predictions, bugs, own_edit };

/// How much of a part is done: 0 ≤ done ≤ all, all ≥ 1.
struct PartDone {
  ProgressPart part = ProgressPart::lesson;
  size_t done = 0, all = 1;
  bool complete() const { return done == all; }
};
/// The parts that the lab has: none for predictions without questions, none for bugs without switches.
std::vector<PartDone> parts_of(const Lab& lab, const LabProgress& progress);
bool is_complete(const Lab& lab, const LabProgress& progress);
/// How many of the labs are complete.
size_t complete_labs(const ProgressByLab& progress);
/// The share of all parts of all labs, 0 … 1; a part that is half done counts half.
double share_done(const ProgressByLab& progress);

/// Notes what a finished run of the lab earned. `source` is the lab's kernel file as it ships: an edit that changes
/// only blanks and comments does not count.
void note_run(const Lab& lab, const RunResult& result, std::string_view source, LabProgress& progress);

}  // namespace tilescope
