// A reverse-mode tape over five operators: what a forward pass has to save, and which kernels the backward pass
// launches in which order.
//
//     x, w: matrix                     x ──► mul ──► p ──► add ──► y      forward, in order
//     p = mul(x, w)                    │                    ▲
//     y = add(p, x)                    └────────────────────┘
//                                      dx ◄─(+=)─ mul' ◄─ dp ◄─ add' ◄─ dy   backward, in reverse
//
// A matrix has rows × columns elements, floats or bfloat16; a vector has a float for each column. All matrices of a
// program have the same shape, so nothing is broadcast except the two weights of LayerNorm. The last line is the result
// y. A value that two operators read gets two parts of its gradient: the first part is written, every later one is
// added.
//
// What survives until the backward pass is decided for each operator (Save). PyTorch's counterparts are
// ctx.save_for_backward and torch.utils.checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/result.hpp"

namespace tilescope {

enum class TapeOperator { add, mul, relu, gelu, layernorm };
std::string_view name_of(TapeOperator op);
std::optional<TapeOperator> tape_operator_from(std::string_view name);

enum class TapeShape { matrix, vector };

/// What of an operator is kept for its backward pass.
enum class Save {
  all,        // its inputs, and what the backward kernel would compute again: GELU's tanh, LayerNorm's mean and 1/σ
  inputs,     // its inputs; the backward kernel computes the rest again
  checkpoint  // its result is not kept for the readers either: if one needs it, the forward kernel runs again
};
std::string_view name_of(Save save);
std::optional<Save> save_from(std::string_view name);

struct TapeValue {
  std::string name = {};
  TapeShape shape = TapeShape::matrix;
  std::optional<size_t> node = {};  // that writes it; none: an input of the program
  uint32_t line = 0;                // in the text, from 1
  bool operator==(const TapeValue&) const = default;
};

struct TapeNode {
  TapeOperator op = TapeOperator::add;
  std::vector<size_t> inputs = {};  // values; LayerNorm: x, gamma, beta
  size_t output = 0;
  Save save = Save::all;
  uint32_t line = 0;
  bool operator==(const TapeNode&) const = default;
};

/// Nodes in the order of the forward pass. The last one writes the result, and every value leads to it.
struct TapeProgram {
  std::vector<TapeValue> values = {};
  std::vector<TapeNode> nodes = {};
  size_t result() const { return nodes.back().output; }
  std::optional<size_t> find(std::string_view name) const;
  bool operator==(const TapeProgram&) const = default;
};

/// What a node computes beside its result, one for each element or row. Always floats.
enum class TapeExtra { tanh, statistics };

/// Something that lives from the forward pass to the backward pass.
struct TapeSaved {
  size_t node = 0;                   // whose backward pass needs it
  std::optional<size_t> value = {};  // a value of the program; none: the node's own extra
  std::optional<TapeExtra> extra = {};
  TapeShape shape = TapeShape::matrix;     // that of the value, or of the tanhs
  bool recomputed = false;                 // not saved: the forward kernel that gives it runs again
  bool for_recompute = false;              // what needs it is not the node's backward pass but its second forward run
  bool held = false;                       // an input or the result of the program, which its caller keeps anyway
  std::optional<size_t> shared_with = {};  // an earlier entry that keeps the same value
  /// Bytes that this entry keeps in memory, and nothing else does. `element`: bytes of an element of a matrix.
  int64_t bytes(int64_t rows, int64_t columns, int64_t element = 4) const;
};

/// A part of the gradient of a value. `add`: an earlier step of the backward pass has already written a part.
struct TapeGradient {
  size_t value = 0;
  bool add = false;
};

/// One step of the two passes. LayerNorm's backward step is three kernels: one for dx, two for dgamma and dbeta.
struct TapeStep {
  enum class Kind { forward, recompute, backward };
  Kind kind = Kind::forward;
  size_t node = 0;
  bool keeps_extra = false;                  // forward: writes the extra. backward: reads it
  std::vector<TapeGradient> gradients = {};  // backward: parallel to the node's inputs
};

struct Tape {
  TapeProgram program = {};
  std::vector<TapeStep> steps = {};
  std::vector<TapeSaved> saved = {};  // by node, in the order of the backward pass
  /// Bytes that all nodes together keep for the backward pass, without the program's inputs and its result.
  int64_t saved_bytes(int64_t rows, int64_t columns, int64_t element = 4) const;
  /// Kernels that the backward pass runs beyond one step for each node.
  size_t recomputations() const;
};

/// The extra of an operator that Save::all keeps; nothing for most.
std::optional<TapeExtra> extra_of(TapeOperator op);
/// Values that the operator's backward pass reads: both factors of mul, the result of relu, x of gelu, x and gamma of
/// layernorm. Sums need nothing.
std::vector<size_t> needed_by_backward(const TapeNode& node);

/// The two passes of a program. The program must come from program_from_text.
Tape make_tape(TapeProgram program);
/// The same program with this choice at every node.
TapeProgram with_save(TapeProgram program, Save save);

}  // namespace tilescope
