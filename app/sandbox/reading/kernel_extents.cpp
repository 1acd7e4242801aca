// The extents of a buffer, from the expressions that index it.
#include <algorithm>

#include "app/sandbox/reading/kernel_body.hpp"

namespace tilescope {

/// The expression that bounds a variable, or blockIdx.x; empty: unknown.
std::string BodyReader::extent_of(Tokens tokens, bool alone) {
  for (size_t k = 0; k < tokens.size(); ++k) {
    if (tokens[k].is("blockIdx") && k + 2 < tokens.size()) {
      const int axis = axis_named(tokens[k + 2].text);
      if (axis < 0) continue;
      const AxisReading& reading = reading_.axes[static_cast<size_t>(axis)];
      // partial[blockIdx.x] beside blockIdx.x * blockDim.x: one element per block.
      const bool of_blocks = alone && reading.one_each && (reading.by_block || reading.factor > 1);
      if (!reading.bound.empty() && !of_blocks) return reading.bound;
      if (reading.one_each && alone) return std::string("grid.") + "xyz"[axis];
    }
    const auto found = variables_.find(std::string(tokens[k].text));
    if (found == variables_.end()) continue;
    if (!found->second.bounds.empty()) return found->second.bounds.front();
    if (found->second.axes.size() == 1) {
      const int axis = *found->second.axes.begin();
      const AxisReading& reading = reading_.axes[static_cast<size_t>(axis)];
      if (!reading.bound.empty()) return reading.bound;
      if (reading.one_each && !reading.by_block) return std::string("grid.") + "xyz"[axis];
    }
  }
  return {};
}

/// row * N + col → M, N: a factor that is a parameter or a constant is the pitch of the remaining factors.
std::vector<std::string> BodyReader::extents_of(Tokens index, int depth) {
  constexpr int kMostSteps = 20'000;  // per kernel
  if (++steps_ > kMostSteps) return {};
  if (index.size() == 1 && depth < 4) {
    const auto found = variables_.find(std::string(index[0].text));
    if (found != variables_.end() && !found->second.value.empty() && found->second.value.data() != index.data()) {
      auto inner = extents_of(found->second.value, depth + 1);
      if (inner.size() > 1) return inner;
      if (!found->second.bounds.empty()) return {found->second.bounds.front()};
      return inner;
    }
  }
  std::vector<std::string> best;
  for (const Tokens term : terms_of(index)) {
    const auto factors = factors_of(term);
    if (factors.size() < 2) {
      if (term.size() > 2 && term.front().is("(") && depth < 4) {
        auto inner = extents_of(term.subspan(1, term.size() - 2), depth + 1);
        if (inner.size() > best.size()) best = std::move(inner);
      } else if (best.empty()) {
        if (const std::string extent = extent_of(term); !extent.empty()) best = {extent};
      }
      continue;
    }
    auto found = extents_of_product(factors, depth);
    if (found.size() > best.size()) best = std::move(found);
  }
  const bool literal = index.size() == 1 && index[0].is("0");
  if (best.empty() && literal) return {"1"};
  return best;
}

std::vector<std::string> BodyReader::extents_of_product(const std::vector<Tokens>& factors, int depth) {
  std::string pitch;
  Tokens rest;
  for (const Tokens factor : factors) {
    const std::string word(factor.size() == 1 ? factor[0].text : std::string_view());
    if (wholes_.contains(word) && pitch.empty()) {
      pitch = word;
      reading_.sizes.insert(word);
    } else if (const auto value = factor.size() == 1 ? constant_value(factor, constants_) : std::nullopt;
               value && pitch.empty()) {
      pitch = std::to_string(*value);
    } else if (pitch.empty() && !word.empty() && follows_grid(word)) {
      pitch = "n";
    } else if (!std::any_of(factor.begin(), factor.end(),
                            [](const SourceToken& token) { return token.is("blockDim"); })) {
      rest = factor;
    }
  }
  // blockIdx.x * 32 is a step along the axis, not a row of 32.
  const bool stepped = std::any_of(
      rest.begin(), rest.end(), [](const SourceToken& token) { return token.is("blockIdx") || token.is("threadIdx"); });
  if (stepped && !wholes_.contains(pitch)) {
    const std::string extent = extent_of(rest);
    return extent.empty() || extent.starts_with("grid.") ? std::vector<std::string>{} : std::vector{extent};
  }
  // t < K / 16, and t * 16 + …: sixteen times the bound of t is K.
  const bool undone = std::any_of(rest.begin(), rest.end(),
                                  [&](const SourceToken& token) { return divided_.contains(std::string(token.text)); });
  if (undone && !pitch.empty() && !wholes_.contains(pitch)) return {extent_of(rest)};
  if (pitch.empty() || rest.empty()) {
    for (const Tokens factor : factors)
      if (const std::string extent = extent_of(factor, false); !extent.empty()) return {extent};
    return {};
  }
  std::vector<std::string> outer = depth < 4 ? extents_of(rest, depth + 1) : std::vector<std::string>{};
  if (outer.empty()) outer = {"n"};
  if (outer.size() > 1) outer = {outer[0] + "*" + outer[1]};
  outer.push_back(pitch);
  return outer;
}

/// int width = gridDim.x * TILE
bool BodyReader::follows_grid(const std::string& name) const {
  const auto found = variables_.find(name);
  return found != variables_.end() && std::any_of(found->second.value.begin(), found->second.value.end(),
                                                  [](const SourceToken& token) { return token.is("gridDim"); });
}

}  // namespace tilescope
