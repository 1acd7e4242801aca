// Reads the body of one kernel, token by token, into a KernelReading (kernel_reading.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/sandbox/reading/kernel_reading.hpp"
#include "app/sandbox/reading/token_terms.hpp"

namespace tilescope {

/// 0, 1 or 2 for x, y or z, else -1.
int axis_named(std::string_view name);

class BodyReader {
 public:
  /// `kernel` and `facts` must outlive it.
  BodyReader(const SourceKernel& kernel, const SourceFacts& facts, const std::vector<ParameterType>& parameters);

  KernelReading read();

 private:
  struct Variable {
    Tokens value;                     // its initial value
    std::set<int> axes;               // axes along which it runs
    bool of_grid = false;             // across the grid, not only within its block
    std::vector<std::string> bounds;  // parameters that bound it from above, as expressions
  };
  struct Alias {  // const float* row = x + blockIdx.x * cols
    std::string pointer;
    std::vector<SourceToken> offset;
    int64_t components = 1;  // in the type it is cast to, in elements of the pointer's own type
  };

  // Limit on the tokens examined around one token, so that no text takes long; expressions are shorter.
  static constexpr size_t kFarthest = 256;
  static constexpr size_t kLongestBody = 20'000;

  bool is(size_t i, std::string_view text) const { return i < body_.size() && body_[i].is(text); }
  /// The x of blockIdx.x and v.x is not a variable.
  static bool is_field(Tokens tokens, size_t i) { return i > 0 && is_any(tokens[i - 1], {".", "->"}); }
  /// blockIdx.x at i.
  bool is_member(size_t i, std::string_view object) const {
    return is(i, object) && is(i + 1, ".") && i + 2 < body_.size();
  }
  /// The end of the expression that begins at i.
  size_t end_of(size_t i, std::initializer_list<std::string_view> stops = {}) const {
    return end_of_expression(body_.first(std::min(body_.size(), i + kFarthest)), i, stops);
  }
  bool is_constant(const SourceToken& token) const {
    return token.kind == SourceToken::Kind::number || constants_.contains(std::string(token.text));
  }

  void read_variable(size_t i);
  bool read_alias(const std::string& name, Tokens value);

  // Axes of the grid and the block (kernel_axes.cpp).
  void read_axis(size_t i);
  size_t end_of_factor(size_t i) const;
  size_t begin_of_factor(size_t star) const;
  void read_comparison(size_t i);
  void bound(Tokens low, Tokens high);
  void set_bound(int axis, const std::string& parameter);
  void read_step(size_t i);
  void settle_axes();
  bool is_block_index(int axis) const;
  void bound_by_unused();

  // Extents of buffers, from the expressions that index them (kernel_extents.cpp).
  std::string extent_of(Tokens tokens, bool alone = true);
  std::vector<std::string> extents_of(Tokens index, int depth);
  std::vector<std::string> extents_of_product(const std::vector<Tokens>& factors, int depth);
  bool follows_grid(const std::string& name) const;

  // How buffers are used.
  void read_use(size_t i);
  bool defines_alias(size_t i) const;
  bool is_atomic(size_t i) const;
  static void accumulate(BufferReading& buffer);
  void note_access(BufferReading& buffer, size_t name, size_t after, bool in_atomic);
  void note_extents(BufferReading& buffer, Tokens index, int64_t components);

  Tokens body_;
  const std::map<std::string, int64_t>& constants_;
  std::set<std::string> pointers_, wholes_;
  std::vector<std::string> whole_names_;  // in parameter order
  std::set<std::string_view> names_;      // in the body
  std::vector<size_t> thread_indices_;    // tokens `threadIdx`, only the first few hundred
  std::map<std::string, Variable> variables_;
  std::map<std::string, Alias> aliases_;
  std::array<std::string, 3> straight_, weak_;  // bounds of blockIdx.x and threadIdx.x themselves
  std::set<std::string> divided_;               // variables bounded by n / 4 or similar
  KernelReading reading_;
  int steps_ = 0;  // for extents_of(), which is recursive
  SourceToken plus_{SourceToken::Kind::punctuation, "+", 0};
};

}  // namespace tilescope
