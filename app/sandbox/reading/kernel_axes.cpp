// The axes of the grid and the block that a kernel's body uses, their scale factors and their bounds.
#include <algorithm>

#include "app/sandbox/reading/kernel_body.hpp"

namespace tilescope {

constexpr int64_t kLargestFactor = int64_t{1} << 20;  // elements per block; the product of three fits

int axis_named(std::string_view name) { return name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : -1; }

/// Finds how blockIdx.x is scaled at this use.
void BodyReader::read_axis(size_t i) {
  if (is_member(i, "threadIdx")) {
    if (const int axis = axis_named(body_[i + 2].text); axis >= 0)
      reading_.axes[static_cast<size_t>(axis)].in_block = true;
    return;
  }
  if (!is_member(i, "blockIdx")) return;
  const int number = axis_named(body_[i + 2].text);
  if (number < 0) return;
  AxisReading& axis = reading_.axes[static_cast<size_t>(number)];
  axis.in_grid = true;
  int64_t factor = 1;
  bool by_block = false, scaled = false;
  // Its factors, on either side; blockDim may be in brackets with a constant.
  const auto take = [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      if (is_member(k, "blockDim")) by_block = scaled = true;
      if (const auto value = constant_value(Tokens(body_).subspan(k, 1), constants_); value && is_constant(body_[k])) {
        factor = std::min(factor * std::clamp<int64_t>(*value, 1, kLargestFactor), kLargestFactor);
        scaled = true;
      }
    }
  };
  // blockIdx.x * blockDim.x * 2 has several factors.
  for (size_t k = i + 3; is(k, "*") && k + 1 < body_.size() && k < i + kFarthest;) {
    const size_t end = end_of_factor(k + 1);
    take(k + 1, end);
    k = is(end, ")") && is(k + 1, "(") ? end + 1 : end;
  }
  for (size_t k = i; k > 0 && body_[k - 1].is("*") && k + kFarthest > i;) {
    const size_t begin = begin_of_factor(k - 1);
    take(begin, k - 1);
    k = begin;
  }
  if (!scaled) {
    axis.one_each = true;
    return;
  }
  // (blockIdx.x * blockDim.x + threadIdx.x) * 4
  const size_t close = end_of(i);
  if (is(close, ")") && is(close + 1, "*") && close + 2 < body_.size() && is_constant(body_[close + 2]))
    take(close + 2, close + 3);
  axis.by_block = axis.by_block || by_block;
  axis.factor = std::max(axis.factor, factor);
}

size_t BodyReader::end_of_factor(size_t i) const {
  if (is(i, "(")) return end_of(i + 1);
  return std::min(is_member(i, "blockDim") ? i + 3 : i + 1, body_.size());  // the text may end at the operator
}

size_t BodyReader::begin_of_factor(size_t star) const {
  if (star > 0 && body_[star - 1].is(")")) {
    int depth = 0;
    for (size_t k = star; k > 0 && k + kFarthest > star; --k) {
      if (body_[k - 1].is(")")) ++depth;
      if (body_[k - 1].is("(") && --depth == 0) return k - 1;
    }
  }
  return star >= 3 && is_member(star - 3, "blockDim") ? star - 3 : star >= 1 ? star - 1 : star;
}

/// i < n, i >= n, n > i, also i + 3 < n and i < n - 1. `<` may also open template arguments.
void BodyReader::read_comparison(size_t i) {
  if (!body_[i].is("<") && !body_[i].is(">")) return;
  if (i == 0 || body_[i - 1].text.ends_with("_cast")) return;
  size_t begin = i;
  int depth = 0;
  while (begin > 0 && begin + kFarthest > i) {
    const SourceToken& token = body_[begin - 1];
    if (is_any(token, {")", "]"})) ++depth;
    if (is_any(token, {"(", "["}) && --depth < 0) break;
    if (depth == 0 && is_any(token, {";", "&", "|", "!", "?", ",", "{", "}", "=", "return"})) break;
    --begin;
  }
  const size_t right = is(i + 1, "=") ? i + 2 : i + 1;
  const size_t end = end_of(right, {"&", "|", "?", "<", ">"});
  const Tokens left_side(body_.begin() + static_cast<ptrdiff_t>(begin), i - begin);
  const Tokens right_side(body_.begin() + static_cast<ptrdiff_t>(right), end - right);
  bound(left_side, right_side);
  if (body_[i].is(">") && right == i + 1) bound(right_side, left_side);
}

/// Every variable of `low` is bounded by `high`.
void BodyReader::bound(Tokens low, Tokens high) {
  std::string parameter;
  for (const SourceToken& token : high)
    if (parameter.empty() && wholes_.contains(std::string(token.text))) parameter = token.text;
  if (parameter.empty()) return;
  const bool divided = std::any_of(high.begin(), high.end(), [](const SourceToken& token) { return token.is("/"); });
  for (const SourceToken& token : low) {
    const auto found = variables_.find(std::string(token.text));
    if (found == variables_.end()) continue;
    std::vector<std::string>& bounds = found->second.bounds;
    if (std::ranges::find(bounds, parameter) == bounds.end()) bounds.push_back(parameter);
    if (divided) divided_.insert(found->first);
  }
  // Direct comparisons of an index; bounds of a block index are more informative than those of a thread in it.
  for (size_t k = 0; k + 2 < low.size(); ++k) {
    if (!low[k].is("blockIdx") && !low[k].is("threadIdx")) continue;
    const int axis = axis_named(low[k + 2].text);
    if (axis >= 0) (low[k].is("blockIdx") ? straight_ : weak_)[static_cast<size_t>(axis)] = parameter;
  }
}

void BodyReader::set_bound(int axis, const std::string& parameter) {
  std::string& bound = reading_.axes[static_cast<size_t>(axis)].bound;
  if (bound.empty()) bound = parameter;
}

/// for (…; j < 32; j += 8) with threadIdx.y: threads of the axis take every eighth element.
void BodyReader::read_step(size_t i) {
  if (!is(i, "+") || !is(i + 1, "=") || i == 0 || i + 2 >= body_.size() || !is(i + 3, ")")) return;
  const auto step = constant_value(Tokens(body_).subspan(i + 2, 1), constants_);
  if (!step || body_[i - 1].kind != SourceToken::Kind::name) return;
  const std::string_view counter = body_[i - 1].text;
  // The counter added to a thread index, or initialised with one.
  for (const size_t k : thread_indices_) {
    const int axis = axis_named(body_[k + 2].text);
    const bool beside = (is(k + 3, "+") && is(k + 4, counter)) || (k >= 2 && is(k - 1, "+") && is(k - 2, counter)) ||
                        (k >= 2 && is(k - 1, "=") && is(k - 2, counter));
    if (axis >= 0 && beside) reading_.axes[static_cast<size_t>(axis)].thread_step = *step;
  }
}

void BodyReader::settle_axes() {
  for (int axis = 0; axis < 3; ++axis) set_bound(axis, straight_[static_cast<size_t>(axis)]);
  for (const bool of_grid : {true, false})
    for (const auto& [name, variable] : variables_)
      for (const std::string& parameter : variable.bounds) {
        if (variable.axes.empty()) reading_.loops_over_size = true;
        if (variable.axes.size() == 1 && variable.of_grid == of_grid &&
            (of_grid || !is_block_index(*variable.axes.begin())))
          set_bound(*variable.axes.begin(), parameter);
      }
  for (int axis = 0; axis < 3; ++axis)
    if (!is_block_index(axis)) set_bound(axis, weak_[static_cast<size_t>(axis)]);
  bound_by_unused();
}

/// A row per block: the bound of its threads says nothing about the number of rows.
bool BodyReader::is_block_index(int axis) const {
  const AxisReading& reading = reading_.axes[static_cast<size_t>(axis)];
  return reading.in_grid && reading.one_each && !reading.by_block;
}

/// softmax(in, out, rows, cols) with one block per row never names rows: the grid bounds it.
void BodyReader::bound_by_unused() {
  for (AxisReading& axis : reading_.axes) {
    if (!axis.in_grid || !axis.one_each || axis.by_block || !axis.bound.empty()) continue;
    for (const std::string& name : whole_names_) {
      const bool taken = std::any_of(reading_.axes.begin(), reading_.axes.end(),
                                     [&](const AxisReading& other) { return other.bound == name; });
      if (names_.contains(name) || taken) continue;
      axis.bound = name;
      break;
    }
  }
}

}  // namespace tilescope
