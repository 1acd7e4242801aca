#include "engine/compile/type_spelling.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "engine/compile/source_dialect.hpp"

namespace tilescope {
namespace {

using testing::ElementsAre;

TEST(TypeSpelling, OneTypeHasOneSpelling) {
  const std::vector<std::vector<std::string>> same = {
      {"const float2* a", "float2 const*", "const float2 *__restrict__ a", "float2 const * const x"},
      {"unsigned", "unsigned int n", "uint32_t", "const unsigned int", "int unsigned"},
      {"unsigned long long int", "uint64_t n", "long long unsigned"},
      {"size_t", "unsigned long n", "const size_t count"},
      {"float x[]", "float*", "float x[16]"},
      {"half*", "__half* out"},
      {"Pair<const float*, 4> p", "Pair<float const*, 4u>"},
      {"Mode<true>", "Mode<1>"},
      {"struct Shape shape", "Shape"},
      {"ns::Shape const& shape", "const ns::Shape&"},
      {"const int* const* x", "int const* const*"},
      {"A<B<C<int>>> x", "A<B<C<int> > >"},
  };
  for (const std::vector<std::string>& group : same)
    for (const std::string& one : group) EXPECT_EQ(canonical_type(one), canonical_type(group[0])) << one;
  std::vector<std::string> all;
  for (const std::vector<std::string>& group : same) all.push_back(canonical_type(group[0]));
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << "different types are different";
  EXPECT_NE(canonical_type("float* const* x"), canonical_type("float** x"));
}

TEST(TypeSpelling, ParametersOfTemplatesStandForTheirArguments) {
  EXPECT_EQ(canonical_types("const T* x, Vec<T, N> v, int n", {{"T", "float"}, {"N", "4"}}),
            canonical_types("float const*, Vec<float, 4>, int"));
  EXPECT_EQ(canonical_types("void"), "");
}

TEST(TypeSpelling, AListIsSplitAtItsOwnCommas) {
  EXPECT_THAT(split_types("A<int, 4> a, float (*f)(int, int), int n"),
              ElementsAre("A<int, 4> a", "float (*f)(int, int)", "int n"));
}

std::string without_parentheses(std::string text) {
  for (const CompoundLiteral& literal : compound_literals(text, source_tokens(text)))
    text[literal.open] = text[literal.close] = '~';
  return text;
}

TEST(SourceDialect, CompoundLiteralsAreToldFromBlocksAndCalls) {
  EXPECT_EQ(without_parentheses("x = (T2){a, b};"), "x = ~T2~{a, b};");
  EXPECT_EQ(without_parentheses("return (ns::V<float, 2>){a};"), "return ~ns::V<float, 2>~{a};");
  EXPECT_EQ(without_parentheses("#define M(a) (T){a}\n"), "#define M(a) ~T~{a}\n");
  EXPECT_EQ(without_parentheses("f((T){1}, 2)"), "f(~T~{1}, 2)");
  for (const std::string other :
       {"if (x) { }", "while (x) {}", "void f(T) {}", "switch (x) {}", "[](T) {}", "else (f)(x);", "for (;; (x)) {}",
        "x = (T)y;", "T operator++(int) { }", "T operator+(T) { }", "x = (a + b) * c;", "#define F(x) { x; }\n"})
    EXPECT_EQ(without_parentheses(other), other);
}

}  // namespace
}  // namespace tilescope
