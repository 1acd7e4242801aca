#include "app/sandbox/kernel_reading.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/sandbox/token_terms.hpp"

namespace tilescope {
namespace {

using Kind = SourceToken::Kind;

int axis_named(std::string_view name) { return name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : -1; }

class BodyReader {
 public:
  BodyReader(const SourceKernel& kernel, const SourceFacts& facts, const std::vector<ParameterType>& parameters)
      : body_(kernel.body), constants_(facts.constants) {
    for (const ParameterType& one : parameters) {
      if (one.kind == ParameterType::Kind::pointer) {
        pointers_.insert(one.name);
        reading_.buffers[one.name];
      }
      const bool floating = one.type == DType::f32 || one.type == DType::f64 || one.type == DType::f16;
      if (one.kind == ParameterType::Kind::scalar && !floating && !one.is_bool) {
        wholes_.insert(one.name);
        whole_names_.push_back(one.name);
      }
      for (const ParameterType& member : one.members) {
        if (member.kind == ParameterType::Kind::pointer) reading_.buffers[one.name + "." + member.name];
      }
    }
  }

  KernelReading read() {
    for (size_t i = 0; i < body_.size(); ++i) read_variable(i);
    for (size_t i = 0; i < body_.size(); ++i) {
      read_axis(i);
      read_comparison(i);
      read_step(i);
    }
    settle_axes();
    for (size_t i = 0; i < body_.size(); ++i) read_use(i);
    return std::move(reading_);
  }

 private:
  struct Variable {
    Tokens value;                     // what it is first set to
    std::set<int> axes;               // along which it runs
    bool of_grid = false;             // not only within its block
    std::vector<std::string> bounds;  // parameters that it stays below, as expressions
  };
  struct Alias {  // const float* row = x + blockIdx.x * cols
    std::string pointer;
    std::vector<SourceToken> offset;
    int64_t components = 1;  // of the type it is cast to, in elements of the pointer's own
  };

  bool is(size_t i, std::string_view text) const { return i < body_.size() && body_[i].is(text); }
  /// The x of blockIdx.x and v.x is no variable.
  static bool is_field(Tokens tokens, size_t i) { return i > 0 && is_any(tokens[i - 1], {".", "->"}); }
  /// blockIdx.x at i.
  bool is_member(size_t i, std::string_view object) const {
    return is(i, object) && is(i + 1, ".") && i + 2 < body_.size();
  }
  bool is_constant(const SourceToken& token) const {
    return token.kind == Kind::number || constants_.contains(std::string(token.text));
  }

  void read_variable(size_t i) {
    if (body_[i].kind != Kind::name || !is(i + 1, "=") || is(i + 2, "=") || is_field(body_, i)) return;
    const size_t end = end_of_expression(body_, i + 2, {});
    const Tokens value(body_.begin() + static_cast<ptrdiff_t>(i + 2), end - i - 2);
    const std::string name(body_[i].text);
    if (read_alias(name, value)) return;
    Variable& variable = variables_[name];
    if (variable.value.empty()) variable.value = value;
    for (size_t k = 0; k < value.size(); ++k) {
      const bool builtin = value[k].is("blockIdx") || value[k].is("threadIdx");
      if (builtin && k + 2 < value.size() && axis_named(value[k + 2].text) >= 0)
        variable.axes.insert(axis_named(value[k + 2].text));
      if (value[k].is("blockIdx")) variable.of_grid = true;
      if (const auto other = variables_.find(std::string(value[k].text)); other != variables_.end())
        variable.axes.insert(other->second.axes.begin(), other->second.axes.end()),
            variable.of_grid |= other->second.of_grid;
    }
  }

  bool read_alias(const std::string& name, Tokens value) {
    for (size_t k = 0; k < value.size(); ++k) {
      const std::string word(value[k].text);
      if (is_field(value, k)) continue;
      const auto earlier = aliases_.find(word);
      if (!pointers_.contains(word) && earlier == aliases_.end()) continue;
      if (k + 1 < value.size() && value[k + 1].is("[") && (k == 0 || !value[k - 1].is("&"))) return false;
      Alias alias;
      if (earlier != aliases_.end())
        alias = earlier->second;
      else
        alias.pointer = word;
      for (size_t j = 0; j < k; ++j)
        if (value[j].kind == Kind::name) alias.components *= components_named(value[j].text);
      for (const Tokens term : terms_of(value)) {
        const bool names_it = std::any_of(term.begin(), term.end(), [&](const SourceToken& t) { return t.is(word); });
        if (names_it) continue;
        if (!alias.offset.empty()) alias.offset.push_back(plus_);
        alias.offset.insert(alias.offset.end(), term.begin(), term.end());
      }
      if (k + 1 < value.size() && value[k + 1].is("[")) {  // &x[offset]
        const size_t close = end_of_expression(value, k + 2, {});
        if (!alias.offset.empty()) alias.offset.push_back(plus_);
        alias.offset.insert(alias.offset.end(), value.begin() + static_cast<ptrdiff_t>(k + 2),
                            value.begin() + static_cast<ptrdiff_t>(close));
      }
      // A value that is computed from an element is no pointer: float v = f(x).
      const bool called = k >= 2 && value[k - 1].is("(") && value[k - 2].kind == Kind::name;
      if (called) return false;
      aliases_[name] = std::move(alias);
      return true;
    }
    return false;
  }

  static int64_t components_named(std::string_view type) {
    if (type.ends_with("4") && type != "int64") return 4;
    return type.ends_with("2") && !type.ends_with("32") ? 2 : 1;
  }

  /// How blockIdx.x is scaled where it stands.
  void read_axis(size_t i) {
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
    // What it is multiplied with, on either side; blockDim may stand in brackets with a constant.
    const auto take = [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) {
        if (is_member(k, "blockDim")) by_block = scaled = true;
        if (const auto value = constant_value(Tokens(body_).subspan(k, 1), constants_);
            value && is_constant(body_[k])) {
          factor *= std::max<int64_t>(*value, 1);
          scaled = true;
        }
      }
    };
    // blockIdx.x * blockDim.x * 2 has several factors.
    for (size_t k = i + 3; is(k, "*") && k + 1 < body_.size();) {
      const size_t end = end_of_factor(k + 1);
      take(k + 1, end);
      k = is(end, ")") && is(k + 1, "(") ? end + 1 : end;
    }
    for (size_t k = i; k > 0 && body_[k - 1].is("*");) {
      const size_t begin = begin_of_factor(k - 1);
      take(begin, k - 1);
      k = begin;
    }
    if (!scaled) {
      axis.one_each = true;
      return;
    }
    // (blockIdx.x * blockDim.x + threadIdx.x) * 4
    const size_t close = end_of_expression(body_, i, {});
    if (is(close, ")") && is(close + 1, "*") && close + 2 < body_.size() && is_constant(body_[close + 2]))
      take(close + 2, close + 3);
    axis.by_block = axis.by_block || by_block;
    axis.factor = std::max(axis.factor, factor);
  }
  size_t end_of_factor(size_t i) const {
    if (is(i, "(")) return end_of_expression(body_, i + 1, {});
    return std::min(is_member(i, "blockDim") ? i + 3 : i + 1, body_.size());  // the text may end at the operator
  }
  size_t begin_of_factor(size_t star) const {
    if (star > 0 && body_[star - 1].is(")")) {
      int depth = 0;
      for (size_t k = star; k > 0; --k) {
        if (body_[k - 1].is(")")) ++depth;
        if (body_[k - 1].is("(") && --depth == 0) return k - 1;
      }
    }
    return star >= 3 && is_member(star - 3, "blockDim") ? star - 3 : star >= 1 ? star - 1 : star;
  }

  /// i < n, i >= n, n > i, also i + 3 < n and i < n - 1. `<` may also open template arguments.
  void read_comparison(size_t i) {
    if (!body_[i].is("<") && !body_[i].is(">")) return;
    if (i == 0 || body_[i - 1].text.ends_with("_cast")) return;
    size_t begin = i;
    int depth = 0;
    while (begin > 0) {
      const SourceToken& token = body_[begin - 1];
      if (is_any(token, {")", "]"})) ++depth;
      if (is_any(token, {"(", "["}) && --depth < 0) break;
      if (depth == 0 && is_any(token, {";", "&", "|", "!", "?", ",", "{", "}", "=", "return"})) break;
      --begin;
    }
    const size_t right = is(i + 1, "=") ? i + 2 : i + 1;
    const size_t end = end_of_expression(body_, right, {"&", "|", "?", "<", ">"});
    const Tokens left_side(body_.begin() + static_cast<ptrdiff_t>(begin), i - begin);
    const Tokens right_side(body_.begin() + static_cast<ptrdiff_t>(right), end - right);
    bound(left_side, right_side);
    if (body_[i].is(">") && right == i + 1) bound(right_side, left_side);
  }

  /// Every variable of `low` stays below what `high` says.
  void bound(Tokens low, Tokens high) {
    std::string parameter;
    for (const SourceToken& token : high)
      if (parameter.empty() && wholes_.contains(std::string(token.text))) parameter = token.text;
    if (parameter.empty()) return;
    const bool divided = std::any_of(high.begin(), high.end(), [](const SourceToken& token) { return token.is("/"); });
    for (const SourceToken& token : low) {
      const auto found = variables_.find(std::string(token.text));
      if (found != variables_.end()) found->second.bounds.push_back(parameter);
      if (found != variables_.end() && divided) divided_.insert(found->first);
    }
    // Straight comparisons of an index; those of a block say more than those of a thread within it.
    for (size_t k = 0; k + 2 < low.size(); ++k) {
      if (!low[k].is("blockIdx") && !low[k].is("threadIdx")) continue;
      const int axis = axis_named(low[k + 2].text);
      if (axis >= 0) (low[k].is("blockIdx") ? straight_ : weak_)[static_cast<size_t>(axis)] = parameter;
    }
  }
  void set_bound(int axis, const std::string& parameter) {
    std::string& bound = reading_.axes[static_cast<size_t>(axis)].bound;
    if (bound.empty()) bound = parameter;
  }

  /// for (…; j < 32; j += 8) beside threadIdx.y: threads of the axis take every eighth.
  void read_step(size_t i) {
    if (!is(i, "+") || !is(i + 1, "=") || i == 0 || i + 2 >= body_.size() || !is(i + 3, ")")) return;
    const auto step = constant_value(Tokens(body_).subspan(i + 2, 1), constants_);
    if (!step || body_[i - 1].kind != Kind::name) return;
    const std::string_view counter = body_[i - 1].text;
    // The counter beside a thread index, or set to one.
    for (size_t k = 0; k + 4 < body_.size(); ++k) {
      if (!is_member(k, "threadIdx")) continue;
      const int axis = axis_named(body_[k + 2].text);
      const bool beside = (is(k + 3, "+") && is(k + 4, counter)) || (k >= 2 && is(k - 1, "+") && is(k - 2, counter)) ||
                          (k >= 2 && is(k - 1, "=") && is(k - 2, counter));
      if (axis >= 0 && beside) reading_.axes[static_cast<size_t>(axis)].thread_step = *step;
    }
  }

  void settle_axes() {
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

  /// A row for each block: how far its threads run says nothing about how many rows there are.
  bool is_block_index(int axis) const {
    const AxisReading& reading = reading_.axes[static_cast<size_t>(axis)];
    return reading.in_grid && reading.one_each && !reading.by_block;
  }

  /// softmax(in, out, rows, cols) with one block for each row names rows nowhere: the grid does.
  void bound_by_unused() {
    for (AxisReading& axis : reading_.axes) {
      if (!axis.in_grid || !axis.one_each || axis.by_block || !axis.bound.empty()) continue;
      for (const std::string& name : whole_names_) {
        const bool used =
            std::any_of(body_.begin(), body_.end(), [&](const SourceToken& token) { return token.is(name); });
        const bool taken = std::any_of(reading_.axes.begin(), reading_.axes.end(),
                                       [&](const AxisReading& other) { return other.bound == name; });
        if (used || taken) continue;
        axis.bound = name;
        break;
      }
    }
  }

  /// The expression that a variable, or blockIdx.x, stays below; empty: not known.
  std::string extent_of(Tokens tokens, bool alone = true) {
    for (size_t k = 0; k < tokens.size(); ++k) {
      if (tokens[k].is("blockIdx") && k + 2 < tokens.size()) {
        const int axis = axis_named(tokens[k + 2].text);
        if (axis < 0) continue;
        const AxisReading& reading = reading_.axes[static_cast<size_t>(axis)];
        // partial[blockIdx.x] beside blockIdx.x * blockDim.x: one for each block.
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

  /// row * N + col → M, N: a factor that is a parameter or a constant is the pitch of what is left of it.
  std::vector<std::string> extents_of(Tokens index, int depth) {
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

  std::vector<std::string> extents_of_product(const std::vector<Tokens>& factors, int depth) {
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
    // blockIdx.x * 32 is a step along the axis, no row of 32.
    const bool stepped = std::any_of(rest.begin(), rest.end(), [](const SourceToken& token) {
      return token.is("blockIdx") || token.is("threadIdx");
    });
    if (stepped && !wholes_.contains(pitch)) {
      const std::string extent = extent_of(rest);
      return extent.empty() || extent.starts_with("grid.") ? std::vector<std::string>{} : std::vector{extent};
    }
    // t < K / 16, and t * 16 + …: sixteen times what t stays below is K.
    const bool undone = std::any_of(
        rest.begin(), rest.end(), [&](const SourceToken& token) { return divided_.contains(std::string(token.text)); });
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
  bool follows_grid(const std::string& name) const {
    const auto found = variables_.find(name);
    return found != variables_.end() && std::any_of(found->second.value.begin(), found->second.value.end(),
                                                    [](const SourceToken& token) { return token.is("gridDim"); });
  }

  /// A pointer, or a name for part of what it points to, at i.
  void read_use(size_t i) {
    if (body_[i].kind != Kind::name || is_field(body_, i)) return;
    const std::string word(body_[i].text);
    const auto alias = aliases_.find(word);
    const bool is_alias = alias != aliases_.end();
    if (!is_alias && !pointers_.contains(word)) return;
    if (is_alias && is(i + 1, "=")) return;  // where it is declared
    BufferReading& buffer = reading_.buffers[is_alias ? alias->second.pointer : word];
    const bool in_atomic = is_atomic(i);
    if (!is(i + 1, "[")) {
      if (i > 0 && body_[i - 1].is("*") && is(i + 1, "=")) {
        buffer.written = true;
        if (buffer.extents.empty() && !is_alias) buffer.extents = {"1"};
      } else if (in_atomic) {
        accumulate(buffer);
        if (buffer.extents.empty() && is(i + 1, ",")) buffer.extents = {"1"};
      } else if (!defines_alias(i)) {
        buffer.passed_on = true;
      }
      return;
    }
    const size_t close = end_of_expression(body_, i + 2, {});
    std::vector<SourceToken> index(body_.begin() + static_cast<ptrdiff_t>(i + 2),
                                   body_.begin() + static_cast<ptrdiff_t>(close));
    if (is_alias && !alias->second.offset.empty()) {
      index.push_back(plus_);
      index.insert(index.end(), alias->second.offset.begin(), alias->second.offset.end());
    }
    note_extents(buffer, index, is_alias ? alias->second.components : 1);
    note_access(buffer, i, close + 1, in_atomic);
  }

  /// float4* y4 = reinterpret_cast<float4*>(y), where y is only given another name.
  bool defines_alias(size_t i) const {
    for (size_t k = i; k > 0 && !body_[k].is(";") && !body_[k].is("{") && !body_[k].is("}"); --k)
      if (body_[k].is("=") && body_[k - 1].kind == Kind::name) return aliases_.contains(std::string(body_[k - 1].text));
    return false;
  }

  bool is_atomic(size_t i) const {
    size_t k = i;
    while (k > 0 && is_any(body_[k - 1], {"&", "(", "+"})) {
      --k;
      if (body_[k].is("(") && k > 0) return body_[k - 1].text.starts_with("atomic");
    }
    return false;
  }

  static void accumulate(BufferReading& buffer) {
    if (!buffer.read && !buffer.written) buffer.accumulated = true;
    buffer.written = true;
  }

  void note_access(BufferReading& buffer, size_t name, size_t after, bool in_atomic) {
    if (in_atomic) return accumulate(buffer);
    if (is(after, ".")) after += 2;  // x[i].y = …
    const bool compound =
        after + 1 < body_.size() && is_any(body_[after], {"+", "-", "*", "/", "|", "&", "^"}) && is(after + 1, "=");
    const bool counted =
        after + 1 < body_.size() && is_any(body_[after], {"+", "-"}) && body_[after + 1].text == body_[after].text;
    if (compound || counted) return accumulate(buffer);
    if (is(after, "=") && !is(after + 1, "=")) {
      buffer.written = true;
      buffer.accumulated = false;
    } else if (name > 0 && body_[name - 1].is("&") && name > 1 && is_any(body_[name - 2], {"(", ","})) {
      buffer.passed_on = true;
    } else {
      buffer.read = true;
      buffer.accumulated = false;
    }
  }

  void note_extents(BufferReading& buffer, Tokens index, int64_t components) {
    auto extents = extents_of(index, 0);
    for (const SourceToken& token : index) {
      if (wholes_.contains(std::string(token.text))) reading_.sizes.insert(std::string(token.text));
      const auto variable = variables_.find(std::string(token.text));
      if (variable == variables_.end()) continue;
      reading_.sizes.insert(variable->second.bounds.begin(), variable->second.bounds.end());
    }
    if (components > 1 && extents.size() == 1) {
      const bool divided = std::any_of(index.begin(), index.end(), [&](const SourceToken& token) {
        return divided_.contains(std::string(token.text));
      });
      if (!divided) extents[0] += fmt::format("*{}", components);
    }
    if (extents.size() > buffer.extents.size()) buffer.extents = std::move(extents);
  }

  Tokens body_;
  const std::map<std::string, int64_t>& constants_;
  std::set<std::string> pointers_, wholes_;
  std::vector<std::string> whole_names_;  // in the order of the parameters
  std::map<std::string, Variable> variables_;
  std::map<std::string, Alias> aliases_;
  std::array<std::string, 3> straight_, weak_;  // bounds of blockIdx.x and threadIdx.x themselves
  std::set<std::string> divided_;               // variables that stay below n / 4, or the like
  KernelReading reading_;
  SourceToken plus_{Kind::punctuation, "+", 0};
};

}  // namespace

KernelReading read_kernel(const SourceKernel& kernel, const SourceFacts& facts,
                          const std::vector<ParameterType>& parameters) {
  KernelReading reading = BodyReader(kernel, facts, parameters).read();
  for (const AxisReading& axis : reading.axes)
    if (!axis.bound.empty()) reading.sizes.insert(axis.bound);
  return reading;
}

}  // namespace tilescope
