// Position of the host code reader among branches and loops.
#pragma once

#include <algorithm>
#include <set>

#include "app/sandbox/reading/host_interpreter.hpp"

namespace tilescope {

struct HostInterpreter::Flow {
  size_t begin = 0, end = 0, target = 0;  // the arguments of run()
  size_t weak_until = 0;                  // statements before it may not be executed
  size_t loop_until = 0;                  // statements before it may be repeated before the launch
  size_t starts_at = 0;                   // a statement begins here, whatever the previous token
  size_t third_clause = 0;                // in a `for`; `end`: none is ahead
  std::set<size_t> sure = {};             // `{` and `else` that are certainly reached
  std::set<size_t> untaken = {};          // `else` after an `if` that is taken

  bool is_around_target(size_t first, size_t after) const { return first <= target && target < after; }
  /// Marks statements up to `close` as uncertain, unless the launch is inside.
  void weaken(size_t close) {
    if (close <= target) weak_until = std::max(weak_until, close);
  }
  bool starts(const std::vector<SourceToken>& tokens, size_t i) const {
    if (i == starts_at || i == begin) return true;
    return is_any(tokens[i - 1], {";", "{", "}", ":", "else", "do"}) ||
           tokens[i - 1].kind == SourceToken::Kind::directive;
  }
};

}  // namespace tilescope
