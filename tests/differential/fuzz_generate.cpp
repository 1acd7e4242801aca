#include "tests/differential/fuzz_kernel.hpp"

namespace tilescope::differential {
namespace {

using Kind = Expression::Kind;
using Do = Statement::Kind;

/// The type in which arithmetic on a variable is done: integer promotion.
constexpr Type arithmetic(Type type) {
  if (type == Type::i8 || type == Type::i16) return Type::i32;
  if (type == Type::u8 || type == Type::u16) return Type::u32;
  return type;
}

Expression node(Kind kind, Type type, uint32_t index, std::vector<Expression> arguments = {}) {
  Expression made;
  made.kind = kind;
  made.type = type;
  made.index = index;
  made.arguments = std::move(arguments);
  return made;
}

Expression operation(Kind kind, Op op, Type type, std::vector<Expression> arguments) {
  Expression made = node(kind, type, 0, std::move(arguments));
  made.op = op;
  return made;
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) { kernel_.seed = seed; }

  FuzzKernel kernel() {
    kernel_.grid = static_cast<uint32_t>(random_.between(1, 3));
    kernel_.block = static_cast<uint32_t>(random_.once_in(2) ? 32 * random_.between(1, 4) : random_.between(1, 130));
    for (int i = random_.between(0, 2); i > 0; --i) kernel_.functions.push_back(function());
    functions_ = kernel_.functions.size();
    for (int i = random_.between(4, 8); i > 0; --i) kernel_.variables.push_back(any_type());
    for (int i = random_.between(0, 2); i > 0; --i) kernel_.arrays.push_back(any_type());
    scope_ = &kernel_.variables;
    in_kernel_ = true;
    // Every third kernel has lane statements only and may exit at any of them.
    if (!random_.once_in(3)) kernel_.body = cooperative(random_.between(2, 5), 0, true);
    may_leave_ = true;
    kernel_.tail = lane_statements(random_.between(2, 6), 0);
    return std::move(kernel_);
  }

 private:
  Type any_type() { return static_cast<Type>(random_.between(0, kTypes - 1)); }
  Type value_type() { return arithmetic(any_type()); }
  uint32_t any(size_t count) { return static_cast<uint32_t>(random_.bits() % count); }

  // Expressions.

  Expression literal(Type type) {
    Expression made = node(Kind::literal, type, 0);
    const uint64_t mask = bytes_of(type) == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes_of(type))) - 1;
    switch (random_.between(0, 3)) {
      case 0:
        made.bits = random_.bits();
        break;
      case 1:
        made.bits = static_cast<uint64_t>(int64_t{random_.between(-3, 40)});
        break;
      case 2:
        made.bits = uint64_t{1} << random_.between(0, 8 * bytes_of(type) - 1);
        break;
      default:
        made.bits = ~uint64_t{0} >> random_.between(0, 63);
        break;
    }
    // Floats mostly have a moderate magnitude.
    if (is_float(type) && !random_.once_in(6)) {
      const float value = random_.real(-20, 20);
      const double wide = double(value);
      made.bits = 0;
      if (type == Type::f16) made.bits = half_of(value).bits;
      if (type == Type::f32) std::memcpy(&made.bits, &value, 4);
      if (type == Type::f64) std::memcpy(&made.bits, &wide, 8);
    }
    made.bits &= mask;
    return made;
  }

  Expression leaf(Type type) {
    switch (random_.between(0, in_kernel_ ? 9 : 3)) {
      case 0:
        return literal(type);
      case 4:
        return converted(node(Kind::special, Type::u32, any(5)), type);
      case 5: {
        const uint32_t which = any(std::size(kParameters));
        return converted(node(Kind::parameter, kParameters[which], which), type);
      }
      case 6:
      case 7: {
        const uint32_t which = any(std::size(kInputs));
        const Expression index = random_.once_in(2) ? node(Kind::special, Type::u32, any(4)) : variable(Type::u32);
        return converted(node(Kind::input, kInputs[which], which, {index}), type);
      }
      case 8:
        if (shared_readable_) return converted(node(Kind::shared, Type::u32, 0, {variable(Type::u32)}), type);
        return variable(type);
      case 9:
        if (kernel_.arrays.empty()) return variable(type);
        {
          const uint32_t which = any(kernel_.arrays.size());
          return converted(node(Kind::element, kernel_.arrays[which], which, {variable(Type::u32)}), type);
        }
      default:
        return variable(type);
    }
  }

  Expression variable(Type type) {
    if (counters_in_scope_ > 0 && random_.once_in(4))
      return converted(node(Kind::counter, Type::u32, open_counters_[any(counters_in_scope_)]), type);
    const uint32_t which = any(scope_->size());
    return converted(node(Kind::variable, (*scope_)[which], which), type);
  }

  Expression expression(Type type, int depth) {
    if (depth <= 0 || random_.once_in(6)) return leaf(type);
    switch (random_.between(0, 9)) {
      case 0:
        return converted(expression(value_type(), depth - 1), type);
      case 1:
        return operation(Kind::select, Op::add, type,
                         {condition(depth - 1), expression(type, depth - 1), expression(type, depth - 1)});
      case 2:
        return unary(type, depth);
      case 3:
        if (functions_ > 0) {
          const uint32_t which = any(functions_);
          std::vector<Expression> arguments;
          for (Type parameter : kernel_.functions[which].parameters)
            arguments.push_back(converted(expression(arithmetic(parameter), depth - 2), parameter));
          return converted(node(Kind::call, kernel_.functions[which].result.type, which, std::move(arguments)), type);
        }
        return binary(type, depth);
      case 4:
        if (type == Type::f32 || type == Type::f64)
          return operation(Kind::fma, Op::add, type,
                           {expression(type, depth - 1), expression(type, depth - 1), expression(type, depth - 1)});
        return binary(type, depth);
      default:
        return binary(type, depth);
    }
  }

  Expression unary(Type type, int depth) {
    Op op = Op::neg;
    if (is_float(type)) {
      op = random_.once_in(2) ? Op::neg : Op::abs;
      if (type != Type::f16 && random_.once_in(3)) op = Op::sqrt;
    } else {
      op = random_.one_of<Op>({Op::neg, Op::bit_not, Op::abs, Op::popc, Op::clz, Op::brev, Op::bits});
      if (op == Op::abs && !is_signed(type)) op = Op::bit_not;
      if (op == Op::bits) {
        if (type == Type::u32) return operation(Kind::unary, Op::bits, type, {expression(Type::f32, depth - 1)});
        if (type == Type::u64) return operation(Kind::unary, Op::bits, type, {expression(Type::f64, depth - 1)});
        op = Op::bit_not;
      }
    }
    return operation(Kind::unary, op, type, {expression(type, depth - 1)});
  }

  Expression binary(Type type, int depth) {
    if (type == Type::u32 && random_.once_in(5)) return condition(depth);
    Op op = static_cast<Op>(random_.between(0, static_cast<int>(Op::mulhi)));
    if (is_float(type)) {
      op = random_.one_of<Op>({Op::add, Op::sub, Op::mul, Op::div});
      if (type == Type::f16 && op == Op::div) op = Op::mul;
    }
    return operation(Kind::binary, op, type, {expression(type, depth - 1), expression(type, depth - 1)});
  }

  /// A u32 that is 0 or 1, or any value; nonzero counts as true.
  Expression condition(int depth) {
    if (depth > 1 && random_.once_in(4))
      return operation(Kind::binary, random_.once_in(2) ? Op::logical_and : Op::logical_or, Type::u32,
                       {condition(depth - 1), condition(depth - 1)});
    const Type operand = value_type();
    return operation(Kind::binary, random_.one_of<Op>({Op::lt, Op::lt, Op::le, Op::eq}), Type::u32,
                     {expression(operand, depth - 1), expression(operand, depth - 1)});
  }

  // Lane statements.

  Statement assign() {
    Statement made{Do::assign};
    made.index = any(scope_->size());
    const Type type = (*scope_)[made.index];
    made.expressions.push_back(converted(expression(arithmetic(type), 3), type));
    return made;
  }

  std::vector<Statement> lane_statements(int count, int depth) {
    std::vector<Statement> made;
    for (; count > 0; --count) made.push_back(lane_statement(depth));
    return made;
  }
  int fewer() { return random_.between(1, 3); }

  Statement lane_statement(int depth) {
    const int kind = random_.between(0, 13);
    if (depth < 3) {
      if (kind == 0 || kind == 1) {
        Statement made{Do::branch};
        made.expressions.push_back(condition(2));
        made.bodies.push_back(lane_statements(fewer(), depth + 1));
        if (random_.once_in(2)) made.bodies.push_back(lane_statements(fewer(), depth + 1));
        return made;
      }
      if ((kind == 2 || kind == 3) && loops_ < 2) return loop(depth);
      if (kind == 4) {
        Statement made{Do::choice};
        made.mode = any(16);  // bits: which cases fall through
        made.expressions.push_back(expression(Type::u32, 2));
        const bool could_break = may_break_;
        may_break_ = false;
        for (int i = random_.between(2, 5); i > 0; --i)
          made.bodies.push_back(lane_statements(random_.between(1, 2), depth + 1));
        may_break_ = could_break;
        return made;
      }
    }
    if (kind == 5 && depth > 0 && (may_break_ || may_continue_))
      return conditional(Statement{may_break_ && random_.once_in(2) ? Do::leave_loop
                                   : may_continue_                  ? Do::next_turn
                                                                    : Do::leave_loop});
    if (!in_kernel_) return assign();
    if (kind == 6 && may_leave_) return conditional(Statement{Do::leave_kernel});
    if (kind == 7 || kind == 8) return atomic(false);
    if (kind == 9) {
      Statement made{Do::store};
      made.index = any(kSlots);
      made.expressions.push_back(expression(value_type(), 3));
      return made;
    }
    if ((kind == 10 || kind == 11) && !kernel_.arrays.empty()) {
      Statement made{Do::assign_element};
      made.index = any(kernel_.arrays.size());
      const Type type = kernel_.arrays[made.index];
      made.expressions = {expression(Type::u32, 1), converted(expression(arithmetic(type), 2), type)};
      return made;
    }
    return assign();
  }

  Statement conditional(Statement inner) {
    Statement made{Do::branch};
    made.expressions.push_back(condition(2));
    made.bodies.push_back({std::move(inner)});
    return made;
  }

  Statement loop(int depth) {
    Statement made{Do::loop};
    made.index = counters_++;
    made.mode = static_cast<uint32_t>(random_.between(1, 7));  // the trip count is the expression modulo mode + 1
    made.expressions.push_back(expression(Type::u32, 2));
    const bool could_break = may_break_, could_continue = may_continue_;
    may_break_ = may_continue_ = true;
    ++loops_;
    open_counter(made.index);
    made.bodies.push_back(lane_statements(fewer(), depth + 1));
    --counters_in_scope_;
    --loops_;
    may_break_ = could_break;
    may_continue_ = could_continue;
    return made;
  }

  void open_counter(uint32_t index) {
    open_counters_.resize(counters_in_scope_);
    open_counters_.push_back(index);
    ++counters_in_scope_;
  }

  Statement atomic(bool shared) {
    Statement made{Do::atomic};
    made.index = shared ? 1 : 0;
    made.mode = shared ? 0 : any(8);
    const bool wide = !shared && made.mode >= static_cast<uint32_t>(Accumulate::wide_add);
    made.expressions = {expression(Type::u32, 1), expression(wide ? Type::u64 : Type::u32, 2)};
    return made;
  }

  // Cooperative statements.

  std::vector<Statement> cooperative(int count, int depth, bool whole_block) {
    std::vector<Statement> made;
    for (; count > 0; --count) made.push_back(cooperative_statement(depth, whole_block));
    return made;
  }

  Statement into_variable(Do kind, uint32_t mode) {
    Statement made{kind};
    made.index = any(scope_->size());
    made.mode = mode;
    return made;
  }

  Statement cooperative_statement(int depth, bool whole_block) {
    const int kind = random_.between(0, whole_block ? 12 : 8);
    switch (kind) {
      case 2: {
        Statement made = into_variable(Do::shuffle, any(4) + 4 * any(31));
        made.expressions.push_back(
            expression(random_.one_of<Type>({Type::u32, Type::i32, Type::u64, Type::f32, Type::f64}), 2));
        return made;
      }
      case 3: {
        Statement made = into_variable(Do::vote, any(4));
        made.expressions.push_back(made.mode == 3 ? expression(Type::u32, 1) : condition(2));
        return made;
      }
      case 4: {
        Statement made = into_variable(Do::reduce, any(6));
        made.expressions.push_back(expression(Type::u32, 2));
        return made;
      }
      case 5:
        if (depth < 2) {
          Statement made{Do::masked};
          made.expressions.push_back(condition(2));
          made.bodies.push_back(cooperative(fewer(), depth + 1, false));
          if (random_.once_in(2)) made.bodies.push_back(cooperative(fewer(), depth + 1, false));
          return made;
        }
        break;
      case 6: {
        Statement made = into_variable(Do::exchange_warp, 0);
        made.expressions.push_back(expression(Type::u32, 2));
        return made;
      }
      case 7:
        if (depth < 2) return cooperative_loop(Do::warp_loop, depth, false);
        break;
      case 8:
        if (depth < 2 && whole_block) return cooperative_loop(Do::uniform_loop, depth, true);
        break;
      case 9:
      case 10: {
        Statement made = into_variable(Do::exchange_block, any(200));
        made.expressions.push_back(expression(Type::u32, 2));
        shared_readable_ = true;
        made.bodies.push_back(lane_statements(fewer(), 1));
        shared_readable_ = false;
        return made;
      }
      case 11: {
        Statement made = into_variable(Do::shared_atomics, 0);
        made.expressions.push_back(expression(Type::u32, 1));
        std::vector<Statement> body = lane_statements(random_.between(0, 1), 2);
        body.push_back(atomic(true));
        if (random_.once_in(2)) body.push_back(conditional(atomic(true)));
        made.bodies.push_back(std::move(body));
        return made;
      }
      case 12: {
        Statement made = into_variable(Do::count_block, any(3));
        made.expressions.push_back(condition(2));
        return made;
      }
      default:
        break;
    }
    Statement made{Do::lanes};
    made.bodies.push_back(lane_statements(random_.between(1, 4), 0));
    return made;
  }

  Statement cooperative_loop(Do kind, int depth, bool whole_block) {
    Statement made{kind};
    made.index = counters_++;
    made.mode = any(16);
    open_counter(made.index);
    made.bodies.push_back(cooperative(fewer(), depth + 1, whole_block));
    --counters_in_scope_;
    return made;
  }

  FuzzFunction function() {
    FuzzFunction made;
    for (int i = random_.between(1, 3); i > 0; --i) made.parameters.push_back(any_type());
    made.variables = made.parameters;
    for (int i = random_.between(1, 2); i > 0; --i) made.variables.push_back(any_type());
    scope_ = &made.variables;
    made.body = lane_statements(random_.between(1, 3), 1);
    made.result = expression(value_type(), 2);
    return made;
  }

  Random random_;
  FuzzKernel kernel_;
  const std::vector<Type>* scope_ = nullptr;
  size_t functions_ = 0;
  uint32_t counters_ = 0;
  size_t counters_in_scope_ = 0;
  std::vector<uint32_t> open_counters_;
  int loops_ = 0;
  bool in_kernel_ = false, may_leave_ = false, may_break_ = false, may_continue_ = false, shared_readable_ = false;
};

}  // namespace

Expression converted(Expression value, Type type) {
  const Type from = value.type;
  if (from == type) return value;
  const bool half_and_other = (from == Type::f16 && type != Type::f32) || (type == Type::f16 && from != Type::f32);
  if (half_and_other) return converted(converted(std::move(value), Type::f32), type);
  if (is_float(from) && !is_float(type) && bytes_of(type) < 4)
    return converted(converted(std::move(value), Type::i32), type);
  std::vector<Expression> arguments;
  arguments.push_back(std::move(value));
  return node(Kind::convert, type, 0, std::move(arguments));
}

Expression initial_value(Expression from, uint32_t index, Type type) {
  Expression step = node(Kind::literal, Type::u32, 0);
  step.bits = 77 * index + 3;
  if (index % 3 == 0)
    return converted(operation(Kind::binary, Op::add, Type::u32, {std::move(from), std::move(step)}), type);
  // Spread over all words, including negative ones. XOR instead of a sum: NVRTC 13.0 widens a 32-bit sum that wraps,
  // (long long)(int)(x * 0x9e3779b1u + c), to a 64-bit sum that does not wrap.
  Expression factor = node(Kind::literal, Type::u32, 0);
  factor.bits = 0x9e3779b1;
  step.bits *= 0x85ebca6b;
  step.bits &= 0xffffffff;
  Expression product = operation(Kind::binary, Op::mul, Type::u32, {std::move(from), std::move(factor)});
  Expression spread = operation(Kind::binary, Op::bit_xor, Type::u32, {std::move(product), std::move(step)});
  return converted(converted(std::move(spread), Type::i32), type);
}

FuzzKernel generate_kernel(uint64_t seed) { return Generator(seed).kernel(); }

}  // namespace tilescope::differential
