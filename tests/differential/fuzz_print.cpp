#include <fmt/format.h>

#include "tests/differential/fuzz_kernel.hpp"

namespace tilescope::differential {
namespace {

using Kind = Expression::Kind;
using Do = Statement::Kind;

const char* const kTypeNames[] = {"signed char", "unsigned char",      "short",  "unsigned short", "int",   "unsigned",
                                  "long long",   "unsigned long long", "__half", "float",          "double"};
const char* const kInputNames[] = {"in_u32", "in_i8", "in_u16", "in_u64", "in_f32", "in_f64"};
const char* const kParameterNames[] = {"p_u32", "p_i64", "p_f32"};
const char* const kSpecialNames[] = {"tid", "lane", "warp", "blockIdx.x", "blockDim.x"};

const char* const kPrelude = R"(#include <cuda_fp16.h>
typedef unsigned long long u64;
#define SAFE_DIVISION(T, U, SUFFIX)                                                              \
  __device__ __forceinline__ T div_##SUFFIX(T a, T b) {                                          \
    return b == 0 ? (T)0 : b == (T)-1 && (T)-1 < (T)0 ? (T)((U)0 - (U)a) : a / b;                \
  }                                                                                              \
  __device__ __forceinline__ T rem_##SUFFIX(T a, T b) {                                          \
    return b == 0 ? a : b == (T)-1 && (T)-1 < (T)0 ? (T)0 : a % b;                               \
  }
SAFE_DIVISION(int, unsigned, i32)
SAFE_DIVISION(unsigned, unsigned, u32)
SAFE_DIVISION(long long, u64, i64)
SAFE_DIVISION(u64, u64, u64)
#define TO_INTEGER(T, SUFFIX, LOW, HIGH)                                                                            \
  __device__ __forceinline__ T to_##SUFFIX(float x) { return x >= LOW##f && x < HIGH##f ? (T)x : (T)0; }            \
  __device__ __forceinline__ T to_##SUFFIX(double x) { return x >= LOW && x < HIGH ? (T)x : (T)0; }
TO_INTEGER(int, i32, -2147483648.0, 2147483648.0)
TO_INTEGER(unsigned, u32, 0.0, 4294967296.0)
TO_INTEGER(long long, i64, -9223372036854775808.0, 9223372036854775808.0)
TO_INTEGER(u64, u64, 0.0, 18446744073709551616.0)
__device__ __forceinline__ unsigned bits_of(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }
__device__ __forceinline__ u64 bits_of(double x) {
  return x != x ? 0x7ff8000000000000ull : (u64)__double_as_longlong(x);
}
__device__ __forceinline__ u64 observe(signed char x) { return (unsigned char)x; }
__device__ __forceinline__ u64 observe(unsigned char x) { return x; }
__device__ __forceinline__ u64 observe(short x) { return (unsigned short)x; }
__device__ __forceinline__ u64 observe(unsigned short x) { return x; }
__device__ __forceinline__ u64 observe(int x) { return (unsigned)x; }
__device__ __forceinline__ u64 observe(unsigned x) { return x; }
__device__ __forceinline__ u64 observe(long long x) { return (u64)x; }
__device__ __forceinline__ u64 observe(u64 x) { return x; }
__device__ __forceinline__ u64 observe(float x) { return bits_of(x); }
__device__ __forceinline__ u64 observe(double x) { return bits_of(x); }
__device__ __forceinline__ u64 observe(__half x) { return __hisnan(x) ? 0x7e00u : __half_as_ushort(x); }
__device__ __forceinline__ unsigned next_lane(unsigned mask, unsigned lane) {
  const unsigned above = mask & ~(0xffffffffu >> (31 - lane));
  return __ffs(above ? above : mask) - 1;
}
)";

class Printer {
 public:
  Printer(const FuzzKernel& kernel, size_t number) : kernel_(kernel), number_(number) {}

  std::string text() {
    for (size_t i = 0; i < kernel_.functions.size(); ++i) print_function(i);
    open(fmt::format(
        "extern \"C\" __global__ void k{}(const unsigned* in_u32, const signed char* in_i8, const unsigned short* "
        "in_u16, "
        "const u64* in_u64, const float* in_f32, const double* in_f64, u64* out, unsigned* acc32, u64* acc64, "
        "unsigned p_u32, long long p_i64, float p_f32) {{",
        number_));
    line("__shared__ unsigned xs[160], ws[160], sa[16];");
    line("const unsigned tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;");
    line("const unsigned left = blockDim.x - warp * 32, full = left >= 32 ? 0xffffffffu : (1u << left) - 1;");
    line(fmt::format("u64* const mine = out + (blockIdx.x * blockDim.x + tid) * {};",
                     kSlots + kernel_.variables.size()));
    Expression thread;
    thread.kind = Kind::special;
    for (uint32_t i = 0; i < kernel_.variables.size(); ++i)
      line(fmt::format("{} v{} = {};", name(kernel_.variables[i]), i,
                       text_of(initial_value(thread, i, kernel_.variables[i]))));
    Expression element;
    element.kind = Kind::temporary;
    for (uint32_t i = 0; i < kernel_.arrays.size(); ++i)
      line(fmt::format("{} a{}[{}]; for (unsigned t = 0; t < {}; ++t) a{}[t] = {};", name(kernel_.arrays[i]), i,
                       kArrayElements, kArrayElements, i, text_of(initial_value(element, i, kernel_.arrays[i]))));
    print_all(kernel_.body, "full");
    print_all(kernel_.tail, "full");
    for (uint32_t i = 0; i < kernel_.variables.size(); ++i)
      line(fmt::format("mine[{}] = observe(v{});", kSlots + i, i));
    close();
    return std::move(text_);
  }

 private:
  static const char* name(Type type) { return kTypeNames[static_cast<int>(type)]; }

  void line(const std::string& text) { text_ += std::string(2 * indent_, ' ') + text + "\n"; }
  void open(const std::string& text) {
    line(text);
    ++indent_;
  }
  void close(const std::string& text = "}") {
    --indent_;
    line(text);
  }

  void print_function(size_t index) {
    const FuzzFunction& function = kernel_.functions[index];
    std::string parameters;
    for (size_t i = 0; i < function.parameters.size(); ++i)
      parameters += fmt::format("{}{} v{}", i == 0 ? "" : ", ", name(function.parameters[i]), i);
    open(fmt::format("__device__ __noinline__ {} f{}_{}({}) {{", name(function.result.type), number_, index,
                     parameters));
    Expression zero;
    for (auto i = static_cast<uint32_t>(function.parameters.size()); i < function.variables.size(); ++i)
      line(fmt::format("{} v{} = {};", name(function.variables[i]), i,
                       text_of(initial_value(zero, i, function.variables[i]))));
    print_all(function.body, "full");
    line(fmt::format("return {};", text_of(function.result)));
    close();
  }

  // Expressions.

  std::string text_of(const Expression& e) const {
    const auto argument = [&](size_t i) { return text_of(e.arguments[i]); };
    switch (e.kind) {
      case Kind::literal:
        return literal(e);
      case Kind::variable:
        return fmt::format("v{}", e.index);
      case Kind::element:
        return fmt::format("a{}[{} & {}]", e.index, argument(0), kArrayElements - 1);
      case Kind::counter:
        return fmt::format("c{}", e.index);
      case Kind::special:
        return kSpecialNames[e.index];
      case Kind::parameter:
        return kParameterNames[e.index];
      case Kind::input:
        return fmt::format("{}[{} % {}u]", kInputNames[e.index], argument(0), kInputElements);
      case Kind::shared:
        return fmt::format("xs[{} % blockDim.x]", argument(0));
      case Kind::temporary:
        return "t";
      case Kind::convert:
        return convert(e);
      case Kind::unary:
        return unary(e);
      case Kind::binary:
        return binary(e);
      case Kind::fma:
        return fmt::format("{}({}, {}, {})", e.type == Type::f32 ? "__fmaf_rn" : "__fma_rn", argument(0), argument(1),
                           argument(2));
      case Kind::select:
        return fmt::format("({} != 0 ? {} : {})", argument(0), argument(1), argument(2));
      case Kind::call:
        break;
    }
    std::string text = fmt::format("f{}_{}(", number_, e.index);
    for (size_t i = 0; i < e.arguments.size(); ++i) text += (i == 0 ? "" : ", ") + argument(i);
    return text + ")";
  }

  static std::string literal(const Expression& e) {
    if (e.type == Type::f16) return fmt::format("__ushort_as_half({:#x})", e.bits);
    if (e.type == Type::f32) return fmt::format("__uint_as_float({:#x}u)", e.bits);
    if (e.type == Type::f64) return fmt::format("__longlong_as_double((long long){:#x}ull)", e.bits);
    return fmt::format("({}){:#x}{}", name(e.type), e.bits, bytes_of(e.type) == 8 ? "ull" : "u");
  }

  std::string convert(const Expression& e) const {
    const Type from = e.arguments[0].type;
    const std::string value = text_of(e.arguments[0]);
    if (from == Type::f16) return fmt::format("__half2float({})", value);
    if (e.type == Type::f16) return fmt::format("__float2half_rn({})", value);
    if (!is_float(from) || is_float(e.type)) return fmt::format("(({})({}))", name(e.type), value);
    const char* const suffix[] = {"i32", "u32", "i64", "u64"};
    return fmt::format("to_{}({})", suffix[static_cast<int>(e.type) - static_cast<int>(Type::i32)], value);
  }

  std::string unary(const Expression& e) const {
    const std::string a = text_of(e.arguments[0]);
    const bool wide = bytes_of(e.type) == 8;
    const std::string plain = wide ? "u64" : "unsigned";
    switch (e.op) {
      case Op::neg:
        if (e.type == Type::f16) return fmt::format("__hneg({})", a);
        if (is_float(e.type)) return fmt::format("(-{})", a);
        return fmt::format("({})(0 - ({}){})", name(e.type), plain, a);
      case Op::bit_not:
        return fmt::format("(~{})", a);
      case Op::abs:
        if (e.type == Type::f16) return fmt::format("__habs({})", a);
        if (is_float(e.type)) return fmt::format("{}({})", wide ? "fabs" : "fabsf", a);
        return fmt::format("({} < 0 ? ({})(0 - ({}){}) : {})", a, name(e.type), plain, a, a);
      case Op::popc:
        return fmt::format("({}){}(({}){})", name(e.type), wide ? "__popcll" : "__popc", plain, a);
      case Op::clz:
        return fmt::format("({}){}({})", name(e.type), wide ? "__clzll" : "__clz", a);
      case Op::brev:
        return fmt::format("({}){}(({}){})", name(e.type), wide ? "__brevll" : "__brev", plain, a);
      case Op::sqrt:
        return fmt::format("{}({})", wide ? "__dsqrt_rn" : "__fsqrt_rn", a);
      default:
        return fmt::format("bits_of({})", a);
    }
  }

  std::string binary(const Expression& e) const {
    const std::string a = text_of(e.arguments[0]), b = text_of(e.arguments[1]);
    const Type type = e.arguments[0].type;
    const char* const signs[] = {"+",  "-", "*", "/", "%", "&",  "|",  "^",  "<<",
                                 ">>", "",  "",  "",  "<", "<=", "==", "&&", "||"};
    const char* const sign = signs[static_cast<int>(e.op)];
    if (e.op == Op::logical_and || e.op == Op::logical_or)
      return fmt::format("({} != 0 {} {} != 0 ? 1u : 0u)", a, sign, b);
    if (e.op >= Op::lt) {
      const char* const half[] = {"__hlt", "__hle", "__heq"};
      if (type == Type::f16)
        return fmt::format("({}({}, {}) ? 1u : 0u)", half[static_cast<int>(e.op) - static_cast<int>(Op::lt)], a, b);
      return fmt::format("({} {} {} ? 1u : 0u)", a, sign, b);
    }
    const char* const float_names[3][4] = {{"__hadd_rn", "__hsub_rn", "__hmul_rn", ""},
                                           {"__fadd_rn", "__fsub_rn", "__fmul_rn", "__fdiv_rn"},
                                           {"__dadd_rn", "__dsub_rn", "__dmul_rn", "__ddiv_rn"}};
    if (is_float(type))
      return fmt::format("{}({}, {})",
                         float_names[static_cast<int>(type) - static_cast<int>(Type::f16)][static_cast<int>(e.op)], a,
                         b);
    const char* const suffix = type == Type::i32   ? "i32"
                               : type == Type::u32 ? "u32"
                               : type == Type::i64 ? "i64"
                                                   : "u64";
    const bool wide = bytes_of(type) == 8;
    const std::string plain = wide ? "u64" : "unsigned";
    switch (e.op) {
      case Op::add:
      case Op::sub:
      case Op::mul:
        if (is_signed(type)) return fmt::format("({})(({}){} {} ({}){})", name(type), plain, a, sign, plain, b);
        return fmt::format("({} {} {})", a, sign, b);
      case Op::div:
        return fmt::format("div_{}({}, {})", suffix, a, b);
      case Op::rem:
        return fmt::format("rem_{}({}, {})", suffix, a, b);
      case Op::shl:
        return fmt::format("({})(({}){} << ({} & {}))", name(type), plain, a, b, wide ? 63 : 31);
      case Op::shr:
        return fmt::format("({} >> ({} & {}))", a, b, wide ? 63 : 31);
      case Op::min:
        return fmt::format("min({}, {})", a, b);
      case Op::max:
        return fmt::format("max({}, {})", a, b);
      case Op::mulhi:
        return fmt::format(
            "{}({}, {})",
            wide ? (is_signed(type) ? "__mul64hi" : "__umul64hi") : (is_signed(type) ? "__mulhi" : "__umulhi"), a, b);
      default:
        return fmt::format("({} {} {})", a, sign, b);
    }
  }

  // Statements.

  void print_all(const std::vector<Statement>& statements, const std::string& mask) {
    for (const Statement& statement : statements) print(statement, mask);
  }

  void print(const Statement& s, const std::string& mask) {
    const auto value = [&](size_t i) { return text_of(s.expressions[i]); };
    switch (s.kind) {
      case Do::assign:
        return line(fmt::format("v{} = {};", s.index, value(0)));
      case Do::assign_element:
        return line(fmt::format("a{}[{} & {}] = {};", s.index, value(0), kArrayElements - 1, value(1)));
      case Do::branch:
        open(fmt::format("if ({} != 0) {{", value(0)));
        print_all(s.bodies[0], mask);
        if (s.bodies.size() > 1) {
          close("} else {");
          ++indent_;
          print_all(s.bodies[1], mask);
        }
        return close();
      case Do::loop:
        if (s.index % 4 != 0) line("#pragma unroll 1");  // unrolled bodies compile slowly
        open(fmt::format("for (unsigned c{0} = 0, e{0} = {1} % {2}u; c{0} < e{0}; ++c{0}) {{", s.index, value(0),
                         s.mode + 1));
        print_all(s.bodies[0], mask);
        return close();
      case Do::choice:
        return print_choice(s, mask);
      case Do::leave_loop:
        return line("break;");
      case Do::next_turn:
        return line("continue;");
      case Do::leave_kernel:
        return line("return;");
      case Do::store:
        return line(fmt::format("mine[{}] = observe({});", s.index, value(0)));
      case Do::atomic:
        return print_atomic(s);
      case Do::lanes:
        return print_all(s.bodies[0], mask);
      default:
        return print_cooperative(s, mask);
    }
  }

  void print_choice(const Statement& s, const std::string& mask) {
    open(fmt::format("switch ({} % {}u) {{", text_of(s.expressions[0]), s.bodies.size() + 1));
    for (size_t i = 0; i < s.bodies.size(); ++i) {
      open(fmt::format("case {}: {{", i));
      print_all(s.bodies[i], mask);
      close((s.mode >> i & 1) != 0 ? "}  // falls through" : "} break;");
    }
    close();
  }

  void print_atomic(const Statement& s) {
    const std::string place = text_of(s.expressions[0]), value = text_of(s.expressions[1]);
    if (s.index == 1) return line(fmt::format("atomicAdd(&sa[{} & 15], {});", place, value));
    const char* const forms[] = {"atomicAdd(&acc32[({0} & 15)], {1});",
                                 "atomicXor(&acc32[16 + ({0} & 15)], {1});",
                                 "atomicOr(&acc32[32 + ({0} & 15)], {1});",
                                 "atomicAnd(&acc32[48 + ({0} & 15)], {1});",
                                 "atomicMin((int*)&acc32[64 + ({0} & 15)], (int){1});",
                                 "atomicMax(&acc32[80 + ({0} & 15)], {1});",
                                 "atomicAdd(&acc64[{0} & 15], {1});",
                                 "atomicMax(&acc64[16 + ({0} & 15)], {1});"};
    line(fmt::format(fmt::runtime(forms[s.mode]), place, value));
  }

  /// t, in the variable's type.
  void obtain(const Statement& s, const char* type, const std::string& value) {
    Expression temporary;
    temporary.kind = Kind::temporary;
    temporary.type = Type::u32;
    for (int i = 0; i < kTypes; ++i)
      if (std::string(type) == kTypeNames[i]) temporary.type = static_cast<Type>(i);
    line(fmt::format("const {} t = {};", type, value));
    line(fmt::format("v{} = {};", s.index, text_of(converted(temporary, kernel_.variables[s.index]))));
  }

  void print_cooperative(const Statement& s, const std::string& mask) {
    const std::string value = s.expressions.empty() ? std::string() : text_of(s.expressions[0]);
    if (s.kind == Do::masked) return print_masked(s, mask, value);
    if (s.kind == Do::warp_loop || s.kind == Do::uniform_loop) {
      const char* const trips = s.kind == Do::warp_loop ? "warp" : "p_u32";
      line("#pragma unroll 1");
      open(fmt::format("for (unsigned c{0} = 0; c{0} < ({1} + {2}u) % 4u; ++c{0}) {{", s.index, trips, s.mode));
      print_all(s.bodies[0], mask);
      return close();
    }
    open("{");
    switch (s.kind) {
      case Do::shuffle:
        print_shuffle(s, mask, value);
        break;
      case Do::vote: {
        const char* const forms[] = {"(unsigned)__any_sync({0}, {1})", "(unsigned)__all_sync({0}, {1})",
                                     "__ballot_sync({0}, {1})", "__match_any_sync({0}, {1})"};
        obtain(s, "unsigned", fmt::format(fmt::runtime(forms[s.mode]), mask, value));
        break;
      }
      case Do::reduce: {
        const char* const names[] = {"add", "min", "max", "and", "or", "xor"};
        obtain(s, "unsigned", fmt::format("__reduce_{}_sync({}, {})", names[s.mode], mask, value));
        break;
      }
      case Do::exchange_warp:
        line(fmt::format("ws[tid] = {};", value));
        line(fmt::format("__syncwarp({});", mask));
        obtain(s, "unsigned", fmt::format("ws[(tid & ~31u) + next_lane({}, lane)]", mask));
        line(fmt::format("__syncwarp({});", mask));
        break;
      case Do::exchange_block:
        line(fmt::format("xs[(tid + {}u) % blockDim.x] = {};", s.mode, value));
        line("__syncthreads();");
        print_all(s.bodies[0], mask);
        obtain(s, "unsigned", "xs[tid]");
        line("__syncthreads();");
        break;
      case Do::shared_atomics:
        line("for (unsigned i = tid; i < 16; i += blockDim.x) sa[i] = 0;");
        line("__syncthreads();");
        print_all(s.bodies[0], mask);
        line("__syncthreads();");
        obtain(s, "unsigned", fmt::format("sa[{} & 15]", value));
        line("__syncthreads();");
        break;
      default: {
        const char* const forms[] = {"(unsigned)__syncthreads_count({})", "({} != 0 ? 1u : 0u)", "({} != 0 ? 1u : 0u)"};
        const char* const names[] = {"", "__syncthreads_or", "__syncthreads_and"};
        obtain(s, "unsigned",
               s.mode == 0 ? fmt::format(fmt::runtime(forms[0]), value)
                           : fmt::format(fmt::runtime(forms[s.mode]), fmt::format("{}({})", names[s.mode], value)));
        break;
      }
    }
    close();
  }

  void print_shuffle(const Statement& s, const std::string& mask, const std::string& value) {
    const char* const type = name(s.expressions[0].type);
    const uint32_t by = 1 + s.mode / 4;
    const char* const forms[] = {
        "__shfl_sync({0}, x, next_lane({0}, lane))", "__shfl_sync({0}, x, __ffs({0}) - 1)",
        "({0} == 0xffffffffu ? __shfl_xor_sync({0}, x, {1}) : __shfl_sync({0}, x, __ffs({0}) - 1))",
        "({0} == 0xffffffffu ? __shfl_up_sync({0}, x, {1}) : __shfl_sync({0}, x, next_lane({0}, lane)))"};
    line(fmt::format("const {} x = {};", type, value));
    obtain(s, type, fmt::format(fmt::runtime(forms[s.mode % 4]), mask, by));
  }

  void print_masked(const Statement& s, const std::string& mask, const std::string& value) {
    const std::string part = fmt::format("m{}", masks_++);
    open("{");
    line(fmt::format("const bool here = {} != 0;", value));
    line(fmt::format("const unsigned {} = __ballot_sync({}, here);", part, mask));
    open("if (here) {");
    print_all(s.bodies[0], part);
    if (s.bodies.size() > 1) {
      close("} else {");
      ++indent_;
      line(fmt::format("const unsigned n{0} = {1} & ~{0};", part, mask));
      print_all(s.bodies[1], "n" + part);
    }
    close();
    close();
  }

  const FuzzKernel& kernel_;
  size_t number_;
  std::string text_;
  size_t indent_ = 0;
  int masks_ = 0;
};

}  // namespace

std::string print_kernels(const std::vector<FuzzKernel>& kernels) {
  std::string text = kPrelude;
  for (size_t i = 0; i < kernels.size(); ++i)
    text += fmt::format("\n// seed {}: blocks {}, threads {}\n", kernels[i].seed, kernels[i].grid, kernels[i].block) +
            Printer(kernels[i], i).text();
  return text;
}

}  // namespace tilescope::differential
