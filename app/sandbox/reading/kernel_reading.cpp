#include "app/sandbox/reading/kernel_reading.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/sandbox/reading/kernel_body.hpp"

namespace tilescope {
namespace {

using Kind = SourceToken::Kind;

constexpr int64_t kMostComponents = 16;

int64_t components_named(std::string_view type) {
  if (type.ends_with("4") && type != "int64") return 4;
  return type.ends_with("2") && !type.ends_with("32") ? 2 : 1;
}

}  // namespace

BodyReader::BodyReader(const SourceKernel& kernel, const SourceFacts& facts,
                       const std::vector<ParameterType>& parameters)
    : body_(Tokens(kernel.body).first(std::min(kernel.body.size(), kLongestBody))), constants_(facts.constants) {
  for (const ParameterType& one : parameters) {
    if (one.kind == ParameterType::Kind::pointer) {
      pointers_.insert(one.name);
      reading_.buffers[one.name];
    }
    const bool floating = one.type == DType::f32 || one.type == DType::f64 || one.type == DType::f16;
    if (one.kind == ParameterType::Kind::scalar && !floating && one.type != DType::boolean) {
      wholes_.insert(one.name);
      whole_names_.push_back(one.name);
    }
    for (const ParameterType& member : one.members) {
      if (member.kind == ParameterType::Kind::pointer) reading_.buffers[one.name + "." + member.name];
    }
  }
}

KernelReading BodyReader::read() {
  constexpr size_t kMostThreadIndices = 500;
  for (size_t i = 0; i < body_.size(); ++i) {
    if (body_[i].kind == Kind::name) names_.insert(body_[i].text);
    if (is_member(i, "threadIdx") && thread_indices_.size() < kMostThreadIndices) thread_indices_.push_back(i);
    read_variable(i);
  }
  for (size_t i = 0; i < body_.size(); ++i) {
    read_axis(i);
    read_comparison(i);
    read_step(i);
  }
  settle_axes();
  for (size_t i = 0; i < body_.size(); ++i) read_use(i);
  return std::move(reading_);
}

void BodyReader::read_variable(size_t i) {
  if (body_[i].kind != Kind::name || !is(i + 1, "=") || is(i + 2, "=") || is_field(body_, i)) return;
  const size_t end = end_of(i + 2);
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

bool BodyReader::read_alias(const std::string& name, Tokens value) {
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
      if (value[j].kind == Kind::name)
        alias.components = std::min<int64_t>(alias.components * components_named(value[j].text), kMostComponents);
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
    // A value computed from an element is not a pointer: float v = f(x).
    const bool called = k >= 2 && value[k - 1].is("(") && value[k - 2].kind == Kind::name;
    if (called) return false;
    // A pointer that is moved repeatedly: its position can no longer be expressed.
    if (alias.offset.size() <= kFarthest) aliases_[name] = std::move(alias);
    return true;
  }
  return false;
}

/// A use, at i, of a pointer or an alias for a part of its target.
void BodyReader::read_use(size_t i) {
  if (body_[i].kind != Kind::name || is_field(body_, i)) return;
  const std::string word(body_[i].text);
  const auto alias = aliases_.find(word);
  const bool is_alias = alias != aliases_.end();
  if (!is_alias && !pointers_.contains(word)) return;
  if (is_alias && is(i + 1, "=")) return;  // its declaration
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
  const size_t close = end_of(i + 2);
  std::vector<SourceToken> index(body_.begin() + static_cast<ptrdiff_t>(i + 2),
                                 body_.begin() + static_cast<ptrdiff_t>(close));
  if (is_alias && !alias->second.offset.empty()) {
    index.push_back(plus_);
    index.insert(index.end(), alias->second.offset.begin(), alias->second.offset.end());
  }
  note_extents(buffer, index, is_alias ? alias->second.components : 1);
  note_access(buffer, i, close + 1, in_atomic);
}

/// float4* y4 = reinterpret_cast<float4*>(y), where y only gets a second name.
bool BodyReader::defines_alias(size_t i) const {
  for (size_t k = i; k > 0 && k + kFarthest > i && !body_[k].is(";") && !body_[k].is("{") && !body_[k].is("}"); --k)
    if (body_[k].is("=") && body_[k - 1].kind == Kind::name) return aliases_.contains(std::string(body_[k - 1].text));
  return false;
}

bool BodyReader::is_atomic(size_t i) const {
  size_t k = i;
  while (k > 0 && is_any(body_[k - 1], {"&", "(", "+"})) {
    --k;
    if (body_[k].is("(") && k > 0) return body_[k - 1].text.starts_with("atomic");
  }
  return false;
}

void BodyReader::accumulate(BufferReading& buffer) {
  if (!buffer.read && !buffer.written) buffer.accumulated = true;
  buffer.written = true;
}

void BodyReader::note_access(BufferReading& buffer, size_t name, size_t after, bool in_atomic) {
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

void BodyReader::note_extents(BufferReading& buffer, Tokens index, int64_t components) {
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

KernelReading read_kernel(const SourceKernel& kernel, const SourceFacts& facts,
                          const std::vector<ParameterType>& parameters) {
  KernelReading reading = BodyReader(kernel, facts, parameters).read();
  for (const AxisReading& axis : reading.axes)
    if (!axis.bound.empty()) reading.sizes.insert(axis.bound);
  return reading;
}

}  // namespace tilescope
