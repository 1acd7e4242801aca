// Describes a step in a sentence.
#include <bit>

#include "app/draw/sentences.hpp"
#include "app/views/step/step_view.hpp"
#include "engine/run/record_steps.hpp"

namespace tilescope {
namespace {

std::string lanes_count(const Strings& strings, uint32_t lanes) {
  const int count = std::popcount(lanes);
  return strings.format(count == 1 ? "step.one_lane" : "step.count_lanes", fmt::arg("count", count));
}

/// "a[54,880 … 54,911]", "shared memory".
std::string place_text(const StepFrame& frame) {
  const Strings& strings = frame.context.strings;
  const StepInstruction& instruction = frame.instruction();
  const auto addresses = frame.record().addresses_at(frame.step_number);
  const uint32_t lanes = frame.step().executed;
  if (!addresses || lanes == 0) return strings("step.memory");
  std::optional<AddressPlace> first;
  int64_t low = 0, high = 0;
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const AddressPlace place =
        place_of_address(*frame.context.result, (*addresses)[static_cast<size_t>(std::countr_zero(left))],
                         instruction.bytes_per_lane, instruction.space);
    if (!first) {
      first = place;
      low = high = place.element;
    }
    if (place.buffer != first->buffer) return strings("step.memory");
    low = std::min(low, place.element);
    high = std::max(high, place.element);
  }
  if (first->buffer < 0 && first->space == Space::shared) {
    const auto from = shared_place(frame.record(), low, instruction.bytes_per_lane),
               to = shared_place(frame.record(), high, instruction.bytes_per_lane);
    if (from && to && from->variable == to->variable)
      return from->variable->name + "[" +
             (low == high ? with_separators(from->element)
                          : with_separators(from->element) + " … " + with_separators(to->element)) +
             "]";
  }
  if (first->buffer < 0)
    return strings(first->space == Space::shared  ? "step.shared_memory"
                   : first->space == Space::local ? "step.local_memory"
                                                  : "step.memory");
  const std::string& name = frame.context.result->plan.buffers[static_cast<size_t>(first->buffer)].name;
  return name + "[" + (low == high ? with_separators(low) : with_separators(low) + " … " + with_separators(high)) + "]";
}

std::string barrier_finding(const StepFrame& frame) {
  const Strings& strings = frame.context.strings;
  const StepWarpState now = frame.record().state_at(frame.warp, frame.step_number);
  if (now.state == StepWarpState::State::at_barrier)
    return strings.format("step.says_waits", fmt::arg("warp", frame.warp),
                          fmt::arg("barrier", static_cast<int>(now.barrier)));
  const Step& step = frame.step();
  uint32_t still = 0;  // lanes that keep waiting while others of their warp continue
  if (frame.position + 1 < frame.index.count(frame.warp))
    for (const StepPath& path : frame.record().paths_of(frame.index.at(frame.warp, frame.position + 1)))
      if (path.state == StepPath::State::at_barrier) still |= path.lanes & step.waits;
  if (still != 0) return strings.format("step.says_lanes_wait", fmt::arg("lanes", lanes_count(strings, still)));
  return strings.format(step.waits != 0 ? "step.says_opens" : "step.says_arrives", fmt::arg("warp", frame.warp));
}

std::string finding_of(const StepFrame& frame) {
  const Strings& strings = frame.context.strings;
  const Step& step = frame.step();
  const std::string lanes = lanes_count(strings, step.executed);
  const auto says = [&](const char* key) {
    return strings.format(key, fmt::arg("lanes", lanes), fmt::arg("where", place_text(frame)));
  };
  if (step.executed == 0) return strings("step.says_nobody");
  const StepInstruction& instruction = frame.instruction();
  switch (instruction.role) {
    case StepRole::load:
      if (instruction.is_memory) return says("step.says_read");
      break;
    case StepRole::store:
      if (instruction.is_memory) return says("step.says_write");
      break;
    case StepRole::atomic:
      if (instruction.is_memory) return says("step.says_update");
      break;
    case StepRole::barrier:
      return barrier_finding(frame);
    case StepRole::branch:
      return strings.format("step.says_branch", fmt::arg("lanes", lanes),
                            fmt::arg("active", std::popcount(step.active)));
    case StepRole::exit:
      return says("step.says_leave");
    case StepRole::other:
      break;
  }
  if (step.waits != 0) return says("step.says_wait_for_lanes");
  if (instruction.writes.empty()) return says("step.says_execute");
  std::string names;
  for (const StepOperand& operand : instruction.writes)
    names += (names.empty() ? "" : ", ") + frame.index.register_text(operand.reg, /*both=*/true);
  return strings.format("step.says_compute", fmt::arg("lanes", lanes), fmt::arg("registers", names));
}

/// Why not all lanes of the warp take part.
std::string reason_of(const StepFrame& frame) {
  const Strings& strings = frame.context.strings;
  const Step& step = frame.step();
  uint32_t elsewhere = 0;
  for (const StepPath& path : frame.record().paths_of(step)) elsewhere |= path.lanes;
  std::string text;
  const auto add = [&](const std::string& sentence) {
    if (!text.empty() && strings.language == Language::en) text += " ";
    text += sentence;
  };
  const uint32_t held = step.active & ~step.executed;
  const bool branches = frame.instruction().role == StepRole::branch;
  if (held != 0 && !branches) add(strings.format("step.because_guard", fmt::arg("lanes", lanes_count(strings, held))));
  if (elsewhere != 0) add(strings.format("step.because_elsewhere", fmt::arg("lanes", lanes_count(strings, elsewhere))));
  const uint32_t gone = frame.record().lanes_of(frame.warp) & ~step.active & ~elsewhere;
  if (gone != 0) add(strings.format("step.because_left", fmt::arg("lanes", lanes_count(strings, gone))));
  return text;
}

}  // namespace

StepSentence step_sentence(const StepFrame& frame) {
  const Strings& strings = frame.context.strings;
  StepSentence said;
  said.finding = finding_of(frame);
  said.reason = reason_of(frame);
  const uint32_t line = frame.instruction().line;
  std::string zeros;  // buffers that earlier launches would have written
  for (const size_t buffer : buffers_not_computed(*frame.context.result, frame.record().launch))
    zeros += (zeros.empty() ? "" : ", ") + frame.context.result->plan.buffers[buffer].name;
  if (!zeros.empty())
    said.reason += (said.reason.empty() || strings.language != Language::en ? "" : " ") +
                   strings.format("step.not_computed", fmt::arg("buffers", zeros));
  said.quiet = strings.format(line != 0 ? "step.where" : "step.where_without_line", fmt::arg("warp", frame.warp),
                              fmt::arg("line", line));
  if (const StepMark* mark = frame.index.mark_at(frame.warp, frame.position)) {
    said.warning = strings.format(std::popcount(mark->lanes) == 1 ? "step.found" : "step.found_many",
                                  fmt::arg("id", finding_name(strings, mark->id)),
                                  fmt::arg("what", with_short_name(sentence(strings, mark->what), mark->other_file)),
                                  fmt::arg("lanes", lanes_text(mark->lanes)));
  }
  return said;
}

}  // namespace tilescope
