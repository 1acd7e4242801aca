#include "engine/compile/stand_in_headers.hpp"

#include <algorithm>
#include <array>

namespace tilescope {
namespace {

/// Headers of C, C++ and POSIX whose names device code gets from known_names() or cannot use at all.
constexpr auto kHostHeaders = std::to_array<std::string_view>({
    "algorithm",
    "any",
    "array",
    "assert.h",
    "atomic",
    "bitset",
    "bit",
    "cassert",
    "ccomplex",
    "cctype",
    "cerrno",
    "cfenv",
    "charconv",
    "chrono",
    "ciso646",
    "clocale",
    "cmath",
    "compare",
    "complex",
    "complex.h",
    "concepts",
    "condition_variable",
    "csetjmp",
    "csignal",
    "cstdarg",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctgmath",
    "ctime",
    "ctype.h",
    "cuchar",
    "cwchar",
    "cwctype",
    "deque",
    "dirent.h",
    "dlfcn.h",
    "errno.h",
    "exception",
    "execution",
    "fcntl.h",
    "fenv.h",
    "filesystem",
    "format",
    "forward_list",
    "fstream",
    "functional",
    "future",
    "getopt.h",
    "immintrin.h",
    "initializer_list",
    "iomanip",
    "ios",
    "iosfwd",
    "iostream",
    "istream",
    "iterator",
    "limits",
    "list",
    "locale",
    "locale.h",
    "malloc.h",
    "map",
    "math.h",
    "memory",
    "memory.h",
    "mm_malloc.h",
    "mpi.h",
    "mutex",
    "new",
    "numbers",
    "numeric",
    "omp.h",
    "optional",
    "ostream",
    "pthread.h",
    "queue",
    "random",
    "ranges",
    "ratio",
    "regex",
    "sched.h",
    "semaphore.h",
    "set",
    "setjmp.h",
    "shared_mutex",
    "signal.h",
    "span",
    "sstream",
    "stack",
    "stdarg.h",
    "stdbool.h",
    "stdexcept",
    "stdio.h",
    "stdlib.h",
    "streambuf",
    "string",
    "string.h",
    "string_view",
    "strings.h",
    "sys/mman.h",
    "sys/resource.h",
    "sys/stat.h",
    "sys/time.h",
    "sys/types.h",
    "system_error",
    "tgmath.h",
    "thread",
    "time.h",
    "tuple",
    "type_traits",
    "typeindex",
    "typeinfo",
    "unistd.h",
    "unordered_map",
    "unordered_set",
    "utility",
    "valarray",
    "variant",
    "vector",
    "version",
    "wchar.h",
    "windows.h",
    "x86intrin.h",
    "xmmintrin.h",
});

constexpr auto kKnownNames = std::to_array<KnownName>({
    // <stdint.h>, with the 64-bit types that the headers of CUDA use under NVRTC
    {"int8_t", "typedef signed char int8_t;"},
    {"int16_t", "typedef signed short int16_t;"},
    {"int32_t", "typedef signed int int32_t;"},
    {"int64_t", "typedef signed long long int64_t;"},
    {"uint8_t", "typedef unsigned char uint8_t;"},
    {"uint16_t", "typedef unsigned short uint16_t;"},
    {"uint32_t", "typedef unsigned int uint32_t;"},
    {"uint64_t", "typedef unsigned long long uint64_t;"},
    {"intptr_t", "typedef signed long long intptr_t;"},
    {"uintptr_t", "typedef unsigned long long uintptr_t;"},
    {"intmax_t", "typedef signed long long intmax_t;"},
    {"uintmax_t", "typedef unsigned long long uintmax_t;"},
    {"INT8_MIN", "#define INT8_MIN (-128)"},
    {"INT8_MAX", "#define INT8_MAX 127"},
    {"INT16_MIN", "#define INT16_MIN (-32767 - 1)"},
    {"INT16_MAX", "#define INT16_MAX 32767"},
    {"INT32_MIN", "#define INT32_MIN (-2147483647 - 1)"},
    {"INT32_MAX", "#define INT32_MAX 2147483647"},
    {"INT64_MIN", "#define INT64_MIN (-9223372036854775807LL - 1)"},
    {"INT64_MAX", "#define INT64_MAX 9223372036854775807LL"},
    {"UINT8_MAX", "#define UINT8_MAX 255"},
    {"UINT16_MAX", "#define UINT16_MAX 65535"},
    {"UINT32_MAX", "#define UINT32_MAX 4294967295U"},
    {"UINT64_MAX", "#define UINT64_MAX 18446744073709551615ULL"},
    {"SIZE_MAX", "#define SIZE_MAX 18446744073709551615UL"},
    // <limits.h>
    {"CHAR_BIT", "#define CHAR_BIT 8"},
    {"SCHAR_MIN", "#define SCHAR_MIN (-128)"},
    {"SCHAR_MAX", "#define SCHAR_MAX 127"},
    {"UCHAR_MAX", "#define UCHAR_MAX 255"},
    {"CHAR_MIN", "#define CHAR_MIN (-128)"},
    {"CHAR_MAX", "#define CHAR_MAX 127"},
    {"SHRT_MIN", "#define SHRT_MIN (-32768)"},
    {"SHRT_MAX", "#define SHRT_MAX 32767"},
    {"USHRT_MAX", "#define USHRT_MAX 65535"},
    {"INT_MIN", "#define INT_MIN (-2147483647 - 1)"},
    {"INT_MAX", "#define INT_MAX 2147483647"},
    {"UINT_MAX", "#define UINT_MAX 4294967295U"},
    {"LONG_MIN", "#define LONG_MIN (-9223372036854775807L - 1L)"},
    {"LONG_MAX", "#define LONG_MAX 9223372036854775807L"},
    {"ULONG_MAX", "#define ULONG_MAX 18446744073709551615UL"},
    {"LLONG_MIN", "#define LLONG_MIN (-9223372036854775807LL - 1LL)"},
    {"LLONG_MAX", "#define LLONG_MAX 9223372036854775807LL"},
    {"ULLONG_MAX", "#define ULLONG_MAX 18446744073709551615ULL"},
    // <float.h>
    {"FLT_RADIX", "#define FLT_RADIX 2"},
    {"FLT_DIG", "#define FLT_DIG 6"},
    {"FLT_MANT_DIG", "#define FLT_MANT_DIG 24"},
    {"FLT_MAX_EXP", "#define FLT_MAX_EXP 128"},
    {"FLT_MIN_EXP", "#define FLT_MIN_EXP (-125)"},
    {"FLT_MAX", "#define FLT_MAX 3.402823466e+38F"},
    {"FLT_MIN", "#define FLT_MIN 1.175494351e-38F"},
    {"FLT_TRUE_MIN", "#define FLT_TRUE_MIN 1.401298464e-45F"},
    {"FLT_EPSILON", "#define FLT_EPSILON 1.192092896e-07F"},
    {"DBL_DIG", "#define DBL_DIG 15"},
    {"DBL_MANT_DIG", "#define DBL_MANT_DIG 53"},
    {"DBL_MAX", "#define DBL_MAX 1.7976931348623157e+308"},
    {"DBL_MIN", "#define DBL_MIN 2.2250738585072014e-308"},
    {"DBL_EPSILON", "#define DBL_EPSILON 2.2204460492503131e-16"},
    // <math.h>
    {"INFINITY", "#define INFINITY __builtin_bit_cast(float, 0x7f800000)"},
    {"HUGE_VALF", "#define HUGE_VALF __builtin_bit_cast(float, 0x7f800000)"},
    {"HUGE_VAL", "#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000)"},
    {"NAN", "#define NAN __builtin_bit_cast(float, 0x7fc00000)"},
    {"M_E", "#define M_E 2.7182818284590452354"},
    {"M_LOG2E", "#define M_LOG2E 1.4426950408889634074"},
    {"M_LOG10E", "#define M_LOG10E 0.43429448190325182765"},
    {"M_LN2", "#define M_LN2 0.69314718055994530942"},
    {"M_LN10", "#define M_LN10 2.30258509299404568402"},
    {"M_PI", "#define M_PI 3.14159265358979323846"},
    {"M_PI_2", "#define M_PI_2 1.57079632679489661923"},
    {"M_PI_4", "#define M_PI_4 0.78539816339744830962"},
    {"M_1_PI", "#define M_1_PI 0.31830988618379067154"},
    {"M_2_PI", "#define M_2_PI 0.63661977236758134308"},
    {"M_2_SQRTPI", "#define M_2_SQRTPI 1.12837916709551257390"},
    {"M_SQRT2", "#define M_SQRT2 1.41421356237309504880"},
    {"M_SQRT1_2", "#define M_SQRT1_2 0.70710678118654752440"},
    // <stddef.h>, <stdlib.h>, <sys/types.h>
    {"NULL", "#define NULL 0"},
    {"ptrdiff_t", "typedef long ptrdiff_t;"},
    {"offsetof", "#define offsetof(type, member) ((size_t) & (((type*)0)->member))"},
    {"EXIT_SUCCESS", "#define EXIT_SUCCESS 0"},
    {"EXIT_FAILURE", "#define EXIT_FAILURE 1"},
    {"RAND_MAX", "#define RAND_MAX 2147483647"},
    {"uint", "typedef unsigned int uint;"},
    {"ushort", "typedef unsigned short ushort;"},
    {"ulong", "typedef unsigned long ulong;"},
});

/// The names in std:: that need one line each, and the toolkit headers that contain the others.
constexpr auto kStandardNames = std::to_array<KnownName>({
    {"size_t", "namespace std { using ::size_t; }"},
    {"ptrdiff_t", "namespace std { typedef long ptrdiff_t; }"},
    {"nullptr_t", "namespace std { typedef decltype(nullptr) nullptr_t; }"},
    {"int8_t", "namespace std { typedef signed char int8_t; }"},
    {"int16_t", "namespace std { typedef signed short int16_t; }"},
    {"int32_t", "namespace std { typedef signed int int32_t; }"},
    {"int64_t", "namespace std { typedef signed long long int64_t; }"},
    {"uint8_t", "namespace std { typedef unsigned char uint8_t; }"},
    {"uint16_t", "namespace std { typedef unsigned short uint16_t; }"},
    {"uint32_t", "namespace std { typedef unsigned int uint32_t; }"},
    {"uint64_t", "namespace std { typedef unsigned long long uint64_t; }"},
    {"uintptr_t", "namespace std { typedef unsigned long long uintptr_t; }"},
    {"min",
     "namespace std { template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) "
     "{ return b < a ? b : a; } }"},
    {"max",
     "namespace std { template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) "
     "{ return a < b ? b : a; } }"},
    {"clamp",
     "namespace std { template <class T> __host__ __device__ constexpr const T& clamp(const T& x, const T& low, "
     "const T& high) { return x < low ? low : high < x ? high : x; } }"},
    {"swap",
     "namespace std { template <class T> __host__ __device__ constexpr void swap(T& a, T& b) "
     "{ T c = static_cast<T&&>(a); a = static_cast<T&&>(b); b = static_cast<T&&>(c); } }"},
    {"printf", "namespace std { using ::printf; }"},
    // Removed in C++17, but still present in the headers that nvcc uses.
    {"unary_function",
     "namespace std { template <class A, class R> struct unary_function { typedef A argument_type; typedef R "
     "result_type; }; }"},
    {"binary_function",
     "namespace std { template <class A, class B, class R> struct binary_function { typedef A first_argument_type; "
     "typedef B second_argument_type; typedef R result_type; }; }"},
    // Host types as members of classes that the device uses, with the same size.
    {"shared_ptr", "namespace std { template <class T> class shared_ptr { void* of_the_host[2]; }; }"},
    {"weak_ptr", "namespace std { template <class T> class weak_ptr { void* of_the_host[2]; }; }"},
    {"unique_ptr", "namespace std { template <class T> class unique_ptr { void* of_the_host; }; }"},
    {"memcpy", "namespace std { using ::memcpy; }"},
    {"memset", "namespace std { using ::memset; }"},
});

/// The functions of <cmath> that device code has in the global namespace.
constexpr auto kMathNames = std::to_array<std::string_view>({
    "abs",      "acos",      "acosh",     "asin",   "asinh",     "atan",     "atan2", "atanh",  "cbrt",    "ceil",
    "copysign", "cos",       "cosh",      "erf",    "erfc",      "exp",      "exp2",  "expm1",  "fabs",    "fdim",
    "floor",    "fma",       "fmax",      "fmin",   "fmod",      "frexp",    "hypot", "ilogb",  "ldexp",   "lgamma",
    "llrint",   "llround",   "log",       "log10",  "log1p",     "log2",     "logb",  "lrint",  "lround",  "modf",
    "nan",      "nearbyint", "nextafter", "pow",    "remainder", "rint",     "round", "scalbn", "sin",     "sinh",
    "sqrt",     "tan",       "tanh",      "tgamma", "trunc",     "isfinite", "isinf", "isnan",  "signbit", "sqrtf",
    "expf",     "logf",      "powf",      "fabsf",  "fmaxf",     "fminf",    "sinf",  "cosf",   "floorf",  "ceilf",
});

struct StandardHeader {
  std::string_view name;  // a name in std::
  std::string_view header;
};
constexpr auto kStandardHeaders = std::to_array<StandardHeader>({
    {"numeric_limits", "limits"},
    {"pair", "utility"},
    {"make_pair", "utility"},
    {"index_sequence", "utility"},
    {"make_index_sequence", "utility"},
    {"integer_sequence", "utility"},
    {"exchange", "utility"},
    {"declval", "utility"},
    {"array", "array"},
    {"tuple", "tuple"},
    {"make_tuple", "tuple"},
    {"tie", "tuple"},
    {"complex", "complex"},
    {"plus", "functional"},
    {"multiplies", "functional"},
    {"minus", "functional"},
    {"less", "functional"},
    {"greater", "functional"},
    {"optional", "optional"},
    {"nullopt", "optional"},
    {"span", "span"},
    {"bit_cast", "bit"},
    {"popcount", "bit"},
    {"atomic", "atomic"},
    {"memory_order_relaxed", "atomic"},
    {"memory_order_acquire", "atomic"},
    {"memory_order_release", "atomic"},
    {"iterator_traits", "iterator"},
    {"distance", "iterator"},
    {"lower_bound", "algorithm"},
    {"upper_bound", "algorithm"},
    {"fill", "algorithm"},
    {"sort", "algorithm"},
    {"accumulate", "numeric"},
    {"gcd", "numeric"},
    {"lcm", "numeric"},
    {"byte", "cstddef"},
    {"variant", "variant"},
    {"string_view", "string_view"},
    {"same_as", "concepts"},
    {"derived_from", "concepts"},
    {"convertible_to", "concepts"},
    {"integral", "concepts"},
    {"signed_integral", "concepts"},
    {"unsigned_integral", "concepts"},
    {"floating_point", "concepts"},
    {"invocable", "concepts"},
    {"constructible_from", "concepts"},
    {"default_initializable", "concepts"},
    {"copyable", "concepts"},
    {"movable", "concepts"},
});

bool is_type_trait(std::string_view name) {
  constexpr auto kPrefixes = std::to_array<std::string_view>({"is_",
                                                              "enable_if",
                                                              "conditional",
                                                              "remove_",
                                                              "add_",
                                                              "make_signed",
                                                              "make_unsigned",
                                                              "decay",
                                                              "true_type",
                                                              "false_type",
                                                              "integral_constant",
                                                              "bool_constant",
                                                              "void_t",
                                                              "underlying_type",
                                                              "common_type",
                                                              "conjunction",
                                                              "disjunction",
                                                              "negation",
                                                              "invoke_result",
                                                              "alignment_of",
                                                              "aligned_storage",
                                                              "extent",
                                                              "rank"});
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view one) { return name.starts_with(one); });
}

std::string all_known_names() {
  std::string text = "#pragma once\n";
  for (const KnownName& known : kKnownNames) {
    if (known.declaration.starts_with('#')) text += "#ifndef " + std::string(known.name) + "\n";
    text += std::string(known.declaration) + "\n";
    if (known.declaration.starts_with('#')) text += "#endif\n";
  }
  return text;
}

}  // namespace

const std::map<std::string, std::string>& standard_stand_ins() {
  static const std::map<std::string, std::string> headers = [] {
    std::map<std::string, std::string> made;
    for (const std::string_view name : kHostHeaders) made[std::string(name)] = "";
    // Toolkit headers include these for their types; a user's file gets each name separately.
    for (const char* name : {"stdint.h", "cstdint", "inttypes.h", "cinttypes", "limits.h", "climits", "float.h",
                             "cfloat", "stddef.h", "cstddef", "math.h", "cmath"})
      made[name] = all_known_names();
    return made;
  }();
  return headers;
}

std::span<const KnownName> known_names() { return kKnownNames; }

std::string standard_name_declaration(std::string_view name) {
  for (const KnownName& known : kStandardNames)
    if (known.name == name) return std::string(known.declaration);
  if (std::find(kMathNames.begin(), kMathNames.end(), name) != kMathNames.end())
    return "namespace std { using ::" + std::string(name) + "; }";
  std::string_view header = is_type_trait(name) ? "type_traits" : "";
  for (const StandardHeader& one : kStandardHeaders)
    if (one.name == name) header = one.header;
  if (header.empty()) return {};
  const std::string file = "<cuda/std/" + std::string(header) + ">";
  return "#if __has_include(" + file + ")\n#include " + file + "\nnamespace std { using namespace cuda::std; }\n#endif";
}

}  // namespace tilescope
