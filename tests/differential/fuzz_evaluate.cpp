// Runs a generated kernel by its definition: lane statements thread by thread, cooperative ones over groups of threads.
// It shares no code with the simulator.
#include <bit>
#include <cmath>

#include "tests/differential/fuzz_kernel.hpp"
#include "tests/differential/fuzz_values.hpp"

namespace tilescope::differential {
namespace {

using Kind = Expression::Kind;
using Do = Statement::Kind;

constexpr uint64_t kMostSteps = 4'000'000;

struct TooLong {};

uint32_t next_lane(uint32_t mask, uint32_t lane) {
  const uint32_t above = lane == 31 ? 0 : mask & (~uint32_t{0} << (lane + 1));
  return static_cast<uint32_t>(std::countr_zero(above != 0 ? above : mask));
}

struct Inputs {
  std::vector<uint64_t> arrays[std::size(kInputs)];
  uint64_t parameters[std::size(kParameters)];
};

/// Variables of the kernel or of one call.
struct Frame {
  const std::vector<Type>* types;
  std::vector<uint64_t> values;
};

struct Thread {
  uint32_t id = 0;
  Frame frame;
  std::vector<std::vector<uint64_t>> arrays;
  std::vector<uint64_t> slots;
  std::vector<uint64_t> counters;
  uint64_t temporary = 0;
  bool left = false;
};

enum class Flow { on, out_of_loop, next_turn, out_of_kernel };
using Group = std::vector<Thread*>;

class Evaluator {
 public:
  Evaluator(const FuzzKernel& kernel, const Inputs& inputs) : kernel_(kernel), inputs_(inputs) {
    narrow.assign(size_t{6} * kAccumulators, 0);
    std::fill_n(narrow.begin() + 3 * kAccumulators, kAccumulators, ~uint32_t{0});
    std::fill_n(narrow.begin() + 4 * kAccumulators, kAccumulators, uint32_t{0x7fffffff});
    wide.assign(size_t{2} * kAccumulators, 0);
  }

  void run() {
    for (block_ = 0; block_ < kernel_.grid; ++block_) run_block();
  }

  std::vector<uint32_t> narrow;
  std::vector<uint64_t> wide, out;

 private:
  void run_block() {
    std::vector<Thread> threads(kernel_.block);
    Group all;
    for (uint32_t i = 0; i < kernel_.block; ++i) {
      prepare(threads[i], i);
      all.push_back(&threads[i]);
    }
    shared_.assign(kernel_.block, 0);
    cooperate_all(kernel_.body, all);
    for (Thread& thread : threads) {
      thread.left = execute_all(kernel_.tail, thread) == Flow::out_of_kernel;
      out.insert(out.end(), thread.slots.begin(), thread.slots.end());
      for (size_t i = 0; i < kernel_.variables.size(); ++i)
        out.push_back(thread.left ? 0 : observed(thread.frame.values[i], kernel_.variables[i]));
    }
  }

  void prepare(Thread& thread, uint32_t id) {
    thread.id = id;
    thread.frame.types = &kernel_.variables;
    thread.slots.assign(kSlots, 0);
    Expression special;
    special.kind = Kind::special;
    for (uint32_t i = 0; i < kernel_.variables.size(); ++i)
      thread.frame.values.push_back(value(initial_value(special, i, kernel_.variables[i]), thread));
    Expression temporary;
    temporary.kind = Kind::temporary;
    for (uint32_t i = 0; i < kernel_.arrays.size(); ++i) {
      thread.arrays.emplace_back();
      for (thread.temporary = 0; thread.temporary < kArrayElements; ++thread.temporary)
        thread.arrays[i].push_back(value(initial_value(temporary, i, kernel_.arrays[i]), thread));
    }
  }

  // Expressions.

  uint64_t value(const Expression& e, Thread& thread) {
    if (++steps_ > kMostSteps) throw TooLong();
    const auto argument = [&](size_t i) { return value(e.arguments[i], thread); };
    switch (e.kind) {
      case Kind::literal:
        return e.bits;
      case Kind::variable:
        return thread.frame.values[e.index];
      case Kind::element:
        return thread.arrays[e.index][argument(0) % kArrayElements];
      case Kind::counter:
        return thread.counters[e.index];
      case Kind::special: {
        const uint32_t specials[] = {thread.id, thread.id % 32, thread.id / 32, block_, kernel_.block};
        return specials[e.index];
      }
      case Kind::parameter:
        return inputs_.parameters[e.index];
      case Kind::input:
        return inputs_.arrays[e.index][argument(0) % kInputElements];
      case Kind::shared:
        return shared_[argument(0) % kernel_.block];
      case Kind::temporary:
        return thread.temporary;
      case Kind::convert:
        return convert(argument(0), e.arguments[0].type, e.type);
      case Kind::unary:
        return unary(e, argument(0));
      case Kind::binary:
        return binary(e, thread);
      case Kind::fma:
        if (e.type == Type::f32)
          return bits_of(std::fma(as_float(argument(0)), as_float(argument(1)), as_float(argument(2))));
        return bits_of(std::fma(as_double(argument(0)), as_double(argument(1)), as_double(argument(2))));
      case Kind::select:
        return argument(0) != 0 ? argument(1) : argument(2);
      case Kind::call:
        break;
    }
    const FuzzFunction& function = kernel_.functions[e.index];
    Frame frame{&function.variables, {}};
    for (size_t i = 0; i < e.arguments.size(); ++i) frame.values.push_back(argument(i));
    const Expression zero;
    for (size_t i = e.arguments.size(); i < function.variables.size(); ++i)
      frame.values.push_back(value(initial_value(zero, static_cast<uint32_t>(i), function.variables[i]), thread));
    std::swap(frame, thread.frame);
    execute_all(function.body, thread);
    const uint64_t result = value(function.result, thread);
    std::swap(frame, thread.frame);
    return result;
  }

  uint64_t binary(const Expression& e, Thread& thread) {
    const uint64_t a = value(e.arguments[0], thread);
    if (e.op == Op::logical_and && a == 0) return 0;
    if (e.op == Op::logical_or && a != 0) return 1;
    const uint64_t b = value(e.arguments[1], thread);
    const Type type = e.arguments[0].type;
    if (e.op == Op::logical_and || e.op == Op::logical_or) return b != 0 ? 1 : 0;
    if (e.op >= Op::lt) {
      const auto compare = [&](auto x, auto y) -> uint64_t {
        return (e.op == Op::lt ? x < y : e.op == Op::le ? x <= y : x == y) ? 1 : 0;
      };
      if (is_float(type)) return compare(wide_value(a, type), wide_value(b, type));
      return is_signed(type) ? compare(signed_value(a, type), signed_value(b, type)) : compare(a, b);
    }
    return is_float(type) ? float_binary(e.op, type, a, b) : truncated(integer_binary(e.op, type, a, b), type);
  }

  // Lane statements.

  Flow execute_all(const std::vector<Statement>& statements, Thread& thread) {
    for (const Statement& statement : statements)
      if (const Flow flow = execute(statement, thread); flow != Flow::on) return flow;
    return Flow::on;
  }

  Flow execute(const Statement& s, Thread& thread) {
    switch (s.kind) {
      case Do::assign:
        thread.frame.values[s.index] = value(s.expressions[0], thread);
        return Flow::on;
      case Do::assign_element: {
        const uint64_t place = value(s.expressions[0], thread) % kArrayElements;
        thread.arrays[s.index][place] = value(s.expressions[1], thread);
        return Flow::on;
      }
      case Do::branch: {
        const size_t body = value(s.expressions[0], thread) != 0 ? 0 : 1;
        return body < s.bodies.size() ? execute_all(s.bodies[body], thread) : Flow::on;
      }
      case Do::loop: {
        const uint64_t end = value(s.expressions[0], thread) % (s.mode + 1);
        for (uint64_t turn = 0; turn < end; ++turn) {
          set_counter(thread, s.index, turn);
          const Flow flow = execute_all(s.bodies[0], thread);
          if (flow == Flow::out_of_kernel) return flow;
          if (flow == Flow::out_of_loop) break;
        }
        return Flow::on;
      }
      case Do::choice:
        for (size_t i = value(s.expressions[0], thread) % (s.bodies.size() + 1); i < s.bodies.size(); ++i) {
          if (const Flow flow = execute_all(s.bodies[i], thread); flow != Flow::on) return flow;
          if ((s.mode >> i & 1) == 0) break;
        }
        return Flow::on;
      case Do::leave_loop:
        return Flow::out_of_loop;
      case Do::next_turn:
        return Flow::next_turn;
      case Do::leave_kernel:
        return Flow::out_of_kernel;
      case Do::store:
        thread.slots[s.index] = observed(value(s.expressions[0], thread), s.expressions[0].type);
        return Flow::on;
      default:
        accumulate(s, thread);
        return Flow::on;
    }
  }

  static void set_counter(Thread& thread, uint32_t index, uint64_t turn) {
    if (thread.counters.size() <= index) thread.counters.resize(index + 1);
    thread.counters[index] = turn;
  }

  void accumulate(const Statement& s, Thread& thread) {
    const size_t place = value(s.expressions[0], thread) % kAccumulators;
    const uint64_t by = value(s.expressions[1], thread);
    const auto word = static_cast<uint32_t>(by);
    if (s.index == 1) {
      shared_sums_[place] += word;
      return;
    }
    uint32_t& at = narrow[std::min<size_t>(s.mode, 5) * kAccumulators + place];
    switch (static_cast<Accumulate>(s.mode)) {
      case Accumulate::add:
        at += word;
        return;
      case Accumulate::exclusive_or:
        at ^= word;
        return;
      case Accumulate::inclusive_or:
        at |= word;
        return;
      case Accumulate::conjunction:
        at &= word;
        return;
      case Accumulate::min_signed:
        at = static_cast<uint32_t>(std::min(static_cast<int32_t>(at), static_cast<int32_t>(word)));
        return;
      case Accumulate::max_unsigned:
        at = std::max(at, word);
        return;
      case Accumulate::wide_add:
        wide[place] += by;
        return;
      case Accumulate::wide_max:
        wide[kAccumulators + place] = std::max(wide[kAccumulators + place], by);
        return;
    }
  }

  // Cooperative statements.

  void cooperate_all(const std::vector<Statement>& statements, const Group& group) {
    for (const Statement& statement : statements) cooperate(statement, group);
  }

  static void obtain(const Statement& s, Thread& thread, uint64_t bits, Type type) {
    // Through the same steps as the printed conversion.
    Expression temporary;
    temporary.type = type;
    const Expression steps = converted(temporary, (*thread.frame.types)[s.index]);
    std::vector<Type> order;
    for (const Expression* e = &steps; !e->arguments.empty(); e = &e->arguments[0])
      order.insert(order.begin(), e->type);
    for (Type next : order) {
      bits = convert(bits, type, next);
      type = next;
    }
    thread.frame.values[s.index] = bits;
  }

  void cooperate(const Statement& s, const Group& group) {
    switch (s.kind) {
      case Do::lanes:
        for (Thread* thread : group) execute_all(s.bodies[0], *thread);
        return;
      case Do::uniform_loop:
        for (uint32_t turn = 0; turn < (static_cast<uint32_t>(inputs_.parameters[0]) + s.mode) % 4; ++turn) {
          for (Thread* thread : group) set_counter(*thread, s.index, turn);
          cooperate_all(s.bodies[0], group);
        }
        return;
      case Do::exchange_block:
        return exchange_block(s, group);
      case Do::shared_atomics:
        shared_sums_.assign(kAccumulators, 0);
        for (Thread* thread : group) execute_all(s.bodies[0], *thread);
        for (Thread* thread : group)
          obtain(s, *thread, shared_sums_[value(s.expressions[0], *thread) % kAccumulators], Type::u32);
        return;
      case Do::count_block: {
        uint64_t count = 0;
        for (Thread* thread : group) count += value(s.expressions[0], *thread) != 0 ? 1 : 0;
        const uint64_t results[] = {count, count > 0 ? 1U : 0U, count == group.size() ? 1U : 0U};
        for (Thread* thread : group) obtain(s, *thread, results[s.mode], Type::u32);
        return;
      }
      default:
        break;
    }
    for (size_t begin = 0; begin < group.size();) {
      size_t end = begin;
      while (end < group.size() && group[end]->id / 32 == group[begin]->id / 32) ++end;
      cooperate_warp(s, Group(group.begin() + static_cast<std::ptrdiff_t>(begin),
                              group.begin() + static_cast<std::ptrdiff_t>(end)));
      begin = end;
    }
  }

  void exchange_block(const Statement& s, const Group& group) {
    std::vector<uint64_t> fresh(group.size());
    for (Thread* thread : group) fresh[(thread->id + s.mode) % kernel_.block] = value(s.expressions[0], *thread);
    shared_ = fresh;
    for (Thread* thread : group) {
      execute_all(s.bodies[0], *thread);
      obtain(s, *thread, shared_[thread->id], Type::u32);
    }
  }

  void cooperate_warp(const Statement& s, const Group& group) {
    if (s.kind == Do::warp_loop) {
      for (uint32_t turn = 0; turn < (group[0]->id / 32 + s.mode) % 4; ++turn) {
        for (Thread* thread : group) set_counter(*thread, s.index, turn);
        cooperate_all(s.bodies[0], group);
      }
      return;
    }
    uint32_t mask = 0;
    uint64_t values[32] = {};
    for (Thread* thread : group) {
      mask |= uint32_t{1} << (thread->id % 32);
      values[thread->id % 32] = value(s.expressions[0], *thread);
    }
    if (s.kind == Do::masked) {
      Group parts[2];
      for (Thread* thread : group) parts[values[thread->id % 32] != 0 ? 0 : 1].push_back(thread);
      for (size_t i = 0; i < s.bodies.size(); ++i)
        if (!parts[i].empty()) cooperate_all(s.bodies[i], parts[i]);
      return;
    }
    for (Thread* thread : group) {
      const bool moves = s.kind == Do::shuffle;
      obtain(s, *thread, exchanged(s, mask, values, thread->id % 32), moves ? s.expressions[0].type : Type::u32);
    }
  }

  static uint64_t exchanged(const Statement& s, uint32_t mask, const uint64_t* values, uint32_t lane) {
    if (s.kind == Do::exchange_warp) return values[next_lane(mask, lane)];
    if (s.kind == Do::shuffle) {
      const uint32_t by = 1 + s.mode / 4, form = s.mode % 4;
      if (form >= 2 && mask == ~uint32_t{0})
        return form == 2 ? values[lane ^ by] : values[lane >= by ? lane - by : lane];
      return values[form == 0 || form == 3 ? next_lane(mask, lane) : static_cast<uint32_t>(std::countr_zero(mask))];
    }
    uint32_t true_lanes = 0, equal_lanes = 0, sum = 0, low = ~uint32_t{0}, high = 0, both = ~uint32_t{0}, either = 0,
             odd = 0;
    for (uint32_t other = 0; other < 32; ++other) {
      if ((mask >> other & 1) == 0) continue;
      const auto word = static_cast<uint32_t>(values[other]);
      true_lanes |= uint32_t{word != 0} << other;
      equal_lanes |= uint32_t{word == static_cast<uint32_t>(values[lane])} << other;
      sum += word;
      low = std::min(low, word);
      high = std::max(high, word);
      both &= word;
      either |= word;
      odd ^= word;
    }
    const uint32_t votes[] = {true_lanes != 0 ? 1U : 0U, true_lanes == mask ? 1U : 0U, true_lanes, equal_lanes};
    const uint32_t reductions[] = {sum, low, high, both, either, odd};
    return s.kind == Do::vote ? votes[s.mode] : reductions[s.mode];
  }

  const FuzzKernel& kernel_;
  const Inputs& inputs_;
  uint32_t block_ = 0;
  uint64_t steps_ = 0;
  std::vector<uint64_t> shared_;
  std::vector<uint32_t> shared_sums_;
};

template <class T>
std::vector<T> narrowed(const std::vector<uint64_t>& bits) {
  std::vector<T> values;
  for (uint64_t one : bits) {
    T value;
    std::memcpy(&value, &one, sizeof(T));
    values.push_back(value);
  }
  return values;
}

Inputs draw_inputs(uint64_t seed) {
  Random random(~seed);
  Inputs inputs;
  for (size_t i = 0; i < std::size(kInputs); ++i)
    for (uint32_t k = 0; k < kInputElements; ++k) {
      uint64_t bits = random.bits() >> (random.once_in(2) ? random.between(0, 63) : 0);
      const float real = random.real(-30, 30);
      if (kInputs[i] == Type::f32 && !random.once_in(8)) bits = bits_of(real);
      if (kInputs[i] == Type::f64 && !random.once_in(8)) bits = bits_of(double(real) * 1.0625);
      inputs.arrays[i].push_back(truncated(bits, kInputs[i]));
    }
  inputs.parameters[0] = truncated(random.bits() >> random.between(0, 60), Type::u32);
  inputs.parameters[1] = random.bits() >> random.between(0, 60);
  inputs.parameters[2] = bits_of(random.real(-30, 30));
  return inputs;
}

}  // namespace

std::optional<Scenario> scenario_of(const FuzzKernel& kernel, size_t number) {
  const Inputs inputs = draw_inputs(kernel.seed);
  Evaluator evaluator(kernel, inputs);
  const std::vector<uint32_t> narrow = evaluator.narrow;
  const std::vector<uint64_t> wide = evaluator.wide;
  try {
    evaluator.run();
  } catch (const TooLong&) {
    return {};
  }
  Scenario s;
  const auto u32s = s.input("in_u32", narrowed<uint32_t>(inputs.arrays[0]));
  const auto i8s = s.input("in_i8", narrowed<int8_t>(inputs.arrays[1]));
  const auto u16s = s.input("in_u16", narrowed<uint16_t>(inputs.arrays[2]));
  const auto u64s = s.input("in_u64", inputs.arrays[3]);
  const auto f32s = s.input("in_f32", narrowed<float>(inputs.arrays[4]));
  const auto f64s = s.input("in_f64", narrowed<double>(inputs.arrays[5]));
  const auto out = s.inout("out", std::vector<uint64_t>(evaluator.out.size()));
  const auto acc32 = s.inout("acc32", narrow);
  const auto acc64 = s.inout("acc64", wide);
  s.launch("k" + std::to_string(number), {kernel.grid}, {kernel.block}, 0, u32s, i8s, u16s, u64s, f32s, f64s, out,
           acc32, acc64, static_cast<uint32_t>(inputs.parameters[0]), inputs.parameters[1],
           static_cast<uint32_t>(inputs.parameters[2]));
  s.expect(out, evaluator.out);
  s.expect(acc32, evaluator.narrow);
  s.expect(acc64, evaluator.wide);
  return s;
}

}  // namespace tilescope::differential
