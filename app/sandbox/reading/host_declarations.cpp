// Declarations of host code.
#include "app/sandbox/reading/host_interpreter.hpp"

namespace tilescope {

using Kind = SourceToken::Kind;

/// `const int n = 1 << 20, m = n / 2;` Returns 0 if no declaration begins at i.
size_t HostInterpreter::declaration(Scope& scope, size_t i, size_t end, bool weak) {
  size_t k = i;
  bool constant = false, arithmetic = false;
  for (; k < end; ++k) {
    if (tokens_[k].is("const") || tokens_[k].is("constexpr")) constant = true;
    if (is_arithmetic(tokens_[k])) arithmetic = true;
    if (!is_qualifier(tokens_[k]) && !is_arithmetic(tokens_[k])) break;
  }
  if (k >= end) return 0;
  if (!arithmetic) {
    if (tokens_[k].is("struct")) ++k;
    if (k >= end || tokens_[k].kind != Kind::name || begins_no_type(tokens_[k])) return 0;
    while (k + 2 < end && tokens_[k + 1].is("::")) k += 2;
    ++k;
    if (is(k, "<")) {
      constexpr size_t kLongest = 64;  // tokens of template arguments
      const Tokens near = between(k, k + kLongest);
      const size_t length = after_angles(near, 0);
      if (length == near.size()) return 0;
      k += length;
    }
  }
  const Tokens type = between(i, k);
  std::string type_text;
  for (const SourceToken& word : type)
    if (!is_qualifier(word)) type_text += (type_text.empty() ? "" : " ") + std::string(word.text);
  size_t declarators = 0;
  while (k < end) {
    int stars = 0;
    while (k < end && (is_any(tokens_[k], {"*", "&"}) || is_qualifier(tokens_[k]))) {
      stars += tokens_[k].is("*") ? 1 : 0;
      if (tokens_[k].is("constexpr") || (tokens_[k].is("const") && stars == 0)) constant = true;
      ++k;
    }
    if (k + 1 >= end || tokens_[k].kind != Kind::name || begins_no_type(tokens_[k])) return declarators;
    if (!is_any(tokens_[k + 1], {"=", "(", "{", "[", ",", ";", ":"})) return declarators;
    const std::string name(tokens_[k].text);
    size_t after = k + 1;
    while (is(after, "[")) after = group_end(after);
    const size_t close = end_of_initialiser(is(after, "=") ? after + 1 : after, end);
    const bool known = scope.values.contains(name) || scope.pointers.contains(name) || scope.extents.contains(name);
    if (!weak || !known) declare(scope, {name, type, type_text, stars, k + 1, close, constant});
    ++declarators;
    if (!spend(close - k)) return declarators;
    k = close;
    if (!is(k, ",")) return declarators;
    ++k;
  }
  return declarators;
}

void HostInterpreter::declare(Scope& scope, const Declarator& one) {
  scope.types[one.name] = one.type_text;
  if (one.type.back().is("dim3")) return declare_extents(scope, one);
  for (size_t i = 1; i < one.type.size(); ++i)
    if (one.type[i].is("<") && is_vector(one.type[i - 1])) return declare_vector(scope, one, i);
  if (is(one.at, "[")) return declare_array(scope, one);
  if ((one.stars > 0 || one.type.back().is("auto")) && declare_pointer(scope, one)) return;
  const bool set = is(one.at, "=");
  const auto number = number_type(scope, one.type);
  if (!set && !number) return;  // an object of an irrelevant type
  HostValue value;
  if (set)
    value = evaluate(scope, between(one.at + 1, one.end));
  else if (is(one.at, "(") || is(one.at, "{"))
    value = evaluate(scope, between(one.at + 1, group_end(one.at) - 1));
  const bool is_floating = number ? is_floating_type(*number) : value != nullptr && value->is_floating;
  if (number && !is_floating) value = held_by(*number, host_whole(value, variables_));
  const size_t index = define(scope, one.name, std::move(value), is_floating, one.at);
  scope.guessed.erase(one.name);
  variables_[index].is_constant = scope.function == nullptr && one.constant;
}

/// dim3 block(16, 16), block{16, 16}, block = dim3(16, 16), block = {16, 16}, block
void HostInterpreter::declare_extents(Scope& scope, const Declarator& one) {
  std::optional<Extents> found;
  if (is(one.at, "="))
    found = extents(scope, between(one.at + 1, one.end), one.at);
  else if (is(one.at, "(") || is(one.at, "{"))
    found = extents_of(scope, group_at(one.at), one.at);
  else
    found = extents_of(scope, {}, one.at);
  if (found) scope.extents[one.name] = *found;
  if (is(one.at, "=") || is(one.at, "(") || is(one.at, "{"))
    scope.defaults.erase(one.name);
  else
    scope.defaults.insert(one.name);
}

/// std::vector<float> h(n), thrust::device_vector<float> d(n): the length, and for the latter the memory.
void HostInterpreter::declare_vector(Scope& scope, const Declarator& one, size_t angle) {
  const std::string element = text_of(one.type.subspan(angle + 1, one.type.size() - angle - 2));
  scope.types[one.name] = element;
  HostValue count;
  size_t given = 0;
  if (is(one.at, "=")) {
    size_t end = 0;
    const std::string other = read_path(between(one.at + 1, one.end), 0, end);
    if (const auto known = scope.lengths.find(other + ".size()"); known != scope.lengths.end()) count = known->second;
  } else if (is(one.at, "(") || is(one.at, "{")) {
    const auto arguments = group_at(one.at);
    given = arguments.size();
    if (is(one.at, "{"))
      count = host_number(static_cast<long double>(given));
    else if (given > 0)
      count = evaluate(scope, arguments[0]);
  }
  scope.lengths[one.name + ".size()"] = count;
  if (!one.type[angle - 1].is("device_vector")) return;
  const size_t index = new_buffer(element);
  HostMemory& buffer = buffers_[index];
  const size_t bytes = type_named(scope, element).size;
  if (bytes > 0) buffer.bytes = host_product({count, host_number(static_cast<long double>(bytes))});
  buffer.place = place_of(scope, one.at);
  if (given == 1) {  // its elements are initialised to zeros
    buffer.set_to = 0;
    buffer.set_at = buffer.place;
  }
  scope.pointers[one.name] = index;
}

void HostInterpreter::declare_array(Scope& scope, const Declarator& one) {
  const size_t close = group_end(one.at);
  HostValue count = evaluate(scope, between(one.at + 1, close - 1));
  if (close == one.at + 2 && is(close, "=") && is(close + 1, "{"))
    count = host_number(static_cast<long double>(group_at(close + 1).size()));
  scope.lengths[one.name] = count;
  note_elements(scope, one, close);
  if (one.stars > 0) scope.pointers[one.name] = new_buffer(one.type_text);
}

/// float w[3] = {0.25f, 0.5f, 0.25f}
void HostInterpreter::note_elements(Scope& scope, const Declarator& one, size_t close) {
  constexpr size_t kMost = 64;
  scope.elements.erase(one.name);
  const size_t open = is(close, "=") ? close + 1 : close;
  if (one.stars > 0 || !is(open, "{")) return;
  std::vector<HostValue> values;
  for (const Tokens element : group_at(open)) {
    if (values.size() == kMost || (!element.empty() && element[0].is("{"))) return;
    values.push_back(evaluate(scope, element));
  }
  // float w[9] = {0} is usually filled in later.
  const auto length = host_value_of(scope.lengths[one.name], variables_);
  if (length && *length == static_cast<long double>(values.size())) scope.elements[one.name] = std::move(values);
}

/// float *d_x, *d_y = d_x, and float* d_x = device_array<float>(n), if a function allocates. False: a number.
bool HostInterpreter::declare_pointer(Scope& scope, const Declarator& one) {
  const size_t begin = one.at + 1;
  if (is(one.at, "=")) {
    const Tokens value = between(begin, one.end);
    if (const auto known = pointer(scope, value)) {
      scope.pointers[one.name] = *known;
      return true;
    }
    size_t close = 0;
    const HostSource::Function* function = host_.function_named(read_path(value, 0, close));
    if (function != nullptr && function->allocates && close > 0)
      if (const auto inside = call_function(scope, begin + close - 1))
        if (const auto made = inside->pointers.find(inside->returned); made != inside->pointers.end()) {
          scope.pointers[one.name] = made->second;
          if (one.stars > 0) buffers_[made->second].type = one.type_text;
          return true;
        }
    if (is(begin, "dim3"))
      if (const auto found = extents(scope, value, begin)) {
        scope.extents[one.name] = *found;
        return true;
      }
  }
  if (one.stars > 0) scope.pointers[one.name] = new_buffer(one.stars == 1 ? one.type_text : one.type_text + "*");
  return one.stars > 0;
}

}  // namespace tilescope
