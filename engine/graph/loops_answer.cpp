#include "engine/graph/loops_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

namespace tilescope {
namespace {

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// A statement with the loop variables `from` replaced by `to`. A word before a bracket is an array or a function.
std::string renamed(const std::string& statement, const std::vector<Loop>& from, const std::vector<Loop>& to) {
  std::string text;
  for (size_t at = 0; at < statement.size();) {
    if (!begins_word(statement[at])) {
      text += statement[at++];
      continue;
    }
    size_t end = at;
    while (end < statement.size() && continues_word(statement[end])) ++end;
    const std::string word = statement.substr(at, end - at);
    const bool named = end < statement.size() && (statement[end] == '[' || statement[end] == '(');
    const auto loop = std::ranges::find(from, word, &Loop::variable);
    text += named || loop == from.end() ? word : to[static_cast<size_t>(loop - from.begin())].variable;
    at = end;
  }
  return text;
}

std::string statements(const LoopPair& pair, const std::string& indent) {
  return indent + pair.first.statement + "\n" + indent +
         renamed(pair.second.statement, pair.second.loops, pair.first.loops) + "\n";
}

std::string bounds_text(const LoopNest& nest) {
  std::string text;
  for (const Loop& loop : nest.loops) text += fmt::format("{}{}..{}", text.empty() ? "" : ", ", loop.begin, loop.end);
  return text;
}

/// A name that no loop of the nest has.
std::string tile_variable(const std::vector<Loop>& loops, const std::string& variable) {
  std::string name = variable + "0";
  while (std::ranges::find(loops, name, &Loop::variable) != loops.end()) name += "0";
  return name;
}

std::vector<int64_t> element_at(const ArrayAccess& access, const Iteration& at) {
  std::vector<int64_t> element;
  for (const Subscript& subscript : access.subscripts) {
    int64_t index = subscript.constant;
    for (size_t loop = 0; loop < subscript.factors.size(); ++loop) index += subscript.factors[loop] * at[loop];
    element.push_back(index);
  }
  return element;
}

void visit_iterations(const LoopNest& nest, const std::function<void(const Iteration&)>& visit) {
  for (int64_t number = 0; number < nest.iterations(); ++number) {
    Iteration at{};
    int64_t rest = number;
    for (size_t loop = nest.loops.size(); loop-- > 0; rest /= nest.loops[loop].count())
      at[loop] = nest.loops[loop].begin + rest % nest.loops[loop].count();
    visit(at);
  }
}

const Dependence* find_prevented(const LoopFusion& fusion) {
  const auto found = std::ranges::find_if(fusion.dependences, &Dependence::prevents_fusion);
  return found == fusion.dependences.end() ? nullptr : &*found;
}

}  // namespace

std::string text_of_iteration(const Iteration& at, size_t loops) {
  std::string text = "(";
  for (size_t loop = 0; loop < loops; ++loop) text += fmt::format("{}{}", loop == 0 ? "" : ", ", at[loop]);
  return text + ")";
}

std::string text_of_element(const Dependence& dependence) {
  return fmt::format("{}[{}]", dependence.array, fmt::join(dependence.element, ", "));
}

Phrase verdict_of(const LoopPair& pair, const LoopFusion& fusion) {
  if (!fusion.same_bounds)
    return phrase("Illegal: the bounds differ, {} and {}", bounds_text(pair.first), bounds_text(pair.second));
  const Dependence* one = find_prevented(fusion);
  if (one == nullptr) return phrase("Legal: no dependence is reversed");
  const size_t loops = pair.first.loops.size();
  const std::string element = text_of_element(*one), p = text_of_iteration(one->first, loops),
                    q = text_of_iteration(one->second, loops);
  switch (one->kind) {
    case DependenceKind::raw:
      return phrase("Illegal: iteration {} would read {} before iteration {} has written it", q, element, p);
    case DependenceKind::war:
      return phrase("Illegal: iteration {} would overwrite {} before iteration {} has read it", q, element, p);
    case DependenceKind::waw:
      return phrase("Illegal: iteration {} would write {} first, and iteration {} would overwrite it", q, element, p);
    case DependenceKind::rar:
      break;
  }
  return {};
}

bool meets_itself(const LoopNest& nest) {
  std::map<std::pair<std::string, std::vector<int64_t>>, Iteration> writer;
  bool meets = false;
  visit_iterations(nest, [&](const Iteration& at) {
    for (const ArrayAccess& access : nest.accesses)
      if (access.writes && writer.try_emplace({access.array, element_at(access, at)}, at).first->second != at)
        meets = true;
  });
  visit_iterations(nest, [&](const Iteration& at) {
    for (const ArrayAccess& access : nest.accesses) {
      const auto found = writer.find({access.array, element_at(access, at)});
      if (found != writer.end() && found->second != at) meets = true;
    }
  });
  return meets;
}

Phrase threads_of(const LoopPair& pair, const LoopFusion& fusion) {
  if (meets_itself(pair.first) || meets_itself(pair.second))
    return phrase("A thread per iteration needs a reduction: one nest meets itself at an element, as a sum does");
  if (fusion.one_kernel()) return phrase("Each iteration may be a thread: it reads only what it wrote itself");
  return phrase("A thread per iteration needs a barrier: iterations meet at elements of others");
}

Phrase tiling_of(const LoopFusion& fusion) {
  if (fusion.can_tile) return phrase("Tiles may be computed one after the other: no dependence goes backwards");
  return phrase("Not in tiles: a dependence goes backwards in one of the loops");
}

std::string fused_text(const LoopPair& pair) {
  std::string loops;
  for (const Loop& loop : pair.first.loops)
    loops += fmt::format("{}{} in {}..{}", loops.empty() ? "" : ", ", loop.variable, loop.begin, loop.end);
  return "for " + loops + ":\n" + statements(pair, "  ");
}

std::string tiled_text(const LoopPair& pair, const Iteration& tile) {
  std::string outer, inner;
  const std::vector<Loop>& loops = pair.first.loops;
  for (size_t i = 0; i < loops.size(); ++i) {
    const Loop& loop = loops[i];
    const std::string separator = inner.empty() ? "" : ", ";
    if (tile[i] <= 0 || tile[i] >= loop.count()) {
      inner += fmt::format("{}{} in {}..{}", separator, loop.variable, loop.begin, loop.end);
      continue;
    }
    const std::string first = tile_variable(loops, loop.variable);
    outer += fmt::format("{}{} in {}..{} step {}", outer.empty() ? "" : ", ", first, loop.begin, loop.end, tile[i]);
    const std::string end = fmt::format("{} + {}", first, tile[i]);
    inner += fmt::format("{}{} in {}..{}", separator, loop.variable, first,
                         loop.count() % tile[i] == 0 ? end : fmt::format("min({}, {})", end, loop.end));
  }
  if (outer.empty()) return fused_text(pair);
  return "for " + outer + ":\n  for " + inner + ":\n" + statements(pair, "    ");
}

}  // namespace tilescope
