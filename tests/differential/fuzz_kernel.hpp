// Random structured CUDA kernels with defined results, for comparing executors without knowing what a kernel should
// compute.
//
//   seed ──generate──▶ FuzzKernel ──print──▶ CUDA source ──NVRTC──▶ simulator, GPU
//                          └──────evaluate lane by lane in C++────▶ expected results
//
// Two layers of statements. Lane statements concern one thread: they branch and loop depending on data. Cooperative
// statements are reached by all threads of a block, of a warp, or of the part of a warp for which a condition holds;
// only they exchange values, so a kernel has no race and no undefined order. Atomics commute and their results are not
// used. Signed sums use unsigned arithmetic, divisors and casts are guarded, floats use operations that the compiler
// may not fuse, and the bits of a NaN are ignored: there is exactly one right result, on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/differential/scenario.hpp"

namespace tilescope::differential {

enum class Type : uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };
constexpr int kTypes = 11;
constexpr bool is_float(Type type) { return type >= Type::f16; }
constexpr bool is_signed(Type type) {
  return type == Type::i8 || type == Type::i16 || type == Type::i32 || type == Type::i64;
}
constexpr int bytes_of(Type type) {
  constexpr int bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
  return bytes[static_cast<int>(type)];
}

enum class Op : uint8_t {
  add,
  sub,
  mul,
  div,
  rem,
  bit_and,
  bit_or,
  bit_xor,
  shl,
  shr,
  min,
  max,
  mulhi,  // binary
  lt,
  le,
  eq,
  logical_and,
  logical_or,  // result: a u32 of 0 or 1
  neg,
  bit_not,
  abs,
  popc,
  clz,
  brev,
  sqrt,
  bits  // unary; bits: f32 to u32, f64 to u64
};

struct Expression {
  enum class Kind : uint8_t {
    literal,
    variable,
    element,
    counter,
    special,
    parameter,
    input,
    shared,
    convert,
    unary,
    binary,
    fma,
    select,
    call,
    temporary  // what the last cooperative statement obtained
  };
  Kind kind = Kind::literal;
  Type type = Type::u32;  // of the value; a comparison's operands have their own type
  Op op = Op::add;
  uint32_t index = 0;  // of the variable, array, counter, special value, parameter, input or function
  uint64_t bits = 0;   // of a literal
  std::vector<Expression> arguments = {};
};

enum class Special : uint8_t { thread, lane, warp, block, threads };
/// Read-only inputs of the kernel, kInputElements elements each.
constexpr Type kInputs[] = {Type::u32, Type::i8, Type::u16, Type::u64, Type::f32, Type::f64};
constexpr uint32_t kInputElements = 61;
constexpr Type kParameters[] = {Type::u32, Type::i64, Type::f32};
constexpr uint32_t kArrayElements = 8;
constexpr uint32_t kSlots = 4;          // results that a lane may store in addition to its variables
constexpr uint32_t kAccumulators = 16;  // of each kind
enum class Accumulate : uint8_t {
  add,
  exclusive_or,
  inclusive_or,
  conjunction,
  min_signed,
  max_unsigned,
  wide_add,
  wide_max
};

struct Statement {
  enum class Kind : uint8_t {
    // for one lane
    assign,
    assign_element,
    branch,
    loop,
    choice,
    leave_loop,
    next_turn,
    leave_kernel,
    store,
    atomic,
    // cooperative, for a warp or a part of one
    lanes,
    shuffle,
    vote,
    reduce,
    masked,
    exchange_warp,
    warp_loop,
    // cooperative, for the block
    exchange_block,
    shared_atomics,
    count_block,
    uniform_loop
  };
  Kind kind = Kind::assign;
  uint32_t index = 0;  // of the variable, array, slot or counter
  uint32_t mode = 0;   // selects a form; a constant
  std::vector<Expression> expressions = {};
  std::vector<std::vector<Statement>> bodies = {};
};

struct FuzzFunction {
  std::vector<Type> parameters = {};  // its first variables
  std::vector<Type> variables = {};
  std::vector<Statement> body = {};
  Expression result = {};
};

struct FuzzKernel {
  uint64_t seed = 0;
  uint32_t grid = 1, block = 32;
  std::vector<Type> variables = {};
  std::vector<Type> arrays = {};  // in local memory
  std::vector<FuzzFunction> functions = {};
  std::vector<Statement> body = {};  // cooperative statements
  std::vector<Statement> tail = {};  // lane statements; lanes may leave here
};

/// The value in a different type, by steps that are defined for every value.
Expression converted(Expression value, Type type);
/// The value of a variable, or of an element of an array, before it is assigned: a function of `from`, a u32.
Expression initial_value(Expression from, uint32_t index, Type type);

FuzzKernel generate_kernel(uint64_t seed);

/// CUDA source for several kernels, named k0, k1, …
std::string print_kernels(const std::vector<FuzzKernel>& kernels);

/// A run of kernel `number` of a source, with its expected results. Nothing if the kernel runs for too long.
std::optional<Scenario> scenario_of(const FuzzKernel& kernel, size_t number);

/// Makes the kernel smaller while `fails` says that it still fails, with at most `attempts` calls.
FuzzKernel minimise(FuzzKernel kernel, const std::function<bool(const FuzzKernel&)>& fails, int attempts);

}  // namespace tilescope::differential
