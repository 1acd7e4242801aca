#include "app/views/step/step_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/draw/sentences.hpp"
#include "app/observed/trace_index.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = (bits >> 15) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}
double bfloat_value(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

int64_t sign_extended(uint64_t bits, uint32_t bytes) {
  const int shift = 64 - 8 * static_cast<int>(std::min(bytes, 8U));
  return static_cast<int64_t>(bits << shift) >> shift;
}

/// As many digits as fit; a whole number has no decimal point.
std::string real_text(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  std::string text = fmt::format("{:.{}g}", value, std::max(1, digits));
  for (int fewer = digits - 1; fewer > 0 && static_cast<int>(text.size()) > digits + 2; --fewer)
    text = fmt::format("{:.{}g}", value, fewer);
  // "1e-05" → "1e-5"
  if (const size_t e = text.find('e'); e != std::string::npos && e + 2 < text.size() && text[e + 2] == '0')
    text.erase(e + 2, 1);
  if (const size_t plus = text.find("e+"); plus != std::string::npos) text.erase(plus + 1, 1);
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

std::string whole_text(int64_t value, int digits) {
  std::string text = with_separators(value);
  if (static_cast<int>(text.size()) > digits + 4) text = fmt::format("{}", value);
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

/// The number that the bits represent; nothing if they hold two numbers.
std::optional<double> real_value(uint64_t bits, uint32_t bytes, ValueKind kind) {
  if (kind == ValueKind::f16x2 || kind == ValueKind::bf16x2) return {};
  if (kind == ValueKind::bf16) return bfloat_value(static_cast<uint16_t>(bits));
  if (bytes == 8) return std::bit_cast<double>(bits);
  if (bytes == 4) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return half_value(static_cast<uint16_t>(bits));
}

std::string real_of(uint64_t bits, uint32_t bytes, ValueKind kind, int digits, std::optional<int> decimals) {
  const auto value = real_value(bits, bytes, kind);
  if (!value) {
    const auto half = kind == ValueKind::f16x2 ? half_value : bfloat_value;
    const int each = std::max(2, digits / 2 - 1);
    return real_text(half(static_cast<uint16_t>(bits)), each) + " " +
           real_text(half(static_cast<uint16_t>(bits >> 16)), each);
  }
  if (!decimals || !std::isfinite(*value)) return real_text(*value, digits);
  if (*value != 0 && std::abs(*value) < std::pow(10.0, -*decimals)) return real_text(*value, 2);
  std::string text = fmt::format("{:.{}f}", *value, *decimals);
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

bool is_real(ValueKind kind) {
  return kind == ValueKind::f16 || kind == ValueKind::bf16 || kind == ValueKind::f32 || kind == ValueKind::f64 ||
         kind == ValueKind::f16x2 || kind == ValueKind::bf16x2;
}

}  // namespace

StepIndex::StepIndex(std::shared_ptr<const StepRecord> record, const std::shared_ptr<const RunResult>& result)
    : record_(std::move(record)), stops_(record_->warps), marks_(record_->warps), accesses_(record_->warps) {
  for (uint32_t warp = 0; warp < record_->warps; ++warp) find_stops(warp);
  names_ = register_variables(*record_, result->plan.source_text, result->plan.source_file);
  find_marks(*result);
  const auto& trace = result->trace;
  for (uint32_t i = 0; i < trace.accesses.size(); ++i) {
    const Access& access = trace.accesses[i];
    if (access.block != record_->block || access.warp >= record_->warps) continue;
    if (trace.sites[access.site].launch != record_->launch) continue;
    auto& own = accesses_[access.warp];
    if (own.size() <= access.sequence) own.resize(access.sequence + size_t{1}, Step::kNone);
    own[access.sequence] = i;
  }
}

void StepIndex::find_stops(uint32_t warp) {
  const uint64_t steps = count(warp);
  for (uint64_t position = 0; position < steps; ++position) {
    const Step& step = at(warp, position);
    if (instruction(step).role == StepRole::barrier) stops_[warp].push_back(position);
    if (position == 0) continue;
    // A backward jump by lanes of the previous path, not a switch to a different path.
    const Step& before = at(warp, position - 1);
    const bool closes = instruction(before).role == StepRole::branch && step.instruction <= before.instruction;
    if (closes && (step.active & before.active) != 0 && (stops_[warp].empty() || stops_[warp].back() != position))
      stops_[warp].push_back(position);
  }
}

void StepIndex::add_mark(uint32_t warp, StepMark mark) {
  auto& marks = marks_[warp];
  for (StepMark& known : marks)
    if (known.position == mark.position && known.id == mark.id) {
      known.lanes |= mark.lanes;
      return;
    }
  marks.push_back(std::move(mark));
}

void StepIndex::find_marks(const RunResult& result) {
  for (const StepFinding& finding : record_->findings)
    if (finding.step != Step::kNone)
      add_mark(
          finding.warp,
          {.position = position_of(finding.step), .id = finding.id, .what = finding.what, .lanes = 1U << finding.lane});
  // Findings known only at the end of the block, mainly races, are located by line and thread.
  for (const Finding& finding : result.findings) {
    if (finding.launch != record_->launch || finding.line == 0) continue;
    if (block_of(finding, record_->grid) != record_->block) continue;
    const Dim3& extent = record_->block_extent;
    const uint32_t thread = (finding.thread.z * extent.y + finding.thread.y) * extent.x + finding.thread.x;
    const uint32_t warp = thread / 32, lane = thread % 32;
    if (warp >= record_->warps) continue;
    const auto known = [&](const StepMark& mark) { return mark.id == finding.id; };
    if (std::ranges::any_of(marks_[warp], known)) continue;
    std::optional<uint64_t> found;
    for (uint64_t position = 0; position < count(warp); ++position) {
      const Step& step = at(warp, position);
      if (instruction(step).line != finding.line || (step.executed >> lane & 1) == 0) continue;
      found = position;
      if (instruction(step).is_memory) break;
    }
    if (found)
      add_mark(warp, {.position = *found,
                      .id = finding.id,
                      .what = facts_of(finding),
                      .other_file = finding.other_file,
                      .lanes = 1U << lane});
  }
  for (auto& marks : marks_)
    std::ranges::stable_sort(marks, [](const StepMark& a, const StepMark& b) { return a.position < b.position; });
}

const StepMark* StepIndex::mark_at(uint32_t warp, uint64_t position) const {
  const auto found = std::ranges::find(marks_[warp], position, &StepMark::position);
  return found == marks_[warp].end() ? nullptr : &*found;
}

std::optional<std::pair<uint32_t, uint64_t>> StepIndex::first_mark() const {
  std::optional<std::pair<uint32_t, uint64_t>> first;
  uint32_t earliest = Step::kNone;
  for (uint32_t warp = 0; warp < record_->warps; ++warp) {
    if (marks_[warp].empty()) continue;
    const uint32_t step = step_at(warp, marks_[warp].front().position);
    if (step >= earliest) continue;
    earliest = step;
    first = {warp, marks_[warp].front().position};
  }
  return first;
}

uint32_t StepIndex::step_at(uint32_t warp, uint64_t position) const {
  const auto steps = record_->steps_of(warp);
  return steps[static_cast<size_t>(std::min<uint64_t>(position, steps.size() - 1))];
}

std::string StepIndex::register_text(uint32_t reg, bool both) const {
  const std::string& own = record_->registers[reg].name;
  const std::string& variable = names_[reg].variable;
  if (variable.empty()) return own;
  return both ? fmt::format("{} ({})", variable, own) : variable;
}

uint64_t StepIndex::position_of(uint32_t step) const {
  const auto steps = record_->steps_of(record_->steps[step].warp);
  return static_cast<uint64_t>(std::ranges::lower_bound(steps, step) - steps.begin());
}

uint64_t StepIndex::next_line(uint32_t warp, uint64_t position) const {
  const uint32_t line = line_at(warp, position);
  for (uint64_t next = position + 1; next < count(warp); ++next)
    if (line_at(warp, next) != line && line_at(warp, next) != 0) return next;
  return position;
}

uint64_t StepIndex::previous_line(uint32_t warp, uint64_t position) const {
  uint64_t at_line = position;
  while (at_line > 0 && line_at(warp, at_line) == line_at(warp, position)) --at_line;
  if (line_at(warp, at_line) == line_at(warp, position)) return 0;
  // Go to the start of the previous line.
  const uint32_t line = line_at(warp, at_line);
  while (at_line > 0 && line_at(warp, at_line - 1) == line) --at_line;
  return at_line;
}

uint64_t StepIndex::next_stop(uint32_t warp, uint64_t position) const {
  const auto& stops = stops_[warp];
  const auto next = std::ranges::upper_bound(stops, position);
  return next != stops.end() ? *next : std::max<uint64_t>(count(warp), 1) - 1;
}

uint64_t StepIndex::previous_stop(uint32_t warp, uint64_t position) const {
  const auto& stops = stops_[warp];
  const auto here = std::ranges::lower_bound(stops, position);
  return here != stops.begin() ? *(here - 1) : 0;
}

std::optional<uint64_t> StepIndex::find_line(uint32_t warp, uint64_t from, uint32_t line) const {
  const uint64_t steps = count(warp);
  for (uint64_t k = 0; k < steps; ++k)
    if (const uint64_t position = (from + k) % steps; line_at(warp, position) == line) return position;
  return {};
}

std::optional<uint64_t> StepIndex::find_instruction(uint32_t warp, uint64_t from, uint32_t wanted) const {
  const uint64_t steps = count(warp);
  for (uint64_t k = 0; k < steps; ++k)
    if (const uint64_t position = (from + k) % steps; at(warp, position).instruction == wanted) return position;
  return {};
}

std::optional<uint32_t> StepIndex::access_of(const Step& step) const {
  const auto& own = accesses_[step.warp];
  if (step.access >= own.size() || own[step.access] == Step::kNone) return {};
  return own[step.access];
}

std::optional<std::pair<uint32_t, uint64_t>> StepIndex::place_of_access(const Access& access) const {
  if (access.block != record_->block || access.warp >= record_->warps) return {};
  const uint64_t steps = count(access.warp);
  for (uint64_t position = 0; position < steps; ++position)
    if (at(access.warp, position).access == access.sequence) return {{access.warp, position}};
  return {};
}

std::array<LaneState, 32> lane_states(const StepRecord& record, const Step& step) {
  uint32_t elsewhere = 0, waits = 0;
  for (const StepPath& path : record.paths_of(step))
    (path.state == StepPath::State::pending ? elsewhere : waits) |= path.lanes;
  std::array<LaneState, 32> states{};
  for (size_t lane = 0; lane < 32; ++lane) {
    const auto is = [&](uint32_t lanes) { return (lanes >> lane & 1) != 0; };
    states[lane] = is(step.executed) ? LaneState::executes
                   : is(step.active) ? LaneState::guarded_off
                   : is(waits)       ? LaneState::waits
                   : is(elsewhere)   ? LaneState::elsewhere
                                     : LaneState::left;
  }
  return states;
}

std::optional<int> common_decimals(const LaneValues& values, uint32_t lanes, uint32_t bytes, ValueKind kind,
                                   StepFormat format, int digits) {
  const bool shown = format == StepFormat::real || (format == StepFormat::automatic && is_real(kind));
  if (!shown || bytes == 0 || bytes > 8) return {};
  double largest = 0;
  bool whole = true;
  for (uint32_t left = lanes & values.known(); left != 0; left &= left - 1) {
    const auto value = real_value(values.bits(std::countr_zero(left)), bytes, kind);
    if (!value) return {};
    if (!std::isfinite(*value)) continue;
    largest = std::max(largest, std::abs(*value));
    whole = whole && *value == std::floor(*value);
  }
  if (largest >= std::pow(10.0, digits) || (largest != 0 && largest < 1e-3)) return {};
  if (whole) return 0;
  const int before_point = largest < 1 ? 1 : 1 + static_cast<int>(std::floor(std::log10(largest)));
  return std::clamp(digits - before_point, 0, 6);
}

std::string value_text(uint64_t bits, uint64_t high, uint32_t bytes, ValueKind kind, StepFormat format, int digits,
                       std::optional<int> decimals) {
  if (bytes == 0) return bits != 0 ? "1" : "0";
  if (bytes == 16) return fmt::format("0x{:016x}{:016x}", high, bits);
  const bool hexadecimal = format == StepFormat::hexadecimal ||
                           (format == StepFormat::automatic && (kind == ValueKind::bits || kind == ValueKind::address));
  if (hexadecimal) {
    // Small numbers are easier to read without leading zeros.
    if (format == StepFormat::automatic && bits < 10) return fmt::format("{}", bits);
    return bytes == 8 ? fmt::format("{:#x}", bits) : fmt::format("0x{:0{}x}", bits, 2 * bytes);
  }
  if (format == StepFormat::real || (format == StepFormat::automatic && is_real(kind)))
    return real_of(bits, bytes, kind, digits, decimals);
  if (kind == ValueKind::unsigned_integer && (bits >> 63) == 0) return whole_text(static_cast<int64_t>(bits), digits);
  if (kind == ValueKind::unsigned_integer) return fmt::format("{}", bits);
  return whole_text(sign_extended(bits, bytes), digits);
}

std::string kind_text(const StepRegister& reg, ValueKind kind) {
  const uint32_t width = reg.bytes * 8;
  switch (kind) {
    case ValueKind::predicate:
      return "pred";
    case ValueKind::unsigned_integer:
      return fmt::format("u{}", width);
    case ValueKind::signed_integer:
      return fmt::format("s{}", width);
    case ValueKind::f16:
      return "f16";
    case ValueKind::bf16:
      return "bf16";
    case ValueKind::f32:
      return "f32";
    case ValueKind::f64:
      return "f64";
    case ValueKind::f16x2:
      return "f16×2";
    case ValueKind::bf16x2:
      return "bf16×2";
    default:
      return fmt::format("b{}", width);
  }
}

int lane_spacing(uint32_t lanes) {
  int spacing = 0;
  for (uint32_t left = lanes; std::popcount(left) > 1;) {
    const int lane = std::countr_zero(left);
    left &= left - 1;
    const int each = std::countr_zero(left) - lane;
    if (spacing != 0 && each != spacing) return 0;
    spacing = each;
  }
  return spacing;
}

LanePatternText pattern_of(const LaneValues& values, uint32_t lanes, ValueKind kind, uint32_t bytes) {
  lanes &= values.known();
  LanePatternText pattern;
  if (lanes == 0) return pattern;
  const int first = std::countr_zero(lanes);
  pattern.uniform = true;
  std::optional<int64_t> stride;
  bool even = !is_real(kind) && bytes != 0 && bytes <= 8 && std::popcount(lanes) > 2;
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    pattern.uniform =
        pattern.uniform && values.bits(lane) == values.bits(first) && values.high_bits(lane) == values.high_bits(first);
    if (lane == first || !even) continue;
    const int64_t difference = sign_extended(values.bits(lane), bytes) - sign_extended(values.bits(first), bytes);
    if (difference % (lane - first) != 0) even = false;
    const int64_t each = difference / (lane - first);
    even = even && (!stride || *stride == each);
    stride = each;
  }
  if (even && !pattern.uniform) pattern.stride = stride;
  return pattern;
}

std::string lanes_text(uint32_t lanes) {
  std::string text;
  while (lanes != 0) {
    const int low = std::countr_zero(lanes), run = std::countr_one(lanes >> low);
    if (!text.empty()) text += ", ";
    text += run == 1 ? fmt::format("{}", low) : fmt::format("{}–{}", low, low + run - 1);
    lanes &= low + run >= 32 ? 0 : ~uint32_t{0} << (low + run);
  }
  return text;
}

AddressPlace place_of_address(const RunResult& result, uint64_t address, uint32_t bytes, Space space) {
  AddressPlace place;
  const RegionOffset at = region_of(address);
  place.space = space;
  place.element = at.offset;
  if (at.buffer < 0 || static_cast<size_t>(at.buffer) >= result.plan.buffers.size()) {
    // A generic address may refer to the block's own memory.
    if (at.buffer + 16 == 1) place.space = Space::shared;
    if (at.buffer + 16 == 2) place.space = Space::local;
    return place;
  }
  const BufferSpec& buffer = result.plan.buffers[static_cast<size_t>(at.buffer)];
  const auto element = static_cast<int64_t>(size_of(buffer.type));
  place.space = Space::global;
  place.buffer = at.buffer;
  place.element = floor_divide(at.offset, element);
  place.inside = at.offset >= 0 && at.offset + bytes <= buffer.count() * element;
  return place;
}

std::optional<SharedPlace> shared_place(const StepRecord& record, int64_t offset, uint32_t bytes) {
  if (offset < 0 || bytes == 0) return {};
  const auto first = static_cast<uint32_t>(offset);
  const StepVariable* variable = record.shared_variable(first, first + bytes);
  if (variable == nullptr || (first - variable->first) % bytes != 0) return {};
  return SharedPlace{variable, (first - variable->first) / bytes};
}

}  // namespace tilescope
