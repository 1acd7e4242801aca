#include "tests/differential/fuzz_kernel.hpp"

namespace tilescope::differential {
namespace {

/// Visits all statement lists and expressions of a kernel, in a fixed order.
class Walk {
 public:
  /// Removes the n-th statement. Returns false if there are fewer.
  static bool remove_statement(FuzzKernel& kernel, size_t n) {
    for (auto* list : lists_of(kernel))
      if (remove_in(*list, n)) return true;
    return false;
  }
  /// Replaces the n-th expression that is not a leaf by a leaf: its first argument of the same type, or zero.
  static bool simplify_expression(FuzzKernel& kernel, size_t n) {
    for (auto* list : lists_of(kernel))
      if (simplify_in(*list, n)) return true;
    for (FuzzFunction& function : kernel.functions)
      if (simplify(function.result, n)) return true;
    return false;
  }

 private:
  using List = std::vector<Statement>;

  static std::vector<List*> lists_of(FuzzKernel& kernel) {
    std::vector<List*> lists = {&kernel.body, &kernel.tail};
    for (FuzzFunction& function : kernel.functions) lists.push_back(&function.body);
    return lists;
  }

  static bool remove_in(List& list, size_t& n) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (n-- == 0) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      }
      for (List& body : list[i].bodies)
        if (remove_in(body, n)) return true;
    }
    return false;
  }

  static bool simplify_in(List& list, size_t& n) {
    for (Statement& statement : list) {
      for (Expression& expression : statement.expressions)
        if (simplify(expression, n)) return true;
      for (List& body : statement.bodies)
        if (simplify_in(body, n)) return true;
    }
    return false;
  }

  static bool simplify(Expression& expression, size_t& n) {
    if (expression.arguments.empty()) return false;
    if (n-- == 0) {
      for (Expression& argument : expression.arguments)
        if (argument.type == expression.type) {
          Expression kept = std::move(argument);
          expression = std::move(kept);
          return true;
        }
      Expression zero;
      zero.type = expression.type;
      expression = zero;
      return true;
    }
    for (Expression& argument : expression.arguments)
      if (simplify(argument, n)) return true;
    return false;
  }
};

}  // namespace

FuzzKernel minimise(FuzzKernel kernel, const std::function<bool(const FuzzKernel&)>& fails, int attempts) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const auto step : {&Walk::remove_statement, &Walk::simplify_expression}) {
      for (size_t n = 0; attempts > 0;) {
        FuzzKernel candidate = kernel;
        if (!step(candidate, n)) break;
        --attempts;
        if (fails(candidate)) {
          kernel = std::move(candidate);
          smaller = true;
        } else {
          ++n;
        }
      }
    }
  }
  return kernel;
}

}  // namespace tilescope::differential
